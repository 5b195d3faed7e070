package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

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
//
// A single dot at the end is the text's own if something speaks against it: a
// line that begins with a dot and is not doubled, lines that end in LF as no
// protocol has them, or an earlier text of that server that had no end. Of two
// single dots at the end one is the end.
type textReader struct {
	r       *bufio.Reader
	must    bool // the end must be a single dot: Gopher+ said so
	unended bool // the server does not end its texts
	// ended is called at the end of a text that is whole, with whether its end
	// has come or is missing; may be nil.
	ended func(dotted bool)
	// own is set when the last line is a single dot that may be the end.
	own bool

	midLine   bool // the next octet is not the first of its line
	undoubled bool // a line begins with a single dot
	single    bool // the line before is a single dot
	last      byte // the octet before, if it is not of a dot
	sawEnd    bool // a line has ended
	bareLF    bool // in LF alone, the first

	plain bool   // the server does not double dots
	held  []byte // what waits for the decision, nil if nothing does
	dots  []int  // where in held a dot was doubled
	ready []byte // decided, to be read next
	err   error  // comes after ready
}

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
	if i := bytes.IndexByte(b, '\n'); i >= 0 && !t.sawEnd {
		t.sawEnd, t.bareLF = true, t.last != '\r' && i == 0 || i > 0 && b[i-1] != '\r'
	}
	t.last, t.single = b[len(b)-1], false
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
		t.undoubled, t.single = true, true
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
		t.undoubled = t.undoubled || len(line) == 1 || line[1] != '.'
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
		switch {
		case err == io.EOF && t.must:
			t.err = errNoEnd()
		case err == io.EOF && t.sawEnd && t.ended != nil:
			t.ended(false)
		}
	case !t.must && !t.single && len(t.dots) == 0 && (t.undoubled || t.unended || t.bareLF && string(dot) == ".\n"):
		t.own = true
		t.settle()
		t.emit(dot)
	case err == io.EOF || errors.As(err, &failed):
		t.err = io.EOF
		at := 0
		for _, d := range t.dots {
			t.emit(t.held[at:d])
			at = d + 1
		}
		t.emit(t.held[at:])
		t.held = nil
		if len(dot) > 1 && t.ended != nil {
			t.ended(true)
		}
	default:
		t.settle()
	}
}

func errNoEnd() error {
	return protocols.NewError(protocols.Broken, "read the item", "the line with a single dot that ends it is missing")
}

// noteOwnDot tells of a last line that may be the end.
const noteOwnDot = "the last line is a single dot, which may be the text's own or the server's mark of its end"

// textsOf are the items of a type of a server. Many servers end those of type 0
// and no others.
type textsOf struct {
	addr string // host:port
	typ  byte
}

// textEnds remembers how servers end their texts.
type textEnds struct {
	mu    sync.Mutex
	ended map[textsOf]bool // with a single dot, or not at all
}

// maxServers bounds how many servers are remembered.
const maxServers = 4096

// learn remembers how a text has ended. A server that has ended one ends its
// texts, even if another breaks off or is made by a program.
func (t *textEnds) learn(of textsOf, dotted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended == nil || len(t.ended) >= maxServers {
		t.ended = make(map[textsOf]bool)
	}
	t.ended[of] = dotted || t.ended[of]
}

// unended reports whether the server is known not to end these texts.
func (t *textEnds) unended(of textsOf) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	dotted, known := t.ended[of]
	return known && !dotted
}
