package picture

import (
	"image"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// View is the part of a screen that shows a picture, and the visible part of the picture.
type View struct {
	Columns, Rows int
	CellAspect    float64 // height of a cell divided by its width; 0 means 2
	CellWidth     int     // width of a cell in pixels of the screen; 0 means 1
	Fill          bool    // draw a small picture as large as a large one
	Zoom          int     // how often the size is doubled; 0 shows the whole picture
	Left, Top     int     // numbers of columns and rows of the picture that are hidden on the left and at the top
}

const maxCells = 1 << 14 // largest number of columns or rows of a magnified picture

// Size returns the size of the whole picture in cells. Unless Fill or Zoom magnifies the picture, each
// of its pixels takes at most one pixel of the screen.
func (v View) Size(p *Picture) (columns, rows int) {
	aspect := v.CellAspect
	if aspect <= 0 {
		aspect = 2
	}
	w, h := float64(p.Width), float64(p.Height)
	scale := min(float64(v.Columns)/w, float64(v.Rows)*aspect/h)
	if !v.Fill {
		scale = min(scale, 1/float64(max(v.CellWidth, 1)))
	}
	scale *= float64(int64(1) << min(max(v.Zoom, 0), 30))
	return max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale/aspect)))
}

// Magnify adds the parameter steps to Zoom, within the bounds of Zoom, and keeps the middle of the screen
// in place.
func (v View) Magnify(p *Picture, steps int) View {
	for ; steps > 0; steps-- {
		next := v
		next.Zoom++
		if w, h := next.Size(p); w > maxCells || h > maxCells {
			break
		}
		v = next.centerOn(v, p)
	}
	for ; steps < 0 && v.Zoom > 0; steps++ {
		next := v
		next.Zoom--
		v = next.centerOn(v, p)
	}
	return v.Clamp(p)
}

func (v View) centerOn(old View, p *Picture) View {
	w, h := v.Size(p)
	ow, oh := old.Size(p)
	v.Left = (2*old.Left+min(old.Columns, ow))*w/(2*ow) - v.Columns/2
	v.Top = (2*old.Top+min(old.Rows, oh))*h/(2*oh) - v.Rows/2
	return v.Clamp(p)
}

// Clamp moves the picture so that it fills as much of the screen as it can.
func (v View) Clamp(p *Picture) View {
	w, h := v.Size(p)
	v.Left = max(0, min(v.Left, w-v.Columns))
	v.Top = max(0, min(v.Top, h-v.Rows))
	return v
}

// VisibleSize returns the size of the visible part of the picture, in cells.
func (v View) VisibleSize(p *Picture) (columns, rows int) {
	w, h := v.Size(p)
	return min(w, v.Columns), min(h, v.Rows)
}

const maxScratch = 48 << 20 // largest memory for scaling in good quality, in bytes

// render draws the visible part of the picture. A cell has x by y pixels.
func (v View) render(p *Picture, x, y int) *image.RGBA {
	v = v.Clamp(p)
	w, h := v.Size(p)
	cols, rows := v.VisibleSize(p)
	dst := image.NewRGBA(image.Rect(0, 0, cols*x, rows*y))
	src := p.pixels.Bounds()
	sx, sy := float64(w*x)/float64(src.Dx()), float64(h*y)/float64(src.Dy())
	if sx > 1 || sy > 1 {
		matrix := f64.Aff3{sx, 0, -float64(v.Left * x), 0, sy, -float64(v.Top * y)}
		draw.ApproxBiLinear.Transform(dst, matrix, p.pixels, src, draw.Src, nil)
		return dst
	}
	part := image.Rect(
		int(float64(v.Left*x)/sx), int(float64(v.Top*y)/sy),
		int(math.Ceil(float64((v.Left+cols)*x)/sx)), int(math.Ceil(float64((v.Top+rows)*y)/sy)),
	).Intersect(src)
	var scaler draw.Scaler = draw.CatmullRom
	if dst.Rect.Dx()*part.Dy()*32 > maxScratch {
		scaler = draw.ApproxBiLinear
	}
	scaler.Scale(dst, dst.Rect, p.pixels, part, draw.Src, nil)
	return dst
}
