package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// bufferSize is the size of the buffer of a connection in octets.
const bufferSize = 64 << 10

// The limits for recognizing an error.
const (
	maxHeader  = 24      // octets of a Gopher+ header line
	maxFailure = 4 << 10 // octets of an error
)

var (
	errNoHost    = errors.New("the URL names no host")
	errFormPort  = errors.New("that port belongs to another protocol, which could read it as commands")
	errPhonebook = errors.New("phone books are not available")
	errTab       = errors.New("it contains a tab, which the server would read as another field")
)

// answer is the answer of a server, with the data in its Gopher+ header.
type answer struct {
	*bufio.Reader
	hasHeader bool  // the answer had a Gopher+ header
	size      int64 // the octets after the header, or -1 if unknown
	endsInDot bool  // the answer must end in a line with a single dot
	exact     bool  // the server adds no dots to the octets
	notes     []string
	readErr   error // the error of the connection while the header was read
}

// readHeader reads the header of a Gopher+ answer. The header is "+n", "+-1" or "+-2", or for an
// error a line that begins with "-". Old Gopher servers send no header.
func (a *answer) readHeader(g urlcore.Gopher) error {
	n, length, ok := a.peekHeader()
	if !ok {
		if a.readErr != nil {
			return a.readErr
		}
		if n > 0 {
			a.notes = append(a.notes, "the server answered without Gopher+")
		}
		return nil
	}
	a.hasHeader = true
	first, _ := a.ReadByte()
	_, _ = a.Discard(n - 1)
	if first == '-' {
		return a.readRefusal(g)
	}
	switch {
	case length >= 0:
		a.size, a.exact = length, true
	case length == -1:
		a.endsInDot = true
	default:
		a.exact = true
	}
	return nil
}

// peekHeader returns the length n of a Gopher+ header and the length that the header announces. If
// there is no header, ok is false. In this case n is 0 if the answer is empty.
func (a *answer) peekHeader() (n int, length int64, ok bool) {
	for n = 1; n <= maxHeader; n++ {
		b, err := a.Peek(n)
		if err != nil {
			if err != io.EOF {
				a.readErr = err
			}
			return len(b), 0, false
		}
		switch c := b[n-1]; {
		case n == 1 && c != '+' && c != '-':
			return n, 0, false
		case n > 1 && c == '\n':
			length, err = strconv.ParseInt(strings.TrimRight(string(b[1:n-1]), "\r"), 10, 64)
			return n, length, err == nil && length >= -2
		case n > 1 && c != '-' && c != '\r' && (c < '0' || c > '9'):
			return n, 0, false
		}
	}
	return n, 0, false
}

// readRefusal reads a Gopher+ error: a line with a code and the administrator, and then a message.
func (a *answer) readRefusal(g urlcore.Gopher) error {
	text, err := io.ReadAll(io.LimitReader(a.Reader, maxFailure))
	if _, ok := errors.AsType[*protocols.Error](err); err != nil && !ok {
		return err
	}
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + g.String()}
	first, rest, _ := strings.Cut(string(text), "\n")
	number, _, _ := strings.Cut(strings.TrimSpace(first), " ")
	if code, err := strconv.Atoi(number); err == nil {
		e.Code = code
	} else {
		rest = string(text)
	}
	e.Lines, rest = splitRefusal(g, first, rest)
	switch e.Code {
	case 1, 3:
		e.Reason = protocols.NotFound
	case 2:
		e.Err = protocols.ErrUnavailable
	}
	rest = strings.TrimSpace(rest)
	e.Text = strings.TrimRight(strings.TrimSuffix(rest, "\n."), "\r\n")
	if e.Text == "" {
		e.Text = strings.TrimSpace(first)
	}
	return e
}

// readFailure returns the error that the server sent in place of a document, or nil. Such an error
// is a menu with only an error and comments, or an error message of the server Gophernicus.
func (a *answer) readFailure(g urlcore.Gopher) error {
	b, _ := a.Peek(1)
	if len(b) == 0 || a.hasHeader || strings.IndexByte("30E", b[0]) < 0 || isMenu(g, a.Reader) {
		return nil
	}
	scan := new(errorMenu).scan
	if b[0] == 'E' {
		scan = beginsFailure
	}
	for closed := false; ; {
		b := a.peekBuffered()
		possible, ended := scan(b, closed)
		if !possible || !ended && len(b) >= maxFailure {
			return nil
		}
		if ended || closed {
			return newDocumentError(g, b)
		}
		var failed *protocols.Error
		switch _, err := a.Peek(len(b) + 1); {
		case err == nil:
		case err == io.EOF || errors.As(err, &failed):
			closed = true
		default:
			return err
		}
	}
}

// newDocumentError returns the error for the document g. The parameter b is the message of the server.
func newDocumentError(g urlcore.Gopher, b []byte) error {
	e := &protocols.Error{Reason: protocols.NotFound, Op: "open " + g.String()}
	line, _, _ := strings.Cut(strings.TrimLeft(string(b[:1]), "03")+string(b[1:]), "\n")
	e.Text, _, _ = strings.Cut(strings.TrimRight(line, "\r"), "\t")
	if strings.HasPrefix(e.Text, textDenied) {
		e.Reason = protocols.Denied
	}
	return e
}

// readPlusRefusal returns the Gopher+ error that a server sent for a plain request, or nil. Such an
// error is a header and a line that begins with a code of one digit.
func (a *answer) readPlusRefusal(g urlcore.Gopher) error {
	n, _, ok := a.peekHeader()
	if !ok {
		return nil
	}
	b, err := a.Peek(n + 2)
	if err != nil || b[0] != '-' || b[1] != '-' || b[n] < '0' || b[n] > '9' || b[n+1] != ' ' {
		return nil
	}
	_, _ = a.Discard(n)
	return a.readRefusal(g)
}

// The error messages of the server Gophernicus.
const (
	textNotFound = "Error: File or directory not found!"
	textDenied   = "Error: Access denied!"
)

// beginsFailure reports whether b begins with an error message of Gophernicus. If whole is false, b may also
// be the beginning of a message. A message has no end mark, so the result ended is always false.
func beginsFailure(b []byte, whole bool) (possible, ended bool) {
	for _, words := range [...]string{textNotFound, textDenied} {
		n := min(len(b), len(words))
		if string(b[:n]) == words[:n] && (n == len(words) || !whole) {
			return true, false
		}
	}
	return false, false
}

// errorMenu recognizes a menu that contains only an error.
type errorMenu struct {
	lines    int  // the number of octets in the complete lines
	searched int  // the number of octets already searched for the end of a line
	ended    bool // the line with a single dot has been read
}

// scan reports whether b can be a menu with only an error, and whether b contains the line with a single
// dot. The parameter b begins with the octets of the previous call. If the parameter whole is false, the
// last line may be incomplete.
func (m *errorMenu) scan(b []byte, whole bool) (possible, ended bool) {
	for m.lines < len(b) {
		end := bytes.IndexByte(b[m.searched:], '\n')
		if end < 0 && !whole {
			m.searched = len(b)
			return !m.ended, false
		}
		first, next := m.lines == 0, len(b)
		if end >= 0 {
			next = m.searched + end + 1
		}
		line := bytes.TrimRight(b[m.lines:next], "\r\n")
		m.lines, m.searched = next, next
		switch {
		case m.ended:
			return false, false
		case first || len(line) > 0 && (line[0] == '3' || line[0] == 'i'):
			if !isFailureLine(string(line)) {
				return false, false
			}
		case string(line) == ".":
			m.ended = true
		case len(line) > 0:
			return false, false
		}
	}
	return true, m.ended
}

// isFailureLine reports whether line has the fields of an error or a comment. A line of type 0 is
// an error only if its host is "error.host".
func isFailureLine(line string) bool {
	_, selector, _ := strings.Cut(line, "\t")
	selector, tail, _ := strings.Cut(selector, "\t")
	if line[0] == '0' {
		return selector == "" && hasErrorHost(tail)
	}
	_, port, _ := strings.Cut(tail, "\t")
	port, _, _ = strings.Cut(port, "\t")
	_, err := strconv.ParseUint(strings.TrimSpace(port), 10, 16)
	return err == nil
}

func (a *answer) peekBuffered() []byte {
	b, _ := a.Peek(a.Reader.Buffered())
	return b
}

func (a *answer) newMenuSource() menuSource {
	if a.size >= 0 {
		return menuSource{Reader: a.newRawReader()}
	}
	return menuSource{Reader: a.Reader, endsInDot: a.endsInDot}
}

// newRawReader returns a reader of the octets after the header. The reader fails if the server sends fewer
// octets than it announced. If the answer must end in a dot, the reader removes the dots of the protocol.
func (a *answer) newRawReader() io.Reader {
	switch {
	case a.size >= 0:
		return &exactReader{r: a.Reader, remaining: a.size}
	case a.endsInDot:
		return a.newTextReader()
	}
	return a.Reader
}

// newTextReader returns a reader that removes the dots that the protocol adds to a text. If the server adds no
// dots, the reader changes nothing.
func (a *answer) newTextReader() io.Reader {
	if a.exact {
		return a.newRawReader()
	}
	return &textReader{r: a.Reader, dotRequired: a.endsInDot}
}

// exactReader reads the announced number of octets.
type exactReader struct {
	r         io.Reader
	remaining int64
}

func (e *exactReader) Read(p []byte) (int, error) {
	if e.remaining <= 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > e.remaining {
		p = p[:e.remaining]
	}
	n, err := e.r.Read(p)
	e.remaining -= int64(n)
	if (err == io.EOF || protocols.ReasonOf(err) == protocols.EndUnmarked) && e.remaining > 0 {
		err = protocols.NewError(protocols.Broken, "read the item", strconv.FormatInt(e.remaining, 10)+" octets of the announced size are missing")
	}
	return n, err
}
