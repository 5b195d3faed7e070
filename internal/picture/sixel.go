package picture

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// DrawSixel draws the visible part of p as a sixel sequence. Transparent pixels get the color in the
// parameter background, or black if it is nil. The parameter cell is the size of a cell in pixels.
func (v View) DrawSixel(p *Picture, cell image.Point, background color.Color) string {
	if background == nil {
		background = color.Black
	}
	d := &blocks{pixels: v.render(p, cell.X, cell.Y), opaque: p.opaque}
	d.blend(background)
	m := dither(d.pixels)
	var b strings.Builder
	fmt.Fprintf(&b, "\"1;1;%d;%d", m.Rect.Dx(), m.Rect.Dy())
	for i, c := range m.Palette {
		r, g, bl, _ := c.RGBA()
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, bl*100/0xffff)
	}
	bits := make([][]byte, len(m.Palette)) // for each color, a byte for each column; its bits are the pixels of six rows
	for y := 0; y < m.Rect.Dy(); y += 6 {
		writeBand(&b, m, y, bits)
	}
	return ansi.SixelGraphics(0, 1, 0, []byte(b.String()))
}

const levels = 6 // levels of red, green and blue in a palette

// dither converts m to a palette with equal steps between its colors, by ordered dithering. This is
// fast for a million pixels.
func dither(m *image.RGBA) *image.Paletted {
	thresholds := [4][4]int{{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}
	const step = 255 / (levels - 1)
	var colors color.Palette
	for i := range uint8(levels * levels * levels) {
		colors = append(colors, color.RGBA{i / (levels * levels) * step, i / levels % levels * step, i % levels * step, 255})
	}
	dst := image.NewPaletted(m.Rect, colors)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := 0
			for _, v := range m.Pix[y*m.Stride+4*x:][:3] {
				c = c*levels + (int(v)*16+thresholds[y&3][x&3]*step)/(step*16)
			}
			dst.Pix[y*dst.Stride+x] = uint8(c)
		}
	}
	return dst
}

// writeBand writes the six rows of pixels from row y on, or fewer at the end, one color after the other.
func writeBand(b *strings.Builder, m *image.Paletted, y int, bits [][]byte) {
	for row := range min(6, m.Rect.Dy()-y) {
		for x, c := range m.Pix[(y+row)*m.Stride:][:m.Rect.Dx()] {
			if bits[c] == nil {
				bits[c] = make([]byte, m.Rect.Dx())
			}
			bits[c][x] |= 1 << row
		}
	}
	for c, pixels := range bits {
		if pixels == nil {
			continue
		}
		fmt.Fprintf(b, "#%d", c)
		for x := 0; x < len(pixels); {
			n := 1
			for x+n < len(pixels) && pixels[x+n] == pixels[x] {
				n++
			}
			if n > 3 {
				fmt.Fprintf(b, "!%d%c", n, '?'+pixels[x])
			} else {
				b.WriteString(strings.Repeat(string(rune('?'+pixels[x])), n))
			}
			x += n
		}
		b.WriteByte('$')
		bits[c] = nil
	}
	b.WriteByte('-')
}
