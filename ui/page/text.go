package page

import (
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/ui/cell"
)

// CutTitle returns the title of the item under the cursor if it is to be read from page to page and its row shows only a part
// of the title. Otherwise it returns "".
func (v *Pager) CutTitle() string {
	line, ok := v.Current()
	if _, isReadable := line.Note.(protocols.Readable); !ok || !isReadable {
		return ""
	}
	l := v.line(v.Page.Cursor)
	_, room := v.Columns(line.Note)
	if !l.panned || v.Page.Left == 0 && v.Cells.Width(l.text) <= v.RightEdge()-room-v.gutter() {
		return ""
	}
	return l.text
}

// LineText returns the clean text of a line.
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

// actionKey returns a hint with the key of the action that the line names, or "".
func (v *Pager) actionKey(line *protocols.Line) string {
	if a, ok := line.Note.(protocols.Action); ok {
		if key := v.KeyOf(string(a)); key != "" {
			return " (press " + key + ")"
		}
	}
	return ""
}

// Text returns the clean text and the note of line i of the page. The result raw is their size in
// octets before cleaning.
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

// linesBefore is the number of earlier lines that are read to find the attributes at the beginning of
// a line.
const linesBefore = 200

// sgrSpans returns the attributes of line i of a text or a menu, if the colors of texts are shown. In a menu, the
// attributes of the title of an item end with the title.
func (v *Pager) sgrSpans(i int, text string) []clean.SGRSpan {
	if !v.Colors || !v.Reading.Stripped {
		return nil
	}
	var begin clean.SGR
	for k := max(0, i-linesBefore); k <= i; k++ {
		if !v.HasLinksInText() && (v.Page.Lines.HasLink(k) || k > 0 && v.Page.Lines.HasLink(k-1)) {
			begin = clean.SGR{}
		}
		if k < i {
			_, begin = v.Reading.SGRSpans(v.Page.Lines.WithoutLink(k).Text, begin)
		}
	}
	spans, _ := v.Reading.SGRSpans(text, begin)
	return spans
}

// drawColored draws text, which begins at an offset in the line, with the attributes of the line.
func (p *Painter) drawColored(w *cell.RowWriter, st cell.Style, l *lineLayout, text string, offset int) {
	done, look := 0, cell.Style("")
	for _, next := range l.spans {
		to := characterStart(text, max(next.At-offset, done))
		w.Put(st+look, text[done:to])
		if done, look = to, cell.Style(next.String()); to == len(text) {
			return
		}
	}
	w.Put(st+look, text[done:])
}

// drawText draws text, which begins at an offset in line l, with links, a dim header name and
// marks. Marks are in reverse video, unless the current match is in another line or the style st is
// already in reverse video.
func (p *Painter) drawText(w *cell.RowWriter, st cell.Style, l *lineLayout, text string, offset int, marks [][2]int, header bool) {
	dim := 0
	if header {
		dim = strings.IndexByte(text, ':') + 1
	}
	found := p.styles.Found
	if (p.Match < 0 || p.Match == p.next.Line) && !strings.Contains(string(st), string(p.styles.Selected)) {
		found += p.styles.Selected
	}
	from := 0
	put := func(to int) {
		if from < dim {
			w.Put(p.styles.Dim, text[from:min(to, dim)])
		}
		if start := min(max(from, dim), to); start < to {
			p.drawLinked(w, st, l, text[start:to], offset+start)
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

// maxMarkedLine is the largest length, in octets, of a line that is searched for matches as a whole.
// In a longer line each row is searched separately.
const maxMarkedLine = 4096

// matchesIn returns the matches in a row that begins at an offset in the text of line i.
func (p *Painter) matchesIn(i int, text string, offset int, row string) (marks [][2]int) {
	if p.Found == nil {
		return nil
	}
	if len(text) > maxMarkedLine || !strings.HasPrefix(text[offset:], row) {
		return p.Found.Marks(row)
	}
	if p.markedLine != i {
		p.markedLine, p.places = i, p.Found.Marks(text)
	}
	for _, m := range p.places {
		from, to := max(m[0]-offset, 0), min(m[1]-offset, len(row))
		if from < to {
			marks = append(marks, [2]int{from, to})
		}
	}
	return marks
}
