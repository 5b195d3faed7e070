package page

import (
	"strings"

	"gofer/ui/cell"
)

// text draws text, which begins at octet at of line l: a header's name dim, links,
// and some places marked.
func (p *Painter) text(w *cell.RowWriter, st cell.Style, l *Laid, text string, at int, marks [][2]int, header bool) {
	dim := 0
	if header {
		dim = strings.IndexByte(text, ':') + 1
	}
	found := p.styles.Found
	if !strings.Contains(string(st), string(p.styles.Selected)) {
		found += p.styles.Selected
	}
	from := 0
	put := func(to int) {
		if from < dim {
			w.Put(p.styles.Dim, text[from:min(to, dim)])
		}
		if start := min(max(from, dim), to); start < to {
			p.pieces(w, st, l, text[start:to], at+start)
		}
		from = to
	}
	for _, m := range marks {
		put(m[0])
		w.Put(found, text[m[0]:m[1]])
		from = m[1]
	}
	put(len(text))
}

// maxMarkedLine bounds the lines, in octets, of which all is looked through for
// what is to be marked: of longer ones it is the row.
const maxMarkedLine = 4096

// marksIn returns what is to be marked in a row, which begins at an octet of the
// text of line i.
func (p *Painter) marksIn(i int, text string, at int, row string) (marks [][2]int) {
	if p.Found == nil {
		return nil
	}
	if len(text) > maxMarkedLine || !strings.HasPrefix(text[at:], row) {
		return p.Found.Marks(row)
	}
	if p.markedLine != i {
		p.markedLine, p.places = i, p.Found.Marks(text)
	}
	for _, m := range p.places {
		from, to := max(m[0]-at, 0), min(m[1]-at, len(row))
		if from < to {
			marks = append(marks, [2]int{from, to})
		}
	}
	return marks
}
