package document

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// textFormat contains the parameters of a text's Content-Type.
type textFormat struct {
	charset       string
	flowed, delSp bool
}

// maxTextLine is the largest length of a line that is read in one piece, in octets.
const maxTextLine = 16 << 10

// showText yields the lines of a text. It marks quotes and the signature, and shows encoded files
// as attachments. If the first block turns out to be binary, the whole text becomes one attachment.
func (a *articleReader) showText(r io.Reader, f textFormat) {
	b := a.newBodyLines(r)
	out := newTextWriter(f, a.newClassifier())
	detector := binaryDetector{done: f.charset != "" && !isASCIIBased(f.charset)}
	for {
		line, begins := b.line()
		if line == nil {
			break
		}
		if begins {
			var file *encodedFile
			if file, line = a.findEncodedFile(b, line); file != nil {
				if !out.flush() {
					return
				}
				a.showEncodedFile(file)
				continue
			}
			if a.wantedSignature == a.signatures+1 && a.armor == "" && string(bytes.TrimSpace(line)) == beginSigned {
				a.takeArmored(b, line)
				return
			}
		}
		if detector.isBinary(line) {
			out.discard()
			a.shown = true
			l := &leaf{media: cmp.Or(detectFormat(detector.head), mediaBinary), asIs: true}
			l.body = io.TeeReader(io.MultiReader(bytes.NewReader(detector.head), b.reader()), &l.size)
			a.showAttachment(l)
			return
		}
		if !out.write(line) {
			return
		}
	}
	out.flush()
}

// binaryDetector detects binary data in the first block of a text.
type binaryDetector struct {
	head []byte // octets examined so far
	odd  int    // number of control characters in head that do not occur in texts
	done bool
}

// isBinary adds line to the block and reports whether the block is binary. A binary block begins
// like a known binary format, or has more control characters than old programs leave in texts.
func (d *binaryDetector) isBinary(line []byte) bool {
	if d.done {
		return false
	}
	d.head = append(d.head, line...)
	d.odd += countControls(line)
	d.done = len(d.head) >= firstBlockSize
	return detectFormat(d.head) != "" || hasTooManyControls(d.odd, len(d.head)) && !isUTF16(d.head)
}

// newClassifier returns a function that marks the quotes and the signature of a text.
func (a *articleReader) newClassifier() func(protocols.Line, error) bool {
	signature := false
	a.armor = ""
	return func(l protocols.Line, _ error) bool {
		ended := a.readArmor(&l)
		signature = signature || l.Text == "-- "
		switch {
		case signature:
			l.Kind = protocols.Signature
		case QuoteMark(l.Text) != "":
			l.Kind = protocols.Quote
		}
		a.shown = true
		if a.yieldLine(l); ended {
			a.showSignature("OpenPGP", SignatureURL(a.page, a.signatures))
		}
		return !a.stopped
	}
}

// The lines around a text with a cleartext signature (RFC 9580, section 7), in this order.
// articleReader.armor is the line that is expected next.
const (
	beginSigned    = "-----BEGIN PGP SIGNED MESSAGE-----"
	endHashes      = "the empty line before the text"
	beginSignature = "-----BEGIN PGP SIGNATURE-----"
	endSignature   = "-----END PGP SIGNATURE-----"
)

// readArmor sets the kind of an armor line to Signature. In the signed text it removes the dash
// escapes. The result ended reports whether l is the last line of the armor.
func (a *articleReader) readArmor(l *protocols.Line) (ended bool) {
	line := strings.TrimSpace(l.Text)
	switch a.armor {
	case "":
		if line != beginSigned {
			return false
		}
		a.armor = endHashes
		a.signatures++
	case endHashes:
		if line == "" {
			a.armor = beginSignature
		}
	case beginSignature:
		if line != beginSignature {
			l.Text = strings.TrimPrefix(l.Text, "- ")
			return false
		}
		a.armor = endSignature
	case line: // the last one
		a.armor, ended = "", true
	}
	l.Kind = protocols.Signature
	return ended
}

// takeArmored passes a signed text, including its armor, to a.takeSigned. The text begins with line.
func (a *articleReader) takeArmored(b *bodyLines, line []byte) {
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
	held   [][]byte // lines that unread has pushed back, the next one last
	inLine bool
}

func (a *articleReader) newBodyLines(r io.Reader) *bodyLines {
	if a.body == nil {
		a.body = bufio.NewReaderSize(r, maxTextLine)
	} else {
		a.body.Reset(r)
	}
	return &bodyLines{in: a.body}
}

// line returns the next line with its line end, or nil at the end of the text. It returns a long
// line in pieces, and begins is true for the first piece. The result is valid until the next call.
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

// unread pushes line back, so that the next call of the method line returns it.
func (b *bodyLines) unread(line []byte) {
	if line != nil {
		b.held = append(b.held, bytes.Clone(line))
	}
}

// maxBlankRows is the largest number of empty lines that peekRow looks past.
const maxBlankRows = 10

// peekRow returns the next line that is not empty, without consuming any line. It returns nil if there is
// none among the next lines.
func (b *bodyLines) peekRow() (row []byte) {
	var lines [][]byte
	for row == nil && len(lines) <= maxBlankRows {
		line, _ := b.line()
		if line == nil {
			break
		}
		line = bytes.Clone(line)
		if lines = append(lines, line); len(bytes.TrimSpace(line)) > 0 {
			row = line
		}
	}
	for _, line := range slices.Backward(lines) {
		b.unread(line)
	}
	return row
}

// reader returns a reader of the remaining octets.
func (b *bodyLines) reader() io.Reader {
	return &pieces{next: func() []byte { line, _ := b.line(); return line }}
}

// textWriter splits the octets of a text into lines.
type textWriter struct {
	splitter
	flow    *paragraphJoiner  // or nil
	decode  encoding.Encoding // applied before the text is split into lines, or nil
	convert *transform.Writer // converts with decode; nil before the first octets
	yield   func(protocols.Line, error) bool
}

func newTextWriter(f textFormat, yield func(protocols.Line, error) bool) *textWriter {
	w := &textWriter{yield: yield}
	if f.flowed {
		w.flow = &paragraphJoiner{next: yield, delSp: f.delSp}
		w.yield = w.flow.addLine
	}
	w.splitter.yield = w.yield
	if e := charset.ByName(f.charset); e == nil {
		return w
	} else if isASCIIBased(f.charset) {
		w.splitter.yield = decodeLines(f.charset, e, w.yield)
	} else {
		w.decode = e
	}
	return w
}

// isASCIIBased reports whether a charset includes ASCII and has one octet for each character. It
// returns true for UTF-8 and unknown charsets too.
func isASCIIBased(name string) bool {
	e := charset.ByName(name)
	m, ok := e.(*charmap.Charmap)
	return e == nil || ok && m.DecodeByte('\n') == '\n' && m.DecodeByte('a') == 'a'
}

// decodeLines returns a function that decodes lines and passes them to yield. The charset has one
// octet for each character. Lines that are valid UTF-8 stay unchanged, because text in another
// charset is hardly ever valid UTF-8.
func decodeLines(name string, e encoding.Encoding, yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
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
		if !charset.IsPlain(l.Text) {
			l.Text = decode(l.Text)
		}
		return yield(l, err)
	}
}

type splitWriter struct{ w *textWriter }

var errNoMore = errors.New("no more lines are wanted")

func (s splitWriter) Write(p []byte) (int, error) {
	if !s.w.addOctets(string(p)) {
		return 0, errNoMore
	}
	return len(p), nil
}

// write adds octets to the text. It returns false if the caller wants no more lines.
func (w *textWriter) write(b []byte) bool {
	if w.decode == nil {
		return w.addOctets(string(b))
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

// discard drops the incomplete last line.
func (w *textWriter) discard() { w.part, w.crs, w.convert = w.part[:0], 0, nil }
