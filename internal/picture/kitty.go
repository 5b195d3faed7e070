package picture

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Graphics is how a terminal is told to draw pixels.
type Graphics uint8

// The ways. The placeholders of kitty are cells themselves, which a renderer
// moves and clears as it does any others; a sixel picture lies over cells.
const (
	NoGraphics  Graphics = iota
	KittyAsked           // if the terminal says that it knows kitty's graphics
	Kitty                // https://sw.kovidgoyal.net/kitty/graphics-protocol
	KittyInTmux          // through tmux, which has to allow it: allow-passthrough
	SixelAsked           // if the terminal's device attributes say that it knows sixel
	Sixel                // if the terminal tells the size of its cells
)

// GraphicsOf returns the graphics for a setting, "auto", "kitty", "sixel" or "blocks",
// and an environment. A terminal multiplexer shows none by itself.
func GraphicsOf(setting string, env func(string) string) Graphics {
	term, inside := env("TERM"), env("TMUX") != ""
	switch {
	case setting == "kitty" && inside:
		return KittyInTmux
	case setting == "kitty":
		return Kitty
	case setting == "sixel":
		return Sixel
	case setting == "blocks" || inside || env("STY") != "":
		return NoGraphics
	case term == "xterm-kitty", term == "xterm-ghostty", env("TERM_PROGRAM") == "ghostty":
		return KittyAsked
	}
	return SixelAsked
}

// KittyQuery asks whether the terminal knows kitty's graphics; others ignore it.
func KittyQuery() string {
	return ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24")
}

// MaxKitty is the largest number of rows, and of columns, of placeholders.
const MaxKitty = 297

// Kitty draws what is seen of p as rows of placeholders of the image id, which is their
// colour, and returns the transmission of the image. Columns and Rows of v are at most
// [MaxKitty]; a cell has so many pixels.
func (v View) Kitty(p *Picture, id int, cell image.Point, g Graphics) (rows []string, transmission string) {
	cols, n := v.Seen(p)
	for cols*cell.X*n*cell.Y > keptPixels {
		cell = image.Pt((cell.X+1)/2, (cell.Y+1)/2)
	}
	rows = make([]string, n)
	for y := range rows {
		var b strings.Builder
		if id < 256 {
			fmt.Fprintf(&b, "\x1b[38;5;%dm", id)
		} else {
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", id>>16&255, id>>8&255, id&255)
		}
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		b.WriteString(ansi.ResetStyle)
		rows[y] = b.String()
	}
	var b strings.Builder
	_ = kitty.EncodeGraphics(&b, v.render(p, cell.X, cell.Y), &kitty.Options{ // a Builder does not fail
		Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, Quiet: 2,
		ID: id, VirtualPlacement: true, Columns: cols, Rows: n, Chunk: true, ChunkFormatter: g.wrap,
	})
	return rows, b.String()
}

// KittyDelete lets the terminal forget an image.
func KittyDelete(id int, g Graphics) string {
	return g.wrap(ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprint("i=", id), "q=2"))
}

// wrap is a sequence as it comes to the terminal.
func (g Graphics) wrap(sequence string) string {
	if g == KittyInTmux {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}
