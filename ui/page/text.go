package page

import (
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/ui/cell"
)

// LineText is what a line says, clean and on one row.
func (v *Pager) LineText(line *protocols.Line) string {
	if line.Note != nil {
		if text := line.Note.Row().Text; text != "" {
			return mimeheader.Text(v.ReadingOf(line.Note), text)
		}
	}
	text := v.Reading.Line(line.Text)
	if v.Page != nil && v.Page.ROT13 && line.Kind != protocols.Header {
		text = rot13(text)
	}
	return text + v.actionKey(line)
}

// actionKey tells the key of the action that a line of gofer's own names.
func (v *Pager) actionKey(line *protocols.Line) string {
	if a, ok := line.Note.(protocols.Action); ok {
		if key := v.KeyOf(string(a)); key != "" {
			return " (press " + key + ")"
		}
	}
	return ""
}

// Text is the clean text of line i of the page, laid out or not, with its note,
// and how many octets both were made of.
func (v *Pager) Text(i int) (text string, note protocols.Note, raw int) {
	line := v.Page.Lines.WithoutLink(i)
	raw = len(line.Text)
	if line.Note != nil {
		raw += line.Note.Memory()
	}
	if b, ok := v.foldedQuote(i); ok {
		return b.text(), line.Note, raw
	}
	return v.LineText(&line), line.Note, raw
}

// rot13 shifts the letters of ASCII by 13.
func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// looksBefore is how many lines before one are looked at for the look that it
// begins with.
const looksBefore = 200

// looks are the looks of line i of a text, if they are shown.
func (v *Pager) looks(i int, text string) []clean.Look {
	if !v.Colors || !v.InText() {
		return nil
	}
	var begin clean.SGR
	for k := max(0, i-looksBefore); k < i; k++ {
		_, begin = v.Reading.Looks(v.Page.Lines.WithoutLink(k).Text, begin)
	}
	looks, _ := v.Reading.Looks(text, begin)
	return looks
}

// coloured draws text, which stands at an octet of a line, in its looks.
func (p *Painter) coloured(w *cell.RowWriter, st cell.Style, l *laid, text string, at int) {
	done, look := 0, cell.Style("")
	for _, next := range l.looks {
		to := boundary(text, max(next.At-at, done))
		w.Put(st+look, text[done:to])
		if done, look = to, cell.Style(next.String()); to == len(text) {
			return
		}
	}
	w.Put(st+look, text[done:])
}

// text draws text, which begins at octet at of line l: a header's name dim, links,
// and some places marked, in reverse video unless another line has the current match.
func (p *Painter) text(w *cell.RowWriter, st cell.Style, l *laid, text string, at int, marks [][2]int, header bool) {
	dim := 0
	if header {
		dim = strings.IndexByte(text, ':') + 1
	}
	found := p.styles.Found
	if (p.Match < 0 || p.Match == p.at.Line) && !strings.Contains(string(st), string(p.styles.Selected)) {
		found += p.styles.Selected
	}
	from := 0
	put := func(to int) {
		if from < dim {
			w.Put(p.styles.Dim, text[from:min(to, dim)])
		}
		if start := min(max(from, dim), to); start < to {
			p.pieces(w, st, l, text[start:to], at+start)
		}
		from = to
	}
	for _, m := range marks {
		put(m[0])
		w.Put(found, text[m[0]:m[1]])
		from = m[1]
	}
	put(len(text))
}

// maxMarkedLine bounds the lines, in octets, of which all is looked through for
// what is to be marked: of longer ones it is the row.
const maxMarkedLine = 4096

// marksIn returns what is to be marked in a row, which begins at an octet of the
// text of line i.
func (p *Painter) marksIn(i int, text string, at int, row string) (marks [][2]int) {
	if p.Found == nil {
		return nil
	}
	if len(text) > maxMarkedLine || !strings.HasPrefix(text[at:], row) {
		return p.Found.Marks(row)
	}
	if p.markedLine != i {
		p.markedLine, p.places = i, p.Found.Marks(text)
	}
	for _, m := range p.places {
		from, to := max(m[0]-at, 0), min(m[1]-at, len(row))
		if from < to {
			marks = append(marks, [2]int{from, to})
		}
	}
	return marks
}
