package cell

import (
	"cmp"
	"slices"
	"strings"
)

// RowWriter builds one row of the screen and never lets it grow wider than the
// screen.
type RowWriter struct {
	Builder *strings.Builder
	Cells   Cells
	Col     int // cells taken so far
	Width   int // cells of the row
}

// Put writes text in a style; what does not fit is cut off.
func (r *RowWriter) Put(st Style, text string) {
	seen, taken, _ := r.Cells.Cut(text, 0, r.Width-r.Col)
	r.Raw(st, seen, taken)
}

// Raw writes text that is known to take so many cells.
func (r *RowWriter) Raw(st Style, text string, taken int) {
	if text == "" {
		return
	}
	r.Col += taken
	if st == "" {
		r.Builder.WriteString(text)
		return
	}
	r.Builder.WriteString(string(st))
	r.Builder.WriteString(text)
	r.Builder.WriteString(reset)
}

// To writes blanks up to a column.
func (r *RowWriter) To(col int) {
	if n := min(col, r.Width) - r.Col; n > 0 {
		r.Raw("", strings.Repeat(" ", n), n)
	}
}

// Lead begins the row of a list. A selected row is marked in its gutter, not over its
// width: the renderer would draw both rows again, 214 octets a move instead of 116.
func (r *RowWriter) Lead(selected bool, st *Styles, g *Glyphs) {
	n := GutterWidth
	if r.Width < LeastAbout {
		n = 1
	}
	if selected {
		r.Put(st.Selected, cmp.Or(g.Cursor, " ")+strings.Repeat(" ", n-1))
	}
	r.To(n)
}

// Marked writes text with the characters that begin at those octets marked.
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
