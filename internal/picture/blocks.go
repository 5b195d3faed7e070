package picture

import (
	"image"
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/image/draw"
)

// Colors is the number of colors of a terminal.
type Colors uint8

// The numbers of colors. Without colors, pictures are drawn in ASCII.
const (
	NoColors Colors = iota
	Colors16
	Colors256
	TrueColor
)

// BlockOptions holds the options for drawing a picture with characters.
type BlockOptions struct {
	Colors     Colors
	Background color.Color // the background of the terminal; nil: black
}

// DrawBlocks draws the visible part of p as rows of text with the size [View.VisibleSize]. With colors,
// the rows have SGR sequences, and each cell shows two pixels, one above the other.
func (v View) DrawBlocks(p *Picture, look BlockOptions) []string {
	if look.Background == nil {
		look.Background = color.Black
	}
	if look.Colors == NoColors {
		return v.drawLetters(p, look)
	}
	d := &blocks{pixels: v.render(p, 1, 2), opaque: p.opaque}
	d.blend(look.Background)
	if look.Colors != TrueColor {
		colors := newPalette(0, 16)
		if look.Colors == Colors256 { // the user may have changed the first 16 colors
			colors = newPalette(16, 256)
		}
		d.indexed = image.NewPaletted(d.pixels.Rect, colors)
		draw.FloydSteinberg.Draw(d.indexed, d.pixels.Rect, d.pixels, image.Point{})
	}
	rows := make([]string, d.pixels.Rect.Dy()/2)
	for y := range rows {
		rows[y] = d.formatRow(y)
	}
	return rows
}

// blocks is a picture with two pixels per cell.
type blocks struct {
	pixels  *image.RGBA
	opaque  bool
	clear   []bool          // for each pixel, whether it is mostly transparent; nil for an opaque picture
	indexed *image.Paletted // the pixels with a palette; nil: true color
}

// blend mixes the pixels that are not opaque with the background, and sets d.clear.
func (d *blocks) blend(background color.Color) {
	if d.opaque {
		return
	}
	b := color.RGBAModel.Convert(background).(color.RGBA)
	pix := d.pixels.Pix
	d.clear = make([]bool, len(pix)/4)
	for i := range d.clear {
		q := pix[4*i : 4*i+4 : 4*i+4]
		d.clear[i] = q[3] < 0x60
		rest := 255 - int(q[3])
		for k, under := range [3]uint8{b.R, b.G, b.B} {
			q[k] = uint8(min(255, int(q[k])+int(under)*rest/255))
		}
		q[3] = 255
	}
}

// The half blocks. They show the upper or the lower pixel of a cell in the foreground color.
const (
	upper = "▀"
	lower = "▄"
)

// colorAt returns the color of a pixel, as an index of the palette or as RGB. A transparent pixel has
// the color -1, which is the default color of the terminal.
func (d *blocks) colorAt(x, y int) int {
	i := y*d.pixels.Rect.Dx() + x
	if d.clear != nil && d.clear[i] {
		return -1
	}
	if d.indexed != nil {
		return int(d.indexed.Pix[y*d.indexed.Stride+x])
	}
	q := d.pixels.Pix[y*d.pixels.Stride+4*x:]
	return int(q[0])<<16 | int(q[1])<<8 | int(q[2])
}

// formatRow returns a row of cells, with SGR sequences where the colors change.
func (d *blocks) formatRow(y int) string {
	var b strings.Builder
	fg, bg := -1, -1
	for x := range d.pixels.Rect.Dx() {
		top, bottom := d.colorAt(x, 2*y), d.colorAt(x, 2*y+1)
		char, front, back := upper, top, bottom
		switch {
		case top == bottom:
			char, front = " ", fg
		case top == -1:
			char, front, back = lower, bottom, -1
		case back >= 0 && back == fg && front == bg:
			char, front, back = lower, fg, bg
		}
		if back != bg {
			bg = back
			b.WriteString(d.colorSequence(bg, true))
		}
		if front != fg {
			fg = front
			b.WriteString(d.colorSequence(fg, false))
		}
		b.WriteString(char)
	}
	b.WriteString(ansi.ResetStyle)
	return b.String()
}

// colorSequence returns the sequence that sets a color of colorAt (ECMA-48, section 8.3.117).
func (d *blocks) colorSequence(c int, background bool) string {
	base := 30
	if background {
		base = 40
	}
	switch {
	case c < 0:
		return "\x1b[" + strconv.Itoa(base+9) + "m"
	case d.indexed == nil:
		return "\x1b[" + strconv.Itoa(base+8) + ";2;" + strconv.Itoa(c>>16) + ";" + strconv.Itoa(c>>8&255) + ";" + strconv.Itoa(c&255) + "m"
	case len(d.indexed.Palette) > 16:
		return "\x1b[" + strconv.Itoa(base+8) + ";5;" + strconv.Itoa(c+16) + "m"
	case c >= 8:
		return "\x1b[" + strconv.Itoa(base+60+c-8) + "m"
	}
	return "\x1b[" + strconv.Itoa(base+c) + "m"
}

func newPalette(start, end int) color.Palette {
	colors := make(color.Palette, 0, end-start)
	for i := start; i < end; i++ {
		colors = append(colors, color.RGBAModel.Convert(ansi.IndexedColor(i)))
	}
	return colors
}

const ramp = " .:-=+*#%@" // characters, from the one that fills the least of a cell to the one that fills the most

func (v View) drawLetters(p *Picture, look BlockOptions) []string {
	d := &blocks{pixels: v.render(p, 1, 1), opaque: p.opaque}
	d.blend(look.Background)
	light := luminance(color.RGBAModel.Convert(look.Background).(color.RGBA)) >= 128
	rows := make([]string, d.pixels.Rect.Dy())
	for y := range rows {
		row := make([]byte, d.pixels.Rect.Dx())
		for x := range row {
			n := luminance(d.pixels.RGBAAt(x, y))
			if light {
				n = 255 - n
			}
			row[x] = ramp[n*(len(ramp)-1)/255]
			if d.clear != nil && d.clear[y*len(row)+x] {
				row[x] = ' '
			}
		}
		rows[y] = string(row)
	}
	return rows
}

// luminance returns the brightness of a color, from 0 to 255.
func luminance(c color.RGBA) int { return int(color.GrayModel.Convert(c).(color.Gray).Y) }
