package ui

import (
	"cmp"
	"strings"
	"time"

	"gofer/internal/clean"
	"gofer/internal/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/match"
)

// lineText is what a line says, clean and on one row.
func (v *pager) lineText(line *protocols.Line) string {
	if line.Note != nil {
		if text := line.Note.Row().Text; text != "" {
			return document.HeaderText(v.reading, text)
		}
	}
	text := v.reading.Line(line.Text)
	if v.page != nil && v.page.ROT13 && line.Kind != protocols.Header {
		text = rot13(text)
	}
	return text + v.actionKey(line)
}

// actionKey tells the key of the action that a line of gofer's own names.
func (v *pager) actionKey(line *protocols.Line) string {
	if a, ok := line.Note.(protocols.Action); ok {
		if key := v.keyOf(string(a)); key != "" {
			return " (press " + key + ")"
		}
	}
	return ""
}

// painter draws the visible rows of a page, one after the other.
type painter struct {
	*pager
	styles *cell.Styles
	glyphs *cell.Glyphs
	zone   *time.Location
	found  *match.Pattern // to be marked; nil: none
	hidden nav.State      // the states that are not shown

	hyperlinks cell.Hyperlinks

	labels *linkLabels // beside the links that begin with what is typed; or nil
	typed  string

	trees  map[int]string
	at     position // the row to draw next
	ended  bool
	cursor int // the column of the link under the cursor of a text, or -1

	repeated string // the author, in the place of the subject of the row

	markedLine int // the line whose places to mark are known, or -1
	places     [][2]int
}

func newPainter(v *pager, st *cell.Styles, g *cell.Glyphs, zone *time.Location, found *match.Pattern) *painter {
	p := &painter{pager: v, styles: st, glyphs: g, zone: zone, found: found, markedLine: -1}
	p.fillScreen()
	p.at = p.start()
	p.trees = p.threads(v.visible())
	return p
}

func (p *painter) Next(w *cell.RowWriter) (cursor int) {
	if p.ended {
		return -1
	}
	at := p.at
	selected := at.line == p.page.Cursor && p.linked(at.line)
	p.cursor = -1
	p.row(w, at, p.trees[at.line], selected)
	next, gone := p.move(at, 1)
	p.at, p.ended = next, gone == 0
	if !selected {
		return p.cursor
	}
	return p.gutter()
}

// How wide screens are that have room for more.
const (
	kindScreen    = 60
	wideScreen    = 110
	describedFrom = 50
)

// row draws row s.row of line s.line. tree is the thread before the text.
func (p *painter) row(w *cell.RowWriter, s position, tree string, selected bool) {
	l := p.line(s.line)
	n := p.page.Lines.Len()
	if s.line >= n {
		w.To(p.gutter())
		w.Put(p.styles.Dim, l.text)
		return
	}
	line := p.page.Lines.At(s.line)
	p.sign(w, &line, s, selected)
	st := p.textStyle(&line, selected) + stateStyle(p.styles, p.state(s.line))
	cols, room := p.columns(line.Note)
	inner := *w
	if len(cols) > 0 {
		inner.Width = max(w.Col, p.right()-room)
	}
	url := ""
	if p.linked(s.line) {
		url = p.hyperlinks.Of(line.Link)
	}
	if p.wrap() {
		inner.Linked(url, func() { p.wrapped(&inner, &line, l, st, s) })
	} else {
		inner.Put(p.styles.Dim, tree)
		folded, width := p.foldedText(s.line), inner.Width
		p.repeated = p.repeats(s.line)
		inner.Width = max(inner.Col, width-len(folded))
		inner.Linked(url, func() {
			if p.repeated == "" {
				p.pannedText(&inner, s.line, l, &line, st)
			} else {
				inner.Put(st, p.repeated)
			}
		})
		inner.Width = width
		inner.Put(p.styles.Dim, folded)
		p.beside(&inner, &line)
	}
	w.Col = inner.Col
	switch {
	case s.row > 0:
	case len(cols) > 0:
		p.notes(w, &line, cols, room)
	case !p.wrap():
		p.kindNote(w, &line)
	}
}

// state is what is shown of the state of line i.
func (p *painter) state(i int) nav.State { return p.page.Lines.State(i) &^ p.hidden }

// sign draws the gutter, which marks the row that is selected, and what is new
// or, where there is no colour to tell it, visited.
func (p *painter) sign(w *cell.RowWriter, line *protocols.Line, s position, selected bool) {
	gutter, sign := p.gutter(), ""
	if p.labels != nil && s.row == 0 {
		if label := p.labels.of(linkPlace{line: s.line}, p.typed); label != "" {
			w.To(min(1, gutter-1-len(label)))
			st := p.styles.Accent + p.styles.Bold
			if selected {
				st = p.styles.Selected + p.styles.Bold
			}
			w.Put(st, label)
			w.To(max(gutter, w.Col+1))
			return
		}
	}
	if gutter < cell.GutterWidth {
		if w.To(gutter); selected {
			w.Put("", p.glyphs.Cursor)
		}
		return
	}
	if s.row == 0 && (line.Link != nil || line.Kind == protocols.Failure || line.Kind == protocols.Problem) {
		sign = p.glyphs.Kind(line.Kind)
	}
	mark, st := scoreMark(p.glyphs, p.page.Lines.Score(s.line)), p.styles.Accent
	if p.page.IsFolded(s.line) {
		sign = p.glyphs.Kind(protocols.Menu)
	}
	if is := p.state(s.line); mark != "" || s.row > 0 {
	} else if is&nav.New != 0 {
		mark = p.glyphs.Fresh
	} else if is&nav.Visited != 0 {
		if st = p.styles.Dim; st == "" {
			mark = p.glyphs.Visited
		}
	}
	if selected {
		w.Put(p.styles.Selected, cmp.Or(p.glyphs.Cursor, mark, " ")+cmp.Or(sign, " ")+" ")
		return
	}
	w.Put(p.styles.Accent+p.styles.Bold, mark)
	w.To(1)
	w.Put(st, sign)
	w.To(gutter)
}

func (p *painter) wrapped(w *cell.RowWriter, line *protocols.Line, l laid, st cell.Style, s position) {
	from, to := l.row(s.row)
	text := l.text[from:to]
	if to < len(l.text) {
		text = strings.TrimRight(text, " ")
	}
	switch {
	case s.row > 0 && l.mark != "":
		w.Put(st, l.mark)
	case s.row > 0:
		w.To(w.Col + l.hang)
	}
	p.text(w, st, &l, text, from, p.marksIn(s.line, l.text, from, text), s.row == 0 && line.Kind == protocols.Header)
}

// pannedText draws the text from column Left on; a mark tells that there is
// more of it to the right.
func (p *painter) pannedText(w *cell.RowWriter, i int, l laid, line *protocols.Line, st cell.Style) {
	room := w.Width - w.Col
	text, left := p.panned(i)
	if left > 0 && text != "" { // half of a wide character
		n, cols := p.cells.Next(text)
		w.To(w.Col + min(cols-left, room))
		text, left, room = text[n:], 0, w.Width-w.Col
	}
	at := len(l.text) - len(text)
	seen, _, more := p.cells.Cut(text, left, room)
	mark := ""
	if more && room > 1 {
		seen, _, _ = p.cells.Cut(text, left, room-1)
		mark = p.glyphs.Right
	}
	p.text(w, st, &l, seen, at, p.marksIn(i, l.text, at, seen), p.page.Left == 0 && line.Kind == protocols.Header)
	if mark != "" {
		w.To(w.Width - 1)
		w.Put(p.styles.Dim, mark)
	}
}

// beside draws what stands right after the text: a link's target, a group's
// description.
func (p *painter) beside(w *cell.RowWriter, line *protocols.Line) {
	if line.Note == nil {
		return
	}
	row := line.Note.Row()
	if row.Target != "" {
		p.dimFit(w, " -> "+p.reading.Short(row.Target))
	}
	if row.Description != "" && p.width >= describedFrom {
		w.To(min(max(p.width*2/5, 20), 44))
		p.dimFit(w, "  "+p.reading.Short(row.Description))
	}
}

func (p *painter) dimFit(w *cell.RowWriter, text string) {
	if room := w.Width - w.Col; room > 4 {
		seen, _ := p.cells.Fit(text, room, p.glyphs.Cut)
		p.text(w, p.styles.Dim, new(laid), seen, 0, p.found.Marks(seen), false)
	}
}

// kindNote says at the right edge of a menu what an item is, where that does
// not cover anything.
func (p *painter) kindNote(w *cell.RowWriter, line *protocols.Line) {
	if l := p.layout(); l != protocols.LayoutMenu && l != protocols.LayoutPage || line.Link == nil {
		return
	}
	word := ""
	if line.Note != nil {
		word = clean.Short(line.Note.Row().Mark)
	}
	if p.width >= kindScreen {
		word = strings.TrimLeft(word+" "+line.Kind.String(), " ")
	}
	if at := p.right() - len(word); w.Col+cell.ColumnGap <= at {
		w.To(at)
		w.Put(p.styles.Dim, word)
	}
}

// textStyle is the style of a line's text. Of the row that is selected it changes
// nothing, so that a move of the cursor costs few octets; where no gutter marks
// the row, the text does.
func (p *painter) textStyle(line *protocols.Line, selected bool) cell.Style {
	switch {
	case selected && p.gutter() < cell.GutterWidth:
		return p.styles.Selected
	case line.Kind == protocols.Heading, line.Kind == protocols.Failure:
		return p.styles.Bold
	case line.Kind == protocols.Signature:
		return p.styles.Dim
	case line.Kind == protocols.Quote:
		return p.styles.Quote(document.QuoteMark(line.Text))
	}
	if mark := p.quoteMark(line, line.Text); mark != "" {
		return p.styles.Quote(mark)
	}
	if line.Link != nil && p.layout() == protocols.LayoutBinary {
		return p.styles.Link
	}
	return ""
}

// stateStyle is how the state of a line changes the style of its text.
func stateStyle(st *cell.Styles, is nav.State) cell.Style {
	switch {
	case is&nav.Unread != 0:
		return st.Bold
	case is&nav.Visited != 0:
		return st.Dim
	}
	return ""
}
