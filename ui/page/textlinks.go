package page

import (
	"sort"
	"strings"
	"unicode/utf8"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// markedCells is the number of cells in reverse video at the beginning of the link under the
// cursor of a text. Few cells keep a move of the cursor short on a slow line.
const markedCells = 16

// maxTitle is the largest length, in octets, of a line whose text becomes the title of its link.
const maxTitle = 120

// InText reports whether the links of the page are in its text.
func (v *Pager) InText() bool { return v.Page != nil && v.Page.IsText() }

// textLinks finds the links in line i. Their places are octets of text, the line as shown.
func (v *Pager) textLinks(i int, text string) (links []nav.TextLink, open bool) {
	if !v.InText() || i >= v.Page.Lines.Len() {
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
		l.From = boundary(text, len(v.Reading.Line(raw[:l.From])))
		l.To = boundary(text, len(v.Reading.Line(raw[:l.To])))
	}
	return links, open
}

// boundary returns the first beginning of a character at or after octet at, or the end of text.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return min(at, len(text))
}

// isCurrent reports whether the cursor is on l.
func (v *Pager) isCurrent(l *nav.TextLink) bool {
	return v.Page.Link == l.N && v.Page.Cursor == l.Line
}

func (v *Pager) linkAt(i, at int) (link nav.TextLink, ok bool) {
	for _, l := range v.line(i).links {
		if l.From <= at && at < l.To {
			return l, true
		}
	}
	return link, false
}

// LinksOnScreen reports whether a visible line of the text has links.
func (v *Pager) LinksOnScreen() bool {
	first, last := v.Visible()
	for i := first; i <= last; i = v.After(i) {
		if len(v.line(i).links) > 0 {
			return true
		}
	}
	return false
}

// CurrentTextLink returns the link of a text under the cursor, if its beginning is on the screen.
func (v *Pager) CurrentTextLink() (line protocols.Line, ok bool) {
	p := v.Page
	if p.Link == 0 || p.Cursor >= p.Lines.Len() || v.Height <= 0 {
		return line, false
	}
	layout := v.line(p.Cursor)
	l, ok := v.currentLink(&layout)
	if !ok || !v.onScreen(Position{p.Cursor, layout.rowOf(l.From)}) {
		return line, false
	}
	if p.Lines.Linked(p.Cursor) {
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
		if v.isCurrent(&l.links[k]) {
			return l.links[k], true
		}
	}
	return link, false
}

// onScreen reports whether a row of the page is on the screen.
func (v *Pager) onScreen(at Position) bool {
	top := v.Start()
	end, _ := v.Move(top, v.Height-1)
	return !at.before(top) && !end.before(at)
}

// rowOf returns the row that contains octet at.
func (l *lineLayout) rowOf(at int) int { return max(0, sort.SearchInts(l.rows, at+1)-1) }

// Hit returns the link of a text at a cell of the screen.
func (v *Pager) Hit(x, y int) (link nav.TextLink, ok bool) {
	s, ok := v.positionAt(y)
	if x -= v.gutter(); x < 0 || !ok {
		return link, false
	}
	l := v.line(s.Line)
	if !v.Wrap() {
		at, _ := v.Cells.Seek(l.text, l.places, v.Page.Left+x)
		return v.linkAt(s.Line, at.Octet)
	}
	from, to := l.row(s.row)
	if s.row > 0 {
		x -= l.hang
	}
	if x < 0 {
		return link, false
	}
	at, _ := v.Cells.Seek(l.text[from:to], nil, x)
	if at.Octet >= to-from {
		return link, false
	}
	return v.linkAt(s.Line, from+at.Octet)
}

// row returns the octets of row n.
func (l *lineLayout) row(n int) (from, to int) {
	to = len(l.text)
	if n < len(l.rows) {
		from = l.rows[n]
	}
	if n+1 < len(l.rows) {
		to = l.rows[n+1]
	}
	return from, to
}

// LinkSearch searches for the next or previous link of a text, a part of the page at a time.
type LinkSearch struct {
	Page *nav.Page
	Line int // next line to search
	Dir  int
	// From is the first link of Line to consider, or the last if Dir is -1; 0 means any.
	From  int
	Ended bool // no link was found
}

// EdgeLink returns the first visible link of line i for dir 1, or the last one for dir -1. edge
// is the first or the last row of the screen.
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
		row := layout.rowOf(l.From)
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

// LinkOf returns the number of the link to select in a line of n links, or 0.
func (s *LinkSearch) LinkOf(n int) int {
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

// MoveToLink puts the cursor on link n of those that begin in line i, and shows it.
func (v *Pager) MoveToLink(i, n int) {
	v.Page.Cursor, v.Page.Link = i, n
	for _, l := range v.line(i).links {
		if l.Line == i && l.N == n {
			v.MoveTo(i, l.From)
		}
	}
}

// drawLinked draws text, which begins at octet at of line l, in style st, with its links.
func (p *Painter) drawLinked(w *cell.RowWriter, st cell.Style, l *lineLayout, text string, at int) {
	done := 0
	for k := range l.links {
		link := &l.links[k]
		// Text may lack characters of the line that take no cell.
		from, to := boundary(text, max(link.From-at, done)), boundary(text, max(link.To-at, 0))
		if from >= to {
			continue
		}
		p.drawColoured(w, st, l, text[done:from], at+done)
		done = to
		begins := link.From == at+from && link.Line == p.at.Line
		w.Linked(p.Hyperlinks.Of(link.URL), func() { p.drawLink(w, link, text[from:to], begins) })
	}
	p.drawColoured(w, st, l, text[done:], at+done)
}

// drawLink draws a part of the text of a link.
func (p *Painter) drawLink(w *cell.RowWriter, link *nav.TextLink, text string, begins bool) {
	if begins {
		if p.isCurrent(link) {
			p.cursor = w.Col
			w.Put("", p.glyphs.Cursor)
		}
		text = p.drawLabel(w, link, text)
		if p.isCurrent(link) {
			seen, _, _ := p.Cells.Cut(text, 0, markedCells)
			w.Put(p.styles.Selected, seen)
			text = text[boundary(text, len(seen)):]
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
	if label != "" && p.glyphs.Cursor != "" { // there is no reverse video
		label = "[" + label + "]"
	}
	seen, _, _ := p.Cells.Cut(text, 0, len(label))
	w.Put(p.styles.Selected+p.styles.Bold, label)
	return text[boundary(text, len(seen)):]
}

// Fragment returns the fragment of the link under the cursor.
func (v *Pager) Fragment() string {
	if !v.InText() || v.Page.Cursor >= v.Page.Lines.Len() {
		return ""
	}
	layout := v.line(v.Page.Cursor)
	link, _ := v.currentLink(&layout)
	return link.Fragment
}
