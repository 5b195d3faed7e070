package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"gofer/protocols"
)

const (
	maxHeld = 1 << 20 // maximal number of octets held back while it is unknown whether the server doubles dots
	maxTail = 256     // octets searched for the end of HTML
)

// textReader reads a text (RFC 1436, appendix). In such a text, the last line is a single dot, and a
// dot at the beginning of any other line is doubled. Many servers do neither, so textReader removes the
// last line only if it is a single dot. It undoubles dots only if there is such a last line and no other
// line begins with a single dot. Until this is known, textReader holds back the text from the first doubled
// dot on. It does not change line ends.
//
// A single dot on the last line belongs to the text if
//   - another line begins with a single dot, and no earlier text of the server had a final dot,
//   - lines end in LF alone, or
//   - the earlier texts of the server had no final dot.
//
// The dot is nevertheless the end of the text if
//   - Gopher+ requires the dot,
//   - only this line ends in CR LF,
//   - another line begins with a doubled dot and none with a single dot, or
//   - the previous line is also a single dot.
type textReader struct {
	r           *bufio.Reader
	dotRequired bool              // Gopher+ requires a single dot at the end
	lenient     bool              // a text that has a complete line may lack the required dot
	omitsEnd    bool              // the server does not end its texts with a dot
	sendsEnd    bool              // the server ends its texts with a dot
	onEnd       func(dotted bool) // called at the end of a complete text; may be nil
	note        string            // a note about the end, or "" if there is no doubt

	midLine    bool   // the next octet is not the first octet of a line
	undoubled  bool   // a line of the text begins with a dot that is not doubled
	afterDot   bool   // the previous line is a single dot
	last       byte   // the previous octet outside a line with a single dot
	sawLineEnd bool   // a line has ended
	bareLF     bool   // the first line ended in LF alone
	crlf       bool   // a line ended in CR LF
	tail       []byte // the last octets, up to maxTail

	notDoubled bool   // the server does not double dots
	buffer     []byte // the text that is held back; may be nil
	dots       []int  // the offsets of doubled dots in buffer
	ready      []byte // the next octets to read
	err        error  // the error that Read returns after the octets in ready
}

func (t *textReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(t.ready) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		if n := t.readPart(p); n > 0 {
			return n, nil
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// readPart reads a dot at the beginning of a line, or the text before the next such dot. It returns the
// number of octets copied to p.
func (t *textReader) readPart(p []byte) int {
	b, err := t.r.Peek(1)
	if err != nil {
		t.endText(err, nil)
		return 0
	}
	if !t.midLine && b[0] == '.' {
		t.readDot()
		return 0
	}
	b, _ = t.r.Peek(t.r.Buffered())
	if i := bytes.Index(b, []byte("\n.")); i >= 0 {
		b = b[:i+1]
	}
	if t.buffer == nil && len(b) > len(p) {
		b = b[:len(p)]
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && !t.sawLineEnd {
		t.sawLineEnd, t.bareLF = true, t.last != '\r' && i == 0 || i > 0 && b[i-1] != '\r'
	}
	t.crlf = t.crlf || t.last == '\r' && b[0] == '\n' || bytes.Contains(b, []byte("\r\n"))
	t.last, t.afterDot = b[len(b)-1], false
	if t.lenient {
		t.tail = append(t.tail, b[max(0, len(b)-maxTail):]...)
		t.tail = t.tail[max(0, len(t.tail)-maxTail):]
	}
	t.midLine = b[len(b)-1] != '\n'
	n := len(b)
	if t.buffer == nil {
		copy(p, b)
	} else {
		t.holdBack(b)
		n = 0
	}
	_, _ = t.r.Discard(len(b))
	return n
}

// readDot reads the dots at the beginning of a line, or the whole line if it is a single dot.
func (t *textReader) readDot() {
	line, err := t.r.Peek(2)
	if err == nil && line[1] == '\r' {
		line, err = t.r.Peek(3)
	}
	line = append([]byte(nil), line...)
	single := bytes.TrimRight(line, "\r\n")
	switch {
	case string(single) == "." && (err != nil || line[len(line)-1] == '\n'):
		_, _ = t.r.Discard(len(line))
		if _, err = t.r.Peek(1); err != nil {
			t.endText(err, line)
			return
		}
		t.setNotDoubled()
		t.undoubled, t.afterDot, t.crlf = true, true, t.crlf || len(line) == 3
		t.emit(line)
		t.midLine = false
	case len(line) > 1 && line[1] == '.' && !t.notDoubled:
		if t.buffer == nil {
			t.buffer = make([]byte, 0, 512)
		}
		t.dots = append(t.dots, len(t.buffer))
		_, _ = t.r.Discard(2)
		t.holdBack([]byte(".."))
		t.midLine = true
	default:
		t.setNotDoubled()
		t.undoubled = t.undoubled || len(line) == 1 || line[1] != '.'
		_, _ = t.r.Discard(1)
		t.emit([]byte("."))
		t.midLine = true
	}
}

// holdBack appends b to the text that is held back. If this text is too long, holdBack releases it.
func (t *textReader) holdBack(b []byte) {
	t.buffer = append(t.buffer, b...)
	if len(t.buffer) > maxHeld {
		t.setNotDoubled()
	}
}

// setNotDoubled records that the server does not double dots, and releases the text that is held
// back.
func (t *textReader) setNotDoubled() {
	t.notDoubled = true
	t.emit(t.buffer)
	t.buffer, t.dots = nil, nil
}

func (t *textReader) emit(b []byte) { t.ready = append(t.ready, b...) }

// endText handles the end of the text or the read error err. If the last line is a single dot, this
// line is in the parameter dot. After that dot, silence or a reset is not a failure.
func (t *textReader) endText(err error, dot []byte) {
	var failed *protocols.Error
	t.err = err
	switch {
	case dot == nil:
		t.setNotDoubled()
		switch {
		case err == io.EOF && t.lenient && endsHTML(t.tail):
		case err == io.EOF && t.lenient && t.sawLineEnd:
			t.note = noteNoDot
		case err == io.EOF && t.dotRequired:
			t.err = newNoEndError()
		case err == io.EOF && t.sawLineEnd && t.onEnd != nil:
			t.onEnd(false)
		}
	case !t.dotRequired && !t.afterDot && len(t.dots) == 0 && t.mayBeText(string(dot)):
		t.note = noteOwnDot
		t.setNotDoubled()
		t.emit(dot)
	case err == io.EOF || errors.As(err, &failed):
		t.err = io.EOF
		start := 0
		for _, d := range t.dots {
			t.emit(t.buffer[start:d])
			start = d + 1
		}
		t.emit(t.buffer[start:])
		t.buffer = nil
		if len(dot) > 1 && t.onEnd != nil {
			t.onEnd(true)
		}
	default:
		t.setNotDoubled()
	}
}

// mayBeText reports whether the last line, a single dot, may belong to the text.
func (t *textReader) mayBeText(dot string) bool {
	if t.sawLineEnd && !t.crlf && dot == ".\r\n" {
		return false
	}
	return t.undoubled && !t.sendsEnd || t.omitsEnd || t.bareLF && dot == ".\n"
}

// endsHTML reports whether b ends in </html>, apart from white space.
func endsHTML(b []byte) bool {
	return bytes.HasSuffix(bytes.ToLower(bytes.TrimRight(b, " \t\r\n")), []byte("</html>"))
}

func newNoEndError() error {
	return protocols.NewError(protocols.Broken, "read the item", "the final line with a single dot is missing")
}

// The notes about the end of a text.
const (
	noteOwnDot = "the final line with a single dot may be part of the text"
	noteNoDot  = "the server did not mark the end of the text, which may be incomplete"
)

// textKey identifies all items of a type at a server. Many servers end only texts of type 0 with a
// dot.
type textKey struct {
	addr string // host:port
	typ  byte
}
