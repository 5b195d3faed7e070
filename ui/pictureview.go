package ui

import (
	"context"
	"fmt"
	"image"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/picture"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// DecodePicture is a [nav.Decoder] for the pictures that the screen can show.
func DecodePicture(ctx context.Context, head protocols.Head, body io.Reader) (nav.Content, error) {
	p, err := picture.Decode(ctx, head.Media, head.Size, body)
	if p == nil {
		return nil, err
	}
	return p, err
}

// pictureView shows the picture that a page holds.
type pictureView struct {
	width, height int

	page    *nav.Page
	drawn   drawing
	drawing bool // a command is under way

	aspect float64     // of a cell
	cell   image.Point // in pixels, zero for a picture of characters
	most   image.Point // of the picture, in pixels; zero: no limit
}

// drawing is a picture as it was drawn.
type drawing struct {
	of    depiction
	rows  []string
	image int    // of kitty's graphics, or 0
	raw   string // what makes it known, or draws it
	mark  string // where a sixel picture is to be drawn, or ""
}

// depiction is what decides how a drawing looks.
type depiction struct {
	picture *picture.Picture
	view    picture.View
	look    picture.Look
	cell    image.Point // in pixels, zero for a picture of characters
}

// show makes p the page; nil is no page.
func (v *pictureView) show(p *nav.Page) { v.page = p }

// picture is that of the page, or nil.
func (v *pictureView) picture() *picture.Picture {
	if v.page == nil {
		return nil
	}
	p, _ := v.page.Content.(*picture.Picture)
	return p
}

func (t *tab) picture() *picture.Picture { return t.pictureView.picture() }

// seen is what of the picture the reader wants to see.
func (v *pictureView) seen() picture.View {
	width, height := v.width, v.height
	if v.cell.X > 0 {
		// Behind a sixel picture there is a column for the cursor.
		width, height = min(width-1, picture.MaxKitty), min(height, picture.MaxKitty)
		if v.most != (image.Point{}) {
			width, height = max(min(width, v.most.X/v.cell.X), 1), max(min(height, v.most.Y/v.cell.Y), 1)
		}
	}
	return picture.View{
		Columns: width, Rows: height, Aspect: v.aspect, Pixels: v.cell.X,
		Zoom: v.page.Zoom, Left: v.page.Left, Top: v.page.Top,
	}.Clamp(v.picture())
}

func (v *pictureView) see(s picture.View) {
	s = s.Clamp(v.picture())
	v.page.Zoom, v.page.Left, v.page.Top = s.Zoom, s.Left, s.Top
}

// Step scrolls a row down or up.
func (v *pictureView) Step(dir int) { v.Scroll(dir) }

func (v *pictureView) PageBy(rows int) { v.Scroll(rows) }

// Scroll moves the picture under the screen by so many rows and returns how
// many rows it went.
func (v *pictureView) Scroll(rows int) int {
	s := v.seen()
	from := s.Top
	s.Top += rows
	v.see(s)
	return v.page.Top - from
}

// Pan moves it by so many columns.
func (v *pictureView) Pan(columns int) {
	s := v.seen()
	s.Left += columns
	v.see(s)
}

func (v *pictureView) ToTop() {
	v.page.Top, v.page.Left = 0, 0
}

func (v *pictureView) ToEnd() {
	s := v.seen()
	s.Left, s.Top = s.Size(v.picture())
	v.see(s)
}

// zoom magnifies the picture by so many steps.
func (m *Model) zoom(by int) tea.Cmd {
	p := m.picture()
	if p == nil {
		return m.say("this page is not a picture")
	}
	s := m.pictureView.seen()
	m.pictureView.see(s.Magnify(p, by))
	return nil
}

func (m *Model) zoomFit() tea.Cmd {
	if m.picture() == nil {
		return m.zoom(0)
	}
	return m.zoom(-m.pictureView.page.Zoom)
}

// colorsOf is how many colours pictures have in a terminal.
func (m *Model) colorsOf(p colorprofile.Profile) picture.Colors {
	if m.opts.NoColor || m.opts.ASCII || m.opts.ASCIIOnly {
		return picture.NoColors
	}
	switch p {
	case colorprofile.TrueColor:
		return picture.TrueColor
	case colorprofile.ANSI256:
		return picture.Colors256
	case colorprofile.ANSI:
		return picture.Colors16
	}
	return picture.NoColors
}

// drawPicture returns the command that draws the picture of t as it is to be
// seen now, if it is not drawn so yet. One at a time is drawn.
func (m *Model) drawPicture(t *tab) tea.Cmd {
	v := &t.pictureView
	p := v.picture()
	if p == nil || v.width <= 1 || v.height <= 0 {
		return m.replace(t, drawing{})
	}
	v.aspect, v.cell, v.most = m.graphics.aspect(), m.graphics.pixels(m.look), m.graphics.largest()
	if m.graphics.use == picture.Sixel && m.bar.err != "" {
		v.cell = image.Point{} // the error may need rows of the page
	}
	of := depiction{p, v.seen(), m.look, v.cell}
	if v.drawing || v.drawn.of == of {
		return nil
	}
	v.drawing = true
	use, id := m.graphics.use, 0
	if of.cell.X > 0 {
		id = m.graphics.next(m.look)
	}
	return tea.Batch(m.graphics.ask(), async(func() resultFunc {
		d := of.draw(use, id)
		return func(m *Model) tea.Cmd {
			v.drawing = false
			if v.picture() != d.of.picture {
				return nil // the page has been left: the next drawing is on its way
			}
			return m.replace(t, d)
		}
	}))
}

// draw draws it; id is the number of a new image where pixels are drawn.
func (of depiction) draw(use picture.Graphics, id int) drawing {
	d := drawing{of: of}
	switch {
	case of.cell.X == 0:
		d.rows = of.view.Blocks(of.picture, of.look)
	case use == picture.Sixel:
		_, rows := of.view.Seen(of.picture)
		d.raw, d.rows = of.view.Sixel(of.picture, of.cell, of.look.Background), make([]string, rows)
		d.remark()
	default:
		d.rows, d.raw = of.view.Kitty(of.picture, id, of.cell, use)
		d.image = id
	}
	return d
}

// replace puts a drawing in the place of what was drawn before. The terminal
// learns of a new image before its placeholders are drawn.
func (m *Model) replace(t *tab, d drawing) tea.Cmd {
	v := &t.pictureView
	raw := ""
	if d.image > 0 {
		raw, d.raw = d.raw, ""
	}
	if old := v.drawn.image; old > 0 {
		raw += picture.KittyDelete(old, m.graphics.use)
	}
	v.drawn = d
	if raw == "" {
		return nil
	}
	return tea.Raw(raw)
}

// middle is where a drawing begins in the page.
func (v *pictureView) middle(d *drawing) image.Point {
	columns, rows := d.of.view.Seen(d.of.picture)
	return image.Pt((v.width-columns)/2, (v.height-rows)/2)
}

// body draws the picture in the middle of the page. What was drawn before stays
// until the picture has been drawn anew.
func (v *pictureView) body() *pictureBody {
	b := new(pictureBody)
	if p := v.drawn.of.picture; p != nil && p == v.picture() {
		at := v.middle(&v.drawn)
		b.columns, _ = v.drawn.of.view.Seen(p)
		if b.left, b.top = at.X, at.Y; at.X >= 0 && at.Y >= 0 {
			b.rows = v.drawn.rows
		}
	}
	return b
}

// pictureBody are rows that are drawn already.
type pictureBody struct {
	rows      []string
	columns   int // of each row
	left, top int // where the first row begins
	y         int
}

func (b *pictureBody) Next(w *cell.RowWriter) (cursor int) {
	y := b.y - b.top
	b.y++
	if y >= 0 && y < len(b.rows) && b.left+b.columns <= w.Width {
		w.To(b.left)
		w.Raw("", b.rows[y], b.columns)
	}
	return -1
}

// pictureText says what the picture is and how often it has been magnified.
func (m *Model) pictureText() string {
	p := m.picture()
	text := p.Name() + ", " + cell.Size(p.Octets)
	if z := m.pictureView.page.Zoom; z > 0 {
		text += fmt.Sprintf(", x%d", 1<<z)
	}
	return text
}
