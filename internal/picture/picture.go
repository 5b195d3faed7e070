// Package picture decodes untrusted pictures within bounds of time and memory, and draws
// them with characters or for terminals with graphics.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime/debug"
	"time"

	"golang.org/x/image/draw"
)

// The limits of a picture. A picture within these limits is also within the limit of a page, nav.DefaultLimit.
const (
	MaxOctets  = 32 << 20 // size of the file
	maxPixels  = 64 << 20
	maxMemory  = 96 << 20 // octets for decoding
	keptPixels = 4 << 20  // largest number of pixels kept; no screen has more
	maxTime    = 30 * time.Second
)

// Picture is a decoded picture. It is safe for concurrent use.
type Picture struct {
	Format        string // "PNG", "JPEG", "GIF", "WebP" or "BMP"
	Width, Height int    // from the file, after rotation
	Octets        int64  // size of the file

	pixels *image.RGBA // scaled down if the picture has more than keptPixels
	opaque bool
}

// Memory returns the size of the pixels, in octets.
func (p *Picture) Memory() int64 { return int64(len(p.pixels.Pix)) }

// Name describes p on one line: "640x480 PNG".
func (p *Picture) Name() string { return fmt.Sprintf("%dx%d %s", p.Width, p.Height, p.Format) }

// CanDecode reports whether Decode reads files of a media type.
func CanDecode(media string) bool { return formatOf(media) != nil }

// Decode decodes a file of the given media type. The parameter size is the number of octets in the
// file, or -1 if it is unknown. If Decode does not know the type, it reads nothing and returns nil.
// Errors from r and ctx are returned unchanged. The text of other errors is a clause about the
// picture, such as "it has no pixels".
func Decode(ctx context.Context, media string, size int64, r io.Reader) (*Picture, error) {
	f := formatOf(media)
	if f == nil {
		return nil, nil
	}
	if size > MaxOctets {
		return nil, errTooLong
	}
	var file bytes.Buffer
	n, err := io.Copy(&file, io.LimitReader(r, MaxOctets+1))
	switch {
	case err != nil:
		return nil, err
	case n > MaxOctets:
		return nil, errTooLong
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTooSlow)
	defer cancel()
	p, err := f.decodePicture(ctx, file.Bytes())
	if p != nil && p.Width*p.Height > keptPixels {
		debug.FreeOSMemory() // otherwise an idle program may keep the memory for minutes
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p, err
}

var (
	errTooLong = fmt.Errorf("it has more than %d MiB", MaxOctets>>20)
	errTooSlow = errors.New("it takes too long to decode")
)

func (f *format) decodePicture(ctx context.Context, file []byte) (*Picture, error) {
	c, err := f.config(&source{ctx, file})
	if err != nil {
		return nil, f.wrapError(err)
	}
	w, h := int64(c.Width), int64(c.Height)
	switch {
	case w <= 0 || h <= 0:
		return nil, errors.New("it has no pixels")
	case w > maxPixels/h:
		return nil, fmt.Errorf("it is %d by %d pixels, which is too large", w, h)
	case f.memory(c, file) > maxMemory:
		return nil, fmt.Errorf("decoding %d by %d pixels takes too much memory", w, h)
	}
	img, err := f.decode(&source{ctx, file})
	if err != nil {
		return nil, f.wrapError(err)
	}
	p := &Picture{Format: f.name, Width: c.Width, Height: c.Height, Octets: int64(len(file))}
	p.setPixels(img)
	if f.hasOrientation {
		p.rotate(readOrientation(file))
	}
	return p, nil
}

func (f *format) wrapError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the %s file ends too early", f.name)
	}
	return fmt.Errorf("the %s file is damaged or of an unsupported kind (%w)", f.name, err)
}

// setPixels copies img to p, and scales it down if p has more than keptPixels. The image img may
// cover only a part of p, like the first frame of a GIF.
func (p *Picture) setPixels(img image.Image) {
	w, h := p.Width, p.Height
	for w*h > keptPixels {
		w, h = max(1, w*9/10), max(1, h*9/10)
	}
	p.pixels = image.NewRGBA(image.Rect(0, 0, w, h))
	b := img.Bounds()
	if w == p.Width && h == p.Height {
		draw.Draw(p.pixels, b, img, b.Min, draw.Src)
	} else {
		part := image.Rect(b.Min.X*w/p.Width, b.Min.Y*h/p.Height, b.Max.X*w/p.Width, b.Max.Y*h/p.Height)
		draw.ApproxBiLinear.Scale(p.pixels, part, img, b, draw.Src, nil)
	}
	p.opaque = p.pixels.Opaque()
}

// source reads a file in small steps, so that decoders stop when ctx is done.
type source struct {
	ctx  context.Context
	file []byte
}

func (s *source) Read(p []byte) (int, error) {
	switch {
	case s.ctx.Err() != nil:
		return 0, context.Cause(s.ctx)
	case len(s.file) == 0:
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 512)], s.file)
	s.file = s.file[n:]
	return n, nil
}
