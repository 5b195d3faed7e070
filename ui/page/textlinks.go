package page

import (
	"sort"
	"strings"
	"unicode/utf8"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// markedCells is how many cells of the link under the cursor of a text are
// drawn in reverse video: a move of the cursor draws that much again.
const markedCells = 16

// maxTitle is how long the text of a line can be, in octets, that is the title
// of a link in it.
const maxTitle = 120

// InText reports whether the links of the page stand in its text.
func (v *Pager) InText() bool { return v.Page != nil && v.Page.IsText() }

// textLinks finds the links in line i, whose text as shown is text, and
// measures them in that.
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

// boundary is the end of text or the beginning of a character of it that is at
// octet at or the next one.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return min(at, len(text))
}

// marked reports whether the cursor is on l.
func (v *Pager) marked(l *nav.TextLink) bool {
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

// LinksOnScreen reports whether there are links in the text on the screen.
func (v *Pager) LinksOnScreen() bool {
	first, last := v.Visible()
	for i := first; i <= last; i = v.After(i) {
		if len(v.line(i).links) > 0 {
			return true
		}
	}
	return false
}

// CurrentInText is the link of a text that the cursor is on, if its beginning
// is on the screen.
func (v *Pager) CurrentInText() (line protocols.Line, ok bool) {
	p := v.Page
	if p.Link == 0 || p.Cursor >= p.Lines.Len() || v.Height <= 0 {
		return line, false
	}
	laid := v.line(p.Cursor)
	l, ok := v.markedLink(&laid)
	if !ok || !v.onScreen(Position{p.Cursor, laid.rowOf(l.From)}) {
		return line, false
	}
	if p.Lines.Linked(p.Cursor) {
		if line = p.Lines.At(p.Cursor); line.Kind == protocols.Header {
			line.Kind = protocols.KindOf(line.Link)
		}
		return line, true
	}
	line = protocols.Line{Kind: protocols.KindOf(l.URL), Link: l.URL}
	if len(laid.text) <= maxTitle {
		line.Text = strings.TrimSpace(laid.text)
	}
	return line, true
}

// markedLink returns the link of l that the cursor is on.
func (v *Pager) markedLink(l *laid) (link nav.TextLink, ok bool) {
	for k := range l.links {
		if v.marked(&l.links[k]) {
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

// rowOf is the row that octet at is in.
func (l *laid) rowOf(at int) int { return max(0, sort.SearchInts(l.rows, at+1)-1) }

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

// row is the octets of a row.
func (l *laid) row(n int) (from, to int) {
	to = len(l.text)
	if n < len(l.rows) {
		from = l.rows[n]
	}
	if n+1 < len(l.rows) {
		to = l.rows[n+1]
	}
	return from, to
}

// LinkSearch looks for the next link of a text or the one before, a slice of
// the page at a time.
type LinkSearch struct {
	Page *nav.Page
	Line int // to look at
	Dir  int
	// From is the first link of Line that counts, or the last when Dir is -1;
	// 0: any.
	From  int
	Ended bool // there is no such link
}

// FromEdge is the first link of line i that begins on the screen, whose first or
// last row is edge, or the last one when dir is -1.
func (v *Pager) FromEdge(i int, edge Position, dir int) int {
	if i != edge.Line {
		return 0
	}
	laid := v.line(i)
	n := 0
	for k := range laid.links {
		l := &laid.links[k]
		if l.Line != i {
			continue
		}
		row := laid.rowOf(l.From)
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

// In is the link that is looked for in a line of n links, or 0.
func (s *LinkSearch) In(n int) int {
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

// MoveToLink puts the cursor on link n that begins in line i and shows it.
func (v *Pager) MoveToLink(i, n int) {
	v.Page.Cursor, v.Page.Link = i, n
	for _, l := range v.line(i).links {
		if l.Line == i && l.N == n {
			v.MoveTo(i, l.From)
		}
	}
}

// pieces draws text, which begins at octet at of line l, in style st, and the
// links in it in theirs.
func (p *Painter) pieces(w *cell.RowWriter, st cell.Style, l *laid, text string, at int) {
	done := 0
	for k := range l.links {
		link := &l.links[k]
		// Text may lack characters of the line that take no cell.
		from, to := boundary(text, max(link.From-at, done)), boundary(text, max(link.To-at, 0))
		if from >= to {
			continue
		}
		p.coloured(w, st, l, text[done:from], at+done)
		done = to
		begins := link.From == at+from && link.Line == p.at.Line
		w.Linked(p.Hyperlinks.Of(link.URL), func() { p.piece(w, link, text[from:to], begins) })
	}
	p.coloured(w, st, l, text[done:], at+done)
}

// piece draws text of a link, perhaps its beginning.
func (p *Painter) piece(w *cell.RowWriter, link *nav.TextLink, text string, begins bool) {
	if begins {
		if p.marked(link) {
			p.cursor = w.Col
			w.Put("", p.glyphs.Cursor)
		}
		text = p.putLabel(w, link, text)
		if p.marked(link) {
			seen, _, _ := p.Cells.Cut(text, 0, markedCells)
			w.Put(p.styles.Selected, seen)
			text = text[boundary(text, len(seen)):]
		}
	}
	w.Put(p.styles.Link, text)
}

// putLabel draws the label of a link, if it has one, over the beginning of its
// text and returns the rest.
func (p *Painter) putLabel(w *cell.RowWriter, link *nav.TextLink, text string) string {
	if p.Labels == nil {
		return text
	}
	label := p.Labels.of(LinkPlace{link.Line, link.N}, p.Typed)
	if label != "" && p.glyphs.Cursor != "" { // there is no reverse video
		label = "[" + label + "]"
	}
	seen, _, _ := p.Cells.Cut(text, 0, len(label))
	w.Put(p.styles.Selected+p.styles.Bold, label)
	return text[boundary(text, len(seen)):]
}

// Fragment is the place of a page that the link under the cursor leads to.
func (v *Pager) Fragment() string {
	if !v.InText() || v.Page.Cursor >= v.Page.Lines.Len() {
		return ""
	}
	laid := v.line(v.Page.Cursor)
	link, _ := v.markedLink(&laid)
	return link.Fragment
}
