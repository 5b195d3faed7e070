package document

import (
	"bytes"
	"io"
	"strings"
)

func encoded(h articleHeader) bool {
	switch strings.ToLower(h.raw("Content-Transfer-Encoding")) {
	case "base64", "quoted-printable":
		return true
	}
	return false
}

// transfer undoes a Content-Transfer-Encoding (RFC 2045, section 6); one that
// is not known is left as it is.
func transfer(e *entity, encoding string) io.Reader {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		return &pieces{next: (&quotedPrintable{e: e}).piece}
	case "base64":
		return &pieces{next: (&base64Lines{next: e.piece}).piece}
	}
	return &pieces{next: e.piece}
}

// quotedPrintable decodes line by line. An escape that is none stays as it is.
type quotedPrintable struct {
	e   *entity
	buf []byte
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
			c := text[i]
			if c == '=' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
				c = unhex(text[i+1])<<4 | unhex(text[i+2])
				i += 2
			}
			q.buf = append(q.buf, c)
		}
		if q.buf = append(q.buf, end...); len(q.buf) > 0 {
			return q.buf
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// base64Lines decodes line by line. From the first line on that is not base64
// the text stays as it is: mailing lists append their own.
type base64Lines struct {
	next  func() []byte // the next line
	buf   []byte
	bits  uint32
	count int // characters in bits
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
	v, ok := base64Value(c)
	switch {
	case ok:
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

func base64Value(c byte) (byte, bool) {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A', true
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26, true
	case c >= '0' && c <= '9':
		return c - '0' + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return 0, false
}

func isBase64(line []byte) bool {
	for _, c := range bytes.TrimSpace(line) {
		if _, ok := base64Value(c); !ok && c != '=' {
			return false
		}
	}
	return true
}
