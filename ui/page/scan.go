package page

import "gofer/protocols"

// Text is the clean text of line i of the page, laid out or not, with its note,
// and how many octets both were made of.
func (v *Pager) Text(i int) (text string, note protocols.Note, raw int) {
	line := v.Page.Lines.WithoutLink(i)
	raw = len(line.Text)
	if line.Note != nil {
		raw += line.Note.Memory()
	}
	if b, ok := v.FoldedQuote(i); ok {
		return b.text(), line.Note, raw
	}
	return v.LineText(&line), line.Note, raw
}
