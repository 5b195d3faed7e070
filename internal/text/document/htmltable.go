package document

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/net/html/atom"

	"gofer/protocols"
)

// Bounds of a table. A table with a longer cell, or with a block in a cell, is probably page layout.
// Such a table is shown as text, not in columns.
const (
	maxTable   = 78  // default width, in cells of the terminal
	minColumn  = 8   // smallest width of a narrowed column
	maxSpanned = 80  // largest width that a text over several columns gives to these columns
	maxWord    = 24  // width of the longest word that stays whole if the table does not fit
	maxCell    = 600 // octets
	maxColumns = 40
	maxRows    = 300 // rows that determine the column widths
	columnGap  = 2
)

// table contains the rows of a table that is shown in columns.
type table struct {
	rows   [][]cell
	spans  []int     // by column: number of further rows that a cell of an earlier row spans
	open   bool      // a cell of the last row is open
	heads  bool      // all cells of the first row are headings
	wider  int       // number of cells in the row after the open cell
	widths []int     // widths of the columns; nil before the first rows have been yielded
	right  []bool    // by column: whether it contains only numbers
	align  alignment // of the cells of the last row
}

type cell struct {
	lines []cellLine
	size  int // octets; -1 for a column that the cell before spans
	align alignment
}

// alignment is the horizontal alignment of a cell.
type alignment byte

const (
	alignDefault alignment = iota // right in a column of numbers, otherwise left
	alignLeft
	alignCenter
	alignRight
)

// alignmentOf returns the alignment that the attributes align and style give (CSS Text, section 6.1), or otherwise the
// inherited one.
func alignmentOf(attr attributes, inherited alignment) alignment {
	value := attr.get(atom.Align)
	for declaration := range strings.SplitSeq(attr.get(atom.Style), ";") {
		if name, v, ok := strings.Cut(declaration, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "text-align") {
			value, _, _ = strings.Cut(v, "!")
		}
	}
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "left", "start":
		return alignLeft
	case "center", "middle":
		return alignCenter
	case "right", "end":
		return alignRight
	}
	return inherited
}

type cellLine struct {
	text string
	note protocols.Hypertext
}

func (h *htmlReader) startTable(tag atom.Atom, attr attributes) {
	switch tag {
	case atom.Table:
		h.table.flow(h)
		h.startParagraph()
		h.table = &table{heads: true}
		if len(h.blocks) > 4 { // no room for columns
			h.table = nil
		}
	case atom.Tr:
		h.breakLine()
		h.table.startRow(h, attr)
	case atom.Td, atom.Th:
		if h.table == nil {
			if len(h.text) > 40 {
				h.breakLine()
			} else if len(h.text) > 0 {
				h.text = append(h.text, ' ')
				h.blank = true
			}
			return
		}
		h.breakLine()
		h.table.startCell(h, tag, attr)
	case atom.Caption:
		h.breakLine()
	}
}

func (h *htmlReader) endTable(tag atom.Atom) {
	switch tag {
	case atom.Td, atom.Th:
		if h.table != nil {
			h.breakLine()
		}
		if h.table != nil {
			h.table.open = false
		}
	case atom.Table:
		h.closeTable()
		h.startParagraph()
	default:
		h.breakLine()
	}
}

// closeTable yields the open table, if there is one.
func (h *htmlReader) closeTable() {
	h.breakLine()
	t := h.table
	if t == nil {
		return
	}
	if t.countColumns() < 2 && t.widths == nil {
		t.flow(h)
		return
	}
	h.table = nil
	t.print(h)
}

// countColumns returns the number of columns in which a cell begins.
func (t *table) countColumns() (n int) {
	for _, row := range t.rows {
		k := len(row)
		for k > n && row[k-1].size < 0 {
			k--
		}
		n = max(n, k)
	}
	return n
}

// flow shows the table as text instead of columns. It yields the cells read so far, one after the
// other.
func (t *table) flow(h *htmlReader) {
	if t == nil {
		return
	}
	if h.breakLine(); h.table != t { // breakLine called flow
		return
	}
	h.table = nil
	for _, row := range t.rows {
		for i := range row {
			for _, l := range row[i].lines {
				h.yieldLine(protocols.Line{Text: l.text}, l.note)
			}
		}
	}
}

func (t *table) startRow(h *htmlReader, attr attributes) {
	if t == nil {
		return
	}
	t.open, t.align = false, alignmentOf(attr, alignDefault)
	if len(t.rows) == 1 && len(t.rows[0]) == 0 {
		return
	}
	if len(t.rows) >= maxRows || t.widths != nil {
		h.table = nil
		t.print(h)
		h.table = t
	}
	t.rows = append(t.rows, nil)
	t.fillRow()
}

// fillRow appends empty cells to the last row while the next column belongs to a cell of an earlier
// row.
func (t *table) fillRow() {
	row := &t.rows[len(t.rows)-1]
	for len(*row) < len(t.spans) && t.spans[len(*row)] > 0 {
		t.spans[len(*row)]--
		*row = append(*row, cell{})
	}
}

func (t *table) startCell(h *htmlReader, tag atom.Atom, attr attributes) {
	if t == nil { // breakLine called flow
		return
	}
	if len(t.rows) == 0 {
		t.rows = append(t.rows, nil)
	}
	row := &t.rows[len(t.rows)-1]
	if len(*row) >= maxColumns {
		t.flow(h)
		return
	}
	t.heads = t.heads && (tag == atom.Th || len(t.rows) > 1)
	span := func(a atom.Atom) int {
		value, ok := attr.find(a)
		if !ok {
			return 1
		}
		n, _ := strconv.Atoi(value)
		return max(1, min(n, maxColumns-len(*row)))
	}
	wide, high := span(atom.Colspan), span(atom.Rowspan)
	for len(t.spans) < len(*row)+wide {
		t.spans = append(t.spans, 0)
	}
	for i := range wide {
		t.spans[len(*row)+i] = high - 1
	}
	*row = append(*row, cell{align: alignmentOf(attr, t.align)})
	t.open, t.wider = true, wide-1
	for range t.wider { // the text of a cell that spans columns is in the first column
		*row = append(*row, cell{size: -1})
	}
	if wide == 1 && len(t.rows) > 1 { // add the next cells, if they belong to earlier rows
		n := len(*row)
		t.fillRow()
		t.wider = len(*row) - n
	}
}

// add adds a line to the open cell. If no cell is open, add yields the line.
func (t *table) add(h *htmlReader, text string, note protocols.Hypertext) {
	if !t.open {
		h.table = nil
		h.yieldLine(protocols.Line{Text: text}, note)
		h.table = t
		return
	}
	row := t.rows[len(t.rows)-1]
	c := &row[len(row)-1-t.wider]
	c.lines = append(c.lines, cellLine{text, note})
	if c.size += len(text); c.size > maxCell && t.widths == nil {
		t.flow(h)
	}
}

// print yields the rows in columns.
func (t *table) print(h *htmlReader) {
	first := t.widths == nil
	if first {
		t.measure(cmp.Or(h.tableWidth, maxTable) - h.prefixWidth())
	}
	for i, row := range t.rows {
		t.printRow(h, row)
		if i == 0 && first && t.heads && len(t.rows) > 1 {
			rules := make([]string, len(t.widths))
			for k, w := range t.widths {
				rules[k] = strings.Repeat("─", w)
			}
			h.yieldLine(protocols.Line{Text: strings.Join(rules, "  ")}, protocols.Hypertext{Verbatim: true})
		}
	}
	t.rows = nil
}

// measure sets the widths of the columns, and finds the columns that contain only numbers. It
// narrows the widest columns until a row fits in the given number of terminal cells.
func (t *table) measure(cells int) {
	n := t.countColumns()
	words := make([]int, n) // by column: the width of its longest word
	t.widths, t.right = make([]int, n), make([]bool, n)
	for k := range n {
		numbers, others := 0, 0
		for i, row := range t.rows {
			if k >= len(row) || spanOf(row, k, n) > 1 {
				continue
			}
			for _, l := range row[k].lines {
				t.widths[k] = max(t.widths[k], displaywidth.String(l.text))
				for word := range strings.SplitSeq(l.text, " ") {
					words[k] = max(words[k], displaywidth.String(word))
				}
				if isNumber(l.text) {
					numbers++
				} else if i > 0 || !t.heads {
					others++
				}
			}
		}
		t.right[k] = numbers > 0 && others == 0
	}
	t.widenSpans(words)
	t.widths = narrowColumns(t.widths, words, cells-columnGap*(n-1))
}

// spanOf returns the number of columns of the cell in column k, of the n columns of a table.
func spanOf(row []cell, k, n int) int {
	span := 1
	for k+span < min(len(row), n) && row[k+span].size < 0 {
		span++
	}
	return span
}

// widenSpans makes the columns below each cell that spans several columns as wide as the text of the cell, and their
// longest words as wide as its longest word. Cells of fewer columns come first.
func (t *table) widenSpans(words []int) {
	n := len(t.widths)
	spanning := make([][][2]int, n+1) // by number of columns: row and column of the cells
	for i, row := range t.rows {
		for k := range min(len(row), n) {
			if span := spanOf(row, k, n); span > 1 && len(row[k].lines) > 0 {
				spanning[span] = append(spanning[span], [2]int{i, k})
			}
		}
	}
	for span, cells := range spanning {
		for _, at := range cells {
			k := at[1]
			for _, l := range t.rows[at[0]][k].lines {
				widen(t.widths[k:k+span], min(displaywidth.String(l.text), maxSpanned))
				for word := range strings.SplitSeq(l.text, " ") {
					widen(words[k:k+span], displaywidth.String(word))
				}
			}
		}
	}
	for k := range words {
		words[k] = min(words[k], t.widths[k])
	}
}

// widen increases the widths of columns equally until a cell of the given width that spans them has room.
func widen(widths []int, width int) {
	for _, w := range widths {
		width -= w
	}
	width -= columnGap * (len(widths) - 1)
	for k := range widths {
		more := max(0, (width+len(widths)-k-1)/(len(widths)-k))
		widths[k] += more
		width -= more
	}
}

// narrowColumns narrows the widest columns until their widths add up to at most room cells. It keeps each
// column as wide as its longest word. If there is no room for all words, it gives up the columns with the longest
// words first. If even columns of minColumn cells have no room, the screen has to be panned, and words of up to maxWord
// cells stay whole.
func narrowColumns(widths, words []int, room int) []int {
	narrow := func(limit, longest int) (narrowed []int, fits bool) {
		sum := 0
		for k, w := range widths {
			least := min(w, minColumn)
			if words[k] <= longest {
				least = words[k]
			}
			narrowed = append(narrowed, max(min(w, limit), least))
			sum += narrowed[k]
		}
		return narrowed, sum <= room
	}
	widest := slices.Max(append([]int{0}, widths...))
	longest := slices.Compact(slices.Sorted(slices.Values(words)))
	for _, longest := range slices.Backward(longest) {
		tooWide := sort.Search(widest, func(limit int) bool {
			_, fits := narrow(limit+1, longest)
			return !fits
		})
		if narrowed, fits := narrow(max(tooWide, 1), longest); fits {
			return narrowed
		}
	}
	narrowed, _ := narrow(minColumn, -1)
	for k := range narrowed {
		narrowed[k] = max(narrowed[k], min(words[k], maxWord))
	}
	return narrowed
}

// isNumber reports whether s is a number, which may have a sign, "%" or a currency sign.
func isNumber(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !strings.ContainsRune(".,+-%$€£ ", r):
			return false
		}
	}
	return digits > 0
}

// printRow yields a row. Its cells may have several lines.
func (t *table) printRow(h *htmlReader, row []cell) {
	cells, high := make([][]cellLine, len(row)), 0
	for k := range row {
		width := t.cellWidth(row, k)
		for _, l := range row[k].lines {
			cells[k] = append(cells[k], wrapLine(l, width)...)
		}
		high = max(high, len(cells[k]))
	}
	for i := range high {
		var b strings.Builder
		note := protocols.Hypertext{Verbatim: true}
		col, edge := 0, 0
		for k := range cells {
			if i < len(cells[k]) {
				l := cells[k][i]
				w, at := displaywidth.String(l.text), edge
				at += t.indent(row, k, w)
				b.WriteString(strings.Repeat(" ", max(0, at-col)))
				for _, link := range l.note.Links {
					link.From, link.To = link.From+b.Len(), link.To+b.Len()
					note.Links = append(note.Links, link)
				}
				note.IDs = append(note.IDs, l.note.IDs...)
				b.WriteString(l.text)
				col = max(col, at) + w
			}
			edge += t.columnWidth(k) + columnGap
			if col >= edge && k+1 < len(cells) && (k+1 >= len(row) || row[k+1].size >= 0) {
				b.WriteString(" ")
				col++
			}
		}
		h.yieldLine(protocols.Line{Text: b.String()}, note)
	}
}

// cellWidth returns the width of the cell in column k of a row.
func (t *table) cellWidth(row []cell, k int) int {
	width := t.columnWidth(k)
	for i := k + 1; i < k+spanOf(row, k, len(t.widths)); i++ {
		width += columnGap + t.columnWidth(i)
	}
	return width
}

// indent returns the number of blanks before a text of the given width in column k of a row.
func (t *table) indent(row []cell, k, width int) int {
	room := max(0, t.cellWidth(row, k)-width)
	switch row[k].align {
	case alignCenter:
		return room / 2
	case alignRight:
		return room
	case alignDefault:
		if k < len(t.right) && t.right[k] && spanOf(row, k, len(t.widths)) == 1 {
			return room
		}
	}
	return 0
}

// columnWidth returns the width of column k. It is minColumn for a column that was added after
// measuring.
func (t *table) columnWidth(k int) int {
	if k < len(t.widths) {
		return t.widths[k]
	}
	return minColumn
}

// wrapLine breaks a line between words. It breaks a word only if the word is longer than width.
func wrapLine(l cellLine, width int) []cellLine {
	width = max(width, 1)
	var all []cellLine
	add := func(from, to int) {
		part := cellLine{text: strings.TrimRight(l.text[from:to], " ")}
		for _, link := range l.note.Links {
			link.From, link.To = max(link.From-from, 0), min(link.To-from, len(part.text))
			if link.From < link.To {
				part.note.Links = append(part.note.Links, link)
			}
		}
		if from == 0 {
			part.note.IDs = l.note.IDs
		}
		all = append(all, part)
	}
	start, space, col := 0, -1, 0
	for i := 0; i < len(l.text); {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		w := displaywidth.Rune(r)
		if r == ' ' {
			space = i
		} else if col+w > width && i > start {
			end, next := i, i
			if space > start {
				end, next = space, space+1
			}
			add(start, end)
			start, space = next, -1
			col = displaywidth.String(l.text[start:i])
		}
		col += w
		i += n
	}
	add(start, len(l.text))
	return all
}
