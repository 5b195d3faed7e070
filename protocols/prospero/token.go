package prospero

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"gofer/protocols"
)

// maxStatement is how many octets are kept of a statement: of its tokens, with
// an octet for each. The rest is passed over.
const maxStatement = 64 << 10

var errQuote = errors.New("the answer ends within quotes")

// statement is a line of an answer: its tokens, with the keyword first. A line end within quotes belongs to a token.
type statement struct {
	tokens []string
	cut    bool // there was more than is kept
}

func (s statement) keyword() string { return s.at(0) }

// at returns a token, "" if there is none.
func (s statement) at(i int) string {
	if i < len(s.tokens) {
		return s.tokens[i]
	}
	return ""
}

func (s statement) from(i int) []string { return s.tokens[min(i, len(s.tokens)):] }

// maxWords is how much of a statement is repeated in an error.
const maxWords = 500

// words returns the text in the tokens from i on.
func (s statement) words(i int) string {
	text := strings.Join(s.from(i), " ")
	return text[:min(len(text), maxWords)]
}

// message returns the words of a WARNING or FAILURE without their type, or the type if
// there are no words.
func (s statement) message() string { return cmp.Or(s.words(2), s.words(1)) }

type reader struct {
	r     *bufio.Reader
	token []byte
}

func newReader(r io.Reader) *reader { return &reader{r: bufio.NewReaderSize(r, 32<<10)} }

// next returns the next statement that has tokens. At the end of the answer the
// error is io.EOF. If stop says of the tokens so far that the next one is not to
// be kept, that one is left to be read with [reader.rest].
func (r *reader) next(stop func(tokens []string) bool) (s statement, stopped bool, err error) {
	room := maxStatement
	for {
		end, err := r.blanks()
		switch {
		case err == io.EOF && len(s.tokens) > 0, end && len(s.tokens) > 0:
			return s, false, nil
		case err != nil:
			return s, false, err
		case end:
			continue
		case stop(s.tokens):
			return s, true, nil
		}
		r.token = r.token[:0]
		if err := r.read(func(p []byte) error {
			kept := p[:max(0, min(len(p), room-len(r.token)))]
			s.cut = s.cut || len(kept) < len(p)
			r.token = append(r.token, kept...)
			return nil
		}); err != nil {
			return s, false, err
		}
		if room -= len(r.token) + 1; room <= 0 {
			s.cut = true
			continue
		}
		s.tokens = append(s.tokens, string(r.token))
	}
}

// blanks skips the blanks between tokens, and the end of the line if it follows.
func (r *reader) blanks() (end bool, err error) {
	for {
		p, err := r.r.Peek(1)
		switch {
		case err != nil:
			return false, err
		case p[0] == '\r' && !r.crlf():
			return false, nil
		case p[0] != '\n' && p[0] != '\r' && p[0] != ' ' && p[0] != '\t':
			return false, nil
		}
		if c, _ := r.r.ReadByte(); c == '\n' {
			return true, nil
		}
	}
}

// crlf reports whether a line end of two octets comes next.
func (r *reader) crlf() bool {
	p, _ := r.r.Peek(2)
	return string(p) == "\r\n"
}

// read gives the octets of a token to f, in pieces.
func (r *reader) read(f func([]byte) error) error {
	t := token{r: r}
	for {
		p, err := t.piece()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(p)
		}
		if err != nil {
			return err
		}
	}
}

// token is a token that is being read. Quotes may begin and end anywhere in it,
// and a doubled one within quotes is a quote.
type token struct {
	r      *reader
	quoted bool
	done   bool
}

// piece returns some of the token, valid until the next call. Its end is io.EOF.
func (t *token) piece() ([]byte, error) {
	for !t.done {
		if _, err := t.r.r.Peek(1); err != nil {
			if err != io.EOF {
				return nil, err
			}
			if t.done = true; t.quoted {
				return nil, &protocols.Error{Reason: protocols.Broken, Op: "read the answer", Err: errQuote}
			}
			break
		}
		buf, _ := t.r.r.Peek(t.r.r.Buffered())
		end := "' \t\r\n"
		if t.quoted {
			end = "'"
		}
		n := bytes.IndexAny(buf, end)
		if n != 0 {
			if n < 0 {
				n = len(buf)
			}
			_, _ = t.r.r.Discard(n)
			return buf[:n], nil
		}
		if p := t.mark(buf[0]); p != nil {
			return p, nil
		}
	}
	return nil, io.EOF
}

// mark takes the octet c, which is a quote or may end the token. It returns the
// octet if it belongs to the token.
func (t *token) mark(c byte) []byte {
	switch {
	case c == '\'':
		_, _ = t.r.r.Discard(1)
		if p, err := t.r.r.Peek(1); t.quoted && err == nil && p[0] == c {
			_, _ = t.r.r.Discard(1)
			return p // valid until something is read
		}
		t.quoted = !t.quoted
	case c == '\r' && !t.r.crlf():
		p, _ := t.r.r.Peek(1)
		_, _ = t.r.r.Discard(1)
		return p
	default:
		t.done = true // it is left for blanks
	}
	return nil
}

// rest returns the token where next has stopped, as a stream.
func (r *reader) rest() io.Reader { return &tokenReader{token: token{r: r}} }

type tokenReader struct {
	token
	left []byte
	err  error
}

func (t *tokenReader) Read(p []byte) (int, error) {
	if len(t.left) == 0 && t.err == nil {
		t.left, t.err = t.piece()
	}
	if len(t.left) == 0 {
		return 0, t.err
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

// quoted returns an argument of a request: in quotes if it would not stay one token
// or if it has a slash, which parts the names of a path where it has no quotes.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\r\n'/") && utf8.ValidString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
