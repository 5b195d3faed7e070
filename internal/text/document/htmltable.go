package document

import (
	"strconv"
	"strings"

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
