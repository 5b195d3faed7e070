package ask

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/edit"
)

// formRow is a row of a form: the title, a label, an input, or a row of a text.
type formRow struct {
	field int    // index of the field, or -1
	label string // label of the field, or the title
	input bool   // whether the row has the input of the field
	wide  bool   // the input has the whole row
	text  string // a row of a text
	at    int    // column of the cursor in a row of a text, or -1
}

const (
	maxInput  = 48 // largest width of the input for a line or a file in place of the page, and usual width in a box, in cells
	leastText = 3  // least number of rows of a text
	smallForm = 60 // a screen of fewer cells has some labels above their inputs, and no empty rows in a form that does not fit
)

// boxWidth returns the width of the form in a box, or 0 for a form in place of the page.
func (f *Form) boxWidth(s *Screen) int {
	if f.FromServer || f.Server != "" {
		return 0
	}
	c, labels := s.Cells, f.labelWidth(s)
	need := max(cell.GutterWidth+labels+2+maxInput+3, c.Width(f.Title)+len("─  ─")+len(" field 10 of 10 "))
	for i := range f.all {
		switch field := &f.all[i]; field.Input {
		case protocols.InputChoice:
			for _, choice := range field.Choices {
				need = max(need, cell.GutterWidth+labels+2+len("<  >")+c.Width(choice)+1)
			}
		case protocols.InputFile:
			need = s.Width
		case protocols.InputLine: // by the proposed text, not by the typed one, so that the box stays as it is while the user types
			need = max(need, cell.GutterWidth+labels+2+c.Width(field.Value)+4)
		default:
			need = max(need, cell.GutterWidth+len("[x] ")+c.Width(field.Label)+1)
		}
	}
	return s.boxWidth(need)
}

// width returns the width of the rows of the form.
func (f *Form) width(s *Screen) int {
	if n := f.boxWidth(s); n > 0 {
		return n
	}
	return s.Width
}

// height returns the greatest number of rows of the form on the screen.
func (f *Form) height(s *Screen) int {
	if f.boxWidth(s) > 0 {
		return s.Rows - 2
	}
	return s.Rows
}

// Draw lays the form out. It scrolls to the open field, unless the form is detached.
func (f *Form) Draw(s *Screen) Drawing {
	rows, labels, width := f.layoutRows(s), f.labelWidth(s), f.boxWidth(s)
	at, completions := f.cursorRow(rows), f.shownCompletions(s)
	if width > 0 && completions > 0 {
		completions++ // the rule above them
	}
	height := f.height(s) - completions
	if !f.detached && at >= 0 {
		first := at // with the label above
		for first > 0 && rows[first-1].field == f.index && !rows[first-1].input {
			first--
		}
		f.top = min(max(f.top, at-height+1), first)
		if at < height-1 {
			f.top = 0
		}
	}
	f.top = min(f.top, max(len(rows)-height, 0))
	var d Drawing
	switch {
	case f.overlay != nil:
		d = f.overlay.Draw(s)
	case s.Height >= 2:
		d = Drawing{Rule: f.drawRule(s), Status: f.drawStatus(s)}
		d.Last = f.drawCompletions(s, &d)
	}
	row := func(w *cell.RowWriter, y int) (cursor int) {
		if f.top+y >= len(rows) {
			return -1
		}
		cursor = f.drawRow(w, s, rows[f.top+y], labels, f.top+y == at)
		if f.overlay != nil || cursor < 0 {
			return -1
		}
		return min(cursor, w.Width-1)
	}
	_, asks := f.overlay.(*Question)
	switch {
	case width == 0 && asks: // the words of the box are gofer's
		d.Page = row
	case width == 0:
		d.Page, d.Width = row, 0
	case f.overlay == nil:
		f.box(s, &d, min(len(rows)-f.top, height), at-f.top, row)
	}
	return d
}

// box puts n rows of the form into a box, above the completions. The cursor is in the row at.
func (f *Form) box(s *Screen, d *Drawing, n, at int, row func(w *cell.RowWriter, y int) (cursor int)) {
	d.Width, d.Selects = f.boxWidth(s), true
	var all []func(w *cell.RowWriter)
	x := -1
	for y := range n {
		all = append(all, func(w *cell.RowWriter) {
			if cursor := row(w, y); cursor >= 0 {
				x = cursor
			}
		})
	}
	if len(d.Last) > 0 {
		all = append(all, func(w *cell.RowWriter) { w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, w.Width)) })
	}
	d.Last = append(all, d.Last...)
	if at >= 0 && at < n {
		d.Cursor = func() (int, int) { return x, at }
	}
}

// labelWidth returns the width of the column of labels. Wider labels have separate rows.
func (f *Form) labelWidth(s *Screen) (width int) {
	for i := range f.all {
		field := &f.all[i]
		hasBox := field.Input == protocols.InputChoice || field.isTyped() && field.Input != protocols.InputText
		if n := s.Cells.Width(field.Label); hasBox && n <= s.Width/3 {
			width = max(width, n)
		}
	}
	return width
}

// needsRow reports whether the input of field i gets a whole row, below its label, because the screen is small and the proposed
// text does not fit beside the label.
func (f *Form) needsRow(i int, s *Screen) bool {
	room := f.width(s) - formGutter(s.Width) - f.labelWidth(s) - 2 - len("[]") - cell.Margin(s.Width)
	return s.Width < smallForm && f.all[i].isTyped() && s.Cells.Width(f.all[i].Value) > room
}

// textWidth returns the width of the rows of a text.
func (f *Form) textWidth(s *Screen) int {
	return max(f.width(s)-formGutter(s.Width)-2-cell.Margin(s.Width), 1)
}

// formGutter returns the width of the column before the rows, where a sign marks the
// current row.
func formGutter(width int) int {
	if width < minAboutWidth {
		return 1
	}
	return cell.GutterWidth
}

// layoutRows lays the form out.
func (f *Form) layoutRows(s *Screen) []formRow {
	c, width := s.Cells, max(f.width(s)-formGutter(s.Width)-cell.Margin(s.Width), 1)
	labels := f.labelWidth(s)
	var rows []formRow
	if f.boxWidth(s) == 0 { // a box has the title in its border
		rows = append(rows, formRow{field: -1, label: f.Title})
	}
	serverRows := s.quoteRows(f.Server, f.ServerText, width, maxServerRows)
	if f.ServerText == "" && slices.ContainsFunc(f.all, func(f Field) bool { return f.ServerText != "" }) {
		serverRows = []string{s.attribution(f.Server, width)}
	}
	for _, s := range serverRows {
		rows = append(rows, formRow{field: -1, label: s})
	}
	if len(rows) > 0 {
		rows = append(rows, formRow{field: -1})
	}
	for i := range f.all {
		field := &f.all[i]
		layOut := func(width int) []formRow {
			var fieldRows []formRow
			for _, s := range c.Lines(field.Label, width) {
				fieldRows = append(fieldRows, formRow{field: i, label: s})
			}
			return fieldRows
		}
		switch field.Input {
		case protocols.InputNote:
			rows = append(rows, layOut(width)...)
		case protocols.InputCheck:
			check := layOut(max(width-len("[x] "), 1))
			check[0].input = true
			rows = append(rows, check...)
		case protocols.InputText:
			rows = append(rows, layOut(width)...)
			rows = append(rows, f.textRows(i, s)...)
		case inputSend:
			rows = append(rows, formRow{field: -1}, formRow{field: i, label: field.Label, input: true})
		default:
			r := formRow{field: i, label: field.Label, input: true}
			if c.Width(field.Label) > labels || f.needsRow(i, s) {
				rows, r.label, r.wide = append(rows, layOut(width)...), "", f.needsRow(i, s)
			}
			rows = append(rows, r)
		}
	}
	if s.Width < smallForm && len(rows) > f.height(s) {
		rows = slices.DeleteFunc(rows, func(r formRow) bool { return r.field < 0 && r.label == "" })
	}
	return rows
}

// textRows returns the visible rows of the text of field i. If the field is open, they contain the row
// of the cursor.
func (f *Form) textRows(i int, s *Screen) (rows []formRow) {
	c := s.Cells
	limit := max(leastText, s.Rows/2)
	text, from, at := f.answers[i], 0, 0
	if i == f.index {
		text, from, at = f.line.Part(limit)
	} else {
		text = text[:min(len(text), edit.MaxPart*utf8.UTFMax)]
	}
	starts, end := c.Rows(text, at, limit, f.textWidth(s))
	text = text[:end]
	first, cursor := 0, cell.RowAt(starts, at)
	if i == f.index {
		top := cell.RowAt(starts, octetOffset(text, f.textTop-from))
		first = max(min(top, cursor, len(starts)-limit), cursor-limit+1, 0)
		f.textTop = from + utf8.RuneCountInString(text[:starts[first]])
	}
	for k := first; k < min(max(len(starts), leastText), first+limit); k++ {
		r := formRow{field: i, input: true, at: -1}
		if k < len(starts) {
			r.text = cell.Row(text, starts, k)
		}
		if i == f.index && k == cursor {
			r.at = c.Width(text[starts[k]:at])
		}
		rows = append(rows, r)
	}
	return rows
}

// octetOffset returns the octet offset of character n of s, or 0 if n is negative.
func octetOffset(s string, n int) int {
	for at := range s {
		if n <= 0 {
			return at
		}
		n--
	}
	return len(s)
}

// cursorRow returns the index of the row with the cursor, or -1.
func (f *Form) cursorRow(rows []formRow) int {
	return slices.IndexFunc(rows, func(r formRow) bool {
		return r.field == f.index && r.input && (f.all[f.index].Input != protocols.InputText || r.at >= 0)
	})
}

// drawRow draws a row and returns the column of the cursor, or -1. labels is the width of the column
// of labels.
func (f *Form) drawRow(w *cell.RowWriter, s *Screen, r formRow, labels int, current bool) (cursor int) {
	st := s.Styles
	if r.field < 0 {
		w.PadTo(cell.Margin(w.Width))
		title, width := w.Cells.Fit(r.label, w.Width-w.Col-cell.Margin(w.Width), s.Glyphs.Cut)
		w.PutMeasured(st.Bold, title, width)
		return -1
	}
	w.PutGutter(current, st, s.Glyphs)
	switch f.all[r.field].Input {
	case protocols.InputNote:
		w.Put("", r.label)
		return -1
	case protocols.InputCheck:
		mark := "    "
		if r.input {
			mark = map[string]string{"0": "[ ] ", "1": "[x] "}[f.answers[r.field]]
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
		w.Put(st.Dim, s.Glyphs.Vertical)
		cursor = w.Col
		if current {
			cursor += r.at
		}
		w.Put("", r.text)
	default:
		if !r.input {
			w.Put(st.Accent, r.label)
			return -1
		}
		cursor = f.drawColumns(w, s, r, labels, current)
	}
	if !current {
		return -1
	}
	return cursor
}

// drawColumns draws a label and the input of its field, and returns the column of the cursor. The gutter is drawn.
func (f *Form) drawColumns(w *cell.RowWriter, s *Screen, r formRow, labels int, current bool) (cursor int) {
	room := w.Width - w.Col
	if r.wide {
		labels = 0
	}
	if labels > 0 {
		labels = min(labels+2, room-1)
	}
	part := func(width int) *cell.RowWriter {
		return &cell.RowWriter{Builder: new(strings.Builder), Cells: w.Cells, Width: width}
	}
	label, input := part(labels), part(room-labels-cell.Margin(w.Width))
	label.Put(s.Styles.Accent, r.label)
	cursor = w.Col + labels + f.drawInput(input, s, r.field, current)
	cells, widths := []string{label.Builder.String(), input.Builder.String()}, []int{labels, room - labels}
	if labels <= 0 {
		cells, widths = cells[1:], widths[1:]
	}
	for _, row := range drawTable(s, [][]string{cells}, widths, func(int, int) bool { return false }) {
		w.PutMeasured("", row, room)
	}
	return cursor
}

// drawInput draws the input of field i, which is a line, a choice or a file. It returns the column of the
// cursor.
func (f *Form) drawInput(w *cell.RowWriter, s *Screen, i int, current bool) (cursor int) {
	st, field := s.Styles, &f.all[i]
	edge := w.Width
	if field.Input == protocols.InputChoice {
		cursor = w.Col
		w.Put(st.Dim, s.Glyphs.Left+" ")
		text, width := w.Cells.Fit(f.Reading.Short(f.answers[i]), edge-w.Col-2, s.Glyphs.Cut)
		w.PutMeasured("", text, width)
		w.Put(st.Dim, " "+s.Glyphs.Right)
		return cursor
	}
	line := f.line
	if !current { // the beginning of the answer is shown
		answer := f.answers[i]
		line = edit.Line{Secret: field.Secret}
		line.Set(answer[:min(len(answer), maxInput*edit.MaxPerCell)])
		line.Cursor = 0
	}
	about := ""
	if field.Input == protocols.InputFile && f.typedIn(i) != "" {
		info, known := f.fileAt(i, f.typedIn(i))
		about = info.describe(known)
		if !known {
			about = s.Glyphs.Cut
		}
	}
	room := edge - w.Col - 2
	if f.boxWidth(s) == 0 {
		room = min(room, maxInput)
	}
	if about != "" {
		room = max(min(room, edge-w.Col-3-w.Cells.Width(about)), cell.MinNameWidth)
	}
	w.Put(st.Dim, "[")
	text, at := line.VisibleText(w.Cells, max(room, 1))
	if cut := s.Glyphs.Cut; !current && !field.Secret && len(text) < len(line.String()) && room > len(cut) {
		text, _ = line.VisibleText(w.Cells, room-w.Cells.Width(cut))
		text += cut
	}
	cursor, end := w.Col+at, w.Col+room
	w.Put("", text)
	w.PadTo(end)
	w.Put(st.Dim, "] ")
	w.Put(st.Bold, about)
	return cursor
}
