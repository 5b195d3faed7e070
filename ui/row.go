package ui

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"gofer/internal/clean"
	"gofer/protocols"
)

// lineText is what a line says, clean and on one row.
func lineText(line *protocols.Line) string {
	if note, ok := line.Note.(*protocols.ArticleNote); ok && note.Subject != "" {
		return headerText(note.Subject)
	}
	return clean.Line(line.Text)
}

// painter draws the visible rows of a page.
type painter struct {
	*pager
	styles *styles
	glyphs *glyphs
	zone   *time.Location
	found  string // words to mark, folded; "" for none
}

// columns are the notes at the right of a row, the last one outermost. The
// narrower the screen, the fewer there are.
type columns struct {
	widths []int // without the two blanks before each
	of     func(line *protocols.Line) []string
}

// columnGap is the room before each column.
const columnGap = 2

func (c *columns) room() int {
	n := 0
	for _, w := range c.widths {
		n += w + columnGap
	}
	return n
}

// columns chooses what a screen of this width has room for.
func (p *painter) columns() columns {
	switch p.layout() {
	case protocols.LayoutDirectory:
		return p.fileColumns()
	case protocols.LayoutGroups:
		return p.groupColumns()
	case protocols.LayoutArticles:
		return p.articleColumns()
	}
	return columns{}
}

// The widths of dates with and without a time of day.
const (
	dayLayout     = "2006-01-02"
	minuteLayout  = "2006-01-02 15:04"
	sizeWidth     = 6
	narrowScreen  = 30
	dateScreen    = 48
	minuteScreen  = 72
	authorScreen  = 60
	wideScreen    = 110
	describedFrom = 50
)

func (p *painter) fileColumns() columns {
	var widths []int
	if p.width >= narrowScreen {
		widths = append(widths, sizeWidth)
	}
	layout := dayLayout
	if p.width >= minuteScreen {
		layout = minuteLayout
	}
	if p.width >= dateScreen {
		widths = append(widths, len(layout))
	}
	return columns{widths, func(line *protocols.Line) []string {
		note, ok := line.Note.(*protocols.FileNote)
		if !ok {
			return nil
		}
		size := bytesText(note.Size)
		if line.Kind == protocols.Directory {
			size = ""
		}
		return []string{size, p.date(note.Modified, layout, note.DateOnly)}
	}}
}

func (p *painter) groupColumns() columns {
	var widths []int
	if p.width >= wideScreen {
		widths = append(widths, len("no posting"))
	}
	if p.width >= narrowScreen {
		widths = append(widths, 7)
	}
	return columns{widths, func(line *protocols.Line) []string {
		note, ok := line.Note.(*protocols.GroupNote)
		if !ok {
			return nil
		}
		count := strconv.FormatUint(note.Count, 10)
		if p.width < wideScreen {
			return []string{count}
		}
		return []string{posting(note.Status), count}
	}}
}

func posting(status byte) string {
	switch status {
	case 'm':
		return "moderated"
	case 'n':
		return "no posting"
	}
	return ""
}

func (p *painter) articleColumns() columns {
	var widths []int
	layout := dayLayout
	if p.width >= authorScreen {
		widths = append(widths, min(28, p.width/4))
	}
	if p.width >= wideScreen {
		widths = append(widths, 6)
		layout = minuteLayout
	}
	if p.width >= dateScreen {
		widths = append(widths, len(layout))
	}
	return columns{widths, func(line *protocols.Line) []string {
		note, ok := line.Note.(*protocols.ArticleNote)
		if !ok {
			return nil
		}
		var texts []string
		if p.width >= authorScreen {
			texts = append(texts, author(note.From))
		}
		if p.width >= wideScreen {
			lines := ""
			if note.Lines >= 0 {
				lines = strconv.FormatInt(note.Lines, 10)
			}
			texts = append(texts, lines)
		}
		return append(texts, p.date(note.Date, layout, false))
	}}
}

func (p *painter) date(t time.Time, layout string, dateOnly bool) string {
	if t.IsZero() {
		return ""
	}
	if dateOnly {
		return t.Format(dayLayout)
	}
	if y := t.Year(); y < 0 || y > 9999 {
		return ""
	}
	return t.In(p.zone).Format(layout)
}

// row draws row s.row of line s.line. tree is the thread before the text.
func (p *painter) row(w *rowWriter, s spot, cols *columns, tree string, selected bool) {
	l := p.line(s.line)
	n := p.page.Lines.Len()
	if s.line >= n {
		w.to(p.gutter())
		w.put(p.styles.dim, l.text)
		return
	}
	line := p.page.Lines.At(s.line)
	p.sign(w, &line, s, selected)
	look := p.textStyle(&line, selected)
	if !p.wrap() {
		p.unwrapped(w, s.line, &line, look, cols, tree)
		return
	}
	p.wrapped(w, &line, l, look, s)
	if s.row == 0 && line.Note != nil {
		p.notes(w, &line, cols)
	}
}

// sign draws the gutter, which marks the row that is selected.
func (p *painter) sign(w *rowWriter, line *protocols.Line, s spot, selected bool) {
	gutter, sign := p.gutter(), ""
	if s.row == 0 && (line.Link != nil || line.Kind == protocols.Failure || line.Kind == protocols.Problem) {
		sign = p.glyphs.kind(line.Kind)
	}
	switch {
	case selected && gutter == 0:
		w.put("", p.glyphs.cursor)
	case selected:
		w.put(p.styles.selected, cmp.Or(p.glyphs.cursor, " ")+cmp.Or(sign, " ")+" ")
	case gutter > 0:
		w.to(1)
		w.put(p.styles.accent, sign)
		w.to(gutter)
	}
}

func (p *painter) wrapped(w *rowWriter, line *protocols.Line, l laid, look style, s spot) {
	from, to := 0, len(l.text)
	if s.row < len(l.rows) {
		from = l.rows[s.row]
	}
	if s.row+1 < len(l.rows) {
		to = l.rows[s.row+1]
	}
	text := l.text[from:to]
	if to < len(l.text) {
		text = strings.TrimRight(text, " ")
	}
	p.text(w, look, text, s.row == 0 && line.Kind == protocols.Header)
}

func (p *painter) unwrapped(w *rowWriter, i int, line *protocols.Line, look style, cols *columns, tree string) {
	inner := *w
	if line.Note != nil {
		inner.width = max(w.col, w.width-cols.room())
	}
	inner.put(p.styles.dim, tree)
	p.pannedText(&inner, i, line, look)
	p.beside(&inner, line)
	w.col = inner.col
	if line.Note == nil {
		p.kindNote(w, line)
		return
	}
	p.notes(w, line, cols)
}

// notes draws the columns.
func (p *painter) notes(w *rowWriter, line *protocols.Line, cols *columns) {
	if cols.of == nil {
		return
	}
	edge := max(w.col, w.width-cols.room())
	texts := cols.of(line)
	for i, width := range cols.widths {
		at := edge + columnGap
		edge = at + width
		if i >= len(texts) || texts[i] == "" {
			continue
		}
		field, taken := p.cells.fit(texts[i], width, p.glyphs.cut)
		if p.layout() == protocols.LayoutArticles && i == 0 && p.width >= authorScreen {
			w.to(at)
		} else {
			w.to(at + width - taken)
		}
		w.raw(p.styles.dim, field, taken)
	}
}

// pannedText draws the text from column Left on; a mark tells that there is
// more of it to the right.
func (p *painter) pannedText(w *rowWriter, i int, line *protocols.Line, look style) {
	room := w.width - w.col
	text, left := p.panned(i)
	seen, _, more := p.cells.cut(text, left, room)
	mark := ""
	if more && room > 1 {
		seen, _, _ = p.cells.cut(text, left, room-1)
		mark = p.glyphs.right
	}
	p.text(w, look, seen, p.page.Left == 0 && line.Kind == protocols.Header)
	if mark != "" {
		w.to(w.width - 1)
		w.put(p.styles.dim, mark)
	}
}

// beside draws what stands right after the text: a link's target, a group's
// description.
func (p *painter) beside(w *rowWriter, line *protocols.Line) {
	switch note := line.Note.(type) {
	case *protocols.FileNote:
		if note.Target != "" {
			p.dimFit(w, " -> "+short(note.Target))
		}
	case *protocols.GroupNote:
		if p.width < describedFrom || note.Description == "" {
			return
		}
		w.to(min(max(p.width*2/5, 20), 44))
		p.dimFit(w, "  "+short(note.Description))
	}
}

func (p *painter) dimFit(w *rowWriter, text string) {
	if room := w.width - w.col; room > 4 {
		seen, taken := p.cells.fit(text, room, p.glyphs.cut)
		w.raw(p.styles.dim, seen, taken)
	}
}

// kindNote says at the right edge of a menu what an item is, where that does
// not cover anything.
func (p *painter) kindNote(w *rowWriter, line *protocols.Line) {
	if l := p.layout(); l != protocols.LayoutMenu && l != protocols.LayoutPage || line.Link == nil || p.width < authorScreen {
		return
	}
	word := line.Kind.String()
	if at := w.width - 1 - len(word); w.col+columnGap <= at {
		w.to(at)
		w.put(p.styles.dim, word)
	}
}

// textStyle is the look of a line's text. Of the row that is selected it changes
// little, so that a move of the cursor costs few octets; where no gutter marks
// the row, the text does.
func (p *painter) textStyle(line *protocols.Line, selected bool) style {
	switch {
	case selected && p.gutter() == 0:
		return p.styles.selected
	case line.Kind == protocols.Heading, line.Kind == protocols.Failure:
		return p.styles.bold
	case line.Kind == protocols.Quote:
		return p.styles.dim
	}
	if line.Link != nil && p.layout().Document() {
		return p.styles.link
	}
	return ""
}

// text draws text, a header's name dim and the words that were searched
// marked.
func (p *painter) text(w *rowWriter, look style, text string, header bool) {
	if header {
		if i := strings.IndexByte(text, ':'); i > 0 {
			w.put(p.styles.dim, text[:i+1])
			text = text[i+1:]
		}
	}
	for p.found != "" && text != "" {
		i, n := indexFold(text, p.found)
		if i < 0 {
			break
		}
		w.put(look, text[:i])
		w.put(p.styles.found+p.styles.selected, text[i:i+n])
		text = text[i+n:]
	}
	w.put(look, text)
}

// maxTreeAhead is how many lines below the screen are looked at to see where
// the branches of a thread end.
const maxTreeAhead = 256

// trees draws the branches before the lines first..last of a list of
// articles.
func (p *painter) trees(first, last int) map[int]string {
	if p.layout() != protocols.LayoutArticles || last < first {
		return nil
	}
	deepest := max(1, p.textWidth()/6)
	prefixes := make(map[int]string, last-first+1)
	var open []bool // open[d]: a line of depth d follows before a shallower one
	for i := min(last+maxTreeAhead, p.page.Lines.Len()-1); i >= first; i-- {
		note, ok := p.page.Lines.Unlinked(i).Note.(*protocols.ArticleNote)
		depth := 0
		if ok {
			depth = min(max(note.Depth, 0), 1000)
		}
		for len(open) <= depth {
			open = append(open, false)
		}
		if i <= last && depth > 0 {
			prefixes[i] = p.tree(open[1:depth+1], deepest)
		}
		open[depth] = true
		open = open[:depth+1]
	}
	return prefixes
}

func (p *painter) tree(open []bool, deepest int) string {
	var b strings.Builder
	if cut := len(open) - deepest; cut > 0 {
		b.WriteString(p.glyphs.left + " ")
		open = open[cut:]
	}
	for i, more := range open {
		switch {
		case i < len(open)-1 && more:
			b.WriteString(p.glyphs.vertical)
		case i < len(open)-1:
			b.WriteString("  ")
		case more:
			b.WriteString(p.glyphs.branch)
		default:
			b.WriteString(p.glyphs.corner)
		}
	}
	return b.String()
}
