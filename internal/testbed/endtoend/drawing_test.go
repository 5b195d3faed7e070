package endtoend

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Sizes in a drawing, and the default colors of its terminal.
const (
	cellWidth, cellHeight = 9, 19
	drawingMargin         = 12
	drawingFg, drawingBg  = "#d4d4d4", "#16181d"
)

// draw returns the screen as SVG.
func (tm *terminal) draw() string {
	var svg strings.Builder
	rows := tm.rows()
	startDrawing(&svg, len(rows[0])*cellWidth+2*drawingMargin, len(rows)*cellHeight+2*drawingMargin)
	for y, row := range rows {
		drawRow(&svg, row, y)
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

// rows returns the cells of the screen.
func (tm *terminal) rows() [][]uv.Cell {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	rows := make([][]uv.Cell, tm.emu.Height())
	for y := range rows {
		rows[y] = make([]uv.Cell, tm.emu.Width())
		for x := range rows[y] {
			if c := tm.emu.CellAt(x, y); c != nil {
				rows[y][x] = *c
			}
		}
	}
	return rows
}

// startDrawing writes the start of an SVG and its background.
func startDrawing(svg *strings.Builder, width, height int) {
	fmt.Fprintf(svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="15">`+
		"\n", width, height)
	fmt.Fprintf(svg, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", width, height, drawingBg)
}

func rowText(row []uv.Cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.Content)
	}
	return b.String()
}

// cellColors returns the colors of a cell.
func cellColors(c uv.Cell) (fg, bg string) {
	fg, bg = drawingFg, drawingBg
	if c.Style.Fg != nil {
		fg = formatColor(c.Style.Fg)
	}
	if c.Style.Bg != nil {
		bg = formatColor(c.Style.Bg)
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	return fg, bg
}

// drawRow draws the text of a row over its backgrounds. It skips default backgrounds. It draws a blank
// in the style of the text before it, because the style of the blank itself depends on how the screen
// was drawn.
func drawRow(svg *strings.Builder, row []uv.Cell, y int) {
	for x := 0; x < len(row); {
		n := 1
		_, bg := cellColors(row[x])
		for x+n < len(row) {
			if _, next := cellColors(row[x+n]); next != bg {
				break
			}
			n++
		}
		if bg != drawingBg {
			fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n",
				drawingMargin+x*cellWidth, drawingMargin+y*cellHeight, n*cellWidth, cellHeight, bg)
		}
		x += n
	}
	isBlank := func(c uv.Cell) bool { return c.Content == " " && c.Style.Underline == uv.UnderlineNone }
	for x := 0; x < len(row); {
		n := 1
		if !isBlank(row[x]) {
			for i := x + 1; i < len(row) && (isBlank(row[i]) || row[i].Style.Equal(&row[x].Style)); i++ {
				if !isBlank(row[i]) {
					n = i + 1 - x
				}
			}
			drawText(svg, row[x:x+n], x, y)
		}
		x += n
	}
}

// drawText draws the text of cells that have the same style, starting at x and y.
func drawText(svg *strings.Builder, cells []uv.Cell, x, y int) {
	style := cells[0].Style
	fg, _ := cellColors(cells[0])
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
	// textLength makes the text as wide as its cells in any font. Browsers collapse ordinary
	// spaces, even with xml:space.
	fmt.Fprintf(svg, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs"%s>`,
		drawingMargin+x*cellWidth, drawingMargin+(y+1)*cellHeight-5, fg, len(cells)*cellWidth, attrs)
	_ = xml.EscapeText(svg, []byte(strings.ReplaceAll(rowText(cells), " ", "\u00a0")))
	svg.WriteString("</text>\n")
}

func formatColor(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
