package document

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// textFormat holds the parameters of a text's Content-Type.
type textFormat struct {
	charset       string
	flowed, delSp bool
}

// maxTextLine is the maximal length of a line, in octets, that is read in one piece.
const maxTextLine = 16 << 10

// show yields a text: quotes and the signature are marked, and encoded files become
// attachments. If the first block turns out to be binary, the rest is one attachment.
func (a *articleReader) show(r io.Reader, f textFormat) {
	b := a.bodyLines(r)
	out := newTextWriter(f, a.classifier())
	j := judge{done: f.charset != "" && !asciiBased(f.charset)}
	for {
		line, begins := b.line()
		if line == nil {
			break
		}
		if begins {
			var file *encodedFile
			if file, line = a.encodedFile(b, line); file != nil {
				if !out.flush() {
					return
				}
				a.encoded(file)
				continue
			}
			if a.wantedSignature == a.signatures+1 && a.armour == "" && string(bytes.TrimSpace(line)) == beginSigned {
				a.takeArmoured(b, line)
				return
			}
		}
		if j.isBinary(line) {
			out.discard()
			a.shown = true
			l := &leaf{media: cmp.Or(magic(j.head), mediaBinary), asIs: true}
			l.body = io.TeeReader(io.MultiReader(bytes.NewReader(j.head), b.reader()), &l.size)
			a.attachment(l)
			return
		}
		if !out.write(line) {
			return
		}
	}
	out.flush()
}

// judge finds out whether a text is binary, by its first block.
type judge struct {
	head []byte // octets examined so far
	odd  int    // number of control characters in head that texts do not have
	done bool
}

// isBinary reports whether the text up to line is binary: a known format, or more than
// the few control characters that old programs leave in texts.
func (j *judge) isBinary(line []byte) bool {
	if j.done {
		return false
	}
	j.head = append(j.head, line...)
	j.odd += oddOctets(line)
	j.done = len(j.head) >= sniffed
	return magic(j.head) != "" || tooOdd(j.odd, len(j.head)) && !isUTF16(j.head)
}

// classifier returns a function that marks quotes and the signature of a text.
func (a *articleReader) classifier() func(protocols.Line, error) bool {
	signature := false
	a.armour = ""
	return func(l protocols.Line, _ error) bool {
		ended := a.readArmour(&l)
		signature = signature || l.Text == "-- "
		switch {
		case signature:
			l.Kind = protocols.Signature
		case QuoteMark(l.Text) != "":
			l.Kind = protocols.Quote
		}
		a.shown = true
		if a.line(l); ended {
			a.signature("OpenPGP", SignatureURL(a.page, a.signatures))
		}
		return !a.stopped
	}
}

// The lines of a cleartext signature (RFC 9580, section 7). articleReader.armour is the next expected
// line.
const (
	beginSigned    = "-----BEGIN PGP SIGNED MESSAGE-----"
	endHashes      = "the empty line before the text"
	beginSignature = "-----BEGIN PGP SIGNATURE-----"
	endSignature   = "-----END PGP SIGNATURE-----"
)

// readArmour marks a line of armour, undoes the escape of a line within it, and reports
// whether the armour ends.
func (a *articleReader) readArmour(l *protocols.Line) (ended bool) {
	line := strings.TrimSpace(l.Text)
	switch a.armour {
	case "":
		if line != beginSigned {
			return false
		}
		a.armour = endHashes
		a.signatures++
	case endHashes:
		if line == "" {
			a.armour = beginSignature
		}
	case beginSignature:
		if line != beginSignature {
			l.Text = strings.TrimPrefix(l.Text, "- ")
			return false
		}
		a.armour = endSignature
	case line: // the last one
		a.armour, ended = "", true
	}
	l.Kind = protocols.Signature
	return ended
}

// takeArmoured passes a text with armour, from its first line to its last, to takeSigned.
func (a *articleReader) takeArmoured(b *bodyLines, line []byte) {
	s := new(Signed)
	for ; line != nil && len(s.Text) <= maxSigned; line, _ = b.line() {
		if s.Text = append(s.Text, line...); string(bytes.TrimSpace(line)) == endSignature {
			break
		}
	}
	a.takeSigned(s)
}

// bodyLines reads the lines of a text without decoding them.
type bodyLines struct {
	in     *bufio.Reader
	held   [][]byte // lines put back, in reverse order
	inLine bool
}

func (a *articleReader) bodyLines(r io.Reader) *bodyLines {
	if a.body == nil {
		a.body = bufio.NewReaderSize(r, maxTextLine)
	} else {
		a.body.Reset(r)
	}
	return &bodyLines{in: a.body}
}

// line returns the next line with its line end, or a piece of a line that is too long. The result
// begins tells whether the piece is the first of its line. The result line is valid until the next
// call; it is nil at the end of the text.
func (b *bodyLines) line() (line []byte, begins bool) {
	if n := len(b.held); n > 0 {
		line, b.held = b.held[n-1], b.held[:n-1]
		return line, true
	}
	line, err := b.in.ReadSlice('\n')
	if len(line) == 0 {
		return nil, false
	}
	begins, b.inLine = !b.inLine, errors.Is(err, bufio.ErrBufferFull)
	return line, begins
}

// unread pushes line back: the next call of line returns it.
func (b *bodyLines) unread(line []byte) {
	if line != nil {
		b.held = append(b.held, bytes.Clone(line))
	}
}

// reader returns a reader of the remaining octets.
func (b *bodyLines) reader() io.Reader {
	return &pieces{next: func() []byte { line, _ := b.line(); return line }}
}

// textWriter turns the octets of a text into its lines.
type textWriter struct {
	splitter
	flow    *unflow           // or nil
	decode  encoding.Encoding // applied before the text is split into lines, or nil
	convert *transform.Writer // converts by decode; nil before the first octets
	yield   func(protocols.Line, error) bool
}

func newTextWriter(f textFormat, yield func(protocols.Line, error) bool) *textWriter {
	w := &textWriter{yield: yield}
	if f.flowed {
		w.flow = &unflow{next: yield, delSp: f.delSp}
		w.yield = w.flow.line
	}
	w.splitter.yield = w.yield
	if e := charset.ByName(f.charset); e == nil {
		return w
	} else if asciiBased(f.charset) {
		w.splitter.yield = eightBit(f.charset, e, w.yield)
	} else {
		w.decode = e
	}
	return w
}

// asciiBased reports whether a charset has one octet a character and includes ASCII.
func asciiBased(name string) bool {
	e := charset.ByName(name)
	m, ok := e.(*charmap.Charmap)
	return e == nil || ok && m.DecodeByte('\n') == '\n' && m.DecodeByte('a') == 'a'
}

// eightBit decodes lines of a charset with one octet a character. Lines that are valid UTF-8
// stay: no other text is valid UTF-8 by accident.
func eightBit(name string, e encoding.Encoding, yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
	decode := func(s string) string {
		if utf8.ValidString(s) {
			return s
		}
		t, _ := e.NewDecoder().String(s)
		return t
	}
	if c, ok := charset.Parse(name); ok {
		decode = clean.Reading{Charset: c}.Decode
	}
	return func(l protocols.Line, err error) bool {
		if !charset.Plain(l.Text) {
			l.Text = decode(l.Text)
		}
		return yield(l, err)
	}
}

type splitWriter struct{ w *textWriter }

var errNoMore = errors.New("no more lines are wanted")

func (s splitWriter) Write(p []byte) (int, error) {
	if !s.w.block(string(p)) {
		return 0, errNoMore
	}
	return len(p), nil
}

// write adds octets. It returns false if no more octets are wanted.
func (w *textWriter) write(b []byte) bool {
	if w.decode == nil {
		return w.block(string(b))
	}
	if w.convert == nil {
		w.convert = transform.NewWriter(splitWriter{w}, w.decode.NewDecoder())
	}
	_, err := w.convert.Write(b)
	return err == nil
}

// flush yields the last line if it has no line end.
func (w *textWriter) flush() bool {
	if w.convert != nil && w.convert.Close() != nil {
		return false
	}
	more := w.end()
	w.discard()
	return more && (w.flow == nil || w.flow.flush())
}

// discard drops the line that has no end yet.
func (w *textWriter) discard() { w.part, w.crs, w.convert = w.part[:0], 0, nil }
