package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/image/bmp"

	"gofer/internal/testbed/fetchtest"
)

// scene returns a picture with flat parts and a gradient. If the parameter holes is true, the picture
// also has transparent parts.
func scene(w, h int, holes bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), 128, 255}
			switch {
			case x < w/4:
				c = color.NRGBA{255, 255, 255, 255}
			case x > 3*w/4 && y > h/2:
				c = color.NRGBA{0, 0, 0, 255}
				if holes {
					c.A = 0
				}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func encode(t testing.TB, encode func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	fetchtest.NoError(t, encode(&b))
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	return encode(t, func(w io.Writer) error { return png.Encode(w, m) })
}

// convert copies m to dst, which may have another pixel format, and returns dst.
func convert(m image.Image, dst interface {
	image.Image
	Set(x, y int, c color.Color)
},
) image.Image {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			dst.Set(x, y, m.At(x, y))
		}
	}
	return dst
}

func unbase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// files returns valid files by media type.
func files(t testing.TB) map[string][][]byte {
	m, r := scene(24, 16, false), image.Rect(0, 0, 24, 16)
	return map[string][][]byte{
		"image/png": {
			pngOf(t, m), pngOf(t, scene(24, 16, true)), pngOf(t, convert(m, image.NewGray(r))),
			pngOf(t, convert(m, image.NewNRGBA64(r))), pngOf(t, convert(m, image.NewPaletted(r, newPalette(0, 16)))),
		},
		"image/jpeg": {
			encode(t, func(w io.Writer) error { return jpeg.Encode(w, m, nil) }),
			encode(t, func(w io.Writer) error { return jpeg.Encode(w, convert(m, image.NewGray(r)), nil) }),
		},
		"image/gif": {encode(t, func(w io.Writer) error { return gif.Encode(w, m, nil) })},
		"image/bmp": {encode(t, func(w io.Writer) error { return bmp.Encode(w, m) })},
		"image/webp": {
			unbase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
			unbase64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"),
		},
	}
}

func TestDecode(t *testing.T) {
	names := map[string]string{"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/bmp": "BMP", "image/webp": "WebP"}
	for media, all := range files(t) {
		for i, file := range all {
			p, err := Decode(t.Context(), media, int64(len(file)), iotest.OneByteReader(bytes.NewReader(file)))
			if err != nil {
				t.Errorf("%s %d: %v", media, i, err)
				continue
			}
			w, h := 24, 16
			if media == "image/webp" {
				w, h = 1, 1
			}
			if want := (Picture{Format: names[media], Width: w, Height: h, Octets: int64(len(file))}); p.Format != want.Format ||
				p.Width != w || p.Height != h || p.Octets != want.Octets {
				t.Errorf("%s %d: got %s of %d octets, want %s of %d", media, i, p.Name(), p.Octets, want.Name(), want.Octets)
			}
			if c := p.pixels.RGBAAt(0, 0); media != "image/webp" && (c.R < 240 || c.G < 240 || c.B < 240) {
				t.Errorf("%s %d: the first pixel is %v, want white", media, i, c)
			}
		}
	}
	if p, err := Decode(t.Context(), "image/svg+xml", 9, nil); p != nil || err != nil {
		t.Errorf("unknown type: got %v, %v", p, err)
	}
}

// TestOrientation checks that photographs are turned upright by their Exif orientation.
func TestOrientation(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 32, 16)) // only the upper left corner is white
	for y := range 8 {
		for x := range 8 {
			m.SetGray(x, y, color.Gray{255})
		}
	}
	plain := encode(t, func(w io.Writer) error { return jpeg.Encode(w, m, nil) })
	for o, want := range map[int]image.Point{
		0: {0, 0}, 1: {0, 0}, 2: {31, 0}, 3: {31, 15}, 4: {0, 15},
		5: {0, 0}, 6: {15, 0}, 7: {15, 31}, 8: {0, 31}, 9: {0, 0},
	} {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			tiff := []byte("II*\x00")
			if order == binary.AppendByteOrder(binary.BigEndian) {
				tiff = []byte("MM\x00*")
			}
			tiff = order.AppendUint32(tiff, 8)
			tiff = order.AppendUint16(tiff, 2)
			tiff = append(tiff, make([]byte, 12)...)
			tiff = order.AppendUint16(order.AppendUint16(tiff, 274), 3)
			tiff = append(order.AppendUint16(order.AppendUint32(tiff, 1), uint16(o)), 0, 0)
			exif := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(tiff)+8))
			exif = append(append(exif, "Exif\x00\x00"...), tiff...)
			p := fetchtest.Must(Decode(t.Context(), "image/jpeg", -1, bytes.NewReader(append(exif, plain[2:]...))))(t)
			b := p.pixels.Rect
			if b.Dx() != p.Width || b.Dy() != p.Height || (o >= 5 && o <= 8) != (p.Width == 16) {
				t.Errorf("orientation %d: got %s with the bounds %v", o, p.Name(), b)
			}
			for _, at := range []image.Point{{0, 0}, {b.Max.X - 1, 0}, {0, b.Max.Y - 1}, {b.Max.X - 1, b.Max.Y - 1}} {
				fetchtest.Equal(t, p.pixels.RGBAAt(at.X, at.Y).R > 128, (at == want), "orientation %d: %v is white", o, at)
			}
		}
	}
}

// pngHeader returns the header of a PNG file with the given size.
func pngHeader(w, h uint32, depth, kind byte) []byte {
	ihdr := []byte("IHDR")
	ihdr = binary.BigEndian.AppendUint32(ihdr, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	ihdr = append(ihdr, depth, kind, 0, 0, 0)
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	b = append(b, ihdr...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(ihdr))
}

// setInterlace sets the interlace method of a PNG header, and returns the header with its new
// checksum.
func setInterlace(header []byte) []byte {
	header[interlace] = 1
	return binary.BigEndian.AppendUint32(header[:29], crc32.ChecksumIEEE(header[12:29]))
}

// jpegHeader returns the header of a JPEG file with a frame of three components in full
// resolution.
func jpegHeader(w, h uint16, marker byte) []byte {
	b := []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xc2, 0xff, 0xff, marker, 0, 17, 8}
	b = binary.BigEndian.AppendUint16(b, h)
	b = binary.BigEndian.AppendUint16(b, w)
	b = append(b, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	return append(b, 0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0)
}

func bmpHeader(w, h int32) []byte {
	b := append([]byte("BM"), make([]byte, 52)...)
	b[10], b[14], b[26], b[28] = 54, 40, 1, 24
	binary.LittleEndian.PutUint32(b[18:], uint32(w))
	binary.LittleEndian.PutUint32(b[22:], uint32(h))
	return b
}

func webpHeader(w, h uint32) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f")
	b = binary.LittleEndian.AppendUint32(b, w-1|(h-1)<<14)
	b = append(b, 0)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// TestHostile checks that no declared size makes the decoder allocate much memory, and that the error
// names the fault of the file.
func TestHostile(t *testing.T) {
	whole := files(t)
	for _, tt := range []struct {
		name, media string
		file        []byte
		want        string
	}{
		{"empty", "image/png", nil, "the PNG file ends too early"},
		{"no size", "image/png", pngHeader(0, 0, 8, 6), "damaged"},
		{"no size", "image/jpeg", jpegHeader(0, 0, 0xc0), "it has no pixels"},
		{"no size", "image/bmp", bmpHeader(0, 0), "it has no pixels"},
		{"huge", "image/png", pngHeader(1<<31-1, 1<<31-1, 8, 6), "damaged"},
		{"huge", "image/png", pngHeader(60000, 60000, 1, 0), "it is 60000 by 60000 pixels, which is too large"},
		{"huge", "image/png", pngHeader(1<<31-1, 1, 1, 0), "which is too large"},
		{"huge", "image/jpeg", jpegHeader(65535, 65535, 0xc0), "which is too large"},
		{"huge", "image/gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), "which is too large"},
		{"huge", "image/bmp", bmpHeader(1<<31-1, 1<<30), "which is too large"},
		{"huge", "image/bmp", bmpHeader(1<<30, -1<<31), "damaged|too large"},
		{"huge", "image/webp", webpHeader(16384, 16384), "which is too large"},
		{"deep", "image/png", pngHeader(5000, 5000, 16, 6), "too much memory"},
		{"transparent", "image/png", append(pngHeader(8000, 8000, 8, 0), "\x00\x00\x00\x02tRNS"...), "too much memory"},
		{
			"transparent", "image/png",
			append(pngHeader(5000, 5000, 16, 0), "\x00\x00\x00\x00tEXt\x00\x00\x00\x00\x00\x00\x00\x02tRNS"...),
			"too much memory",
		},
		{"transparent", "image/png", append(pngHeader(5000, 5000, 1, 0), "\xff\xff\xff\xfftEXt"...), "the PNG file|damaged"},
		{"interlaced", "image/png", setInterlace(pngHeader(5000, 4000, 8, 6)), "too much memory"},
		{"interlaced", "image/gif", []byte("GIF89a\x40\x1f\x40\x1f\x00\x00\x00"), "too much memory"},
		{"progressive", "image/jpeg", jpegHeader(4000, 4000, 0xc2), "too much memory"},
		{"WebP", "image/webp", webpHeader(8000, 8000), "too much memory"},
		{"truncated", "image/png", whole["image/png"][0][:60], "not enough pixel data"},
		{"truncated", "image/jpeg", whole["image/jpeg"][0][:500], "the JPEG file ends too early"},
		{"truncated", "image/gif", whole["image/gif"][0][:900], "not enough image data"},
		{"truncated", "image/bmp", whole["image/bmp"][0][:100], "the BMP file ends too early"},
		{"truncated", "image/webp", whole["image/webp"][0][:22], "the WebP file|damaged"},
		{"another type", "image/gif", whole["image/png"][0], "damaged"},
	} {
		t.Run(tt.name+" "+tt.media, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := Decode(t.Context(), tt.media, -1, bytes.NewReader(tt.file))
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("Decode allocated %d octets, want at most %d", n, 1<<20)
			}
			if err == nil {
				t.Fatalf("got %s, want an error", p.Name())
			}
			for want := range strings.SplitSeq(tt.want, "|") {
				if strings.Contains(err.Error(), want) {
					return
				}
			}
			t.Errorf("Decode: got the error %q, want %q", err, tt.want)
		})
	}
}

// TestTooLong checks that Decode reads nothing if the declared size is above MaxOctets. If the file is
// longer than declared, Decode must stop soon after MaxOctets octets.
func TestTooLong(t *testing.T) {
	fetchtest.FailsWith(t, errTooLong, "size above MaxOctets")(Decode(t.Context(), "image/png", MaxOctets+1, nil))
	r := &endless{}
	fetchtest.FailsWith(t, errTooLong, "endless file")(Decode(t.Context(), "image/png", 5, r))
	if r.read > MaxOctets+1<<20 {
		t.Errorf("Decode read %d octets of an endless file, want at most %d", r.read, MaxOctets+1<<20)
	}
}

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

// TestMemory checks the bounds of the memory for decoding and for keeping a large picture.
func TestMemory(t *testing.T) {
	file := pngOf(t, image.NewGray(image.Rect(0, 0, 4000, 3000)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := formatOf("image/png").decodePicture(t.Context(), file)
	runtime.ReadMemStats(&after)
	fetchtest.NoError(t, err)
	if n := p.Memory(); n > 4*keptPixels || n < keptPixels {
		t.Errorf("Memory() = %d; want %d to %d", n, keptPixels, 4*keptPixels)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > (maxMemory+8<<20)/5+4*keptPixels {
		t.Errorf("decodePicture allocated %d octets, want at most %d", n, (maxMemory+8<<20)/5+4*keptPixels)
	}
	fetchtest.Equal(t, p.Name(), "4000x3000 PNG")
}

// TestCancel checks that Decode stops when its context is canceled, and returns the errors of the
// context and the reader.
func TestCancel(t *testing.T) {
	cause := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	file := pngOf(t, image.NewGray(image.Rect(0, 0, 100, 100)))
	fetchtest.FailsWith(t, cause)(Decode(ctx, "image/png", -1, bytes.NewReader(file)))
	s := &source{ctx, file}
	if n, err := s.Read(make([]byte, 4096)); n != 0 || !errors.Is(err, cause) {
		t.Errorf("Read after the end of the context: got %d, %v, want 0, %v", n, err, cause)
	}
	s.ctx = t.Context()
	if n, _ := s.Read(make([]byte, 4096)); n > 512 {
		t.Errorf("Read returned %d octets at once, want at most 512", n)
	}
	failed := errors.New("connection lost")
	if _, err := Decode(t.Context(), "image/png", -1, io.MultiReader(bytes.NewReader(file), iotest.ErrReader(failed))); err != failed {
		t.Errorf("Decode with a failing reader: got %v, want %v", err, failed)
	}
}

func decode(t testing.TB, m image.Image) *Picture {
	t.Helper()
	return fetchtest.Must(Decode(context.Background(), "image/png", -1, bytes.NewReader(pngOf(t, m))))(t)
}

func FuzzDecode(f *testing.F) {
	for media, all := range files(f) {
		for _, file := range all {
			f.Add(media, file)
		}
	}
	f.Add("image/jpeg", jpegHeader(64, 64, 0xc2))
	f.Fuzz(func(t *testing.T, media string, file []byte) {
		if f := formatOf(media); f != nil {
			if c, err := f.config(bytes.NewReader(file)); err == nil && c.Width > 1<<20/max(c.Height, 1) {
				return // too slow for fuzzing
			}
		}
		p, err := Decode(t.Context(), media, -1, bytes.NewReader(file))
		if err != nil || p == nil {
			return
		}
		for _, c := range []Colors{NoColors, Colors16, Colors256, TrueColor} {
			v := View{Columns: 20, Rows: 10}.Magnify(p, int(c))
			rows := v.DrawBlocks(p, BlockOptions{Colors: c})
			if _, want := v.VisibleSize(p); len(rows) != want {
				t.Errorf("%s: DrawBlocks returned %d rows, want %d", p.Name(), len(rows), want)
			}
		}
	})
}

func TestGoldenBlocks(t *testing.T) {
	p := decode(t, scene(32, 20, true))
	for name, look := range map[string]BlockOptions{
		"truecolor": {Colors: TrueColor}, "256": {Colors: Colors256}, "16": {Colors: Colors16},
		"none": {}, "none-light": {Background: color.White}, "truecolor-light": {Colors: TrueColor, Background: color.White},
	} {
		got := ""
		for _, row := range (View{Columns: 16, Rows: 8}).DrawBlocks(p, look) {
			got += strings.ReplaceAll(row, "\x1b", "^[") + "\n"
		}
		path := filepath.Join("testdata", name+".txt")
		if *update {
			fetchtest.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want := fetchtest.Must(os.ReadFile(path))(t)
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")
