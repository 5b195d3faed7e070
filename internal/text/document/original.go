package document

import (
	"bufio"
	"errors"
	"io"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// Original is an article or mail that the user answers.
type Original struct {
	// Text contains the lines of the body in UTF-8, without attachments. The lines may contain
	// control characters.
	Text []string
	// Flowed reports that Text is in format=flowed (RFC 3676). A line that ends in a space then
	// continues on the next line, except the line "-- ".
	Flowed bool
	header articleHeader
}

// maxOriginal is the largest size of the text, in octets.
const maxOriginal = 1 << 20

// ReadOriginal reads a message, and stops after maxOriginal octets of text.
func ReadOriginal(r io.Reader) (*Original, error) {
	m, size := new(Original), 0
	var evidence charset.Evidence
	var notes []*protocols.Hypertext // for each line, its note or nil
	var a *articleReader
	a = &articleReader{in: bufio.NewReaderSize(r, maxLine), yield: func(l protocols.Line, _ error) bool {
		note, marked := l.Note.(*protocols.Hypertext)
		armor := a.signatures > 0 && l.Kind == protocols.Signature && (a.armor == endHashes || a.armor == endSignature || l.Text == "" || l.Text == endSignature)
		if !armor && l.Kind <= protocols.Signature && l.Kind != protocols.Header || marked {
			evidence.Add(l.Text)
			m.Text, notes = append(m.Text, l.Text), append(notes, note)
			size += len(l.Text) + 1
		}
		return size < maxOriginal
	}}
	e := &entity{article: a}
	m.header = e.readHeader()
	a.showPart(e, m.header, 0, false)
	if a.err != nil && !a.stopped && !errors.Is(a.err, io.EOF) {
		return nil, a.err
	}
	_, params := parseContentType(m.header.raw("Content-Type"), false)
	declared, _ := charset.Parse(params["charset"])
	page := evidence.Choose(declared, false).EightBit()
	lines := m.Text
	m.Text = nil
	for i, l := range lines {
		rows := []string{page.OfLine(l).Decode(l)}
		if note := notes[i]; note != nil && !note.Verbatim && note.Hang == 0 {
			rows = breakRows(rows[0])
		}
		m.Text = append(m.Text, rows...)
		m.Flowed = m.Flowed || len(rows) > 1
	}
	return m, nil
}

// Field returns the value of the first field with this name as one line of UTF-8, or "". The value
// may contain control characters.
func (m *Original) Field(name string) string {
	return mimeheader.OneLine(mimeheader.Decode(m.Raw(name)))
}

// Raw returns the undecoded value of the first field with this name, or "".
func (m *Original) Raw(name string) string { return m.header.raw(name) }
