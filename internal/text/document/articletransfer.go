package document

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// The names of the transfer encodings that are decoded.
const (
	encodingQP     = "quoted-printable"
	encodingBase64 = "base64"
	encodingUu     = "x-uuencode"
)

// transferEncoding returns the name of a Content-Transfer-Encoding that is decoded, or "" (RFC 2045, section
// 6). Old programs used names of their own for uuencode, and wrote quotes, parameters or other signs.
func transferEncoding(h articleHeader) string {
	field := h.raw("Content-Transfer-Encoding")
	for strings.HasPrefix(field, "(") {
		_, field, _ = strings.Cut(field, ")")
		field = strings.TrimSpace(field)
	}
	name, _ := mimeheader.ParseParameters(strings.Trim(field, " \t\"'<>"))
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.TrimPrefix(strings.ToLower(name), "x-"))
	switch name {
	case "quotedprintable", "qp":
		return encodingQP
	case "base64":
		return encodingBase64
	case "uuencode", "uuencoded", "uue", "uu":
		return encodingUu
	}
	return ""
}

// newTransferReader returns a reader of e that decodes a known Content-Transfer-Encoding. Of a uuencoded file it
// also returns the name in the text, or "".
func newTransferReader(e *entity, encoding string) (r io.Reader, name string) {
	next := e.piece
	switch encoding {
	case encodingQP:
		next = (&quotedPrintable{e: e}).piece
	case encodingBase64:
		next = (&base64Lines{next: e.piece}).piece
	case encodingUu:
		return newUuReader(&pieces{next: e.piece})
	}
	return &pieces{next: next}, ""
}

// maxUuHead is the largest number of octets before a uuencoded file in a part with this transfer encoding.
const maxUuHead = 4 << 10

// newUuReader returns a reader of the uuencoded file in r, and the name of the file. If r has no file, it
// returns a reader of the same octets.
func newUuReader(r io.Reader) (file io.Reader, name string) {
	b := &bodyLines{in: bufio.NewReaderSize(r, maxTextLine)}
	var head []byte
	for len(head) < maxUuHead {
		line, begins := b.line()
		if line == nil {
			break
		}
		line = bytes.Clone(line)
		var f *encodedFile
		switch {
		case !begins:
		case bytes.HasPrefix(line, []byte(uuBeginBase64)):
			f = newUuBase64(b, line)
		case bytes.HasPrefix(line, []byte(uuBegin)):
			f = newUuDecoder(b, line, protocols.SubjectPart{})
		}
		if f != nil {
			return &pieces{next: f.piece}, mimeheader.FileName(charset.Auto, f.name)
		}
		head = append(head, line...)
	}
	return io.MultiReader(bytes.NewReader(head), b.reader()), ""
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

// base64Lines decodes base64 line by line. It skips stray octets (RFC 2045, section 6.8). Mailing lists append
// text that is not encoded: base64Lines returns the first line of such text, and all later lines, unchanged.
type base64Lines struct {
	next  func() []byte // returns the next line
	buf   []byte
	bits  uint32
	count int  // number of characters whose values are in bits
	full  int  // number of characters in the longest line
	ended bool // padding or a shorter line has ended the base64
	plain bool
}

func (b *base64Lines) piece() []byte {
	for {
		line := b.next()
		if b.plain && line != nil {
			return line
		}
		b.buf = b.buf[:0]
		if line == nil || !b.continues(line) {
			b.add('=') // the padding may be missing
			if b.plain = line != nil; b.plain {
				b.buf = append(b.buf, line...)
			}
			if len(b.buf) == 0 {
				return nil
			}
			return b.buf
		}
		for _, c := range line {
			b.add(c)
		}
		if len(b.buf) > 0 {
			return b.buf
		}
	}
}

// continues reports whether line is base64. Stray octets make a line text if the base64 has ended, if they are
// most of the line, or if its letters look like words.
func (b *base64Lines) continues(line []byte) bool {
	count := 0
	for _, c := range line {
		if base64Values[c] < 64 {
			count++
		}
	}
	if !isBase64(line) && (b.ended || 2*count < len(bytes.TrimSpace(line)) || looksLikeWords(line)) {
		return false
	}
	if count > 0 {
		b.ended = count < b.full || bytes.IndexByte(line, '=') >= 0
		b.full = max(b.full, count)
	}
	return true
}

// looksLikeWords reports whether most of line is words: small letters after the first one, or capitals. Base64
// mixes both, and digits.
func looksLikeWords(line []byte) bool {
	all, words := 0, 0
	for group := range bytes.FieldsFuncSeq(line, func(r rune) bool { return r >= utf8.RuneSelf || base64Values[r] > 61 }) {
		all += len(group)
		isDigit := func(r rune) bool { return r <= '9' }
		if rest := group[1:]; !bytes.ContainsFunc(group, isDigit) && (bytes.Equal(rest, bytes.ToLower(rest)) || bytes.Equal(group, bytes.ToUpper(group))) {
			words += len(group)
		}
	}
	return 2*words > all
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
