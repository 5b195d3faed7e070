package cell

import (
	"cmp"
	"slices"
	"strings"
)

// RowWriter builds a row of the screen that is never wider than Width.
type RowWriter struct {
	Builder *strings.Builder
	Cells   Cells
	Col     int // the next column
	Width   int // in cells

	Under Style // begins every style: the background of a selected row
}

// Put writes text in a style, cut at the end of the row.
func (r *RowWriter) Put(st Style, text string) {
	seen, taken, _ := r.Cells.Cut(text, 0, r.Width-r.Col)
	r.Raw(st, seen, taken)
}

// Raw writes text of taken cells in a style.
func (r *RowWriter) Raw(st Style, text string, taken int) {
	if text == "" {
		return
	}
	r.Col += taken
	if st = r.Under + st; st == "" {
		r.Builder.WriteString(text)
		return
	}
	r.Builder.WriteString(string(st))
	r.Builder.WriteString(text)
	r.Builder.WriteString(reset)
}

// To writes blanks up to a column.
func (r *RowWriter) To(col int) {
	n := max(min(col, r.Width)-r.Col, 0)
	r.Raw("", strings.Repeat(" ", n), n)
}

// narrow is the least width of a row with a whole gutter.
const narrow = 12

// Lead begins the row of a list, with a bar if it is selected.
func (r *RowWriter) Lead(selected bool, st *Styles, g *Glyphs) {
	n := GutterWidth
	if r.Width < narrow {
		n = 1
	}
	if selected {
		r.Put(st.Accent, cmp.Or(g.Cursor, g.Bar))
	}
	r.To(n)
}

// Marked writes text in style st, and the characters at octets in style mark.
func (r *RowWriter) Marked(text string, octets []int, st, mark Style) {
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
