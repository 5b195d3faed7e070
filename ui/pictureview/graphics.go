package pictureview

import (
	"fmt"
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/ui/term"
)

// sixelSizeQuery asks for the largest sixel picture (XTSMGRAPHICS, see
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). xterm does not draw a picture with
// more than 1000 pixels in a row or column.
const sixelSizeQuery = "\x1b[?2;4;0S"

// placeholderKitty is the minor version of the first kitty with placeholders, 0.28.
const placeholderKitty = 28

// maxSixel is the largest number of pixels in a row or column of a sixel picture, even if the terminal
// reports more.
const maxSixel = 4096

// Graphics describes how the terminal draws pictures.
type Graphics struct {
	protocol picture.Graphics
	version  *term.Version
	asked    bool
	cell     image.Point                    // size of a cell in pixels; zero if unknown
	maxSize  image.Point                    // largest size of a sixel picture in pixels; zero if unknown
	image    int                            // number of the latest image
	Put      func(mark, replacement string) // replaces mark in the output to the terminal; or nil
	Measure  tea.Cmd                        // reads the size of a cell from the system; or nil
	Shown    Sixel
}

// NewGraphics returns the Graphics of a terminal that draws pictures with the given protocol.
func NewGraphics(protocol picture.Graphics, version *term.Version) Graphics {
	return Graphics{protocol: protocol, version: version}
}

// SetProtocol makes g draw with another protocol. The next call of Ask asks the terminal again.
func (g *Graphics) SetProtocol(protocol picture.Graphics) { g.protocol, g.asked = protocol, false }

// Sixel is a sixel picture on the screen.
type Sixel struct {
	view    *View
	mark    string
	Place   image.Rectangle
	Covered int // number of rows at the top of the picture that completions cover
}

// Ask returns the command that asks the terminal for its graphics, or nil if the terminal has been asked
// about this protocol before. Pictures are drawn before the answer comes, and drawn again after it.
func (g *Graphics) Ask() tea.Cmd {
	if g.asked {
		return nil
	}
	g.asked = true
	query := ""
	switch g.protocol {
	case picture.KittyIfSupported:
		query = g.version.Query() + picture.KittyQuery()
	case picture.Sixel:
		query = sixelSizeQuery
	}
	return g.askCell(query)
}

// RefreshCellSize asks for the size of a cell again, because the font may have changed. If Ask
// has not asked about the current protocol, it does nothing.
func (g *Graphics) RefreshCellSize() tea.Cmd {
	if !g.asked {
		return nil
	}
	return g.askCell("")
}

// askCell asks the terminal and the system for the size of a cell, and sends query to the terminal. It
// asks both, because xterm answers only if its configuration allows it.
func (g *Graphics) askCell(query string) tea.Cmd {
	return tea.Batch(g.Measure, tea.Raw(ansi.WindowOp(16)+query))
}

// HandleAnswer records an answer of the terminal.
func (g *Graphics) HandleAnswer(msg tea.Msg) {
	switch msg := msg.(type) {
	case uv.CellSizeEvent:
		if size := image.Pt(msg.Width, msg.Height); size.In(image.Rect(1, 1, 1000, 1000)) {
			g.cell = size
		}
	case uv.PrimaryDeviceAttributesEvent:
		if g.protocol == picture.SixelIfSupported && slices.Contains(msg, term.SixelAttribute) {
			g.protocol, g.asked = picture.Sixel, false
		}
	case uv.UnknownCsiEvent:
		if size := (image.Point{}); g.asked {
			if n, _ := fmt.Sscanf(string(msg), "\x1b[?2;0;%d;%dS", &size.X, &size.Y); n == 2 && size.X > 0 && size.Y > 0 {
				g.maxSize = size
			}
		}
	case uv.KittyGraphicsEvent:
		if g.protocol == picture.KittyIfSupported && string(msg.Payload) == "OK" {
			g.protocol = picture.Kitty
			var minor int
			if n, _ := fmt.Sscanf(g.version.Name, "kitty(0.%d.", &minor); n == 1 && minor < placeholderKitty {
				g.protocol = picture.NoGraphics
			}
		}
	}
}

// cellPixels returns the size of a cell in pixels if pictures are drawn with pixels, or zero if
// they are drawn with characters.
func (g *Graphics) cellPixels(look picture.BlockOptions) image.Point {
	switch {
	case look.Colors == picture.NoColors:
		return image.Point{}
	case g.protocol == picture.Sixel && g.Put != nil:
		return g.cell
	case look.Colors < picture.Colors256 || g.protocol != picture.Kitty && g.protocol != picture.KittyInTmux:
		return image.Point{}
	case g.cell == image.Point{}:
		return image.Pt(10, 20)
	}
	return g.cell
}

// maxPixels returns the largest size of a picture in pixels, or zero for no limit.
func (g *Graphics) maxPixels() image.Point {
	switch {
	case g.protocol != picture.Sixel:
		return image.Point{}
	case g.maxSize == image.Point{}:
		return image.Pt(maxSixel, maxSixel)
	}
	return image.Pt(min(g.maxSize.X, maxSixel), min(g.maxSize.Y, maxSixel))
}

// aspect returns the ratio of the height of a cell to its width, or 0 if it is unknown.
func (g *Graphics) aspect() float64 {
	if g.cell == (image.Point{}) {
		return 0
	}
	return min(max(float64(g.cell.Y)/float64(g.cell.X), 1), 4)
}

// PlaceSixel replaces the sixel picture on the screen by s. The last cell of the picture is a mark, and
// the output replaces this mark with the picture. The renderer writes the mark when the picture is new
// and when it redraws the whole screen. PlaceSixel reports whether the screen has changed, and whether
// the screen must be cleared. Only clearing the screen removes the pixels of an older picture in all
// terminals.
func (g *Graphics) PlaceSixel(s Sixel) (changed, clears bool) {
	old := g.Shown
	if s == old {
		return false, false
	}
	if s.view != nil {
		d := &s.view.drawn
		if s.mark == old.mark && s.Covered < old.Covered {
			d.renewMarker() // the renderer must draw the picture again in the rows that were covered
			s.mark = d.mark
		}
		at, end := s.Place.Min, s.Place.Max
		g.Put(d.mark, " "+ansi.CursorPosition(at.X+1, at.Y+1)+d.raw+ansi.CursorPosition(end.X+1, end.Y))
	}
	g.Shown = s
	return true, !old.Place.Empty() && (old.view != s.view || old.Place != s.Place)
}

// nextImageID returns the number of a new image. Placeholders have the number as their color. The color
// has 24 bits, or 8 bits in terminals with fewer colors, such as tmux.
func (g *Graphics) nextImageID(look picture.BlockOptions) int {
	g.image++
	if look.Colors == picture.Colors256 {
		return 0x80 + g.image&0x7f
	}
	return 0x670000 + g.image&0xffff
}
