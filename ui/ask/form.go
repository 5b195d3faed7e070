package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// inputSend is the input of the last field of a form, the button that sends it.
const inputSend = protocols.Input(0xff)

// requiredSign marks a field that must be filled in. The text in the horizontal rule below the form
// explains the sign.
const requiredSign = " *"

// Form asks for fields in a box over the page or, on a small screen, in place of the page.
type Form struct {
	// Short makes Enter send the form from a typed field. If a required field is blank, Enter opens it.
	Short bool
	// FromServer keeps the form in place of the page, as a Server in its Head does. The words of a server stay out of boxes.
	FromServer bool
	// Chosen, if not nil, is called with the answers when a choice has changed. It may change the answers of
	// fields that are not open.
	Chosen func(answers []string)

	fields
	top      int          // index of the first row on the screen
	textTop  int          // index of the first visible character of the open text
	detached bool         // the form was scrolled, so the open field may be off the screen
	files    map[int]file // the last examined file of each field
	overlay  Prompt       // prompt over the form, such as a list of choices; or nil
}

// NewForm returns a form with the fields and a button that sends it. The first field that
// can be filled in is open.
func NewForm(h Head, button string, all ...Field) *Form {
	all = append(slices.Clone(all), Field{Label: button, Input: inputSend})
	for i := range all {
		if all[i].Required {
			all[i].Label += requiredSign
		}
	}
	f := &Form{fields: newFields(h, all), files: make(map[int]file)}
	f.index = -1
	f.nextField(1)
	f.detached = true // the form is first shown from its beginning
	return f
}

// Fields returns the fields of q and the answers that the server proposes. If old has the same fields,
// the result all has the values of old. The result isForm reports whether to show the fields as a form.
// This is so if the server sent a form, or if a field needs more than a line.
func Fields(q *nav.Questions, old []Field) (all []Field, proposed []string, isForm bool) {
	isForm = q.IsForm || slices.ContainsFunc(q.Fields, func(f protocols.Field) bool { return f.Input > protocols.InputSecret })
	for i, f := range q.Fields {
		field := Field{Label: clean.Short(f.Label), ServerText: q.Reading.Short(f.ServerLabel), Value: q.Proposal(i), Secret: f.Input == protocols.InputSecret, Input: f.Input, Choices: f.Choices}
		switch {
		case f.Input == protocols.InputChoice && len(f.Choices) == 0:
			field.Input = protocols.InputNote
		case f.Input == protocols.InputFile:
			field.Value = "" // only the user chooses files to send
		}
		if isForm && field.Label == "" {
			field.Label = clean.Quote(field.ServerText)
		}
		field.Label = cmp.Or(field.Label, "Answer")
		if field.Required = isForm && f.Required; f.Required && !isForm && len(q.Fields) > 1 { // a line has no room for requiredSign
			field.Label += " (required)"
		}
		all = append(all, field)
	}
	if len(all) == 0 {
		all = []Field{{Label: "Words"}}
	}
	proposed = proposals(all)
	if slices.EqualFunc(old, all, func(a, b Field) bool { return a.Label == b.Label && a.ServerText == b.ServerText && a.Input == b.Input }) {
		for i := range all {
			all[i].Value = old[i].Value
		}
	}
	return all, proposed, isForm
}

// Reopen asks again for a field; -1 means the open field.
func (f *Form) Reopen(field int) {
	f.reopen(field)
	f.detached = false
}

func (f *Form) KeyContext() string {
	if f.overlay != nil {
		return f.overlay.KeyContext()
	}
	return "form"
}

func (f *Form) Key(action string, s *Screen) tea.Cmd {
	if f.overlay != nil {
		return f.passKey(action, s)
	}
	n := 1
	if slices.Contains([]string{"previous field", "up", "page up", "left"}, action) {
		n = -1
	}
	switch action {
	case "next field":
		if f.line.Changes() != f.opened || f.list != nil {
			return f.stepCompletion(&f.fields, n, s, func() tea.Cmd { f.move(n, s); return nil })
		}
		f.move(n, s)
	case "previous field":
		if len(f.offers) > 0 && f.list.index >= 0 {
			return f.stepCompletion(&f.fields, n, s, func() tea.Cmd { return nil })
		}
		f.move(n, s)
	case "down", "up":
		f.step(n, s)
	case "done":
		return f.enter(s)
	case "change":
		return f.changeValue(s)
	case "choose":
		return f.choose(s)
	case "page down", "page up":
		f.pageBy(n, s)
	case "send":
		return f.send(s)
	case "cancel":
		if !f.closeCompletions(s) {
			f.leave()
		}
	case "left", "right":
		f.cycleChoice(n)
		return f.edit(action, s)
	default:
		return f.edit(action, s)
	}
	return nil
}

func (f *Form) edit(action string, s *Screen) tea.Cmd {
	f.detached = false
	typed := f.line.Changes()
	f.line.Run(action)
	if f.line.Changes() != typed && f.all[f.index].Input == protocols.InputChoice {
		f.typeChoice(f.line.String())
		return nil
	}
	return tea.Batch(f.completeTyped(typed, s), f.examine(s))
}

// passKey passes the action of a key to the overlay.
func (f *Form) passKey(action string, s *Screen) tea.Cmd {
	cmd := f.overlay.Key(action, s)
	next, done := f.overlay.Done()
	if done {
		f.overlay = nil
	}
	if next != nil {
		cmd = tea.Batch(cmd, next())
	}
	return cmd
}

// TakesSecret reports whether the typed text is a secret, such as a password.
func (f *Form) TakesSecret() bool { return f.overlay == nil && f.fields.TakesSecret() }

// examine returns the command that examines the file of the open field, unless that is known.
func (f *Form) examine(s *Screen) tea.Cmd {
	if f.all[f.index].Input != protocols.InputFile {
		return nil
	}
	path := f.completedText()
	if _, known := f.fileAt(f.index, path); known {
		return nil
	}
	return f.statFile(f.index, path, s)
}

// TakesText reports whether printable characters are typed into the open field or go to the overlay.
func (f *Form) TakesText() bool { return f.overlay != nil || f.all[f.index].isTyped() }

// IsOnButton reports whether the keys press the button that sends the form.
func (f *Form) IsOnButton() bool { return f.overlay == nil && f.all[f.index].Input == inputSend }

// nextField opens the next field that can be filled in, or the previous one if n is -1. It returns
// false if there is no such field.
func (f *Form) nextField(n int) bool {
	for i := f.index + n; i >= 0 && i < len(f.all); i += n {
		if f.all[i].Input != protocols.InputNote {
			f.openField(i)
			return true
		}
	}
	return false
}

// openField stores the typed text and opens field i. Typed text follows the text in the field and does not replace it.
func (f *Form) openField(i int) {
	f.keepTyped()
	f.detached, f.textTop = false, 0
	f.open(i)
	f.line.Selected = false
}

// move opens the next field, or the previous one if n is -1. If the open field is off the screen, move
// scrolls to it instead.
func (f *Form) move(n int, s *Screen) {
	if f.detached {
		if at := f.cursorRow(f.layoutRows(s)); at < f.top || at >= f.top+f.height(s) {
			f.detached = false
			return
		}
	}
	if !f.nextField(n) {
		f.top = max(f.top+n, 0) // shows the notes before the first field or after the last
		f.detached = true
	}
}

// step moves by n rows of an open text. Beyond its ends, and in other fields, step calls move.
func (f *Form) step(n int, s *Screen) {
	if f.all[f.index].Input == protocols.InputText && f.line.Step(s.Cells, f.textWidth(s), n) {
		f.detached = false
		return
	}
	f.move(n, s)
}

// enter handles the Enter key in the open field.
func (f *Form) enter(s *Screen) tea.Cmd {
	switch f.all[f.index].Input {
	case protocols.InputText:
		return f.Insert("\n", s)
	case protocols.InputFile:
		path := f.completedText()
		if info, _ := f.fileAt(f.index, path); strings.TrimSpace(path) == "" || info.folder {
			return f.choose(s)
		}
	case inputSend:
		return f.send(s)
	}
	if f.Short && f.all[f.index].isTyped() {
		f.keepTyped()
		for i := range f.all {
			if f.all[i].Required && strings.TrimSpace(f.answers[i]) == "" {
				f.openField(i)
				return nil
			}
		}
		return f.send(s)
	}
	f.move(1, s)
	return nil
}

// changeValue toggles a check box, asks for a choice, or presses the button that sends the form. In other
// fields it types a blank.
func (f *Form) changeValue(s *Screen) tea.Cmd {
	switch f.all[f.index].Input {
	case protocols.InputCheck:
		f.answers[f.index] = map[string]string{"0": "1", "1": "0"}[f.answers[f.index]]
	case protocols.InputChoice:
		if f.line.IsEmpty() {
			return f.choose(s)
		}
		return f.Insert(" ", s)
	case inputSend:
		return f.send(s)
	default:
		return f.Insert(" ", s)
	}
	f.detached = false
	return nil
}

// choose asks for one of the choices or files for the open field.
func (f *Form) choose(s *Screen) tea.Cmd {
	field, at := &f.all[f.index], f.index
	if field.Input == protocols.InputFile {
		f.detached = false
		return f.chooseFile(f.completedText(), s, func() tea.Cmd { return f.examine(s) })
	} else if field.Input != protocols.InputChoice {
		return f.complete(f, s)
	}
	label := strings.TrimRight(strings.TrimSuffix(field.Label, requiredSign), ": ")
	if field.ServerText != "" { // the form below shows the words of the server
		label = "Choice"
	}
	f.detached = false
	f.hideCompletions()
	f.overlay = NewChoose(Head{Title: f.Title, URL: f.URL}, label, f.choiceList(func(choice string) { f.setChoice(at, choice) }))
	return nil
}

// send finishes the form. If the form sends files, send asks for a confirmation first. It opens the
// field of a file that cannot be sent.
func (f *Form) send(s *Screen) tea.Cmd {
	f.keepTyped()
	var files []string
	for i := range f.all {
		path := f.answers[i]
		if f.all[i].Input != protocols.InputFile || path == "" {
			continue
		}
		info, known := f.fileAt(i, path)
		if !known || info.err != nil || info.folder {
			f.openField(i)
			return tea.Batch(f.statFile(i, path, s), s.Notify("not sent: "+info.describe(known)))
		}
		files = append(files, fmt.Sprintf("%s (%s)", clean.Name(path), cell.Size(info.size)))
	}
	if len(files) == 0 {
		f.finish()
		return nil
	}
	destination := ""
	if u, ok := f.URL.(interface{ Addr() string }); ok {
		destination = " to " + clean.Short(u.Addr())
	}
	q := NewQuestion("Send the file "+strings.Join(files, " and ")+destination+"?", true, func() tea.Cmd {
		f.finish()
		return nil
	})
	q.URL, f.overlay = f.URL, q
	return nil
}

// pageBy scrolls the form by n screens and opens a field on the screen.
func (f *Form) pageBy(n int, s *Screen) {
	f.Scroll(n*max(1, f.height(s)-1), s)
	f.openVisibleField(f.layoutRows(s), f.height(s))
}

// Scroll scrolls the form by n rows.
func (f *Form) Scroll(n int, s *Screen) {
	f.top = min(max(f.top+n, 0), max(len(f.layoutRows(s))-f.height(s), 0))
	f.detached = true
}

// openVisibleField opens the first field on the screen, unless the open field is there.
func (f *Form) openVisibleField(rows []formRow, height int) {
	visible := rows[min(f.top, len(rows)):min(f.top+height, len(rows))]
	if slices.ContainsFunc(visible, func(r formRow) bool { return r.input && r.field == f.index }) {
		return
	}
	if i := slices.IndexFunc(visible, func(r formRow) bool { return r.input }); i >= 0 {
		f.openField(visible[i].field)
		f.detached = true
	}
}

// Click opens the field in row y of the page. If the field is not for typing, Click also changes
// its value.
func (f *Form) Click(y int, s *Screen) tea.Cmd {
	rows := f.layoutRows(s)
	if d := f.Draw(s); d.Page == nil {
		y -= s.Rows - len(d.Last)
	}
	i := f.top + y
	if y < 0 || i >= len(rows) || rows[i].field < 0 || f.all[rows[i].field].Input == protocols.InputNote {
		return nil
	}
	f.openField(rows[i].field)
	if f.all[f.index].isTyped() {
		return nil
	}
	return f.changeValue(s)
}

// Insert inserts text into a typed field, or selects the next choice that begins with it.
func (f *Form) Insert(text string, s *Screen) tea.Cmd {
	if f.overlay != nil {
		return f.overlay.Insert(text, s)
	}
	f.detached = false
	field := &f.all[f.index]
	if field.isTyped() {
		typed := f.line.Changes()
		f.insert(text, field.Input == protocols.InputFile)
		return tea.Batch(f.completeTyped(typed, s), f.examine(s))
	}
	if field.Input == protocols.InputChoice && !f.typeChoice(f.line.String()+text) && !f.typeChoice(text) {
		f.line.Set("")
	}
	return nil
}
