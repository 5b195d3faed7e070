package document

import (
	"bytes"
	"cmp"
	"io"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gofer/internal/text/charset"
)

// htmlHead returns the title of a hypertext, in the charset of block, and the charset in its meta
// elements. block is the beginning of the hypertext. ended reports whether block contains the whole
// head.
func htmlHead(block []byte) (title, charset string, ended bool) {
	z := html.NewTokenizer(bytes.NewReader(block))
	inTitle, known := false, false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return title, charset, false
		case html.TextToken:
			if inTitle && title == "" {
				title = string(bytes.Join(bytes.Fields(z.Text()), []byte(" ")))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			known = known || tag == atom.Title && inTitle
			if inTitle = false; tag == atom.Head {
				return title, charset, true
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Title:
				inTitle = !known
			case atom.Meta:
				if charset == "" {
					charset = parseMetaCharset(z, more)
				}
			case atom.Body, atom.P, atom.Div, atom.H1, atom.Table:
				return title, charset, true
			}
		}
	}
}

// parseMetaCharset returns the charset in a meta element, or "".
func parseMetaCharset(z *html.Tokenizer, more bool) (charset string) {
	for more {
		var key, value []byte
		switch key, value, more = z.TagAttr(); atom.Lookup(key) {
		case atom.Charset:
			charset = string(value)
		case atom.Content:
			if _, params := parseContentType(string(value), false); charset == "" {
				charset = params["charset"]
			}
		}
	}
	return charset
}

// htmlCharset returns the charset of a hypertext. header is the charset in the header of the
// response, and meta the charset in the meta elements. block is the beginning of the hypertext.
// Invalid UTF-8 in block outweighs a declaration of UTF-8.
func htmlCharset(header, meta string, block []byte) string {
	declared := cmp.Or(header, meta)
	if charset.ByName(declared) != nil || isUTF16(block) || utf8.Valid(block[:wholeLength(block)]) {
		return declared
	}
	if charset.ByName(meta) != nil {
		return meta
	}
	return guessCharset(block)
}

// guessCharset returns the likely charset of octets that are not UTF-8.
func guessCharset(b []byte) string {
	var e charset.Evidence
	for line := range bytes.Lines(b) {
		e.Add(string(line))
	}
	return e.Choose(charset.Auto, false).Charset.String()
}

// utf8Reader returns a reader that converts the hypertext d to UTF-8, from the declared charset or
// from a guessed one.
func utf8Reader(d *Document) io.Reader {
	if r, known := d.decodedReader(); known {
		return r
	}
	if charset.ByName(d.Charset) != nil {
		return charset.NewReader(d, d.Charset)
	}
	return &guessingReader{r: d}
}

// guessingReader reads UTF-8 up to a block with invalid octets or an escape sequence of ISO-2022-JP.
// It guesses the charset of this block, and converts the block and all later octets to UTF-8.
type guessingReader struct {
	r     io.Reader
	part  []byte // incomplete character at the end of the last block
	known io.Reader
}

// enoughToGuess is the number of further octets that are read to guess a charset.
const enoughToGuess = 1 << 10

func (g *guessingReader) Read(p []byte) (int, error) {
	if g.known != nil {
		return g.known.Read(p)
	}
	n := copy(p, g.part)
	k, err := g.r.Read(p[n:])
	n += k
	g.part = g.part[:0]
	if whole := wholeLength(p[:n]); err == nil && whole < n && whole > 0 && utf8.Valid(p[:whole]) {
		g.part = append(g.part, p[whole:n]...)
		return whole, nil
	}
	if utf8.Valid(p[:n]) && !bytes.Contains(p[:n], []byte("\x1b$")) {
		return n, err
	}
	seen, more := bytes.Clone(p[:n]), make([]byte, enoughToGuess)
	for want := n + enoughToGuess; len(seen) < want && err == nil; {
		k, err = g.r.Read(more)
		seen = append(seen, more[:k]...)
	}
	var rest io.Reader = errorReader{err}
	if err == nil {
		rest = g.r
	}
	g.known = charset.NewReader(io.MultiReader(bytes.NewReader(seen), rest), guessCharset(seen))
	return g.known.Read(p)
}

// wholeLength returns the length of b without an incomplete character at its end.
func wholeLength(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }
