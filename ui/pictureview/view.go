// Package pictureview shows a picture instead of a page. It draws with characters or with pixels.
//
// The renderer may redraw cells at any time. The placeholders of kitty are cells, so the renderer can
// draw them. A sixel picture is written instead of its last cell (see [Graphics.PlaceSixel]). Unless
// a setting names a protocol, pictures are drawn with characters until the terminal has said that it
// can draw pixels.
package pictureview

import (
	"context"
	"image"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/picture"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// Decode is a [nav.Decoder] for the pictures that the screen can show.
func Decode(ctx context.Context, head protocols.Head, body io.Reader) (nav.Content, error) {
	p, err := picture.Decode(ctx, head.Media, head.Size, body)
	if p == nil {
		return nil, err
	}
	return p, err
}

// View shows the picture of a page.
type View struct {
	Width, Height int
	Fill          bool // magnify small pictures

	Page    *nav.Page
	drawn   Drawing
	drawing bool // between Begin and End

	aspect  float64     // height of a cell divided by its width
	cell    image.Point // size of a cell in pixels, zero for a picture of characters
	maxSize image.Point // largest size of the picture in pixels, zero for no limit
}

// Drawing is a drawn picture.
type Drawing struct {
	key   pictureKey
	rows  []string
	image int    // number of the image in kitty's protocol, or 0
	raw   string // sequence that defines the image or draws the picture
	mark  string // character that marks the place of a sixel picture in rows, or ""
}

// pictureKey is everything that a drawing depends on.
type pictureKey struct {
	picture *picture.Picture
	view    picture.View
	look    picture.BlockOptions
	cell    image.Point // in pixels, zero for a picture of characters
}

// Show sets the page. A nil page means no page.
func (v *View) Show(p *nav.Page) { v.Page = p }

// Picture returns the picture of the page, or nil.
func (v *View) Picture() *picture.Picture {
	if v.Page == nil {
		return nil
	}
	p, _ := v.Page.Content.(*picture.Picture)
	return p
}

// VisiblePart returns the visible part of the picture.
func (v *View) VisiblePart() picture.View {
	width, height := v.Width, v.Height
	if v.cell.X > 0 {
		// The last column stays empty for the cursor.
		width, height = min(width-1, picture.MaxKitty), min(height, picture.MaxKitty)
		if v.maxSize != (image.Point{}) {
			width, height = max(min(width, v.maxSize.X/v.cell.X), 1), max(min(height, v.maxSize.Y/v.cell.Y), 1)
		}
	}
	return picture.View{
		Columns: width, Rows: height, CellAspect: v.aspect, CellWidth: v.cell.X, Fill: v.Fill,
		Zoom: v.Page.Zoom, Left: v.Page.Left, Top: v.Page.Top,
	}.Clamp(v.Picture())
}

// ShowPart shows the part s of the picture, clamped to the picture.
func (v *View) ShowPart(s picture.View) {
	s = s.Clamp(v.Picture())
	v.Page.Zoom, v.Page.Left, v.Page.Top = s.Zoom, s.Left, s.Top
}

// Step scrolls down by dir rows, or up if dir is negative.
func (v *View) Step(dir int) { v.Scroll(dir) }

// PageBy scrolls down by n rows.
func (v *View) PageBy(n int) { v.Scroll(n) }

// Scroll scrolls down by n rows. It returns the number of rows scrolled.
func (v *View) Scroll(n int) int {
	s := v.VisiblePart()
	from := s.Top
	s.Top += n
	v.ShowPart(s)
	return v.Page.Top - from
}

// Pan scrolls right by n columns.
func (v *View) Pan(n int) {
	s := v.VisiblePart()
	s.Left += n
	v.ShowPart(s)
}

// ToTop goes to the first row and column of the picture.
func (v *View) ToTop() { v.Page.Top, v.Page.Left = 0, 0 }

// ToEnd goes to the last row and column of the picture.
func (v *View) ToEnd() {
	s := v.VisiblePart()
	s.Left, s.Top = s.Size(v.Picture())
	v.ShowPart(s)
}

// Begin returns the function that draws the visible part, or nil if the part is already drawn or another
// drawing has not ended. The function may run in another goroutine. The caller must pass its result to
// [View.End]. If the parameter covered is true, rows of the page may be covered, and no sixel picture is
// drawn.
func (v *View) Begin(g *Graphics, look picture.BlockOptions, covered bool) (draw func() Drawing) {
	v.aspect, v.cell, v.maxSize = g.aspect(), g.cellPixels(look), g.maxPixels()
	if covered && g.protocol == picture.Sixel {
		v.cell = image.Point{}
	}
	key := pictureKey{v.Picture(), v.VisiblePart(), look, v.cell}
	if v.drawing || v.drawn.key == key {
		return nil
	}
	v.drawing = true
	protocol, id := g.protocol, 0
	if key.cell.X > 0 {
		id = g.nextImageID(look)
	}
	return func() Drawing { return key.draw(protocol, id) }
}

// End ends the drawing that Begin began. It reports whether d shows the picture of the page.
func (v *View) End(d Drawing) bool {
	v.drawing = false
	return v.Picture() == d.key.picture
}

// Replace replaces the drawing of the page by d. It returns a sequence that defines the new image and
// deletes the old one. The sequence must be written to the terminal before the rows.
func (v *View) Replace(g *Graphics, d Drawing) (raw string) {
	if d.image > 0 {
		raw, d.raw = d.raw, ""
	}
	if old := v.drawn.image; old > 0 {
		raw += picture.KittyDelete(old, g.protocol)
	}
	v.drawn = d
	return raw
}

// draw draws the picture. The parameter id is the number of the new image, if kitty's protocol is used.
func (k pictureKey) draw(protocol picture.Graphics, id int) Drawing {
	d := Drawing{key: k}
	switch {
	case k.cell.X == 0:
		d.rows = k.view.DrawBlocks(k.picture, k.look)
	case protocol == picture.Sixel:
		_, rows := k.view.VisibleSize(k.picture)
		d.raw, d.rows = k.view.DrawSixel(k.picture, k.cell, k.look.Background), make([]string, rows)
		d.renewMarker()
	default:
		d.rows, d.raw = k.view.DrawKitty(k.picture, id, k.cell, protocol)
		d.image = id
	}
	return d
}

// renewMarker gives a sixel picture a new mark, so that the renderer redraws the cells. The cells also
// have a style, which makes the renderer redraw them when blank cells replace them.
func (d *Drawing) renewMarker() {
	d.mark = newMarker()
	columns, _ := d.key.view.VisibleSize(d.key.picture)
	for y := range d.rows {
		d.rows[y] = sixelCellStyle + strings.Repeat(" ", columns) + ansi.ResetStyle
	}
	d.rows[len(d.rows)-1] = sixelCellStyle + strings.Repeat(" ", columns-1) + d.mark + ansi.ResetStyle
}

// newMarker returns a character that marks the place of a sixel picture in rows. The character is
// random, so that no page can contain it.
func newMarker() string {
	cluster := []rune{kitty.Placeholder}
	for range 3 {
		cluster = append(cluster, kitty.Diacritic(rand.IntN(picture.MaxKitty)))
	}
	return string(cluster)
}

const sixelCellStyle = "\x1b[1m"

// originOf returns the cell of the page where a centered drawing begins.
func (v *View) originOf(d *Drawing) image.Point {
	columns, rows := d.key.view.VisibleSize(d.key.picture)
	return image.Pt((v.Width-columns)/2, (v.Height-rows)/2)
}

// Body returns the rows of the page with the picture in the middle. They show the old drawing until the
// new one is finished.
func (v *View) Body() *Body {
	b := new(Body)
	if p := v.drawn.key.picture; p != nil && p == v.Picture() {
		at := v.originOf(&v.drawn)
		b.columns, _ = v.drawn.key.view.VisibleSize(p)
		if b.left, b.top = at.X, at.Y; at.X >= 0 && at.Y >= 0 {
			b.rows = v.drawn.rows
		}
	}
	return b
}

// Body draws the rows of a page with a picture.
type Body struct {
	rows      []string
	columns   int // width of each row
	left, top int // position of the first row
	y         int
}

// Next draws the next row. The row has no cursor.
func (b *Body) Next(w *cell.RowWriter) (cursor int) {
	y := b.y - b.top
	b.y++
	if y >= 0 && y < len(b.rows) && b.left+b.columns <= w.Width {
		w.PadTo(b.left)
		w.PutMeasured("", b.rows[y], b.columns)
	}
	return -1
}

// Sixel returns the drawn sixel picture of a page that begins at origin. It returns false if there is
// none.
func (v *View) Sixel(origin image.Point) (Sixel, bool) {
	d := &v.drawn
	if d.mark == "" || d.key.picture != v.Picture() {
		return Sixel{}, false
	}
	columns, _ := d.key.view.VisibleSize(d.key.picture)
	place := image.Rect(0, 0, columns, len(d.rows)).Add(origin).Add(v.originOf(d))
	return Sixel{view: v, mark: d.mark, Place: place}, true
}
