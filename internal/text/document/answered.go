package document

import (
	"bufio"
	"errors"
	"io"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// Answered is an article or a mail that is to be answered.
type Answered struct {
	// Text holds the lines of its body in UTF-8, not cleaned, without attachments.
	Text   []string
	header articleHeader
}

// maxAnswered bounds the text, in octets.
const maxAnswered = 1 << 20

// ReadAnswered reads a message up to the end of its text.
func ReadAnswered(r io.Reader) (*Answered, error) {
	m := new(Answered)
	var evidence charset.Evidence
	size := 0
	a := &articleReader{in: bufio.NewReaderSize(r, maxLine), yield: func(l protocols.Line, _ error) bool {
		_, marked := l.Note.(*protocols.Hypertext)
		if l.Kind <= protocols.Signature && l.Kind != protocols.Header || marked {
			evidence.Add(l.Text)
			m.Text = append(m.Text, l.Text)
			size += len(l.Text) + 1
		}
		return size < maxAnswered
	}}
	e := &entity{article: a}
	m.header = e.header()
	a.part(e, m.header, 0, false)
	if a.err != nil && !a.stopped && !errors.Is(a.err, io.EOF) {
		return nil, a.err
	}
	_, params := contentType(m.header.raw("Content-Type"), false)
	declared, _ := charset.Parse(params["charset"])
	page := evidence.Choose(declared, false).EightBit()
	for i, l := range m.Text {
		m.Text[i] = page.OfLine(l).Decode(l)
	}
	return m, nil
}

// Field returns the value of the first field with this name, in UTF-8 on one line and
// not cleaned, or "".
func (m *Answered) Field(name string) string {
	return mimeheader.OneLine(mimeheader.Decode(m.Raw(name)))
}

// Raw returns the undecoded value of the first field with this name, or "".
func (m *Answered) Raw(name string) string { return m.header.raw(name) }
