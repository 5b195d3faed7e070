package document

import (
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"gofer/protocols"
)

// maxLine is the largest length of a line. A longer line is split.
const maxLine = 64 << 10

// maxCRs is the largest number of CRs in a row that can be part of one line end.
const maxCRs = 16

// splitter splits a text into lines. A line ends in LF, CR LF or CR. Several CRs before an LF are
// one line end, because converting a file twice produces CR CR LF.
type splitter struct {
	part  []byte // beginning of a line whose end has not arrived
	crs   int    // number of CRs since the end of the last line, including the CR that ended the line
	yield func(protocols.Line, error) bool
}

// addOctets adds octets to the text. It returns false if yield returned false.
func (s *splitter) addOctets(b string) bool {
	lf := strings.IndexByte(b, '\n')
	for at := 0; at < len(b); {
		if s.crs > 0 {
			switch {
			case b[at] == '\r' && s.crs < maxCRs:
				s.crs++
				at++
				continue
			case b[at] == '\n':
				s.crs = 0
				at++
				continue
			}
			if !s.yieldBlanks() {
				return false
			}
		}
		if lf >= 0 && lf < at {
			if lf = strings.IndexByte(b[at:], '\n'); lf >= 0 {
				lf += at
			}
		}
		end := lf
		if end < 0 {
			end = len(b)
		}
		if cr := strings.IndexByte(b[at:end], '\r'); cr >= 0 {
			end = at + cr
		}
		if end == len(b) {
			return s.hold(b[at:])
		}
		if !s.yieldLine(b[at:end]) {
			return false
		}
		if b[end] == '\r' {
			s.crs = 1
		}
		at = end + 1
	}
	return true
}

// yieldBlanks yields an empty line for each CR in s.crs except the first.
func (s *splitter) yieldBlanks() bool {
	for ; s.crs > 1; s.crs-- {
		if !s.yield(protocols.Line{}, nil) {
			return false
		}
	}
	s.crs = 0
	return true
}

// hold adds b to the incomplete line. It yields pieces of a line that is too long.
func (s *splitter) hold(b string) bool {
	s.part = append(s.part, b...)
	for len(s.part) > maxLine {
		n := cut(s.part, maxLine)
		if !s.yield(protocols.Line{Text: string(s.part[:n])}, nil) {
			return false
		}
		s.part = append(s.part[:0], s.part[n:]...)
	}
	return true
}

// yieldLine yields the incomplete line, with b at its end.
func (s *splitter) yieldLine(b string) bool {
	if len(s.part) > 0 || len(b) > maxLine {
		if !s.hold(b) {
			return false
		}
		b = string(s.part)
		s.part = s.part[:0]
	}
	return s.yield(protocols.Line{Text: b}, nil)
}

// end yields the last line if it has no line end.
func (s *splitter) end() bool {
	return s.yieldBlanks() && (len(s.part) == 0 || s.yield(protocols.Line{Text: string(s.part)}, nil))
}

// cut returns the length of the first piece of s, if s is split into pieces of at most n octets.
// The length is n, or up to three less to keep a UTF-8 sequence whole.
func cut(s []byte, n int) int {
	for i := n; i >= max(0, n-3); i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}

// textLines returns the lines of a text, without a byte order mark. It converts the charsets to UTF-8 that a
// page cannot choose for its lines, like the texts of articles: UTF-16, UTF-7, ISO 8859-15 and others.
func textLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		r, known := d.decodedReader()
		var f textFormat
		if !known {
			f.charset = d.unchosenCharset()
		}
		if essence(d.Media) == mediaText {
			r = &recordReader{d: d, r: r}
		}
		splitText(r, f, yield)
	}
}

// splitText yields the lines of r, and then an error of r other than io.EOF.
func splitText(r io.Reader, f textFormat, yield func(protocols.Line, error) bool) {
	w := newTextWriter(f, yield)
	buf := make([]byte, 32<<10)
	for idle := 0; idle < 100; idle++ {
		n, err := r.Read(buf)
		if n > 0 {
			idle = 0
			if !w.write(buf[:n]) {
				return
			}
		}
		if err != nil {
			if w.flush() && !errors.Is(err, io.EOF) {
				yield(protocols.Line{}, err)
			}
			return
		}
	}
	yield(protocols.Line{}, io.ErrNoProgress)
}
