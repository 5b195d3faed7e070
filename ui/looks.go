package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/clean"
	"gofer/ui/cell"
)

// toggleColors shows the colours that texts ask for, or leaves them out. All their
// other control sequences are left out always.
func (m *Model) toggleColors() tea.Cmd {
	for _, t := range m.allTabs() {
		t.pager.colors = !t.pager.colors
		t.pager.invalidate()
	}
	return m.sayState(m.pager.colors, "the colours of texts are shown", "the colours of texts are left out")
}

// looksBefore is how many lines before one are looked at for the look that it
// begins with.
const looksBefore = 200

// looks are the looks of line i of a text, if they are shown.
func (v *pager) looks(i int, text string) []clean.Look {
	if !v.colors || !v.inText() {
		return nil
	}
	var begin clean.SGR
	for k := max(0, i-looksBefore); k < i; k++ {
		_, begin = v.reading.Looks(v.page.Lines.WithoutLink(k).Text, begin)
	}
	looks, _ := v.reading.Looks(text, begin)
	return looks
}

// coloured draws text, which stands at an octet of a line, in its looks.
func (p *painter) coloured(w *cell.RowWriter, st cell.Style, l *laid, text string, at int) {
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
