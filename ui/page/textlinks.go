package page

import (
	"sort"
	"strings"
	"unicode/utf8"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// markedCells is the number of cells in reverse video at the beginning of the link under the
// cursor of a text. With few cells, a move of the cursor sends few octets over a slow line.
const markedCells = 16

// maxTitle is the largest length, in octets, of a line whose text becomes the title of its link.
const maxTitle = 120

// HasLinksInText reports whether the links of the page are in its text.
func (v *Pager) HasLinksInText() bool { return v.Page != nil && v.Page.IsText() }

// textLinks returns the links in line i. From and To of each link are offsets in the parameter text, the
// line as it is shown. The result open reports whether lines that are still loading may add
// links to this line.
func (v *Pager) textLinks(i int, text string) (links []nav.TextLink, open bool) {
	if !v.HasLinksInText() || i >= v.Page.Lines.Len() {
		return nil, false
	}
	links, open = v.Page.TextLinks(i)
	if len(links) == 0 {
		return nil, open
	}
	raw := v.Page.Lines.WithoutLink(i).Text
	if raw == text {
		return links, open
	}
	for k := range links {
		l := &links[k]
		l.From = characterStart(text, len(v.Reading.Line(raw[:l.From])))
		l.To = characterStart(text, len(v.Reading.Line(raw[:l.To])))
	}
	return links, open
}

// characterStart returns the first beginning of a character at or after octet i, or the end of text.
func characterStart(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return min(i, len(text))
}

// isCurrentLink reports whether the cursor is on l.
func (v *Pager) isCurrentLink(l *nav.TextLink) bool {
	return v.Page.Link == l.N && v.Page.Cursor == l.Line
}

func (v *Pager) linkAt(i, octet int) (link nav.TextLink, ok bool) {
	for _, l := range v.line(i).links {
		if l.From <= octet && octet < l.To {
			return l, true
		}
	}
	return link, false
}

// HasLinksOnScreen reports whether a visible line of the text has links.
func (v *Pager) HasLinksOnScreen() bool {
	first, last := v.VisibleLines()
	for i := first; i <= last; i = v.LineBelow(i) {
		if len(v.line(i).links) > 0 {
			return true
		}
	}
	return false
}

// CurrentTextLink returns the link under the cursor in a text, if the beginning of the link is on the
// screen.
func (v *Pager) CurrentTextLink() (line protocols.Line, ok bool) {
	p := v.Page
	if p.Link == 0 || p.Cursor >= p.Lines.Len() || v.Height <= 0 {
		return line, false
	}
	layout := v.line(p.Cursor)
	l, ok := v.currentLink(&layout)
	if !ok || !v.isOnScreen(Position{p.Cursor, layout.rowAt(l.From)}) || v.isPannedOut(&layout, l.From) {
		return line, false
	}
	if p.Lines.HasLink(p.Cursor) {
		if line = p.Lines.At(p.Cursor); line.Kind == protocols.Header {
			line.Kind = protocols.KindOf(line.Link)
		}
		return line, true
	}
	line = protocols.Line{Kind: protocols.KindOf(l.URL), Link: l.URL}
	if len(layout.text) <= maxTitle {
		line.Text = strings.TrimSpace(layout.text)
	}
	return line, true
}

// currentLink returns the link of l that the cursor is on.
func (v *Pager) currentLink(l *lineLayout) (link nav.TextLink, ok bool) {
	for k := range l.links {
		if v.isCurrentLink(&l.links[k]) {
			return l.links[k], true
		}
	}
	return link, false
}

// isOnScreen reports whether a row of the page is on the screen.
func (v *Pager) isOnScreen(pos Position) bool {
	top := v.FirstRow()
	end, _ := v.Move(top, v.Height-1)
	return !pos.isBefore(top) && !end.isBefore(pos)
}

// isPannedOut reports whether an octet of a line is outside of the screen, because the line is panned.
func (v *Pager) isPannedOut(l *lineLayout, octet int) bool {
	if !l.panned {
		return false
	}
	col := v.Cells.Width(l.text[:octet])
	return col < v.Page.Left || col >= v.Page.Left+v.textWidth()
}

// rowAt returns the row that contains an octet of the line.
func (l *lineLayout) rowAt(octet int) int { return max(0, sort.SearchInts(l.rows, octet+1)-1) }

// LinkUnder returns the link in a text at column x of row y of the screen.
func (v *Pager) LinkUnder(x, y int) (link nav.TextLink, ok bool) {
	s, ok := v.positionAt(y)
	if x -= v.gutter(); x < 0 || !ok {
		return link, false
	}
	l := v.line(s.Line)
	if l.panned {
		place, _ := v.Cells.Seek(l.text, l.places, v.Page.Left+x)
		return v.linkAt(s.Line, place.Octet)
	}
	start, end := l.rowBounds(s.row)
	if s.row > 0 {
		x -= l.hang
	}
	if x < 0 {
		return link, false
	}
	place, _ := v.Cells.Seek(l.text[start:end], nil, x)
	if place.Octet >= end-start {
		return link, false
	}
	return v.linkAt(s.Line, start+place.Octet)
}

// rowBounds returns the offsets in the text at which row n begins and ends.
func (l *lineLayout) rowBounds(n int) (start, end int) {
	end = len(l.text)
	if n < len(l.rows) {
		start = l.rows[n]
	}
	if n+1 < len(l.rows) {
		end = l.rows[n+1]
	}
	return start, end
}

// LinkSearch searches for the next or previous link of a text, a part of the page at a time.
type LinkSearch struct {
	Page *nav.Page
	Line int // next line to search
	Dir  int
	// From is the first link of Line to consider, or the last if Dir is -1; 0 means any, and a negative
	// number means none.
	From  int
	Ended bool // no link was found
}

// EdgeLink returns the first visible link of line i for dir 1, or the last one for dir -1, as a value for
// From of a [LinkSearch]. The parameter edge is the first or the last row of the screen.
func (v *Pager) EdgeLink(i int, edge Position, dir int) int {
	if i != edge.Line {
		return 0
	}
	layout := v.line(i)
	n := 0
	for k := range layout.links {
		l := &layout.links[k]
		if l.Line != i {
			continue
		}
		row := layout.rowAt(l.From)
		if dir > 0 && row >= edge.row {
			return l.N
		}
		if dir < 0 && row > edge.row {
			return max(l.N-1, -1)
		}
		n = l.N
	}
	if dir > 0 {
		return n + 1
	}
	return 0
}

// LinkNumber returns the number of the link to select in a line of n links, or 0.
func (s *LinkSearch) LinkNumber(n int) int {
	switch {
	case s.From < 0 || s.From > n && s.Dir > 0:
		return 0
	case s.From == 0 && s.Dir > 0:
		return min(n, 1)
	case s.From == 0 || s.From > n:
		return n
	}
	return s.From
}

// MoveToLink puts the cursor on the n-th of the links that begin in line i, and shows it.
func (v *Pager) MoveToLink(i, n int) {
	v.Page.Cursor, v.Page.Link = i, n
	for _, l := range v.line(i).links {
		if l.Line == i && l.N == n {
			v.MoveTo(i, l.From)
		}
	}
}

// drawLinked draws text, which begins at an offset in line l, in style st, with its links.
func (p *Painter) drawLinked(w *cell.RowWriter, st cell.Style, l *lineLayout, text string, offset int) {
	done := 0
	for k := range l.links {
		link := &l.links[k]
		// The offsets may be outside of text, which can lack characters without a width.
		from, to := characterStart(text, max(link.From-offset, done)), characterStart(text, max(link.To-offset, 0))
		if from >= to {
			continue
		}
		p.drawColored(w, st, l, text[done:from], offset+done)
		done = to
		begins := link.From == offset+from && link.Line == p.next.Line
		w.PutLink(p.Links.Target(link.URL, link.Fragment), func() { p.drawLink(w, link, text[from:to], begins) })
	}
	p.drawColored(w, st, l, text[done:], offset+done)
}

// drawLink draws a part of the text of a link.
func (p *Painter) drawLink(w *cell.RowWriter, link *nav.TextLink, text string, begins bool) {
	if begins {
		if p.isCurrentLink(link) {
			p.cursor = w.Col
			w.Put("", p.glyphs.Cursor)
		}
		text = p.drawLabel(w, link, text)
		if p.isCurrentLink(link) {
			seen, _, _ := p.Cells.Cut(text, 0, markedCells)
			w.Put(p.styles.Selected, seen)
			text = text[characterStart(text, len(seen)):]
		}
	}
	w.Put(p.styles.Link, text)
}

// drawLabel draws the label of a link, if any, over the beginning of its text and returns the
// rest of the text.
func (p *Painter) drawLabel(w *cell.RowWriter, link *nav.TextLink, text string) string {
	if p.Labels == nil {
		return text
	}
	label := p.Labels.labelOf(LinkPlace{link.Line, link.N}, p.Typed)
	if label != "" && p.glyphs.Cursor != "" { // without reverse video, the brackets set the label apart from the text
		label = "[" + label + "]"
	}
	seen, _, _ := p.Cells.Cut(text, 0, len(label))
	w.Put(p.styles.Selected+p.styles.Bold, label)
	return text[characterStart(text, len(seen)):]
}

// OtherURLs returns the other URLs that the link under the cursor may mean.
func (v *Pager) OtherURLs() []urlcore.URL {
	if v.Page == nil || v.Page.Link == 0 {
		return nil
	}
	return v.Page.OtherURLs(v.Page.Cursor, v.Page.Link)
}

// Fragment returns the fragment of the link under the cursor.
func (v *Pager) Fragment() string {
	if v.Page == nil || v.Page.Cursor >= v.Page.Lines.Len() {
		return ""
	}
	if !v.HasLinksInText() {
		line := v.Page.Lines.At(v.Page.Cursor)
		return line.Fragment()
	}
	layout := v.line(v.Page.Cursor)
	link, _ := v.currentLink(&layout)
	return link.Fragment
}
