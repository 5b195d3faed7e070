package picture

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Graphics is a protocol for drawing pixels on a terminal.
type Graphics uint8

// The protocols. Kitty's placeholders are characters in cells, which a renderer moves and clears
// like other characters. A sixel picture covers cells.
const (
	NoGraphics       Graphics = iota
	KittyIfSupported          // Kitty if the terminal answers that it supports kitty's protocol
	Kitty                     // https://sw.kovidgoyal.net/kitty/graphics-protocol
	KittyInTmux               // through tmux with allow-passthrough
	SixelIfSupported          // Sixel if the device attributes of the terminal include sixels
	Sixel                     // needs a terminal that reports the size of its cells
)

// GraphicsOf returns the protocol for an environment and a setting. The setting is "auto", "kitty",
// "sixel", "blocks", or "" for no protocol. With "auto", a terminal multiplexer gets no protocol.
func GraphicsOf(setting string, env func(string) string) Graphics {
	term, inside := env("TERM"), env("TMUX") != ""
	switch {
	case setting == "kitty" && inside:
		return KittyInTmux
	case setting == "kitty":
		return Kitty
	case setting == "sixel":
		return Sixel
	case setting == "blocks" || setting == "" || inside || env("STY") != "":
		return NoGraphics
	case term == "xterm-kitty", term == "xterm-ghostty", env("TERM_PROGRAM") == "ghostty":
		return KittyIfSupported
	}
	return SixelIfSupported
}

// KittyQuery returns the sequence that asks a terminal whether it supports Kitty. Terminals that do
// not support it ignore the sequence.
func KittyQuery() string {
	return ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24")
}

// MaxKitty is the largest number of rows and of columns of placeholders.
const MaxKitty = 297

// DrawKitty draws the visible part of p as rows of placeholders, and returns the sequence that
// transmits the image. The parameter id is the number of the image, and the placeholders have it as
// their color. Columns and Rows of v must be at most [MaxKitty]. The parameter cell is the size of a
// cell in pixels.
func (v View) DrawKitty(p *Picture, id int, cell image.Point, g Graphics) (rows []string, transmission string) {
	cols, n := v.VisibleSize(p)
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
	_ = kitty.EncodeGraphics(&b, v.render(p, cell.X, cell.Y), &kitty.Options{ // no error, because a Builder never fails
		Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, Quiet: 2,
		ID: id, VirtualPlacement: true, Columns: cols, Rows: n, Chunk: true, ChunkFormatter: g.wrap,
	})
	return rows, b.String()
}

// KittyDelete returns the sequence that deletes an image.
func KittyDelete(id int, g Graphics) string {
	return g.wrap(ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprint("i=", id), "q=2"))
}

// wrap returns the sequence. If g is KittyInTmux, it wraps the sequence so that tmux passes it on.
func (g Graphics) wrap(sequence string) string {
	if g == KittyInTmux {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}
