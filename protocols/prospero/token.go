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

// maxStatement is the maximum length of a statement: the octets of its tokens and one more octet
// for each token. The rest of a longer statement is skipped.
const maxStatement = 64 << 10

var errQuote = errors.New("the answer ends within quotes")

// statement is a line of an answer. Its first token is the keyword. A line end within quotes is a
// part of a token.
type statement struct {
	tokens    []string
	truncated bool // the end of the statement was skipped
}

func (s statement) keyword() string { return s.token(0) }

// token returns token i, or "" if there is none.
func (s statement) token(i int) string {
	if i < len(s.tokens) {
		return s.tokens[i]
	}
	return ""
}

func (s statement) tokensFrom(i int) []string { return s.tokens[min(i, len(s.tokens)):] }

// maxWords is the maximum length, in octets, of the text that the method words returns.
const maxWords = 500

// words returns the tokens from i on as one text for an error or a line.
func (s statement) words(i int) string {
	text := strings.Join(s.tokensFrom(i), " ")
	return text[:min(len(text), maxWords)]
}

// message returns the words of a WARNING or FAILURE without their type. If there are no words, it
// returns the type.
func (s statement) message() string { return cmp.Or(s.words(2), s.words(1)) }

type reader struct {
	r     *bufio.Reader
	token []byte
}

func newReader(r io.Reader) *reader { return &reader{r: bufio.NewReaderSize(r, 32<<10)} }

// next returns the next statement that has tokens. At the end of the answer the error is io.EOF. If
// stop returns true for the tokens so far, next returns early. The caller then reads the next token
// from [reader.tokenRest].
func (r *reader) next(stop func(tokens []string) bool) (s statement, stopped bool, err error) {
	room := maxStatement
	for {
		end, err := r.skipBlanks()
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
		if err := r.readToken(func(p []byte) error {
			kept := p[:max(0, min(len(p), room-len(r.token)))]
			s.truncated = s.truncated || len(kept) < len(p)
			r.token = append(r.token, kept...)
			return nil
		}); err != nil {
			return s, false, err
		}
		if room -= len(r.token) + 1; room <= 0 {
			s.truncated = true
			continue
		}
		s.tokens = append(s.tokens, string(r.token))
	}
}

// skipBlanks skips the blanks between tokens, and a line end after them. The result end reports
// whether it skipped a line end.
func (r *reader) skipBlanks() (end bool, err error) {
	for {
		p, err := r.r.Peek(1)
		switch {
		case err != nil:
			return false, err
		case p[0] == '\r' && !r.isAtCRLF():
			return false, nil
		case p[0] != '\n' && p[0] != '\r' && p[0] != ' ' && p[0] != '\t':
			return false, nil
		}
		if c, _ := r.r.ReadByte(); c == '\n' {
			return true, nil
		}
	}
}

// isAtCRLF reports whether a line end of two octets comes next.
func (r *reader) isAtCRLF() bool {
	p, _ := r.r.Peek(2)
	return string(p) == "\r\n"
}

// readToken calls f with the octets of a token, piece by piece.
func (r *reader) readToken(f func([]byte) error) error {
	t := token{r: r}
	for {
		p, err := t.nextPiece()
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

// token reads a token. Quotes may begin and end anywhere in a token, and two quotes within quotes
// mean a quote.
type token struct {
	r      *reader
	quoted bool
	done   bool
}

// nextPiece returns a piece of the token, which is valid until the next call. At the end of the
// token it returns io.EOF.
func (t *token) nextPiece() ([]byte, error) {
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
		if p := t.handleMark(buf[0]); p != nil {
			return p, nil
		}
	}
	return nil, io.EOF
}

// handleMark handles the octet c, which is a quote or may end the token. If the octet belongs to
// the token, handleMark returns it.
func (t *token) handleMark(c byte) []byte {
	switch {
	case c == '\'':
		_, _ = t.r.r.Discard(1)
		if p, err := t.r.r.Peek(1); t.quoted && err == nil && p[0] == c {
			_, _ = t.r.r.Discard(1)
			return p // valid until the next read
		}
		t.quoted = !t.quoted
	case c == '\r' && !t.r.isAtCRLF():
		p, _ := t.r.r.Peek(1)
		_, _ = t.r.r.Discard(1)
		return p
	default:
		t.done = true // skipBlanks reads this octet
	}
	return nil
}

// tokenRest returns a reader of the next token, for use after next has returned early.
func (r *reader) tokenRest() io.Reader { return &tokenReader{token: token{r: r}} }

type tokenReader struct {
	token
	pending []byte
	err     error
}

func (t *tokenReader) Read(p []byte) (int, error) {
	if len(t.pending) == 0 && t.err == nil {
		t.pending, t.err = t.nextPiece()
	}
	if len(t.pending) == 0 {
		return 0, t.err
	}
	n := copy(p, t.pending)
	t.pending = t.pending[n:]
	return n, nil
}

// quote returns s as an argument of a request, in quotes if necessary. Without quotes, s might not
// be one token, or a slash in it would separate names of a path.
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\r\n'/") && utf8.ValidString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
