package cell

import (
	"cmp"
	"slices"
)

// Lead begins the row of a list, which is marked when it is selected.
func (r *RowWriter) Lead(selected bool, st *Styles, g *Glyphs) {
	n := GutterWidth
	if r.Width < LeastAbout {
		n = 1
	}
	if selected {
		r.Put(st.Selected, cmp.Or(g.Cursor, " ")+blanks(n-1))
	}
	r.To(n)
}

// Marked writes text with the characters that begin at those octets marked.
func (r *RowWriter) Marked(text string, octets []int, st, mark Style) {
	is := func(i int) bool {
		_, ok := slices.BinarySearch(octets, i)
		return ok
	}
	for from := 0; from < len(text); {
		to := from
		for i := range text[from:] {
			if to = from + i; is(to) != is(from) {
				break
			}
			to = len(text)
		}
		if is(from) {
			r.Put(mark, text[from:to])
		} else {
			r.Put(st, text[from:to])
		}
		from = to
	}
}
