package picture

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		w, h     int // of the picture
		view     View
		cols, rs int
	}{
		{640, 480, View{Columns: 80, Rows: 20}, 53, 20},
		{640, 480, View{Columns: 40, Rows: 20}, 40, 15},
		{640, 480, View{Columns: 80, Rows: 20, Zoom: 1}, 107, 40},
		{640, 480, View{Columns: 80, Rows: 20, Aspect: 2.5}, 67, 20},
		{16, 16, View{Columns: 80, Rows: 20}, 16, 8},
		{16, 16, View{Columns: 80, Rows: 20, Zoom: 2}, 64, 32},
		{1, 1, View{Columns: 80, Rows: 20}, 1, 1},
		{60000, 1, View{Columns: 80, Rows: 20}, 80, 1},
		{1, 60000, View{Columns: 80, Rows: 20}, 1, 20},
		{640, 480, View{Columns: 1, Rows: 1}, 1, 1},
	} {
		p := &Picture{Width: tt.w, Height: tt.h}
		if cols, rows := tt.view.Size(p); cols != tt.cols || rows != tt.rs {
			t.Errorf("%dx%d in %+v: got %d by %d cells, want %d by %d", tt.w, tt.h, tt.view, cols, rows, tt.cols, tt.rs)
		}
	}
}

// TestMagnify: the middle stays in the middle, the way back leads back, and
// there is an end to it.
func TestMagnify(t *testing.T) {
	p := &Picture{Width: 640, Height: 480}
	fit := View{Columns: 80, Rows: 20}
	twice := fit.Magnify(p, 1)
	if want := (View{Columns: 80, Rows: 20, Zoom: 1, Left: 13, Top: 10}); twice != want {
		t.Errorf("got %+v, want %+v", twice, want)
	}
	if back := fit.Magnify(p, 3).Magnify(p, -3); back != fit {
		t.Errorf("there and back: got %+v, want %+v", back, fit)
	}
	far := fit.Magnify(p, 1000)
	if w, h := far.Size(p); w > maxCells || h > maxCells || w < maxCells/4 {
		t.Errorf("magnified as far as it goes: %d by %d cells", w, h)
	}
	far.Left, far.Top = 1<<40, 1<<40
	far = far.Clamp(p)
	if w, h := far.Size(p); far.Left+far.Columns != w || far.Top+far.Rows != h {
		t.Errorf("the end of the picture is not at the end of the screen: %+v of %d by %d", far, w, h)
	}
}

// TestCells: on the screen each pixel has its place and its colour, at each
// magnification.
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
	p := decoded(t, m)
	v := View{Columns: 40, Rows: 12}
	rows := v.Blocks(p, Look{Colors: TrueColor})
	for y, row := range rows {
		buf := uv.NewScreenBuffer(6, 1)
		uv.NewStyledString(row).Draw(buf, buf.Bounds())
		for x := range 6 {
			c := buf.CellAt(x, 0)
			top, bottom := c.Style.Fg, c.Style.Bg
			switch c.Content {
			case " ":
				top = bottom
			case lower:
				top, bottom = bottom, top
			case upper:
			default:
				t.Fatalf("%q in row %d", c.Content, y)
			}
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
			cols, n := v.Seen(p)
			rows := v.Blocks(p, Look{Colors: Colors256})
			if len(rows) != n {
				t.Errorf("%+v: %d rows, want %d", v, len(rows), n)
			}
			for _, row := range rows {
				if ansi.StringWidth(row) != cols {
					t.Errorf("%+v: a row of %d cells, want %d", v, ansi.StringWidth(row), cols)
				}
			}
		}
	}
}
