package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
)

// TestPlaceAfterResize enlarges the screen, so that the first link of the page is visible and selected, and
// makes it small again. The page must stay at its top, unless a key has moved the cursor, which must stay
// visible.
func TestPlaceAfterResize(t *testing.T) {
	w := web{}
	var lines []protocols.Line
	for i := range 60 {
		l := info(fmt.Sprintf("row %d", i+1))
		if i >= 30 {
			l = link(protocols.Text, l.Text, item('0', fmt.Sprint("/", i)))
		}
		lines = append(lines, l)
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "rows", lines...)
	small, large := tea.WindowSizeMsg{Width: 80, Height: 24}, tea.WindowSizeMsg{Width: 80, Height: 50}
	d := drive(t, w, Options{}, small.Width, small.Height)
	d.send(large).wantCursor(30).send(small).wantShown("row 1\n")
	d.send(large).press("down").wantCursor(31).send(small).wantShown("row 32 ")
}
