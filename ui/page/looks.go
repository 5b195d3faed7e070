package page

import (
	"gofer/internal/clean"
	"gofer/ui/cell"
)

// looksBefore is how many lines before one are looked at for the look that it
// begins with.
const looksBefore = 200

// looks are the looks of line i of a text, if they are shown.
func (v *Pager) looks(i int, text string) []clean.Look {
	if !v.Colors || !v.InText() {
		return nil
	}
	var begin clean.SGR
	for k := max(0, i-looksBefore); k < i; k++ {
		_, begin = v.Reading.Looks(v.Page.Lines.WithoutLink(k).Text, begin)
	}
	looks, _ := v.Reading.Looks(text, begin)
	return looks
}

// coloured draws text, which stands at an octet of a line, in its looks.
func (p *Painter) coloured(w *cell.RowWriter, st cell.Style, l *Laid, text string, at int) {
	done, look := 0, cell.Style("")
	for _, next := range l.looks {
		to := boundary(text, max(next.At-at, done))
		w.Put(st+look, text[done:to])
		if done, look = to, cell.Style(next.String()); to == len(text) {
			return
		}
	}
	w.Put(st+look, text[done:])
}
