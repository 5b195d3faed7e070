package main

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"gofer/internal/loopback"
)

// The size of a cell of a drawing, and the colours of its terminal.
const (
	cellWidth, cellHeight = 9, 19
	drawingMargin         = 12
	drawingFg, drawingBg  = "#d4d4d4", "#16181d"
)

// draw returns the screen as SVG and as text, with a name in place of the
// world's addresses: every run has others.
func (tm *terminal) draw(world *loopback.World) (drawing, text string) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	width, height := tm.emu.Width(), tm.emu.Height()
	var svg, plain strings.Builder
	w, h := width*cellWidth+2*drawingMargin, height*cellHeight+2*drawingMargin
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="15">`+"\n", w, h)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", w, h, drawingBg)
	for y := range height {
		row := make([]uv.Cell, width)
		for x := range row {
			if c := tm.emu.CellAt(x, y); c != nil {
				row[x] = *c
			}
		}
		for _, addr := range []string{world.Gopher.Addr(), world.FTP.Addr(), world.NNTP.Addr(), world.Telnet.Addr()} {
			rename(row, addr)
		}
		plain.WriteString(strings.TrimRight(content(row), " ") + "\n")
		drawRow(&svg, row, y)
	}
	svg.WriteString("</svg>\n")
	return svg.String(), plain.String()
}

// rename puts the stand-in where row has addr, which is as long, in the style
// that addr begins with.
func rename(row []uv.Cell, addr string) {
	for x := range max(0, len(row)-len(addr)+1) {
		if content(row[x:x+len(addr)]) != addr {
			continue
		}
		for i, r := range standIn {
			row[x+i].Content, row[x+i].Style = string(r), row[x].Style
		}
	}
}

func content(row []uv.Cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.Content)
	}
	return b.String()
}

// drawRow draws the cells of one style at a time: their background, if it is
// not that of the terminal, and their text.
func drawRow(svg *strings.Builder, row []uv.Cell, y int) {
	for begin := 0; begin < len(row); {
		end := begin + 1
		for end < len(row) && row[end].Style.Equal(&row[begin].Style) {
			end++
		}
		text, style, fg, bg := content(row[begin:end]), row[begin].Style, drawingFg, drawingBg
		if style.Fg != nil {
			fg = hex(style.Fg)
		}
		if style.Bg != nil {
			bg = hex(style.Bg)
		}
		if style.Attrs&uv.AttrReverse != 0 {
			fg, bg = bg, fg
		}
		x, top := drawingMargin+begin*cellWidth, drawingMargin+y*cellHeight
		if bg != drawingBg {
			fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, top, (end-begin)*cellWidth, cellHeight, bg)
		}
		underlined := style.Underline != uv.UnderlineNone
		if strings.TrimSpace(text) != "" || underlined {
			attrs := ""
			if style.Attrs&uv.AttrBold != 0 {
				attrs += ` font-weight="bold"`
			}
			if style.Attrs&uv.AttrFaint != 0 {
				attrs += ` opacity="0.6"`
			}
			if underlined {
				attrs += ` text-decoration="underline"`
			}
			// Whatever the font, the text takes its cells.
			fmt.Fprintf(svg, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>`,
				x, top+cellHeight-5, fg, (end-begin)*cellWidth, attrs)
			_ = xml.EscapeText(svg, []byte(text))
			svg.WriteString("</text>\n")
		}
		begin = end
	}
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
