package picture

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

type format struct {
	name           string
	config         func(io.Reader) (image.Config, error)
	decode         func(io.Reader) (image.Image, error)
	memory         func(c image.Config, file []byte) int64 // returns the largest number of octets needed to decode a file
	hasOrientation bool                                    // files may have an orientation
}

func formatOf(media string) *format {
	essence, _, _ := strings.Cut(media, ";")
	switch strings.ToLower(strings.TrimSpace(essence)) {
	case "image/png":
		return &format{name: "PNG", config: png.DecodeConfig, decode: png.Decode, memory: pngMemory}
	case "image/gif":
		return &format{name: "GIF", config: gif.DecodeConfig, decode: gif.Decode, memory: func(c image.Config, file []byte) int64 { return 2 * pixelMemory(c, file) }} // the decoder sorts the rows of an interlaced GIF in a copy
	case "image/jpeg":
		return &format{name: "JPEG", config: jpeg.DecodeConfig, decode: jpeg.Decode, memory: jpegMemory, hasOrientation: true}
	case "image/webp":
		// The decoder may copy the pixels of a lossless file. It reads a lossy file in one piece, so source cannot stop it.
		return &format{name: "WebP", config: webp.DecodeConfig, decode: webp.Decode, memory: func(c image.Config, _ []byte) int64 { return int64(c.Width) * int64(c.Height) * 8 }}
	case "image/bmp":
		return &format{name: "BMP", config: bmp.DecodeConfig, decode: bmp.Decode, memory: pixelMemory}
	}
	return nil
}

// pixelMemory returns the memory for decoding a picture if the decoder makes no copies of the pixels.
func pixelMemory(c image.Config, _ []byte) int64 {
	n := int64(c.Width) * int64(c.Height)
	switch c.ColorModel {
	case color.GrayModel:
		return n
	case color.Gray16Model:
		return n * 2
	case color.RGBA64Model, color.NRGBA64Model:
		return n * 8
	}
	if _, ok := c.ColorModel.(color.Palette); ok {
		return n
	}
	return n * 4
}

const interlace = 28 // index of the interlace method in a PNG file

// pngMemory returns the memory for decoding a PNG file. A transparent color gives all pixels an alpha
// channel, and each pass of an interlaced file needs an image.
func pngMemory(c image.Config, file []byte) int64 {
	memory := pixelMemory(c, file)
	if _, ok := c.ColorModel.(color.Palette); !ok && hasTransparency(file) {
		n := int64(c.Width) * int64(c.Height)
		switch c.ColorModel {
		case color.Gray16Model, color.RGBA64Model:
			memory = n * 8
		default:
			memory = n * 4
		}
	}
	if len(file) > interlace && file[interlace] != 0 {
		memory += memory / 2
	}
	return memory
}

// hasTransparency reports whether a PNG file has a tRNS chunk (PNG 1.2, section 4.2.1).
func hasTransparency(file []byte) bool {
	for i := int64(8); i+8 <= int64(len(file)); {
		switch string(file[i+4 : i+8]) {
		case "tRNS":
			return true
		case "IDAT":
			return false
		}
		i += 12 + int64(binary.BigEndian.Uint32(file[i:]))
	}
	return false
}

// jpegMemory returns the memory for decoding a JPEG file. The decoder needs memory for the samples and
// for their conversion. In progressive files it also needs four octets for each coefficient.
func jpegMemory(c image.Config, file []byte) int64 {
	n := int64(c.Width) * int64(c.Height)
	marker, frame := findFrame(file)
	most, all := int64(1), int64(4) // samples per coded unit (T.81, A.2.3): of the largest component, and of all components
	if len(frame) >= 6 {
		all = 0
		for i := 6; i+3 <= len(frame) && i < 6+3*int(frame[5]); i += 3 {
			samples := int64(frame[i+1]>>4) * int64(frame[i+1]&15)
			most, all = max(most, samples), all+samples
		}
	}
	memory := n * all / most
	if marker == 0xc2 {
		memory *= 5
	}
	if c.ColorModel == color.RGBAModel || c.ColorModel == color.CMYKModel {
		memory += n * 4
	}
	return memory
}

// findFrame returns the first frame header of a JPEG file and its marker (T.81, B.2.2).
func findFrame(file []byte) (marker byte, header []byte) {
	for i := 2; i+4 <= len(file); {
		if file[i] != 0xff {
			i++
			continue
		}
		marker = file[i+1]
		for i += 2; marker == 0xff && i < len(file); i++ { // skip fill octets
			marker = file[i]
		}
		if marker == 0 || marker >= 0xd0 && marker <= 0xd7 || i+2 > len(file) {
			continue
		}
		end := min(i+int(binary.BigEndian.Uint16(file[i:])), len(file))
		if marker >= 0xc0 && marker <= 0xc2 {
			return marker, file[i+2 : max(end, i+2)]
		}
		i = max(end, i+2)
	}
	return 0, nil
}
