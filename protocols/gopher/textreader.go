package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"gofer/protocols"
	"gofer/urlcore"
)

const (
	maxHeld = 1 << 20 // maximal number of octets held back while it is unknown whether the server doubles dots
	maxTail = 256     // octets searched for the end of HTML
)

// textReader reads a text (RFC 1436, appendix). In such a text, the last line is a single dot, and a
// dot at the beginning of any other line is doubled. Many servers do neither, so textReader removes the
// last line only if it is a single dot. It undoubles dots only if there is such a last line and no other
// line begins with a single dot. Until this is known, textReader holds back the text from the first doubled
// dot on. It does not change line ends, except that it removes the CR LF that the original server, version
// 3.0.5, adds to a last line without a line end: all earlier lines end in LF alone.
//
// A single dot on the last line belongs to the text if
//   - another line begins with a single dot, and the earlier texts of the server did not all have a final dot,
//   - lines end in LF alone, or
//   - the earlier texts of the server had no final dot.
//
// The dot is nevertheless the end of the text if
//   - Gopher+ requires the dot,
//   - only this line and perhaps the line before it end in CR LF,
//   - another line begins with a doubled dot and none with a single dot, or
//   - the previous line is also a single dot.
type textReader struct {
	r           *bufio.Reader
	dotRequired bool              // Gopher+ requires a single dot at the end
	lenient     bool              // a text that has a complete line may lack the required dot
	omitsEnd    bool              // the server does not end its texts with a dot
	sendsEnd    bool              // the server ends all its texts with a dot
	onEnd       func(dotted bool) // called at the end of a complete text; may be nil
	note        string            // a note about the end, or "" if there is no doubt

	midLine    bool   // the next octet is not the first octet of a line
	undoubled  bool   // a line of the text begins with a dot that is not doubled
	afterDot   bool   // the previous line is a single dot
	last       byte   // the previous octet outside a line with a single dot
	sawLineEnd bool   // a line has ended
	bareLF     bool   // the first line ended in LF alone
	crlf       bool   // a line ended in CR LF
	heldCRLF   bool   // the first CR LF after lines that end in LF is held back; it is the end of the previous line
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
	t.releaseCRLF()
	b, _ = t.r.Peek(t.r.Buffered())
	if i := bytes.Index(b, []byte("\n.")); i >= 0 {
		b = b[:i+1]
	}
	if len(t.ready) > 0 { // the CR LF comes first
		return 0
	}
	if t.buffer == nil && len(b) > len(p) {
		b = b[:len(p)]
	}
	if b = t.cutCRLF(b); len(b) == 0 {
		return 0
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

// cutCRLF returns b up to its first CR LF if all earlier lines end in LF alone, else b. If b begins with this CR LF,
// cutCRLF reads it, holds it back and returns nothing.
func (t *textReader) cutCRLF(b []byte) []byte {
	i := bytes.Index(b, []byte("\r\n"))
	if i < 0 && b[len(b)-1] == '\r' {
		i = len(b) - 1
	}
	lf := bytes.IndexByte(b, '\n')
	switch bareLF := t.sawLineEnd || lf >= 0 && lf < i && (lf > 0 || t.last != '\r'); {
	case t.crlf || i < 0 || !bareLF:
		return b
	case i > 0:
		return b[:i]
	}
	if next, _ := t.r.Peek(2); len(next) < 2 || next[1] != '\n' {
		return next[:1] // Peek may have moved the octets of b
	}
	_, _ = t.r.Discard(2)
	t.crlf, t.heldCRLF, t.midLine, t.afterDot, t.last = true, true, false, false, '\n'
	return nil
}

// releaseCRLF releases the CR LF that is held back.
func (t *textReader) releaseCRLF() {
	if !t.heldCRLF {
		return
	}
	t.heldCRLF = false
	if t.buffer != nil {
		t.holdBack([]byte("\r\n"))
	} else {
		t.emit([]byte("\r\n"))
	}
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
		t.releaseCRLF()
		if t.sawLineEnd && !t.crlf && len(line) == 3 {
			t.heldCRLF, line = true, line[:1]
		}
		t.undoubled, t.afterDot, t.crlf = true, true, t.crlf || t.heldCRLF || len(line) == 3
		t.emit(line)
		t.midLine = false
	case len(line) > 1 && line[1] == '.' && !t.notDoubled:
		t.releaseCRLF()
		if t.buffer == nil {
			t.buffer = make([]byte, 0, 512)
		}
		t.dots = append(t.dots, len(t.buffer))
		_, _ = t.r.Discard(2)
		t.holdBack([]byte(".."))
		t.midLine = true
	default:
		t.setNotDoubled()
		t.releaseCRLF()
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
		t.releaseCRLF()
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
		t.releaseCRLF()
		t.emit(dot)
	case err == io.EOF || errors.As(err, &failed):
		t.err = io.EOF
		if len(dot) < len(".\r\n") {
			t.releaseCRLF()
		}
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
		t.releaseCRLF()
	}
}

// mayBeText reports whether the last line, a single dot, may belong to the text.
func (t *textReader) mayBeText(dot string) bool {
	if t.sawLineEnd && (!t.crlf || t.heldCRLF) && dot == ".\r\n" {
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

// textKey identifies the items at a server that are sent alike. Many servers end only texts of type 0 with a
// dot. UMN gopherd sends an item as the letter in front of its selector says: "9/a" of type 0 is a binary file.
type textKey struct {
	addr   string // host:port
	typ    byte
	letter byte // the octet before the first slash in the selector, or 0
}

func newTextKey(g urlcore.Gopher) textKey {
	k := textKey{addr: g.Addr(), typ: g.Type}
	if len(g.Selector) > 1 && g.Selector[1] == '/' {
		k.letter = g.Selector[0]
	}
	return k
}

// shownEnds says how the earlier texts of a server have ended.
type shownEnds struct {
	dotted, undotted bool // with and without a single dot
}
