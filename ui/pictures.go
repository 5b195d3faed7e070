package ui

import (
	"image"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/picture"
	"gofer/ui/pictureview"
)

// zoom magnifies the picture by a number of steps. On a list it asks for a pattern and tags the
// matching items, or untags them if steps is negative, as in Midnight Commander.
func (m *Model) zoom(steps int) tea.Cmd {
	t := m.focusedTab()
	p := t.Picture()
	switch {
	case p == nil && steps != 0 && t.IsList():
		return t.AskTag(steps > 0)
	case p == nil:
		return m.notify("this page is not a picture")
	}
	s := t.PictureView.VisiblePart()
	t.PictureView.ShowPart(s.Magnify(p, steps))
	return nil
}

func (m *Model) fitPicture() tea.Cmd {
	if t := m.focusedTab(); t.Picture() != nil {
		return m.zoom(-t.PictureView.Page.Zoom)
	}
	return m.zoom(0)
}

// pictureColors returns the number of colors for pictures in a terminal.
func (m *Model) pictureColors(p colorprofile.Profile) picture.Colors {
	if m.opts.NoColor || m.opts.Config.ASCII {
		return picture.NoColors
	}
	switch p {
	case colorprofile.TrueColor:
		return picture.TrueColor
	case colorprofile.ANSI256:
		return picture.Colors256
	case colorprofile.ANSI:
		return picture.Colors16
	}
	return picture.NoColors
}

// drawPicture returns the command that draws the picture of t in its current view, or nil if it is
// drawn already. Only one command runs at a time.
func (m *Model) drawPicture(t *tab) tea.Cmd {
	v := &t.PictureView
	p := v.Picture()
	if p == nil || v.Width <= 1 || v.Height <= 0 {
		return m.replaceDrawing(t, pictureview.Drawing{})
	}
	// The error of the typed URL may need rows of the page.
	covered := m.bar != nil && m.bar.HasError()
	draw := v.Begin(&m.graphics, m.look, covered)
	if draw == nil {
		return nil
	}
	return tea.Batch(m.graphics.Ask(), runInBackground(func() resultFunc {
		d := draw()
		return func() tea.Cmd {
			if !v.End(d) {
				return nil // another page is shown, and the drawing of that page is pending
			}
			return m.replaceDrawing(t, d)
		}
	}))
}

// replaceDrawing replaces the last drawing of t by d.
func (m *Model) replaceDrawing(t *tab, d pictureview.Drawing) tea.Cmd {
	if raw := t.PictureView.Replace(&m.graphics, d); raw != "" {
		return tea.Raw(raw)
	}
	return nil
}

// pageOrigin returns the position on the screen where a tab's page begins.
func (m *Model) pageOrigin(t *tab) image.Point {
	r, g := m.regions(), m.panes()
	switch {
	case t != m.peek.tab:
		return m.pageArea(t).Min
	case g.side:
		return image.Pt(m.width-g.paneWidth, r.page+1)
	}
	return image.Pt(0, r.page+g.rows+1)
}

// findSixel returns the sixel picture for the screen, if there is one.
func (m *Model) findSixel() (shown pictureview.Sixel) {
	for _, t := range append(m.shownTabs(), m.peek.tab) {
		s, ok := t.PictureView.Sixel(m.pageOrigin(t))
		if !ok {
			continue
		}
		if m.bar != nil {
			s.Covered = max(0, m.regions().page+m.bar.CoveredRows(m.askScreen())-s.Place.Min.Y)
		}
		return s
	}
	return shown
}

// placeSixel updates the position of the sixel picture on the screen.
func (m *Model) placeSixel() tea.Cmd {
	changed, clears := m.graphics.PlaceSixel(m.findSixel())
	m.drawn = m.drawn && !changed
	if clears {
		return tea.ClearScreen
	}
	return nil
}
