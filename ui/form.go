package ui

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
	"gofer/ui/edit"
	"gofer/ui/match"
)

// form shows the fields of a prompt as a page, over the page that is read.
type form struct {
	top      int  // the first row on the screen
	textTop  int  // the octet at which the first row that is shown of a text begins
	detached bool // it was scrolled: the field that is filled in need not be in sight
	files    map[string]formFile
}

// inputSend is the input of the last field of a form, the button that sends it.
const inputSend = protocols.Input(0xff)

// formActions are the keys of a form beside those that edit a line.
func formActions() []action {
	return []action{
		{[]string{"tab"}, "next field", "next field", by(1, (*Model).moveField)},
		{[]string{"shift+tab"}, "previous field", "previous field", by(-1, (*Model).moveField)},
		{[]string{"down", "ctrl+n"}, "down", "next field; next line of a text", by(1, (*Model).formStep)},
		{[]string{"up", "ctrl+p"}, "up", "previous field; previous line of a text", by(-1, (*Model).formStep)},
		{[]string{"enter"}, "done", "next field; a new line in a text; send the form", (*Model).enterForm},
		{[]string{"space"}, "change", "set or clear a check box; list the choices", (*Model).formSpace},
		{[]string{"ctrl+o"}, "choose", "list the choices, or files to choose from", (*Model).chooseInForm},
		{[]string{"pgdown"}, "page down", "one screen of the form down", by(1, (*Model).formPage)},
		{[]string{"pgup"}, "page up", "one screen of the form up", by(-1, (*Model).formPage)},
		{[]string{"ctrl+s", "alt+enter"}, "send", "send the form", (*Model).sendForm},
	}
}

// askFields returns the fields of an Ask. If some are more than a line it is a form,
// and its last field is a button.
func askFields(q *nav.Questions) (fields []field, isForm bool) {
	for i, f := range q.Fields {
		if f.Input == protocols.InputChoice && len(f.Choices) == 0 {
			f.Input = protocols.InputNote
		}
		f.Value = q.Proposal(i)
		if f.Input == protocols.InputFile {
			f.Value = "" // it is for the user to choose
		}
		fields = append(fields, field{
			label: clean.Short(f.Label), said: q.Reading.Short(f.Said), value: f.Value, secret: f.Input == protocols.InputSecret, input: f.Input, choices: f.Choices,
		})
		isForm = isForm || f.Input > protocols.InputSecret
	}
	for i := range fields {
		f := &fields[i]
		if isForm && f.label == "" {
			f.label = clean.Quoted(f.said)
		}
		f.label = cmp.Or(f.label, "Answer")
	}
	if isForm {
		fields = append(fields, field{label: "Send", input: inputSend})
	}
	return fields, isForm
}

// proposal is the answer that is proposed, as it may be shown and edited; that of
// a choice is in the server's octets.
func (f *field) proposal() string {
	switch f.input {
	case protocols.InputCheck:
		if f.value != "1" {
			return "0"
		}
		return "1"
	case protocols.InputChoice:
		if !slices.Contains(f.choices, f.value) {
			return f.choices[0]
		}
		return f.value
	case protocols.InputNote, inputSend:
		return ""
	}
	var e edit.Line
	e.Lines = f.input == protocols.InputText
	e.Set(f.value)
	return e.String()
}

// typed reports whether the answer is typed.
func (f *field) typed() bool {
	switch f.input {
	case protocols.InputLine, protocols.InputSecret, protocols.InputText, protocols.InputFile:
		return true
	}
	return false
}

// sameFields reports whether what was typed into old can be proposed for fields.
func sameFields(old, fields []field) bool {
	return slices.EqualFunc(old, fields, func(a, b field) bool {
		return a.label == b.label && a.said == b.said && a.input == b.input
	})
}

// beginForm opens the first field that can be filled in.
func (p *prompt) beginForm() *prompt {
	p.form = &form{files: make(map[string]formFile)}
	p.begin()
	p.at = -1
	p.nextField(1)
	p.form.detached = true // from the beginning
	return p
}

// nextField goes to the next field that can be filled in, or back to the
// previous one; false if there is none.
func (p *prompt) nextField(n int) bool {
	for i := p.at + n; i >= 0 && i < len(p.fields); i += n {
		if p.fields[i].input != protocols.InputNote {
			p.openField(i)
			return true
		}
	}
	return false
}

// openField keeps what was typed and goes to field i.
func (p *prompt) openField(i int) {
	p.keepTyped()
	p.form.detached, p.form.textTop = false, 0
	p.open(i)
}

// keepTyped makes what is being typed the answer to the field.
func (p *prompt) keepTyped() {
	if p.at >= 0 && (p.form == nil || p.fields[p.at].typed()) {
		p.answers[p.at] = p.line.String()
	}
}

// moveField goes to another field, or brings the one that is filled in into
// sight.
func (m *Model) moveField(n int) tea.Cmd {
	p := m.tab.prompt
	if p.form.detached && !m.formFieldShown() {
		p.form.detached = false
		return nil
	}
	if !p.nextField(n) {
		p.form.top = max(p.form.top+n, 0) // to notes at the ends
		p.form.detached = true
	}
	return nil
}

// formStep goes to another line of a text, else to another field.
func (m *Model) formStep(n int) tea.Cmd {
	p := m.tab.prompt
	if p.fields[p.at].input == protocols.InputText && p.line.Step(m.tab.pager.Cells, m.formTextWidth(), n) {
		p.form.detached = false
		return nil
	}
	return m.moveField(n)
}

// enterForm goes on from a field, as befits it.
func (m *Model) enterForm() tea.Cmd {
	p := m.tab.prompt
	switch p.fields[p.at].input {
	case protocols.InputText:
		return m.paste("\n")
	case protocols.InputFile:
		if path := p.line.String(); strings.TrimSpace(path) == "" || p.form.files[path].folder {
			return m.chooseFile(path)
		}
	case inputSend:
		return m.sendForm()
	}
	return m.moveField(1)
}

// formSpace changes a field that is not typed; else it types a blank.
func (m *Model) formSpace() tea.Cmd {
	p := m.tab.prompt
	switch p.fields[p.at].input {
	case protocols.InputCheck:
		p.answers[p.at] = map[string]string{"0": "1", "1": "0"}[p.answers[p.at]]
	case protocols.InputChoice:
		return m.chooseInForm()
	case inputSend:
		return m.sendForm()
	default:
		return m.paste(" ")
	}
	p.form.detached = false
	return nil
}

// turnChoice takes the n-th choice after the one taken, all around.
func (p *prompt) turnChoice(n int) {
	f := &p.fields[p.at]
	if f.input != protocols.InputChoice {
		return
	}
	i := slices.Index(f.choices, p.answers[p.at]) + n
	p.answers[p.at] = f.choices[(i+len(f.choices))%len(f.choices)]
	p.form.detached = false
}

// chooseInForm lists what can be chosen for a field.
func (m *Model) chooseInForm() tea.Cmd {
	p := m.tab.prompt
	f := &p.fields[p.at]
	switch f.input {
	case protocols.InputFile:
		return m.chooseFile(p.line.String())
	case protocols.InputChoice:
	default:
		return nil
	}
	var choices []choice
	for _, c := range f.choices {
		choices = append(choices, choice{text: clean.Name(p.reading.Short(c)), do: func() tea.Cmd {
			p.answers[p.at] = c
			return nil
		}})
	}
	label := strings.TrimRight(f.label, ": ")
	if f.said != "" { // the words of the server are in the form below
		label = "Choice"
	}
	return m.tab.chooseOver(p, label, newList(choices, true, slices.Index(f.choices, p.answers[p.at])))
}

// chooseOver asks for one of the choices of a list, which is done when p is back.
func (t *tab) chooseOver(p *prompt, label string, l *list) tea.Cmd {
	cmd := t.choose(p.title, label, l)
	done := t.prompt.done
	t.prompt.done = func(answers []string) tea.Cmd {
		t.prompt = p
		return done(answers)
	}
	if t.prompt.url = p.url; p.form != nil {
		p.form.detached = false
		t.prompt.over = p
	}
	t.prompt.left = func(_ []string) { t.prompt = p }
	return cmd
}

// sendForm sends the form. Files that go with it are named once more.
func (m *Model) sendForm() tea.Cmd {
	p := m.tab.prompt
	p.keepTyped()
	var files []string
	for i := range p.fields {
		path := p.answers[i]
		if p.fields[i].input != protocols.InputFile || path == "" {
			continue
		}
		f, known := p.form.files[path]
		if !known || f.err != nil || f.folder {
			p.openField(i)
			return tea.Batch(m.tab.lookAtFile(path), m.say("not sent: "+f.text(known)))
		}
		files = append(files, fmt.Sprintf("%s (%s)", clean.Name(path), cell.Size(f.size)))
	}
	if len(files) == 0 {
		m.tab.prompt = nil
		return p.done(p.answers)
	}
	to := ""
	if u, ok := p.url.(interface{ Addr() string }); ok {
		to = " to " + clean.Short(u.Addr())
	}
	m.tab.prompt = newQuestion("Send the file "+strings.Join(files, " and ")+to+"?", true, func() tea.Cmd {
		return p.done(p.answers)
	})
	m.tab.prompt.url, m.tab.prompt.over = p.url, p
	m.tab.prompt.no = func() tea.Cmd {
		m.tab.prompt = p
		return nil
	}
	return nil
}

// formPage scrolls the form by screens, and goes to a field that is in sight.
func (m *Model) formPage(n int) tea.Cmd {
	m.scrollForm(n * max(1, m.regions().rows-1))
	m.tab.prompt.openShown(m.formRows(), m.regions().rows)
	return nil
}

func (m *Model) scrollForm(n int) {
	f := m.tab.prompt.form
	f.top = min(max(f.top+n, 0), max(len(m.formRows())-m.regions().rows, 0))
	f.detached = true
}

// openShown goes to the first field that is in sight, unless the one that is
// filled in is.
func (p *prompt) openShown(rows []formRow, height int) {
	shown := rows[min(p.form.top, len(rows)):min(p.form.top+height, len(rows))]
	first := -1
	for _, r := range shown {
		if r.input && r.field == p.at {
			return
		}
		if r.input && first < 0 {
			first = r.field
		}
	}
	if first >= 0 {
		p.openField(first)
		p.form.detached = true
	}
}

// clickForm goes to the field of that row of the page, and changes or sends.
func (m *Model) clickForm(y int) tea.Cmd {
	p, rows := m.tab.prompt, m.formRows()
	i := p.form.top + y
	if i < 0 || i >= len(rows) || rows[i].field < 0 || p.fields[rows[i].field].input == protocols.InputNote {
		return nil
	}
	p.openField(rows[i].field)
	if p.fields[p.at].typed() {
		return nil
	}
	return m.formSpace()
}

// typeInForm takes what was typed or pasted: into a line, or to go to the next
// choice that begins with it.
func (t *tab) typeInForm(s string) tea.Cmd {
	p := t.prompt
	p.form.detached = false
	f := &p.fields[p.at]
	if f.typed() {
		p.line.Insert(s)
		return t.formTyped()
	}
	if f.input == protocols.InputChoice {
		from := slices.Index(f.choices, p.answers[p.at]) + 1
		for i := range f.choices {
			c := f.choices[(from+i)%len(f.choices)]
			if strings.HasPrefix(match.Fold(p.reading.Short(c)), match.Fold(s)) {
				p.answers[p.at] = c
				break
			}
		}
	}
	return nil
}

// formTyped looks at the file whose name is being typed.
func (t *tab) formTyped() tea.Cmd {
	p := t.prompt
	if p.fields[p.at].input != protocols.InputFile {
		return nil
	}
	if _, ok := p.form.files[p.line.String()]; ok {
		return nil
	}
	return t.lookAtFile(p.line.String())
}

// choosing is an action on the line that is typed, which in a choice of a form
// takes the n-th one after it.
func choosing(n int, do func(*edit.Line)) func(*Model) tea.Cmd {
	edit := editing(do)
	return func(m *Model) tea.Cmd {
		if !m.bar.editing && m.tab.prompt.form != nil {
			m.tab.prompt.turnChoice(n)
		}
		return edit(m)
	}
}
