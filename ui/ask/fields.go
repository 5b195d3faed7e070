package ask

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/edit"
	"gofer/urlcore"
)

// Head is what stands above what is asked.
type Head struct {
	Title       string        // gofer's words; names in it are quoted by clean.Name
	Server      string        // host or host:port that Said comes from, or that wants a login; clean
	Said        string        // words of the server about all fields, clean
	NamesServer bool          // the rule names the server, or the row of the line where there is no rule
	URL         urlcore.URL   // what it is asked for, or nil
	Reading     clean.Reading // of the choices of fields
}

// Field is one answer that is asked for.
type Field struct {
	Label   string // clean
	Value   string // what is proposed
	Said    string // words of the server about it, clean
	Secret  bool
	Input   protocols.Input // a line of text, unless it is a form's
	Choices []string        // of a choice, not clean
}

// proposal is the answer that is proposed, as it may be shown and edited; that of
// a choice is in the server's octets.
func (f *Field) proposal() string {
	switch f.Input {
	case protocols.InputCheck:
		if f.Value != "1" {
			return "0"
		}
		return "1"
	case protocols.InputChoice:
		if !slices.Contains(f.Choices, f.Value) {
			return f.Choices[0]
		}
		return f.Value
	case protocols.InputNote, inputSend:
		return ""
	}
	var e edit.Line
	e.Lines = f.Input == protocols.InputText
	e.Set(f.Value)
	return e.String()
}

// typed reports whether the answer is typed.
func (f *Field) typed() bool {
	switch f.Input {
	case protocols.InputLine, protocols.InputSecret, protocols.InputText, protocols.InputFile:
		return true
	}
	return false
}

// fields are some fields, of which one is filled in.
type fields struct {
	Head
	// Finish does what follows from the answers, one for each field.
	Finish func(answers []string) tea.Cmd
	// Leave is called with the answers so far when it is left without one; may be nil.
	Leave func(answers []string)

	all     []Field
	answers []string
	at      int // the one that is filled in
	line    edit.Line
	over    Asking // asks something for a field; or nil
	ending
}

func newFields(h Head, all []Field) fields {
	return fields{Head: h, all: all, answers: proposals(all)}
}

// proposals are the answers that are proposed, one for each field.
func proposals(all []Field) []string {
	answers := make([]string, len(all))
	for i := range all {
		answers[i] = all[i].proposal()
	}
	return answers
}

// About implements [Asking].
func (f *fields) About() urlcore.URL { return f.URL }

// Typed is what is typed for the field that is filled in.
func (f *fields) Typed() string { return f.line.String() }

// Label is that of the field that is filled in.
func (f *fields) Label() string { return f.all[f.at].Label }

// Answers are the answers so far, one for each field.
func (f *fields) Answers() []string {
	f.keepTyped()
	return f.answers
}

// open goes to field i.
func (f *fields) open(i int) {
	f.at = i
	field := &f.all[i]
	f.line = edit.Line{Secret: field.Secret, Lines: field.Input == protocols.InputText}
	if field.typed() {
		f.line.Propose(f.answers[i])
		f.line.All = f.line.All && !f.line.Lines
	}
}

// keepTyped makes what is being typed the answer to the field.
func (f *fields) keepTyped() {
	if f.at >= 0 && f.all[f.at].typed() {
		f.answers[f.at] = f.line.String()
	}
}

// finish ends it with the answers.
func (f *fields) finish() {
	f.end(func() tea.Cmd { return f.Finish(f.answers) })
}

// leave ends it without them.
func (f *fields) leave() {
	f.keepTyped()
	f.end(func() tea.Cmd {
		if f.Leave != nil {
			f.Leave(f.answers)
		}
		return nil
	})
}

// overKey passes a key on to what asks something for a field, if anything does.
func (f *fields) overKey(action string, s *Screen) (cmd tea.Cmd, passed bool) {
	if f.over == nil {
		return nil, false
	}
	cmd = f.over.Key(action, s)
	next, done := f.over.Done()
	if done {
		f.over = nil
	}
	if next != nil {
		cmd = tea.Batch(cmd, next())
	}
	return cmd, true
}

// refused goes to the field whose answer is refused, or stays where it is.
func (f *fields) refused(field int) {
	if field >= 0 && field != f.at {
		f.keepTyped()
		f.open(field)
		f.line.All = false
	}
}
