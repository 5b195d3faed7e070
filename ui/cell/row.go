package cell

import (
	"slices"
	"strings"
)

// RowWriter builds a row of the screen that is never wider than Width.
type RowWriter struct {
	Builder *strings.Builder
	Cells   Cells
	Col     int // the next column
	Width   int // in cells

	BaseStyle Style // for the whole row, such as the background of a selected row; comes before other styles
}

// Put writes text in a style. It cuts the text at the end of the row.
func (r *RowWriter) Put(st Style, text string) {
	seen, taken, _ := r.Cells.Cut(text, 0, r.Width-r.Col)
	r.PutMeasured(st, seen, taken)
}

// PutMeasured writes text in a style. The parameter width is the width of the text in cells.
func (r *RowWriter) PutMeasured(st Style, text string, width int) {
	if text == "" {
		return
	}
	r.Col += width
	if st = r.BaseStyle + st; st == "" {
		r.Builder.WriteString(text)
		return
	}
	r.Builder.WriteString(string(st))
	r.Builder.WriteString(text)
	r.Builder.WriteString(reset)
}

// PadTo writes blanks up to a column.
func (r *RowWriter) PadTo(col int) {
	n := max(min(col, r.Width)-r.Col, 0)
	r.PutMeasured("", strings.Repeat(" ", n), n)
}

// minGutterRow is the least width of a row with a whole gutter.
const minGutterRow = 12

// PutGutter begins a row of a list, with a bar if the row is selected.
func (r *RowWriter) PutGutter(selected bool, st *Styles, g *Glyphs) {
	n := GutterWidth
	if r.Width < minGutterRow {
		n = 1
	}
	if selected {
		r.Put(st.Accent, st.Mark(g))
	}
	r.PadTo(n)
}

// PutMarked writes text in the style st, and some of its characters in the style mark. The parameter
// octets has the offsets of these characters, in ascending order.
func (r *RowWriter) PutMarked(text string, octets []int, st, mark Style) {
	style := func(i int) Style {
		if _, marked := slices.BinarySearch(octets, i); marked {
			return mark
		}
		return st
	}
	from := 0
	for i := range text {
		if style(i) != style(from) {
			r.Put(style(from), text[from:i])
			from = i
		}
	}
	r.Put(style(from), text[from:])
}
