package endtoend

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// The size of a cell of a drawing, and the colours of its terminal.
const (
	cellWidth, cellHeight = 9, 19
	drawingMargin         = 12
	drawingFg, drawingBg  = "#d4d4d4", "#16181d"
)

// draw returns the screen as SVG.
func (tm *terminal) draw() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	width, height := tm.emu.Width(), tm.emu.Height()
	var svg strings.Builder
	w, h := width*cellWidth+2*drawingMargin, height*cellHeight+2*drawingMargin
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" xml:space="preserve" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="15">`+"\n", w, h)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", w, h, drawingBg)
	for y := range height {
		row := make([]uv.Cell, width)
		for x := range row {
			if c := tm.emu.CellAt(x, y); c != nil {
				row[x] = *c
			}
		}
		drawRow(&svg, row, y)
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

func content(row []uv.Cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.Content)
	}
	return b.String()
}

// drawRow draws the cells of one style at a time.
func drawRow(svg *strings.Builder, row []uv.Cell, y int) {
	for x := 0; x < len(row); {
		n := 1
		for x+n < len(row) && row[x+n].Style.Equal(&row[x].Style) {
			n++
		}
		drawCells(svg, row[x:x+n], x, y)
		x += n
	}
}

// drawCells draws cells of one style from x and y on: their background, if it is
// not that of the terminal, and their text without the blanks around it.
func drawCells(svg *strings.Builder, cells []uv.Cell, x, y int) {
	style, fg, bg := cells[0].Style, drawingFg, drawingBg
	if style.Fg != nil {
		fg = hex(style.Fg)
	}
	if style.Bg != nil {
		bg = hex(style.Bg)
	}
	if style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	top := drawingMargin + y*cellHeight
	if bg != drawingBg {
		fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n",
			drawingMargin+x*cellWidth, top, len(cells)*cellWidth, cellHeight, bg)
	}
	blank := func(c uv.Cell) bool { return c.Content == " " }
	for len(cells) > 0 && blank(cells[0]) {
		cells, x = cells[1:], x+1
	}
	for len(cells) > 0 && blank(cells[len(cells)-1]) {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return
	}
	attrs := ""
	if style.Attrs&uv.AttrBold != 0 {
		attrs += ` font-weight="bold"`
	}
	if style.Attrs&uv.AttrFaint != 0 {
		attrs += ` opacity="0.6"`
	}
	if style.Underline != uv.UnderlineNone {
		attrs += ` text-decoration="underline"`
	}
	// Whatever the font, the text is as wide as its cells.
	fmt.Fprintf(svg, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs"%s>`,
		drawingMargin+x*cellWidth, top+cellHeight-5, fg, len(cells)*cellWidth, attrs)
	_ = xml.EscapeText(svg, []byte(content(cells)))
	svg.WriteString("</text>\n")
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
