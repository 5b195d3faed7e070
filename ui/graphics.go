package ui

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/picture"
	"gofer/ui/term"
)

// sixelSizeQuery asks how large a sixel picture may be (XTSMGRAPHICS, see
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). xterm shows nothing of
// one with more than 1000 pixels in a row or column.
const sixelSizeQuery = "\x1b[?2;4;0S"

// placeholderKitty is the first version of kitty that knows placeholders: 0.28.
const placeholderKitty = 28

// maxSixel bounds a sixel picture, in pixels of a row or column, whatever the terminal
// tells of itself.
const maxSixel = 4096

// graphics is what is known of how the terminal draws pictures.
type graphics struct {
	use     picture.Graphics
	asked   bool
	cell    image.Point                // in pixels; zero: nobody told
	most    image.Point                // of a sixel picture, in pixels; zero: nobody told
	image   int                        // the newest
	put     func(mark, instead string) // has the terminal get something in the place of a mark; nil: cannot
	measure tea.Cmd                    // brings the size of a cell that the system knows; or nil
	shown   sixel                      // the sixel picture on the screen
}

// sixel is a sixel picture as it lies on the screen.
type sixel struct {
	view    *pictureView
	mark    string
	place   image.Rectangle
	covered int // rows at its top with completions over them
}

// ask returns the command that asks the terminal what it can draw, the first
// time. Nobody waits for an answer: the picture is drawn again when one comes.
func (g *graphics) ask() tea.Cmd {
	if g.asked {
		return nil
	}
	g.asked = true
	query := ""
	switch g.use {
	case picture.KittyAsked:
		query = ansi.RequestNameVersion + picture.KittyQuery()
	case picture.Sixel:
		query = sixelSizeQuery
	}
	return g.askCell(query)
}

// askCell asks for the size of a cell, the system too: xterm answers only where
// that is allowed.
func (g *graphics) askCell(query string) tea.Cmd {
	return tea.Batch(g.measure, tea.Raw(ansi.WindowOp(16)+query))
}

// answered takes what the terminal tells.
func (g *graphics) answered(msg tea.Msg) {
	switch msg := msg.(type) {
	case uv.CellSizeEvent:
		if size := image.Pt(msg.Width, msg.Height); size.In(image.Rect(1, 1, 1000, 1000)) {
			g.cell = size
		}
	case uv.PrimaryDeviceAttributesEvent:
		if g.use == picture.SixelAsked && slices.Contains(msg, term.SixelAttribute) {
			g.use, g.asked = picture.Sixel, false
		}
	case uv.UnknownCsiEvent:
		if size := (image.Point{}); g.asked {
			if n, _ := fmt.Sscanf(string(msg), "\x1b[?2;0;%d;%dS", &size.X, &size.Y); n == 2 && size.X > 0 && size.Y > 0 {
				g.most = size
			}
		}
	case tea.TerminalVersionMsg:
		if minor := 0; g.use == picture.KittyAsked {
			if n, _ := fmt.Sscanf(msg.Name, "kitty(0.%d.", &minor); n == 1 && minor < placeholderKitty {
				g.use = picture.NoGraphics
			}
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
	case look.Colors < picture.Colors256 || g.use != picture.Kitty && g.use != picture.KittyInTmux:
		return image.Point{}
	case g.cell == image.Point{}:
		return image.Pt(10, 20)
	}
	return g.cell
}

// largest is how many pixels a picture may have, zero where there is no limit.
func (g *graphics) largest() image.Point {
	switch {
	case g.use != picture.Sixel:
		return image.Point{}
	case g.most == image.Point{}:
		return image.Pt(maxSixel, maxSixel)
	}
	return image.Pt(min(g.most.X, maxSixel), min(g.most.Y, maxSixel))
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

// shownSixel is the sixel picture that is to be seen, if there is one.
func (m *Model) shownSixel() (*drawing, sixel) {
	for _, t := range []*tab{m.tab, m.peek.tab} {
		d := &t.pictureView.drawn
		if d.mark == "" || d.of.picture != t.picture() {
			continue
		}
		columns, _ := d.of.view.Seen(d.of.picture)
		at := m.origin(t).Add(t.pictureView.middle(d))
		covered := 0
		if n := m.shownCompletions(); n > 0 {
			covered = max(0, m.regions().page+n+1-at.Y)
		}
		return d, sixel{&t.pictureView, d.mark, image.Rect(0, 0, columns, len(d.rows)).Add(at), covered}
	}
	return nil, sixel{}
}

// laySixel has a sixel picture drawn over its cells whenever the renderer draws
// the last of them, which is the mark: when the picture is new, and when all of
// the screen is drawn anew. A program that draws cells knows no other time.
func (m *Model) laySixel() tea.Cmd {
	d, now := m.shownSixel()
	old := m.graphics.shown
	if now == old {
		return nil
	}
	m.drawn = false
	if d != nil {
		if now.mark == old.mark && now.covered < old.covered {
			d.remark() // what was covered is empty
			now.mark = d.mark
		}
		at, end := now.place.Min, now.place.Max
		m.graphics.put(d.mark, " "+ansi.CursorPosition(at.X+1, at.Y+1)+d.raw+ansi.CursorPosition(end.X+1, end.Y))
	}
	m.graphics.shown = now
	if !old.place.Empty() && (old.view != now.view || old.place != now.place) {
		return tea.ClearScreen // nothing else is sure to take its pixels away
	}
	return nil
}

// remark gives the cells of a sixel picture another mark. They differ from blank
// ones, so that what takes their place is drawn.
func (d *drawing) remark() {
	d.mark = mark()
	columns, _ := d.of.view.Seen(d.of.picture)
	for y := range d.rows {
		d.rows[y] = underSixel + strings.Repeat(" ", columns) + ansi.ResetStyle
	}
	d.rows[len(d.rows)-1] = underSixel + strings.Repeat(" ", columns-1) + d.mark + ansi.ResetStyle
}

const underSixel = "\x1b[1m"

// next is the number of a new image, which is shown in a colour: 24 bits, or 8
// where the terminal has no more, as in tmux.
func (g *graphics) next(look picture.Look) int {
	g.image++
	if look.Colors == picture.Colors256 {
		return 0x80 + g.image&0x7f
	}
	return 0x670000 + g.image&0xffff
}
