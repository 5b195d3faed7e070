package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"gofer/internal/testbed/fetchtest"
)

// TestMagnify checks that zooming keeps the center and is bounded. Zooming out again restores the
// view.
func TestMagnify(t *testing.T) {
	p := &Picture{Width: 640, Height: 480}
	fit := View{Columns: 80, Rows: 20}
	twice := fit.Magnify(p, 1)
	fetchtest.Equal(t, twice, (View{Columns: 80, Rows: 20, Zoom: 1, Left: 13, Top: 10}))
	fetchtest.Equal(t, fit.Magnify(p, 3).Magnify(p, -3), fit, "Magnify(p, 3).Magnify(p, -3)")
	far := fit.Magnify(p, 1000)
	if w, h := far.Size(p); w > maxCells || h > maxCells || w < maxCells/4 {
		t.Errorf("Magnify(p, 1000): got %d by %d cells, want at most %d each way and at least %d columns", w, h, maxCells, maxCells/4)
	}
	far.Left, far.Top = 1<<40, 1<<40
	far = far.Clamp(p)
	if w, h := far.Size(p); far.Left+far.Columns != w || far.Top+far.Rows != h {
		t.Errorf("Clamp: got %+v for %d by %d cells, want the end of the picture at the end of the screen", far, w, h)
	}
}

// TestFill checks that a small picture fills a view in one direction.
func TestFill(t *testing.T) {
	for _, tt := range []struct {
		width, height, columns, rows int
	}{{16, 16, 40, 20}, {160, 16, 60, 3}, {1, 100, 1, 20}, {6000, 4000, 60, 20}} {
		columns, rows := View{Columns: 60, Rows: 20, CellWidth: 10, Fill: true}.Size(&Picture{Width: tt.width, Height: tt.height})
		fetchtest.Equal(t, [...]int{columns, rows}, [...]int{tt.columns, tt.rows}, "%d by %d", tt.width, tt.height)
	}
}

// pixels returns the colors of the two pixels of a cell.
func pixels(t *testing.T, c *uv.Cell) (top, bottom color.Color) {
	t.Helper()
	switch c.Content {
	case " ":
		return c.Style.Bg, c.Style.Bg
	case lower:
		return c.Style.Bg, c.Style.Fg
	case upper:
		return c.Style.Fg, c.Style.Bg
	}
	t.Fatalf("a cell has %q, want a blank or a half block", c.Content)
	return nil, nil
}

// TestKitty checks that each placeholder names its image, row and column. A row of placeholders
// must have the right width with each method of measuring.
func TestKitty(t *testing.T) {
	p := decode(t, scene(600, 400, true))
	for _, g := range []Graphics{Kitty, KittyInTmux} {
		v := View{Columns: 40, Rows: 12, CellWidth: 10}
		cols, n := v.VisibleSize(p)
		if cols != 36 || n != 12 {
			t.Errorf("VisibleSize: got %d by %d cells, want 36 by 12", cols, n)
		}
		rows, raw := v.DrawKitty(p, 0x670102, image.Pt(10, 20), g)
		if len(rows) != n {
			t.Fatalf("DrawKitty returned %d rows, want %d", len(rows), n)
		}
		for y, row := range rows {
			for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
				buf := uv.NewScreenBuffer(cols+2, 1)
				buf.Method = method
				uv.NewStyledString(row).Draw(buf, buf.Bounds())
				for x := range cols {
					c := buf.CellAt(x, 0)
					want := string([]rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x)})
					if c.Content != want || c.Width != 1 || c.Style.Fg != (color.RGBA{0x67, 1, 2, 255}) {
						t.Fatalf(
							"cell %d,%d: got %q of width %d in %v, want %q of width 1 in the color of the image", x, y,
							c.Content, c.Width, c.Style.Fg, want,
						)
					}
				}
			}
		}
		raw += KittyDelete(0x670102, g)
		if g == KittyInTmux {
			for part := range strings.SplitSeq(strings.TrimSuffix(raw, "\x1b\\"), "\x1b\\\x1bP") {
				if !strings.HasPrefix(strings.TrimPrefix(part, "\x1bP"), "tmux;\x1b\x1b_G") {
					t.Errorf("got the sequence %.30q..., want one that tmux passes on", part)
				}
			}
			continue
		}
		options, file := kittyFile(raw)
		fetchtest.Equal(t, options, "f=100,q=2,i=6750466,U=1,c=36,r=12,a=T", "options")
		m, err := png.Decode(bytes.NewReader(file))
		if err != nil || m.Bounds() != image.Rect(0, 0, 360, 240) {
			t.Errorf("png.Decode of the transmission: got an image of %v, %v, want 360 by 240 pixels", m.Bounds(), err)
		}
		wantPixels(t, m, v.render(p, 10, 20))
	}
	_, raw := (View{Columns: MaxKitty, Rows: MaxKitty}).DrawKitty(p, 1, image.Pt(1025, 1025), Kitty)
	_, file := kittyFile(raw)
	c, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil || c.Width*c.Height > keptPixels {
		t.Errorf("an image of large cells has %d by %d pixels, %v, want %d or fewer", c.Width, c.Height, err, keptPixels)
	}
}

// kittyFile returns the options and the file of a kitty graphics command.
func kittyFile(raw string) (options string, file []byte) {
	for part := range strings.SplitSeq(raw, "\x1b\\") {
		o, payload, _ := strings.Cut(strings.TrimPrefix(part, "\x1b_G"), ";")
		if file == nil {
			options = o
		}
		file = append(file, unbase64(payload)...)
	}
	return options, file
}

func TestGraphicsOf(t *testing.T) {
	for _, tt := range []struct {
		setting string
		env     map[string]string
		want    Graphics
	}{
		{"auto", map[string]string{"TERM": "xterm-256color"}, SixelIfSupported},
		{"auto", map[string]string{"TERM": "xterm-kitty"}, KittyIfSupported},
		{"auto", map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, KittyIfSupported},
		{"auto", map[string]string{"TERM": "xterm-kitty", "TMUX": "/tmp/tmux-1/default,1,0"}, NoGraphics},
		{"", map[string]string{"TERM": "xterm-kitty", "STY": "1.tty"}, NoGraphics},
		{"kitty", map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/tmux-1/default,1,0"}, KittyInTmux},
		{"kitty", nil, Kitty},
		{"blocks", map[string]string{"TERM": "xterm-kitty"}, NoGraphics},
	} {
		fetchtest.Equal(t, GraphicsOf(tt.setting, func(name string) string { return tt.env[name] }), tt.want, "%s in %v", tt.setting, tt.env)
	}
}

// TestSixel decodes a drawn sixel sequence and compares the result with the picture.
func TestSixel(t *testing.T) {
	p := decode(t, scene(300, 200, true))
	v := View{Columns: 20, Rows: 5, CellWidth: 7}
	cols, rows := v.VisibleSize(p)
	s := v.DrawSixel(p, image.Pt(7, 15), color.White)
	payload, ok := strings.CutPrefix(s, "\x1bP0;1q")
	if !ok || !strings.HasSuffix(s, "\x1b\\") {
		t.Fatalf("%.20q is not a sixel sequence", s)
	}
	w, h := cols*7, rows*15
	m := decodeSixel(t, strings.TrimSuffix(payload, "\x1b\\"), w, h)
	d := &blocks{pixels: v.render(p, 7, 15)}
	d.blend(color.White)
	wantPixels(t, m, dither(d.pixels))
	for at, want := range map[image.Point]color.RGBA{
		{1, 1}: {255, 255, 255, 255}, {1, h - 1}: {255, 255, 255, 255}, {w - 2, h - 2}: {255, 255, 255, 255},
	} {
		if got := color.RGBAModel.Convert(m.At(at.X, at.Y)).(color.RGBA); luminance(got) < luminance(want)-8 {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
}

// wantPixels compares two pictures. Each channel of a color may differ by at most 2 of 255.
func wantPixels(t *testing.T, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("got %v, want %v", got.Bounds(), want.Bounds())
	}
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			g, w := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA)
			for _, d := range [4]int{int(g.R) - int(w.R), int(g.G) - int(w.G), int(g.B) - int(w.B), int(g.A) - int(w.A)} {
				if d < -2 || d > 2 {
					t.Fatalf("pixel %d,%d: got %v, want %v", x, y, g, w)
				}
			}
		}
	}
}

// decodeSixel decodes a sixel picture and checks its size.
func decodeSixel(t *testing.T, s string, w, h int) image.Image {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	s, ok := strings.CutPrefix(s, fmt.Sprintf("\"1;1;%d;%d", w, h))
	if !ok {
		t.Fatalf("got %.20q, want %d by %d pixels", s, w, h)
	}
	colors := make(map[int]color.Color)
	x, y, now := 0, 0, 0
	for s != "" {
		n, c, r, g, b := 1, 0, 0, 0, 0
		if k, _ := fmt.Sscanf(s, "#%d;2;%d;%d;%d", &c, &r, &g, &b); k == 4 {
			colors[c] = color.RGBA{uint8(r * 255 / 100), uint8(g * 255 / 100), uint8(b * 255 / 100), 255}
		}
		rest := func() { s = strings.TrimLeft(s[1:], "0123456789;") }
		switch s[0] {
		case '#':
			now = c
			rest()
			continue
		case '$':
			x = 0
			s = s[1:]
			continue
		case '-':
			x, y = 0, y+6
			s = s[1:]
			continue
		case '!':
			fetchtest.Must(fmt.Sscanf(s, "!%d", &n))(t)
			rest()
		}
		if s[0] < '?' || s[0] > '~' {
			t.Fatalf("%q is not a sixel", s[0])
		}
		for range n {
			for row := range 6 {
				if (s[0]-'?')>>row&1 == 0 {
					continue
				}
				if x >= w || y+row >= h || m.RGBAAt(x, y+row).A != 0 {
					t.Fatalf("pixel %d,%d is outside, or drawn twice", x, y+row)
				}
				m.Set(x, y+row, colors[now])
			}
			x++
		}
		s = s[1:]
	}
	if !m.Opaque() {
		t.Error("the picture has transparent pixels")
	}
	return m
}

// TestCells checks the place and color of each pixel on the screen, and the number and width of the
// rows of a magnified picture.
func TestCells(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 6, 8))
	for y := range 8 {
		for x := range 6 {
			m.SetNRGBA(x, y, color.NRGBA{uint8(40 * x), uint8(30 * y), uint8(x * y % 2 * 255), 255})
		}
	}
	m.SetNRGBA(1, 0, color.NRGBA{})
	m.SetNRGBA(2, 1, color.NRGBA{})
	m.SetNRGBA(3, 2, color.NRGBA{})
	m.SetNRGBA(3, 3, color.NRGBA{})
	p := decode(t, m)
	v := View{Columns: 40, Rows: 12}
	rows := v.DrawBlocks(p, BlockOptions{Colors: TrueColor})
	for y, row := range rows {
		buf := uv.NewScreenBuffer(6, 1)
		uv.NewStyledString(row).Draw(buf, buf.Bounds())
		for x := range 6 {
			top, bottom := pixels(t, buf.CellAt(x, 0))
			for i, got := range []color.Color{top, bottom} {
				want := m.NRGBAAt(x, 2*y+i)
				if want.A == 0 {
					if got != nil {
						t.Errorf("pixel %d,%d: got %v, want none", x, 2*y+i, got)
					}
					continue
				}
				if fmt.Sprint(color.NRGBAModel.Convert(got)) != fmt.Sprint(want) {
					t.Errorf("pixel %d,%d: got %v, want %v", x, 2*y+i, got, want)
				}
			}
		}
	}
	for zoom := range 6 {
		for left := range 3 {
			v := View{Columns: 7, Rows: 3, Zoom: zoom, Left: left * 5, Top: left * 2}
			cols, n := v.VisibleSize(p)
			rows := v.DrawBlocks(p, BlockOptions{Colors: Colors256})
			fetchtest.Equal(t, len(rows), n, "%+v: rows", v)
			for _, row := range rows {
				fetchtest.Equal(t, ansi.StringWidth(row), cols, "%+v: a row of cells", v)
			}
		}
	}
}
