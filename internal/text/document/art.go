package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/ansiart"
	"gofer/internal/text/charset"
	"gofer/protocols"
)

// maxArt is the largest size of a drawing, in octets. The rest is not shown.
const maxArt = 4 << 20

// detectDrawing finds out whether the document is a drawing, and its charset.
func (d *Document) detectDrawing() {
	d.Drawing = d.Layout == protocols.LayoutText && essence(d.Media) == mediaText && (d.Drawing || d.isDrawing())
	if b := withoutRecord(d.first); d.Drawing && (charset.IsASCII(string(b)) || !isUTF8(b)) {
		d.Converted = d.drawingCharset().String()
	}
}

// isDrawing reports whether the text is a drawing that must be rendered as on a terminal: by its name, its record, if the
// first block ends in it, or its moves of the cursor.
func (d *Document) isDrawing() bool {
	if named, ok := d.URL.(interface{ FileName() string }); ok {
		switch strings.ToLower(path.Ext(named.FileName())) {
		case ".ans", ".ice", ".cia":
			return true
		}
	}
	_, sauce := ansiart.Cut(d.first)
	return sauce != nil && sauce.IsANSI || ansiart.IsDrawing(withoutRecord(d.first))
}

// drawingCharset returns the declared charset of a drawing that is not UTF-8, or CP437, the charset of the IBM PC.
// Latin-1 does not count: servers declare it for every text.
func (d *Document) drawingCharset() charset.Charset {
	declared, _ := charset.Parse(d.Charset)
	if _, ok := declared.HighOctets(); ok && declared != charset.Windows1252 {
		return declared
	}
	return charset.CP437
}

// isUTF8 reports whether b, the beginning of a text, is UTF-8. Its last character may be incomplete.
func isUTF8(b []byte) bool {
	return utf8.Valid(b[:cut(b, len(b)-1)]) || utf8.Valid(b)
}

// artLines returns the lines of a drawing.
func artLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		octets, err := io.ReadAll(io.LimitReader(d, maxArt+1))
		if len(octets) > maxArt {
			octets = octets[:maxArt]
			d.lateNotes = append(d.lateNotes, fmt.Sprintf("the drawing is shown up to %d MiB", maxArt>>20))
		}
		octets, sauce := ansiart.Cut(octets)
		d.addSauce(sauce)
		width := 0
		if sauce != nil {
			width = sauce.Width
		}
		var high *[128]rune
		if !utf8.Valid(octets) {
			high, _ = d.drawingCharset().HighOctets()
		}
		lines, whole := ansiart.Render(octets, width, high)
		if !whole {
			d.lateNotes = append(d.lateNotes, fmt.Sprintf("the drawing is shown up to line %d", ansiart.MaxRows))
		}
		verbatim := &protocols.Hypertext{Verbatim: true}
		for _, text := range lines {
			if !yield(protocols.Line{Text: text, Note: verbatim}, nil) {
				return
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			yield(protocols.Line{}, err)
		}
	}
}

// addSauce adds a note about the title and the author of the document.
func (d *Document) addSauce(s *ansiart.Sauce) {
	if s != nil && s.String() != "" {
		d.lateNotes = append(d.lateNotes, s.String())
	}
}

// LateNotes returns the notes that are known after the last line.
func (d *Document) LateNotes() []string { return d.lateNotes }

// withoutRecord returns b, the beginning of a document, up to a SAUCE record.
func withoutRecord(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte("SAUCE00"))
	return b
}

// recordMarks begin the part of a file that is not its text.
var recordMarks = [...]string{"\x1aSAUCE00", "\x1aCOMNT", "SAUCE00"}

// recordReader reads a text without the SAUCE record at its end.
type recordReader struct {
	d    *Document
	r    io.Reader
	held []byte // octets that may belong to the record
	out  []byte // octets to return
	err  error
}

func (s *recordReader) Read(p []byte) (int, error) {
	for len(s.out) == 0 && s.err == nil {
		var n int
		n, s.err = s.r.Read(p)
		s.held = append(s.held, p[:n]...)
		i := max(0, len(s.held)-ansiart.MaxTail) // an earlier mark is not of the record at the end
		i += markIndex(s.held[i:])
		s.out, s.held = s.held[:i:i], s.held[i:]
		if s.err != nil {
			rest, sauce := ansiart.Cut(s.held)
			s.d.addSauce(sauce)
			s.out, s.held = append(s.out, rest...), nil
		}
	}
	n := copy(p, s.out)
	if s.out = s.out[n:]; len(s.out) > 0 {
		return n, nil
	}
	return n, s.err
}

// markIndex returns the index of the first mark in b, or of the beginning of a mark at the end of b, or the length of b.
func markIndex(b []byte) int {
	first := len(b)
	for _, mark := range recordMarks {
		if i := bytes.Index(b, []byte(mark)); i >= 0 {
			first = min(first, i)
		}
		for n := min(len(mark)-1, len(b)); n > 0; n-- {
			if string(b[len(b)-n:]) == mark[:n] {
				first = min(first, len(b)-n)
				break
			}
		}
	}
	return first
}
