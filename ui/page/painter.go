package page

import (
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/match"
)

// Painter draws the visible rows of a page, one after the other.
type Painter struct {
	*Pager
	styles *cell.Styles
	glyphs *cell.Glyphs
	zone   *time.Location
	Found  *match.Pattern // pattern whose matches are marked, or nil
	Match  int            // line of the current match, or -1
	Hidden nav.State      // states that are not shown

	Links cell.LinkFilter

	Labels *LinkLabels // labels of the links, or nil
	Typed  string      // only labels that begin with Typed are shown

	HeaderRule bool // draw a horizontal rule below the header of an article

	trees  map[int]string // branches of threads by line
	next   Position       // the row to draw next
	atEnd  bool
	cursor int // column of the link under the cursor in a text, or -1

	markedLine int // line whose matches are in places, or -1
	places     [][2]int
}

// NewPainter returns a Painter of the visible rows of v. It marks the matches of pattern, which may
// be nil, and writes dates in the given time zone.
func NewPainter(v *Pager, st *cell.Styles, g *cell.Glyphs, zone *time.Location, pattern *match.Pattern) *Painter {
	p := &Painter{Pager: v, styles: st, glyphs: g, zone: zone, Found: pattern, Match: -1, markedLine: -1}
	p.fillScreen()
	p.FitColumns()
	p.next = p.FirstRow()
	p.trees = p.treePrefixes(v.VisibleLines())
	return p
}

// Next draws the next row and returns the column of the cursor in it, or -1.
func (p *Painter) Next(w *cell.RowWriter) (cursor int) {
	if p.atEnd {
		return -1
	}
	pos := p.next
	selected := pos.Line == p.Page.Cursor && (p.IsLink(pos.Line) || pos.Line == p.Match && p.gutter() == cell.GutterWidth)
	p.cursor = -1
	st := p.styles
	if selected && st.Tint != "" {
		p.styles, w.BaseStyle = st.OnTint, st.Tint
	}
	if p.drawRow(w, pos, p.trees[pos.Line], selected); w.BaseStyle != "" {
		w.PadTo(w.Width)
		p.styles, w.BaseStyle = st, ""
	}
	next, moved := p.Move(pos, 1)
	p.next, p.atEnd = next, moved == 0
	switch {
	case !selected:
		return p.cursor
	case p.gutter() < cell.GutterWidth:
		return p.gutter()
	}
	line := p.Page.Lines.WithoutLink(pos.Line)
	return 1 + p.indent(&line) // the terminal's cursor is on the sign of the item
}

// The least widths of a screen that shows the kinds of items, and their descriptions in a column.
const (
	KindScreen  = 60
	alignedFrom = 50
)

// drawRow draws row s.row of line s.Line. The parameter tree has the branches of the thread, which
// are drawn before the text.
func (p *Painter) drawRow(w *cell.RowWriter, s Position, tree string, selected bool) {
	l := p.line(s.Line)
	n := p.Page.Lines.Len()
	if s.Line >= n {
		w.PadTo(p.gutter())
		w.Put(p.styles.Dim, l.text)
		return
	}
	line := p.Page.Lines.At(s.Line)
	p.drawSign(w, &line, s, selected)
	st := p.textStyle(&line, s.Line, selected) + stateStyle(p.styles, p.state(s.Line))
	if p.isSubject(&line) {
		st += p.styles.Bold
	}
	if p.Page.IsTagged(s.Line) {
		st = p.styles.Tagged
	}
	if p.HeaderRule && p.endsHeader(s.Line) {
		w.Put(p.styles.Dim, strings.Repeat(p.glyphs.Rule, max(0, min(maxProse, w.Width-p.gutter()-cell.Margin(w.Width)))))
		return
	}
	cols, room := p.Columns(line.Note)
	inner := *w
	if len(cols) > 0 {
		inner.Width = max(w.Col, p.RightEdge()-room)
	}
	url := ""
	if p.IsLink(s.Line) {
		url = p.Links.Target(line.Link, line.Fragment())
	}
	if !l.panned {
		inner.PutLink(url, func() { p.drawWrapped(&inner, &line, l, st, s) })
		if len(cols) == 0 && s.row == max(len(l.rows)-1, 0) {
			p.drawSuffix(&inner, &line)
		}
	} else {
		inner.Put(p.styles.Dim, tree)
		folded, width := p.foldedText(s.Line), inner.Width
		reply := p.replyText(s.Line, cols)
		inner.Width = max(inner.Col, width-len(folded))
		inner.PutLink(url, func() {
			if reply == "" {
				p.drawPanned(&inner, s.Line, l, &line, st)
			} else {
				inner.Put(st, reply)
			}
		})
		inner.Width = width
		inner.Put(p.styles.Dim, folded)
		p.drawSuffix(&inner, &line)
	}
	w.Col = inner.Col
	switch {
	case s.row > 0:
	case len(cols) > 0:
		p.drawColumns(w, &line, cols, room)
	case !p.WrapsLines(), p.Page.IsFolder(s.Line):
		p.drawKind(w, &line)
	}
}

// state returns the states of line i without the hidden ones.
func (p *Painter) state(i int) nav.State { return p.Page.Lines.State(i) &^ p.Hidden }

// isReadable reports whether line is an item of a list that the user reads from page to page.
func isReadable(line *protocols.Line) bool {
	_, ok := line.Note.(protocols.Readable)
	return ok
}

// drawSign draws the gutter: the sign of the kind, and marks for the selected row, tags, scores,
// new links and unread items. It marks visited links by a dim sign or, without colors, by a mark.
func (p *Painter) drawSign(w *cell.RowWriter, line *protocols.Line, s Position, selected bool) {
	gutter, indent, sign := p.gutter(), p.indent(line), ""
	if p.Labels != nil && s.row == 0 {
		if label := p.Labels.labelOf(LinkPlace{Line: s.Line}, p.Typed); label != "" {
			p.drawGutterLabel(w, label, selected)
			return
		}
	}
	if gutter < cell.GutterWidth {
		if gutter > 0 && s.Line == p.Match && s.Line == p.Page.Cursor {
			w.Put(p.styles.Accent, p.styles.Mark(p.glyphs))
		}
		if w.PadTo(gutter); selected {
			w.Put("", p.glyphs.Cursor)
		}
		return
	}
	if s.row == 0 && (line.Link != nil || line.Kind == protocols.Failure || line.Kind == protocols.Problem) {
		sign = p.glyphs.Kind(line.Kind)
	}
	mark, st := scoreMark(p.glyphs, p.Page.Lines.Score(s.Line)), p.styles.SignStyle(line.Kind)
	if p.Page.IsFolded(s.Line) {
		sign = p.glyphs.Folded
	} else if p.Page.IsFolder(s.Line) && s.row == 0 {
		sign = p.glyphs.Unfolded
	}
	if state := p.state(s.Line); mark != "" || s.row > 0 {
	} else if state&nav.New != 0 || state&nav.Unread != 0 && isReadable(line) {
		mark = p.glyphs.Fresh
	} else if state&nav.Visited != 0 {
		if p.styles.Dim != "" {
			st = p.styles.Dim
		} else {
			mark = p.glyphs.Visited
		}
	}
	tagged, tagSign := s.row == 0 && p.Page.IsTagged(s.Line), p.glyphs.Tagged
	if s.row == 0 && p.Page.Layout == protocols.LayoutDirectory { // elsewhere a bit of the state has another meaning
		if m := compareMark(p.glyphs, p.state(s.Line)); m != "" {
			mark, tagSign = m, m
		}
	}
	switch {
	case tagged && selected && p.glyphs.Cursor != "": // without reverse video
		w.Put("", p.glyphs.Cursor)
		sign = tagSign
	case tagged && selected:
		w.Put(p.styles.Marked, tagSign)
	case tagged:
		w.Put(p.styles.TagSign, tagSign)
	case selected && mark != "" && p.glyphs.Cursor == "" && !p.glyphs.ASCII: // not in ASCII, where a small sign such as a dot would not show the selection
		w.Put(p.styles.Marked, mark)
	case selected: // the cursor has the style of the sign, so that the renderer draws the two together
		w.Put(st, p.styles.Mark(p.glyphs))
	default:
		w.Put(p.styles.Accent+p.styles.Bold, mark)
	}
	w.PadTo(1 + indent)
	if sign != "" {
		sign += " " // in the style of the sign, which most titles have too
	}
	w.Put(st, sign)
	w.PadTo(gutter + indent)
}

// compareMark returns the sign of an item of a compared directory, or "".
func compareMark(g *cell.Glyphs, s nav.State) string {
	switch s & nav.Compared {
	case nav.Alone:
		return g.Alone
	case nav.Differs:
		return g.Differs
	case nav.Newer:
		return g.Newer
	}
	if s&nav.Undecided != 0 {
		return g.Undecided
	}
	return ""
}

// drawGutterLabel draws the label of a link in place of the sign.
func (p *Painter) drawGutterLabel(w *cell.RowWriter, label string, selected bool) {
	gutter, st := p.gutter(), p.styles.Accent+p.styles.Bold
	if selected {
		st = p.styles.Marked + p.styles.Bold
	}
	w.PadTo(min(1, gutter-1-len(label)))
	w.Put(st, label)
	w.PadTo(max(gutter, w.Col+1))
}

func (p *Painter) drawWrapped(w *cell.RowWriter, line *protocols.Line, l lineLayout, st cell.Style, s Position) {
	start, end := l.rowBounds(s.row)
	text := l.text[start:end]
	if end < len(l.text) {
		text = strings.TrimRight(text, " ")
	}
	switch {
	case s.row > 0 && l.mark != "":
		w.Put(st, l.mark)
	case s.row > 0:
		w.PadTo(w.Col + l.hang)
	}
	p.drawText(w, st, &l, text, start, p.matchesIn(s.Line, l.text, start, text), s.row == 0 && line.Kind == protocols.Header)
	if end == len(l.text) {
		w.Put(p.styles.Dim, p.foldedText(s.Line))
	}
}

// drawPanned draws the text from the column Page.Left on. It draws a mark if the text continues at the right.
func (p *Painter) drawPanned(w *cell.RowWriter, i int, l lineLayout, line *protocols.Line, st cell.Style) {
	room := w.Width - w.Col
	text, hidden := p.visibleText(i)
	if hidden > 0 && text != "" { // the left edge cuts a wide character in half
		n, cols := p.Cells.Next(text)
		w.PadTo(w.Col + min(cols-hidden, room))
		text, hidden, room = text[n:], 0, w.Width-w.Col
	}
	offset := len(l.text) - len(text)
	part, _, cut := p.Cells.Cut(text, hidden, room)
	mark := ""
	if cut && room > 1 {
		part, _, _ = p.Cells.Cut(text, hidden, room-1)
		mark = p.glyphs.Right
	}
	p.drawText(w, st, &l, part, offset, p.matchesIn(i, l.text, offset, part), p.Page.Left == 0 && line.Kind == protocols.Header)
	if mark != "" {
		w.PadTo(w.Width - 1)
		w.Put(p.styles.Dim, mark)
	}
}

// drawSuffix draws the target and the description, which the note of a line has, after the text of the line.
func (p *Painter) drawSuffix(w *cell.RowWriter, line *protocols.Line) {
	if line.Note == nil {
		return
	}
	row := line.Note.Row()
	if row.Target != "" {
		p.drawDim(w, " -> "+p.Reading.Short(row.Target))
	}
	if isWide := p.Width >= alignedFrom; row.Description != "" && (isWide || len(line.Note.Columns()) == 0) {
		if isWide {
			w.PadTo(p.descriptionColumn())
		}
		p.drawDim(w, "  "+p.Reading.Short(row.Description))
	}
}

func (p *Painter) drawDim(w *cell.RowWriter, text string) {
	if room := w.Width - w.Col; room > 4 {
		part, _ := p.Cells.Fit(text, room, p.glyphs.Cut)
		p.drawText(w, p.styles.Dim, new(lineLayout), part, 0, p.Found.Marks(part), false)
	}
}

// drawKind draws the kind of an item at the right edge of a menu, unless the item is a menu or a text.
// For a folded folder it draws the number of bookmarks. The mark of the note precedes the kind.
// drawKind does nothing if there is no room.
func (p *Painter) drawKind(w *cell.RowWriter, line *protocols.Line) {
	if l := p.layout(); l != protocols.LayoutMenu && l != protocols.LayoutPage || line.Link == nil {
		return
	}
	word := p.folderSize(p.next.Line)
	if line.Note != nil {
		word += clean.Short(line.Note.Row().Mark)
	}
	if p.Width >= KindScreen && line.Kind != protocols.Menu && line.Kind != protocols.Text && !p.Page.IsFolder(p.next.Line) {
		word = strings.TrimLeft(word+" "+line.Kind.String(), " ")
	}
	if col := p.RightEdge() - len(word); w.Col+cell.ColumnGap <= col {
		w.PadTo(col)
		w.Put(p.styles.Dim, word)
	}
}

// textStyle returns the style of the text of line i. If no gutter marks the selected row, the style of
// the text marks it.
func (p *Painter) textStyle(line *protocols.Line, i int, selected bool) cell.Style {
	switch {
	case selected && p.gutter() < cell.GutterWidth:
		return p.styles.Marked
	case line.Kind == protocols.Heading, line.Kind == protocols.Failure, p.isHeading(i, line):
		return p.styles.Bold
	case line.Kind == protocols.Signature:
		return p.styles.Dim
	case line.Kind == protocols.Quote:
		return p.styles.QuoteStyle(document.QuoteMark(line.Text))
	}
	if mark := p.quoteMark(line, line.Text); mark != "" {
		return p.styles.QuoteStyle(mark)
	}
	switch l := p.layout(); {
	case line.Link == nil:
		return ""
	case l == protocols.LayoutBinary:
		return p.styles.Link
	case line.Kind == protocols.Directory && l == protocols.LayoutDirectory, p.Page.IsFolder(i), line.Kind.Opening() == protocols.OpensList && l == protocols.LayoutMenu:
		return p.styles.Item + p.styles.Bold
	case l == protocols.LayoutMenu, l == protocols.LayoutPage:
		return p.styles.Item
	}
	return ""
}

// stateStyle returns the style that the state of a line adds to its text.
func stateStyle(st *cell.Styles, state nav.State) cell.Style {
	switch {
	case state&nav.Unread != 0:
		return st.Bold
	case state&nav.Visited != 0:
		return st.Dim
	}
	return ""
}
