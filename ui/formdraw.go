package ui

import (
	"fmt"
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/edit"
)

// formRow is a row of a form: of the label of a field, or of what is filled in.
type formRow struct {
	field int    // -1: of no field
	label string // or the title
	input bool   // the field itself is on it
	text  string // of a text: this row of it
	at    int    // and the octet at which that begins
}

const (
	maxInput  = 48 // cells of a line to be typed
	leastText = 3  // rows of a text to be typed
)

// formPrompt is the form that is filled in, perhaps with a question or a list over
// it; nil where there is none.
func (t *tab) formPrompt() *prompt {
	switch p := t.prompt; {
	case p == nil:
	case p.form != nil:
		return p
	default:
		return p.over
	}
	return nil
}

// formLabels is the width of the column of labels; longer ones have rows of
// their own.
func (m *Model) formLabels() (width int) {
	p := m.tab.formPrompt()
	for i := range p.fields {
		f := &p.fields[i]
		switch f.input {
		case protocols.InputLine, protocols.InputSecret, protocols.InputChoice, protocols.InputFile:
			if n := m.tab.pager.Cells.Width(f.label); n <= m.width/3 {
				width = max(width, n)
			}
		}
	}
	return width
}

// formTextWidth is the room for the rows of a text.
func (m *Model) formTextWidth() int {
	return max(m.width-formGutter(m.width)-2-cell.Margin(m.width), 1)
}

// formGutter is the room before the rows, of which lead marks one.
func formGutter(width int) int {
	if width < cell.LeastAbout {
		return 1
	}
	return cell.GutterWidth
}

// formRows lays out the form that is filled in; nil where there is none.
func (m *Model) formRows() []formRow {
	p := m.tab.formPrompt()
	if p == nil || m.width <= 0 {
		return nil
	}
	c, width := m.tab.pager.Cells, max(m.width-formGutter(m.width)-cell.Margin(m.width), 1)
	labels := m.formLabels()
	rows := []formRow{{field: -1, label: p.title}}
	said := m.quoteRows(p.server, p.said, width, maxSaidRows)
	if p.said == "" && slices.ContainsFunc(p.fields, func(f field) bool { return f.said != "" }) {
		said = []string{m.saysText(p.server, width)}
	}
	for _, s := range said {
		rows = append(rows, formRow{field: -1, label: s})
	}
	rows = append(rows, formRow{field: -1})
	for i := range p.fields {
		f := &p.fields[i]
		own := func(width int) []formRow {
			var own []formRow
			for _, s := range c.Lines(f.label, width) {
				own = append(own, formRow{field: i, label: s})
			}
			return own
		}
		switch f.input {
		case protocols.InputNote:
			rows = append(rows, own(width)...)
		case protocols.InputCheck:
			check := own(max(width-len("[x] "), 1))
			check[0].input = true
			rows = append(rows, check...)
		case protocols.InputText:
			rows = append(rows, own(width)...)
			rows = append(rows, m.textRows(i)...)
		case inputSend:
			rows = append(rows, formRow{field: -1}, formRow{field: i, label: f.label, input: true})
		default:
			r := formRow{field: i, label: f.label, input: true}
			if c.Width(f.label) > labels {
				rows, r.label = append(rows, own(width)...), ""
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// textRows are the rows of a text that are shown, among them that of the cursor.
func (m *Model) textRows(i int) (rows []formRow) {
	p, c := m.tab.formPrompt(), m.tab.pager.Cells
	text, at := p.answers[i], 0
	if i == p.at {
		text, at = p.line.String(), p.line.Octet()
	}
	most := max(leastText, m.regions().rows/2)
	starts, end := c.Rows(text, at, most, m.formTextWidth())
	text = text[:end]
	first, cursor := 0, cell.RowAt(starts, at)
	if i == p.at {
		first = max(min(cell.RowAt(starts, p.form.textTop), cursor, len(starts)-most), cursor-most+1, 0)
		p.form.textTop = starts[first]
	}
	for k := first; k < min(max(len(starts), leastText), first+most); k++ {
		r := formRow{field: i, input: true, at: -1}
		if k < len(starts) {
			r.at, r.text = starts[k], cell.Row(text, starts, k)
		}
		rows = append(rows, r)
	}
	return rows
}

// formRow draws row y of the form, scrolled to what is filled in.
func (s *screen) formRow(w *cell.RowWriter, y int) {
	f := s.m.tab.formPrompt().form
	if y == 0 {
		s.formAt = s.m.tab.formCursorRow(s.form)
		if at := s.formAt; !f.detached && at >= 0 {
			f.top = min(max(f.top, at-s.rows+1), at)
			if at < s.rows-1 {
				f.top = 0
			}
		}
		f.top = min(f.top, max(len(s.form)-s.rows, 0))
	}
	if f.top+y >= len(s.form) {
		return
	}
	r := s.form[f.top+y]
	if cursor := s.m.drawFormRow(w, r, f.top+y == s.formAt); cursor >= 0 && !s.m.bar.editing && s.m.tab.prompt.form != nil {
		s.cursorAt(min(cursor, w.Width-1), s.page+y)
	}
}

// formCursorRow is the row that the cursor is on.
func (t *tab) formCursorRow(rows []formRow) int {
	p, found := t.formPrompt(), -1
	at := p.line.Octet()
	for i, r := range rows {
		switch {
		case r.field != p.at || !r.input:
		case p.fields[p.at].input != protocols.InputText:
			return i
		case r.at >= 0 && r.at <= at:
			found = i
		}
	}
	return found
}

// formFieldShown reports whether the cursor is in sight.
func (m *Model) formFieldShown() bool {
	at, top := m.tab.formCursorRow(m.formRows()), m.tab.prompt.form.top
	return at >= top && at < top+m.regions().rows
}

// drawFormRow draws a row and returns the column of the cursor, or -1.
func (m *Model) drawFormRow(w *cell.RowWriter, r formRow, current bool) (cursor int) {
	st, p := &m.styles, m.tab.formPrompt()
	if r.field < 0 {
		w.To(cell.Margin(w.Width))
		title, taken := w.Cells.Fit(r.label, w.Width-w.Col-cell.Margin(w.Width), m.glyphs.Cut)
		w.Raw(st.Bold, title, taken)
		return -1
	}
	w.Lead(current, st, &m.glyphs)
	f := &p.fields[r.field]
	switch f.input {
	case protocols.InputNote:
		w.Put("", r.label)
		return -1
	case protocols.InputCheck:
		mark := "    "
		if r.input {
			mark = map[string]string{"0": "[ ] ", "1": "[x] "}[p.answers[r.field]]
		}
		cursor = w.Col + 1
		w.Put("", mark+r.label)
	case inputSend:
		cursor = w.Col + 2
		w.Put(st.Bold, "[ "+r.label+" ]")
	case protocols.InputText:
		if !r.input {
			w.Put(st.Accent, r.label)
			return -1
		}
		w.Put(st.Dim, m.glyphs.Vertical)
		cursor = w.Col
		if current {
			cursor += w.Cells.Width(p.line.String()[r.at:p.line.Octet()])
		}
		w.Put("", r.text)
	default:
		w.Put(st.Accent, r.label)
		if !r.input {
			return -1
		}
		if labels := m.formLabels(); labels > 0 {
			w.To(formGutter(w.Width) + labels + 2)
		}
		cursor = m.drawInput(w, r.field, current)
	}
	if !current {
		return -1
	}
	return cursor
}

// drawInput draws the box of a line, a choice or a file and returns the column of
// the cursor.
func (m *Model) drawInput(w *cell.RowWriter, i int, current bool) (cursor int) {
	st, p := &m.styles, m.tab.formPrompt()
	f := &p.fields[i]
	right := w.Width - cell.Margin(w.Width)
	if f.input == protocols.InputChoice {
		cursor = w.Col
		w.Put(st.Dim, m.glyphs.Left+" ")
		text, taken := w.Cells.Fit(p.reading.Short(p.answers[i]), right-w.Col-2, m.glyphs.Cut)
		w.Raw("", text, taken)
		w.Put(st.Dim, " "+m.glyphs.Right)
		return cursor
	}
	line := edit.Line{Secret: f.secret}
	line.Set(p.answers[i])
	if current {
		line = p.line
	}
	about := ""
	if f.input == protocols.InputFile && line.String() != "" {
		file, known := p.form.files[line.String()]
		about = file.text(known)
		if !known {
			about = m.glyphs.Cut
		}
	}
	room := min(maxInput, right-w.Col-2)
	if about != "" {
		room = max(min(room, right-w.Col-3-w.Cells.Width(about)), cell.LeastWord)
	}
	w.Put(st.Dim, "[")
	if !current {
		line.At = 0 // from its beginning
	}
	text, at := line.Shown(w.Cells, max(room, 1))
	cursor, end := w.Col+at, w.Col+room
	under := cell.Style("")
	if current && line.All {
		under = st.Selected
	}
	w.Put(under, text)
	w.To(end)
	w.Put(st.Dim, "] ")
	w.Put(st.Bold, about)
	return cursor
}

// formRule draws the rule under a form, with the number of the field.
func (m *Model) formRule(w *cell.RowWriter) {
	n, at := 0, 0
	for i := range m.tab.prompt.fields {
		if in := m.tab.prompt.fields[i].input; in == protocols.InputNote || in == inputSend {
			continue
		}
		n++
		if i <= m.tab.prompt.at {
			at = n
		}
	}
	text, taken := w.Cells.Fit(fmt.Sprintf(" field %d of %d ", at, n), w.Width-2, m.glyphs.Cut)
	w.Put(m.styles.Dim, strings.Repeat(m.glyphs.Rule, max(0, w.Width-taken-cell.Margin(w.Width))))
	w.Raw("", text, taken)
	w.Put(m.styles.Dim, strings.Repeat(m.glyphs.Rule, cell.Margin(w.Width)))
}

// formStatus draws the status line under a form: what has happened, or some keys.
func (m *Model) formStatus(w *cell.RowWriter) {
	w.To(cell.Margin(w.Width))
	if m.notice != "" {
		m.left(w, w.Width-w.Col-cell.Margin(w.Width))
		return
	}
	k := m.keys
	hints := []string{k.hint("form", "send", "Ctrl-S", "send"), k.hint("editing", "cancel", "Esc", "leave"), k.hint("form", "next field", "Tab", "next field")}
	switch m.tab.prompt.fields[m.tab.prompt.at].input {
	case protocols.InputText:
		hints = append(hints, k.hint("form", "done", "Enter", "new line"))
	case protocols.InputCheck:
		hints = append(hints, k.hint("form", "change", "Space", "change"))
	case protocols.InputChoice:
		hints = append(hints, k.hint("editing", "left", "Left", k.hint("editing", "right", "Right", "change")), k.hint("form", "change", "Space", "list"))
	case protocols.InputFile:
		hints = append(hints, k.hint("form", "choose", "Ctrl-O", "choose a file"))
	case inputSend:
		hints = append(hints, k.hint("form", "done", "Enter", "send"))
	}
	for i, h := range slices.DeleteFunc(hints, func(s string) bool { return s == "" }) {
		if i > 0 {
			h = hintGap + h
		}
		if w.Col+len(h) > w.Width {
			break
		}
		w.Put(m.styles.Dim, h)
	}
}
