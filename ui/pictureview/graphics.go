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

// sixelSizeQuery asks how large a sixel picture may be (XTSMGRAPHICS, see
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). xterm shows nothing of
// one with more than 1000 pixels in a row or column.
const sixelSizeQuery = "\x1b[?2;4;0S"

// placeholderKitty is the first version of kitty that knows placeholders: 0.28.
const placeholderKitty = 28

// maxSixel bounds a sixel picture, in pixels of a row or column, whatever the terminal
// tells of itself.
const maxSixel = 4096

// Graphics is what is known of how the terminal draws pictures.
type Graphics struct {
	use     picture.Graphics
	asked   bool
	cell    image.Point                // in pixels; zero: nobody told
	most    image.Point                // of a sixel picture, in pixels; zero: nobody told
	image   int                        // the newest
	Put     func(mark, instead string) // has the terminal get something in the place of a mark; nil: cannot
	Measure tea.Cmd                    // brings the size of a cell that the system knows; or nil
	Shown   Sixel                      // the sixel picture on the screen
}

// NewGraphics returns the graphics of a terminal that is to draw with use.
func NewGraphics(use picture.Graphics) Graphics { return Graphics{use: use} }

// Sixel is a sixel picture as it lies on the screen.
type Sixel struct {
	view    *View
	mark    string
	Place   image.Rectangle
	Covered int // rows at its top with completions over them
}

// Ask returns the command that asks the terminal what it can draw, the first
// time. Nobody waits for an answer: the picture is drawn again when one comes.
func (g *Graphics) Ask() tea.Cmd {
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

// AskAgain asks for the size of a cell, if it has been asked before: the font may be
// another one.
func (g *Graphics) AskAgain() tea.Cmd {
	if !g.asked {
		return nil
	}
	return g.askCell("")
}

// askCell asks for the size of a cell, the system too: xterm answers only where
// that is allowed.
func (g *Graphics) askCell(query string) tea.Cmd {
	return tea.Batch(g.Measure, tea.Raw(ansi.WindowOp(16)+query))
}

// Answered takes what the terminal tells.
func (g *Graphics) Answered(msg tea.Msg) {
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
func (g *Graphics) pixels(look picture.Look) image.Point {
	switch {
	case look.Colors == picture.NoColors:
		return image.Point{}
	case g.use == picture.Sixel && g.Put != nil:
		return g.cell
	case look.Colors < picture.Colors256 || g.use != picture.Kitty && g.use != picture.KittyInTmux:
		return image.Point{}
	case g.cell == image.Point{}:
		return image.Pt(10, 20)
	}
	return g.cell
}

// largest is how many pixels a picture may have, zero where there is no limit.
func (g *Graphics) largest() image.Point {
	switch {
	case g.use != picture.Sixel:
		return image.Point{}
	case g.most == image.Point{}:
		return image.Pt(maxSixel, maxSixel)
	}
	return image.Pt(min(g.most.X, maxSixel), min(g.most.Y, maxSixel))
}

// aspect is the height of a cell by its width, 0 if nobody told.
func (g *Graphics) aspect() float64 {
	if g.cell == (image.Point{}) {
		return 0
	}
	return min(max(float64(g.cell.Y)/float64(g.cell.X), 1), 4)
}

// Lay has the sixel picture that is to be seen drawn over its cells whenever the
// renderer draws the last of them, which is the mark: when the picture is new, and when
// all of the screen is drawn anew. A program that draws cells knows no other time. It
// reports whether the screen has changed, and whether it must be cleared: nothing else
// is sure to take the pixels of an older picture away.
func (g *Graphics) Lay(now Sixel) (changed, clears bool) {
	old := g.Shown
	if now == old {
		return false, false
	}
	if now.view != nil {
		d := &now.view.drawn
		if now.mark == old.mark && now.Covered < old.Covered {
			d.remark() // what was covered is empty
			now.mark = d.mark
		}
		at, end := now.Place.Min, now.Place.Max
		g.Put(d.mark, " "+ansi.CursorPosition(at.X+1, at.Y+1)+d.raw+ansi.CursorPosition(end.X+1, end.Y))
	}
	g.Shown = now
	return true, !old.Place.Empty() && (old.view != now.view || old.Place != now.Place)
}

// next is the number of a new image, which is shown in a colour: 24 bits, or 8
// where the terminal has no more, as in tmux.
func (g *Graphics) next(look picture.Look) int {
	g.image++
	if look.Colors == picture.Colors256 {
		return 0x80 + g.image&0x7f
	}
	return 0x670000 + g.image&0xffff
}
