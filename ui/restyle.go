package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/ui/cell"
	"gofer/ui/term"
)

// restyle makes new styles and glyphs when the background, the number of colors or the speed of the
// terminal is known. On a slow line it marks only the gutter of the selected row, because drawing
// two whole rows takes about 300 octets a move.
func (m *Model) restyle(background cell.Background) {
	m.background = background
	m.glyphs = cell.NewGlyphs(m.opts.Config.ASCII, !m.opts.Config.ASCII && m.env("TERM") == "linux")
	if m.terminal.Profile == colorprofile.NoTTY {
		m.glyphs.Cursor = ">"
	}
	colors := picture.TrueColor
	switch {
	case m.opts.NoColor:
		colors = picture.NoColors
	case m.fewColors:
		colors = picture.Colors16
	}
	m.styles = cell.NewStyles(cmp.Or(m.preview, m.opts.Config.Theme), m.opts.Config.Colors, background, colors)
	supported := m.client.Hyperlinks == term.Supported || m.client.Hyperlinks == term.Unknown && cell.SupportsLinks(m.env)
	m.links = cell.NewLinkFilter(m.opts.Config.Hyperlinks, m.opts.Config.ASCII, m.isRemote(), supported)
	if m.slowLine {
		m.styles.Tint, m.styles.TintedCell = "", lipgloss.NewStyle()
	}
}

// handleModeReport makes the pages measure text by grapheme clusters, as the renderer does after a
// mode report. On an ASCII screen text is still measured rune by rune, because each rune is
// replaced.
func (m *Model) handleModeReport(msg tea.ModeReportMsg) {
	if m.opts.Config.ASCII {
		return
	}
	if msg.Mode == ansi.ModeUnicodeCore && (msg.Value.IsSet() || msg.Value.IsReset() || msg.Value.IsPermanentlySet()) {
		for _, t := range m.allTabs() {
			t.Pager.Cells.Method = ansi.GraphemeWidth
			t.Pager.Invalidate()
		}
	}
}
