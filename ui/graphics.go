package ui

import (
	"image"
	"math/rand/v2"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/picture"
)

// graphics is what is known of how the terminal draws pictures.
type graphics struct {
	use   picture.Graphics
	asked bool
	cell  image.Point                // in pixels; zero: nobody told
	image int                        // the newest
	put   func(mark, instead string) // has the terminal get something in the place of a mark; nil: cannot
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
	case look.Colors == picture.NoColors:
		return image.Point{}
	case g.use == picture.Sixel && g.put != nil:
		return g.cell
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

// mark is a character that stands for a sixel picture in what is drawn. No page
// can know it.
func mark() string {
	cluster := []rune{kitty.Placeholder}
	for range 3 {
		cluster = append(cluster, kitty.Diacritic(rand.IntN(picture.MaxKitty)))
	}
	return string(cluster)
}

// origin is where on the screen a tab's page begins.
func (m *Model) origin(t *tab) image.Point {
	r, g := m.regions(), m.panes()
	switch {
	case t != m.peek.tab:
		return image.Pt(0, r.page)
	case g.side:
		return image.Pt(m.width-g.paneWidth, r.page+1)
	}
	return image.Pt(0, r.page+g.rows+1)
}

// lay has a sixel picture drawn over its cells whenever the renderer draws the
// last of them, which is the mark: when the picture is new, and when all of the
// screen is drawn anew. A program that draws cells knows no other time.
func (m *Model) lay(d *drawing, at image.Point) {
	columns, _ := d.of.view.Seen(d.of.picture)
	d.place = image.Rectangle{Max: image.Pt(columns, len(d.rows))}.Add(at)
	m.graphics.put(d.mark, " "+ansi.CursorPosition(d.place.Min.X+1, d.place.Min.Y+1)+d.raw+
		ansi.CursorPosition(d.place.Max.X+1, d.place.Max.Y))
	d.raw = ""
}

// next is the number of a new image, which is shown in a colour: 24 bits.
func (g *graphics) next() int {
	g.image++
	return 0x670000 + g.image&0xffff
}
