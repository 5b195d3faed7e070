package ui

import (
	"sort"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

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

// inText reports whether the links of the page stand in its text.
func (v *pager) inText() bool { return v.page != nil && v.page.IsText() }

// textLinks finds the links in line i, whose text as shown is text, and
// measures them in that.
func (v *pager) textLinks(i int, text string) (links []nav.TextLink, open bool) {
	if !v.inText() || i >= v.page.Lines.Len() {
		return nil, false
	}
	links, open = v.page.TextLinks(i)
	if len(links) == 0 {
		return nil, open
	}
	raw := v.page.Lines.WithoutLink(i).Text
	if raw == text {
		return links, open
	}
	for k := range links {
		l := &links[k]
		l.From = boundary(text, len(v.reading.Line(raw[:l.From])))
		l.To = boundary(text, len(v.reading.Line(raw[:l.To])))
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
func (v *pager) marked(l *nav.TextLink) bool {
	return v.page.Link == l.N && v.page.Cursor == l.Line
}

// linkAt returns the link at octet at of line i.
func (v *pager) linkAt(i, at int) (link nav.TextLink, ok bool) {
	for _, l := range v.line(i).links {
		if l.From <= at && at < l.To {
			return l, true
		}
	}
	return link, false
}

// linksOnScreen reports whether there are links in the text on the screen.
func (v *pager) linksOnScreen() bool {
	first, last := v.visible()
	for i := first; i <= last; i = v.after(i) {
		if len(v.line(i).links) > 0 {
			return true
		}
	}
	return false
}

// currentInText is the link of a text that the cursor is on, if its beginning
// is on the screen.
func (v *pager) currentInText() (line protocols.Line, ok bool) {
	p := v.page
	if p.Link == 0 || p.Cursor >= p.Lines.Len() || v.height <= 0 {
		return line, false
	}
	laid := v.line(p.Cursor)
	for k := range laid.links {
		l := &laid.links[k]
		if !v.marked(l) {
			continue
		}
		top := v.start()
		end, _ := v.move(top, v.height-1)
		if at := (position{p.Cursor, laid.rowOf(l.From)}); at.before(top) || end.before(at) {
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
	return line, false
}

// rowOf is the row that octet at is in.
func (l *laid) rowOf(at int) int { return max(0, sort.SearchInts(l.rows, at+1)-1) }

// hit returns the link of a text at a cell of the screen.
func (v *pager) hit(x, y int) (link nav.TextLink, ok bool) {
	if x -= v.gutter(); x < 0 || y < 0 || y >= v.height || v.total() == 0 {
		return link, false
	}
	s, gone := v.move(v.start(), y)
	if gone < y || s.line >= v.page.Lines.Len() {
		return link, false
	}
	l := v.line(s.line)
	if !v.wrap() {
		at, _ := v.cells.Seek(l.text, l.places, v.page.Left+x)
		return v.linkAt(s.line, at.Octet)
	}
	from, to := l.row(s.row)
	if s.row > 0 {
		x -= l.hang
	}
	if x < 0 {
		return link, false
	}
	at, _ := v.cells.Seek(l.text[from:to], nil, x)
	if at.Octet >= to-from {
		return link, false
	}
	return v.linkAt(s.line, from+at.Octet)
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

// linkSearch looks for the next link of a text or the one before, a slice of
// the page at a time.
type linkSearch struct {
	page *nav.Page
	line int // to look at
	dir  int
	// from is the first link of line that counts, or the last when dir is -1;
	// 0: any.
	from  int
	ended bool // there is no such link
}

// seekLink puts the cursor of a text on the next link (dir 1) or the one before,
// counted from the cursor if that is on the screen, else from the screen's
// edge.
func (m *Model) seekLink(dir int) tea.Cmd {
	v, p := &m.pager, m.session.Page()
	first, last := v.visible()
	if last < first {
		return nil
	}
	s := &linkSearch{page: p, line: first, dir: dir}
	if _, ok := v.currentInText(); ok {
		s.line, s.from = p.Cursor, p.Link+dir
		if s.from == 0 {
			s.line, s.from = s.line-1, 0
		}
	} else {
		top := v.start()
		edge := top
		if dir < 0 {
			s.line = last
			edge, _ = v.move(top, v.height-1)
		}
		s.from = v.fromEdge(s.line, edge, dir)
	}
	m.linkSearch = s
	m.linkSlice(newBudget(nil))
	return tea.Batch(m.sayNoLink(s), m.scan())
}

// fromEdge is the first link of line i that begins on the screen, whose first or
// last row is edge, or the last one when dir is -1.
func (v *pager) fromEdge(i int, edge position, dir int) int {
	if i != edge.line {
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

// linkSlice looks for the link in a slice of the page.
func (t *tab) linkSlice(b *budget) (changed bool) {
	s := t.linkSearch
	for ; b.left(); s.line, s.from = s.line+s.dir, 0 {
		if s.line < 0 || s.line >= s.page.Lines.Len() {
			t.linkSearch, s.ended = nil, true
			return true
		}
		b.take(len(s.page.Lines.WithoutLink(s.line).Text), 0)
		if n := s.in(s.page.CountLinks(s.line)); n > 0 && t.pager.textShown(s.line) {
			t.linkSearch = nil
			t.pager.moveToLink(s.line, n)
			return true
		}
	}
	return false
}

// sayNoLink says that a search, if there was one, has ended without a link.
func (m *Model) sayNoLink(s *linkSearch) tea.Cmd {
	if s == nil || !s.ended {
		return nil
	}
	return m.noLink(s.dir)
}

// in is the link that is looked for in a line of n links, or 0.
func (s *linkSearch) in(n int) int {
	switch {
	case s.from < 0 || s.from > n && s.dir > 0:
		return 0
	case s.from == 0 && s.dir > 0:
		return min(n, 1)
	case s.from == 0 || s.from > n:
		return n
	}
	return s.from
}

// moveToLink puts the cursor on link n that begins in line i and shows it.
func (v *pager) moveToLink(i, n int) {
	v.page.Cursor, v.page.Link = i, n
	for _, l := range v.line(i).links {
		if l.Line == i && l.N == n {
			v.moveTo(i, l.From)
		}
	}
}

// pieces draws text, which begins at octet at of line l, in style st, and the
// links in it in theirs.
func (p *painter) pieces(w *cell.RowWriter, st cell.Style, l *laid, text string, at int) {
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
		begins := link.From == at+from && link.Line == p.at.line
		w.Linked(p.hyperlinks.Of(link.URL), func() { p.piece(w, link, text[from:to], begins) })
	}
	p.coloured(w, st, l, text[done:], at+done)
}

// piece draws text of a link, perhaps its beginning.
func (p *painter) piece(w *cell.RowWriter, link *nav.TextLink, text string, begins bool) {
	if begins {
		if p.marked(link) {
			p.cursor = w.Col
			w.Put("", p.glyphs.Cursor)
		}
		text = p.putLabel(w, link, text)
		if p.marked(link) {
			seen, _, _ := p.cells.Cut(text, 0, markedCells)
			w.Put(p.styles.Selected, seen)
			text = text[boundary(text, len(seen)):]
		}
	}
	w.Put(p.styles.Link, text)
}

// putLabel draws the label of a link, if it has one, over the beginning of its
// text and returns the rest.
func (p *painter) putLabel(w *cell.RowWriter, link *nav.TextLink, text string) string {
	if p.labels == nil {
		return text
	}
	label := p.labels.of(linkPlace{link.Line, link.N}, p.typed)
	if label != "" && p.glyphs.Cursor != "" { // there is no reverse video
		label = "[" + label + "]"
	}
	seen, _, _ := p.cells.Cut(text, 0, len(label))
	w.Put(p.styles.Selected+p.styles.Bold, label)
	return text[boundary(text, len(seen)):]
}

// jump moves the cursor to the next link (dir 1) or the one before, however
// far.
func (m *Model) jump(dir int) tea.Cmd {
	if m.pager.inText() {
		return m.seekLink(dir)
	}
	if !m.pager.jump(dir) && m.pager.total() > 0 {
		return m.noLink(dir)
	}
	return nil
}

// noLink says that there is no link in a direction.
func (m *Model) noLink(dir int) tea.Cmd {
	if dir > 0 {
		return m.say("no more links")
	}
	return m.say("no links above")
}

// clickInText follows the link at a cell of a text.
func (m *Model) clickInText(x, y int) tea.Cmd {
	link, ok := m.pager.hit(x, y)
	if !ok {
		return nil
	}
	p := m.session.Page()
	p.Cursor, p.Link = link.Line, link.N
	if _, ok := m.pager.current(); !ok { // it begins above the screen
		return m.visitPlace(link.URL, link.Fragment)
	}
	return m.follow()
}
