package viewer

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/page"
)

// Top goes to the beginning of the page.
func (v *Viewer) Top() tea.Cmd { v.Viewport().ToTop(); return nil }

// Bottom goes to the end of the page.
func (v *Viewer) Bottom() tea.Cmd { v.Viewport().ToEnd(); return nil }

// Step moves down to the next item if it is near, or else by one row; up if n is negative.
func (v *Viewer) Step(n int) tea.Cmd { v.Viewport().Step(n); return nil }

// PageBy scrolls by screens.
func (v *Viewer) PageBy(n int) tea.Cmd {
	v.Viewport().PageBy(n * max(1, v.Pager.Height-1))
	return nil
}

// scrollBy scrolls the lines by screens.
func (v *Viewer) scrollBy(n int) { v.Pager.PageBy(n * max(1, v.Pager.Height-1)) }

// HalfPageBy scrolls by half screens.
func (v *Viewer) HalfPageBy(n int) tea.Cmd {
	v.Viewport().PageBy(n * max(1, v.Pager.Height/2))
	return nil
}

// PanLeft scrolls to the left.
func (v *Viewer) PanLeft() tea.Cmd { v.Viewport().Pan(-page.PanStep); return nil }
