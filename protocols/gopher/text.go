package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"gofer/protocols"
)

// maxHeld is how many octets of a text are held back while it is not known
// whether its server doubles dots.
const maxHeld = 1 << 20

// textReader reads a text as RFC 1436, section 3.8, has it sent: a line with a
// single dot is the end, and a line that begins with a dot gets another one.
// Many servers do neither. So the last line is taken away if it is a single
// dot, and the doubled dots only if that line came and no other line speaks
// against doubling; up to that moment, the text from the first doubled dot on
// is held back. Line ends stay as they are.
type textReader struct {
	r    *bufio.Reader
	must bool // the end must be a single dot: Gopher+ said so

	midLine bool   // the next octet is not the first of its line
	plain   bool   // the server does not double dots
	held    []byte // what waits for the decision, nil if nothing does
	dots    []int  // where in held a dot was doubled
	ready   []byte // decided, to be read next
	err     error  // comes after ready
}

// Read reads the text.
func (t *textReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(t.ready) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		if n := t.step(p); n > 0 {
			return n, nil
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// step takes a stretch of the text up to the next line that begins with a dot,
// or looks at that dot. It returns how many octets it has put into p.
func (t *textReader) step(p []byte) int {
	b, err := t.r.Peek(1)
	if err != nil {
		t.end(err, nil)
		return 0
	}
	if !t.midLine && b[0] == '.' {
		t.dot()
		return 0
	}
	b, _ = t.r.Peek(t.r.Buffered())
	if i := bytes.Index(b, []byte("\n.")); i >= 0 {
		b = b[:i+1]
	}
	if t.held == nil && len(b) > len(p) {
		b = b[:len(p)]
	}
	t.midLine = b[len(b)-1] != '\n'
	n := len(b)
	if t.held == nil {
		copy(p, b)
	} else {
		t.hold(b)
		n = 0
	}
	_, _ = t.r.Discard(len(b))
	return n
}

// dot looks at a line that begins with a dot.
func (t *textReader) dot() {
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
			t.end(err, line)
			return
		}
		t.settle()
		t.emit(line)
		t.midLine = false
	case len(line) > 1 && line[1] == '.' && !t.plain:
		if t.held == nil {
			t.held = make([]byte, 0, 512)
		}
		t.dots = append(t.dots, len(t.held))
		_, _ = t.r.Discard(2)
		t.hold([]byte(".."))
		t.midLine = true
	default:
		t.settle()
		_, _ = t.r.Discard(1)
		t.emit([]byte("."))
		t.midLine = true
	}
}

// hold keeps b until it is known whether dots are doubled. If that takes too
// long the text stays as it came.
func (t *textReader) hold(b []byte) {
	t.held = append(t.held, b...)
	if len(t.held) > maxHeld {
		t.settle()
	}
}

// settle says that the server does not double dots.
func (t *textReader) settle() {
	t.plain = true
	t.emit(t.held)
	t.held, t.dots = nil, nil
}

func (t *textReader) emit(b []byte) { t.ready = append(t.ready, b...) }

// end ends the text with the cause err; dot is its last line if that is a
// single dot. A server that keeps silent or resets after it has still sent
// everything.
func (t *textReader) end(err error, dot []byte) {
	var failed *protocols.Error
	t.err = err
	switch {
	case dot == nil:
		t.settle()
		if err == io.EOF && t.must {
			t.err = errNoEnd()
		}
	case err == io.EOF || errors.As(err, &failed):
		t.err = io.EOF
		at := 0
		for _, d := range t.dots {
			t.emit(t.held[at:d])
			at = d + 1
		}
		t.emit(t.held[at:])
		t.held = nil
	default:
		t.settle()
	}
}

func errNoEnd() error {
	return &protocols.Error{
		Reason: protocols.Broken, Op: "read the item",
		Err: errors.New("the line with a single dot that ends it is missing"),
	}
}
