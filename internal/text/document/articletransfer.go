package document

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
)

func isEncoded(h articleHeader) bool {
	switch strings.ToLower(h.raw("Content-Transfer-Encoding")) {
	case "base64", "quoted-printable":
		return true
	}
	return false
}

// newTransferReader returns a reader of e that decodes a known Content-Transfer-Encoding (RFC 2045,
// section 6).
func newTransferReader(e *entity, encoding string) io.Reader {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		return &pieces{next: (&quotedPrintable{e: e}).piece}
	case "base64":
		return &pieces{next: (&base64Lines{next: e.piece}).piece}
	}
	return &pieces{next: e.piece}
}

// quotedPrintable decodes quoted-printable line by line. Invalid escapes stay unchanged.
type quotedPrintable struct {
	e     *entity
	buf   []byte
	octet [1]byte
}

func (q *quotedPrintable) piece() []byte {
	for {
		line := q.e.piece()
		if line == nil {
			return nil
		}
		end := line[len(bytes.TrimRight(line, "\r\n")):]
		text := line[:len(line)-len(end)]
		if len(end) > 0 || q.e.article.err != nil {
			text = bytes.TrimRight(text, " \t")
		}
		if n := len(text); n > 0 && text[n-1] == '=' {
			text, end = text[:n-1], nil
		}
		q.buf = q.buf[:0]
		for i := 0; i < len(text); i++ {
			c := text[i : i+1]
			if c[0] == '=' && i+2 < len(text) {
				if _, err := hex.Decode(q.octet[:], text[i+1:i+3]); err == nil {
					c = q.octet[:]
					i += 2
				}
			}
			q.buf = append(q.buf, c[0])
		}
		if q.buf = append(q.buf, end...); len(q.buf) > 0 {
			return q.buf
		}
	}
}

// base64Lines decodes base64 line by line. It returns the first line that is not base64, and all
// later lines, unchanged: mailing lists append text that is not encoded.
type base64Lines struct {
	next  func() []byte // returns the next line
	buf   []byte
	bits  uint32
	count int // number of characters whose values are in bits
	plain bool
}

func (b *base64Lines) piece() []byte {
	for {
		line := b.next()
		if line == nil {
			return nil
		}
		if b.plain = b.plain || !isBase64(line); b.plain {
			return line
		}
		b.buf = b.buf[:0]
		for _, c := range line {
			b.add(c)
		}
		if len(b.buf) > 0 {
			return b.buf
		}
	}
}

func (b *base64Lines) add(c byte) {
	v := base64Values[c]
	switch {
	case v < 64:
		b.bits = b.bits<<6 | uint32(v)
		if b.count++; b.count == 4 {
			b.buf = append(b.buf, byte(b.bits>>16), byte(b.bits>>8), byte(b.bits))
			b.bits, b.count = 0, 0
		}
	case c == '=':
		switch b.count {
		case 2:
			b.buf = append(b.buf, byte(b.bits>>4))
		case 3:
			b.buf = append(b.buf, byte(b.bits>>10), byte(b.bits>>2))
		}
		b.bits, b.count = 0, 0
	}
}

// base64Values are the values of the characters of base64 (RFC 2045, section 6.8). Any other octet
// has the value 255.
var base64Values = func() (values [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for c := range values {
		values[c] = byte(strings.IndexByte(alphabet, byte(c)))
	}
	return values
}()

func isBase64(line []byte) bool {
	for _, c := range bytes.TrimSpace(line) {
		if c != '=' && base64Values[c] > 63 {
			return false
		}
	}
	return true
}
