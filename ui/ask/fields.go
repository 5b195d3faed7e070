package ask

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/edit"
	"gofer/urlcore"
)

// Head describes a prompt: its title and the server that asks.
type Head struct {
	Title       string        // written by gofer, not by the server; names in it are quoted by clean.Name
	Note        string        // a hint about the answers, shown whole if there is room; clean
	Server      string        // host or host:port of the server that asks, clean
	ServerText  string        // words of the server about all fields, clean
	NamesServer bool          // show the name of the server in the horizontal rule or, without the rule, after the label
	URL         urlcore.URL   // subject of the prompt, or nil
	Reading     clean.Reading // charset of the choices of fields
}

// Field is a field to fill in.
type Field struct {
	Label      string // clean
	Value      string // the proposed answer
	ServerText string // words of the server about the field, clean
	Secret     bool
	Input      protocols.Input // InputLine or InputSecret, except in a form
	Choices    []string        // for InputChoice, in the octets of the server
	About      []string        // descriptions of Choices, or nil
	Required   bool            // a form shows requiredSign after the label
	Complete   CompleteFunc    // completes the typed text; nil in an InputFile means CompletePath("")
	// Where, if not nil, returns a few words about what the typed text means, to be shown above a line.
	Where func(typed string) string
}

// proposal returns the proposed answer as it is shown and edited. The proposal for a choice consists of
// the octets of the server.
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
	e.Multiline = f.Input == protocols.InputText
	e.Set(f.Value)
	return e.String()
}

// isTyped reports whether the answer is typed, not chosen.
func (f *Field) isTyped() bool {
	return slices.Contains([]protocols.Input{protocols.InputLine, protocols.InputSecret, protocols.InputText, protocols.InputFile}, f.Input)
}

// fields holds the fields of a prompt. One of them is open.
type fields struct {
	Head
	// Finish is called with the answers, one for each field.
	Finish func(answers []string) tea.Cmd
	// Leave, if not nil, is called with the answers so far when the prompt is canceled.
	Leave func(answers []string) tea.Cmd

	all     []Field
	answers []string
	index   int       // index of the open field
	line    edit.Line // text of the open field
	opened  int       // Changes of the line when the field was opened
	exact   completedLine
	completer
	outcome
}

func newFields(h Head, all []Field) fields {
	return fields{Head: h, all: all, answers: proposals(all)}
}

// proposals returns the proposed answers, one for each field.
func proposals(all []Field) []string {
	answers := make([]string, len(all))
	for i := range all {
		answers[i] = all[i].proposal()
	}
	return answers
}

func (f *fields) Subject() urlcore.URL { return f.URL }

// maxWatched is the largest number of characters of a text with which work is done at each key: a text
// to search for, or the path of a file. Further characters are ignored.
const maxWatched = 4 << 10

// insert inserts text into the open field. If watched is true, the field has at most maxWatched
// characters.
func (f *fields) insert(text string, watched bool) {
	if !watched || f.line.Selected || f.line.Len()+utf8.RuneCountInString(text) <= maxWatched {
		f.line.Insert(text)
	}
}

// Typed returns the text of the open field.
func (f *fields) Typed() string { return f.line.String() }

// completedText, setCompletedText and source implement the interface completed.
func (f *fields) completedText() string { return f.exact.text(&f.line) }

func (f *fields) setCompletedText(s string) { f.exact.set(&f.line, s) }

// source returns nil if the text is longer than a path.
func (f *fields) source() CompleteFunc {
	switch field := &f.all[f.index]; {
	case f.line.Len() > maxWatched:
		return nil
	case field.Complete == nil && field.Input == protocols.InputFile:
		return CompletePath("")
	default:
		return field.Complete
	}
}

// completeTyped completes the text of the open field if it has changed since line.Changes was old.
func (f *fields) completeTyped(old int, s *Screen) tea.Cmd {
	if f.done || f.line.Changes() == old {
		return nil
	}
	return f.complete(f, s)
}

// TakesSecret reports whether the typed text is a secret, such as a password.
func (f *fields) TakesSecret() bool { return f.line.Secret }

// Label returns the label of the open field.
func (f *fields) Label() string { return f.all[f.index].Label }

// open opens field i. The text of the previous field is lost unless keepTyped was called.
func (f *fields) open(i int) {
	f.hideCompletions()
	f.index = i
	defer func() { f.opened = f.line.Changes() }()
	field := &f.all[i]
	f.line.Secret, f.line.Multiline = field.Secret, field.Input == protocols.InputText
	if f.line.Set(""); field.isTyped() {
		f.line.Propose(f.answers[i])
	}
	if f.exact = (completedLine{}); f.source() != nil {
		f.exact = completedLine{f.line.String(), f.answers[i]}
	}
}

// keepTyped stores the typed text as the answer to the open field.
func (f *fields) keepTyped() {
	if f.index >= 0 && f.all[f.index].isTyped() {
		f.answers[f.index] = f.completedText()
	}
}

// finish ends the prompt with Finish.
func (f *fields) finish() {
	f.hideCompletions()
	f.end(func() tea.Cmd { return f.Finish(f.answers) })
}

// leave ends the prompt with Leave.
func (f *fields) leave() {
	f.keepTyped()
	f.hideCompletions()
	f.end(f.callLeave)
}

// Drop calls Leave. The prompt is not shown any more.
func (f *fields) Drop() tea.Cmd {
	f.keepTyped()
	return f.callLeave()
}

func (f *fields) callLeave() tea.Cmd {
	if f.Leave == nil {
		return nil
	}
	return f.Leave(f.answers)
}

// reopen opens the field whose answer was refused; -1 means the open field.
func (f *fields) reopen(field int) {
	if field >= 0 && field != f.index {
		f.keepTyped()
		f.open(field)
		f.line.Selected = false
	}
}
