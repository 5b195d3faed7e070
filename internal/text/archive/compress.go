package archive

import (
	"bufio"
	"errors"
	"io"
)

// Widths of the codes of compress(1), in bits.
const minWidth, maxWidth = 9, 16

var errCompressed = errors.New("the codes of compress are invalid")

// uncompressor reads the format of compress(1): LZW codes in groups of eight. The width of the codes
// grows. When it changes, the rest of the group is skipped.
type uncompressor struct {
	in      *bufio.Reader
	widest  int  // largest width
	clear   bool // code 256 clears the table
	prefix  [1 << maxWidth]uint16
	suffix  [1 << maxWidth]byte
	next    int  // the next free code
	last    int  // the previous code, -1 at the beginning
	first   byte // first octet of the previous code
	width   int
	group   [maxWidth]byte
	at, end int    // offsets in group, in bits
	out     []byte // decoded octets in reverse order
	err     error
}

// uncompress returns a reader that decompresses r. A header of compress(1) must be at the beginning
// of r.
func uncompress(r io.Reader) (io.Reader, error) {
	u := &uncompressor{in: bufio.NewReader(r), last: -1, width: minWidth, next: 256}
	var header [3]byte
	if _, err := io.ReadFull(u.in, header[:]); err != nil {
		return nil, err
	}
	u.widest, u.clear = int(header[2]&0x1f), header[2]&0x80 != 0
	if u.widest < minWidth || u.widest > maxWidth {
		return nil, errCompressed
	}
	if u.clear {
		u.next++
	}
	return u, nil
}

func (u *uncompressor) Read(p []byte) (n int, err error) {
	for n < len(p) {
		for len(u.out) > 0 && n < len(p) {
			p[n] = u.out[len(u.out)-1]
			u.out = u.out[:len(u.out)-1]
			n++
		}
		if n == len(p) || u.err != nil {
			break
		}
		u.err = u.expand()
	}
	if n == 0 {
		err = u.err
	}
	return n, err
}

func (u *uncompressor) readCode() (int, error) {
	if u.at+u.width > u.end {
		n, err := io.ReadFull(u.in, u.group[:u.width])
		if u.at, u.end = 0, 8*n; u.end < u.width {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF // only padding bits are left
			}
			return 0, err
		}
	}
	i := u.at / 8
	bits := int(u.group[i]) | int(u.group[i+1])<<8
	if i+2 < len(u.group) {
		bits |= int(u.group[i+2]) << 16
	}
	bits = bits >> (u.at % 8) & (1<<u.width - 1)
	u.at += u.width
	return bits, nil
}

// expand decodes one code.
func (u *uncompressor) expand() error {
	code, err := u.readCode()
	switch {
	case err != nil:
		return err
	case code == 256 && u.clear:
		u.next, u.last, u.width, u.end = 257, -1, minWidth, 0
		return nil
	case code > u.next, u.last < 0 && code > 255, code == u.next && u.last < 0:
		return errCompressed
	}
	this := code
	if code == u.next { // not in the table yet
		u.out = append(u.out, u.first)
		code = u.last
	}
	for code > 255 {
		u.out = append(u.out, u.suffix[code])
		code = int(u.prefix[code])
	}
	u.first = byte(code)
	u.out = append(u.out, u.first)
	if u.last >= 0 && u.next < 1<<u.widest {
		u.prefix[u.next], u.suffix[u.next] = uint16(u.last), u.first
		if u.next++; u.next == 1<<u.width && u.width < u.widest {
			u.width++
			u.end = 0
		}
	}
	u.last = this
	return nil
}
