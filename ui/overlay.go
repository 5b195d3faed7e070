package ui

import (
	"strings"

	"charm.land/lipgloss/v2"

	"gofer/ui/ask"
	"gofer/ui/cell"
)

// hasBox reports whether the rows of the prompt are in a box over the page.
func (s *screen) hasBox() bool {
	return s.prompt.Width > 0 && len(s.prompt.Last) > 0
}

// questionRows returns the number of rows that a question takes from the page, so that the user can scroll to all of the page
// that the question is about.
func (m *Model) questionRows() int {
	q, ok := m.tab.Prompt.(*ask.Question)
	if !ok || m.bar != nil || m.promptHelp != nil || m.tab.Picture() != nil {
		return 0
	}
	d := q.Draw(m.askScreen())
	if d.Width == 0 {
		return min(len(d.Last), max(m.regions().rows-1, 0))
	}
	return len(d.Last) + 1 // and a border; the other one is in place of the horizontal rule
}

// moreHint returns the key that shows more of the page that the open question is about, or "" if there is no more below. A question
// in a directory is about an item, not about the rows below.
func (m *Model) moreHint() string {
	_, isDirectory := m.tab.directory()
	if _, ok := m.openPrompt().(*ask.Question); !ok || m.tab.Picture() != nil || m.tab.Pager.IsAtEnd() || isDirectory {
		return ""
	}
	return m.keys.Hint("question", "page down", "PgDn", "more")
}

// drawBox draws the box with the rows of the prompt over the rows of the screen, directly above the status line. A picture
// that the terminal draws over cells is left out behind the box.
func (s *screen) drawBox(rows []string) {
	last, width := s.prompt.Last, s.prompt.Width
	inner := make([]string, len(last))
	for y, draw := range last {
		inner[y] = s.rowOf(width, draw)
	}
	top := s.status - len(last) - 2
	if s.prompt.Cursor != nil {
		x, y := s.prompt.Cursor()
		s.setCursor(x+1, top+1+y)
	}
	under := rows[top:s.status]
	if s.m.tab.Picture() != nil || s.m.peek.tab.Picture() != nil {
		clear(under)
	}
	tiles := cell.Tiles{Cells: s.m.tab.Pager.Cells}
	layer := func(rows ...string) *lipgloss.Layer { return lipgloss.NewLayer(tiles.Tile(strings.Join(rows, "\n"))) }
	box := lipgloss.NewLayer(s.m.styles.Box.Render(tiles.Tile(strings.Join(inner, "\n"))))
	all := lipgloss.NewCompositor(layer(under...), box.Z(1), layer(s.rowOf(width, s.prompt.Rule)).X(1).Z(2)).Render()
	copy(under, strings.Split(tiles.Untile(all), "\n"))
}

// rowOf returns a row of the given width, filled with blanks.
func (s *screen) rowOf(width int, draw func(w *cell.RowWriter)) string {
	w := &cell.RowWriter{Builder: new(strings.Builder), Cells: s.m.tab.Pager.Cells, Width: width}
	draw(w)
	w.PadTo(width)
	return w.Builder.String()
}
