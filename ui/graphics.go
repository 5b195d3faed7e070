package ui

import (
	"image"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
)

// graphics is what is known of how the terminal draws pictures.
type graphics struct {
	use   picture.Graphics
	asked bool
	cell  image.Point // in pixels; zero: nobody told
	image int         // the newest
}

// ask returns the command that asks the terminal what it can draw, the first
// time. Nobody waits for an answer: the picture is drawn again when one comes.
func (g *graphics) ask() tea.Cmd {
	if g.asked {
		return nil
	}
	g.asked = true
	query := ansi.WindowOp(16) // the size of a cell
	if g.use == picture.KittyAsked {
		query += picture.KittyQuery()
	}
	return tea.Raw(query)
}

// answered takes what the terminal tells.
func (g *graphics) answered(msg tea.Msg) {
	switch msg := msg.(type) {
	case uv.CellSizeEvent:
		if size := image.Pt(msg.Width, msg.Height); size.In(image.Rect(1, 1, 1000, 1000)) {
			g.cell = size
		}
	case uv.KittyGraphicsEvent:
		if g.use == picture.KittyAsked && string(msg.Payload) == "OK" {
			g.use = picture.Kitty
		}
	}
}

// pixels is how many pixels a cell has where pictures are drawn with pixels,
// zero where they are drawn with characters.
func (g *graphics) pixels(look picture.Look) image.Point {
	switch {
	case look.Colors != picture.TrueColor || g.use != picture.Kitty && g.use != picture.KittyInTmux:
		return image.Point{}
	case g.cell == image.Point{}:
		return image.Pt(10, 20)
	}
	return g.cell
}

// aspect is the height of a cell by its width, 0 if nobody told.
func (g *graphics) aspect() float64 {
	if g.cell == (image.Point{}) {
		return 0
	}
	return min(max(float64(g.cell.Y)/float64(g.cell.X), 1), 4)
}

// next is the number of a new image, which is shown in a colour: 24 bits.
func (g *graphics) next() int {
	g.image++
	return 0x670000 + g.image&0xffff
}
