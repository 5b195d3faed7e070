package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// readOrientation returns the orientation of a JPEG file, 1 to 8 (Exif 2.3, 4.6.4, tag 274). A file
// without an orientation has the orientation 1.
func readOrientation(file []byte) int {
	for i := 2; i+4 <= len(file) && file[i] == 0xff; {
		end := i + 2 + int(binary.BigEndian.Uint16(file[i+2:]))
		if file[i+1] == 0xda || end > len(file) || end < i+4 {
			break
		}
		if tiff, ok := bytes.CutPrefix(file[i+4:end], []byte("Exif\x00\x00")); ok && file[i+1] == 0xe1 {
			return tiffOrientation(tiff)
		}
		i = end
	}
	return 1
}

// tiffOrientation returns the orientation in the first directory of a TIFF file.
func tiffOrientation(b []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(b) < 8:
		return 1
	case string(b[:2]) == "MM":
		order = binary.BigEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 1
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 274 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}

func (p *Picture) rotate(orientation int) {
	if orientation <= 1 {
		return
	}
	from := p.pixels
	w, h := from.Rect.Dx(), from.Rect.Dy()
	tw, th := w, h
	if orientation >= 5 {
		tw, th = h, w
		p.Width, p.Height = p.Height, p.Width
	}
	to := image.NewRGBA(image.Rect(0, 0, tw, th))
	for y := range th {
		for x := range tw {
			sx, sy := x, y
			if orientation >= 5 {
				sx, sy = y, x
			}
			switch orientation {
			case 2, 3, 7, 8:
				sx = w - 1 - sx
			}
			switch orientation {
			case 3, 4, 6, 7:
				sy = h - 1 - sy
			}
			copy(to.Pix[to.PixOffset(x, y):][:4], from.Pix[from.PixOffset(sx, sy):][:4])
		}
	}
	p.pixels = to
}
