package viewer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
)

// Form returns the prompt if it is a form, or nil.
func (v *Viewer) Form() *ask.Form {
	f, _ := v.Prompt.(*ask.Form)
	return f
}

// Ask shows a prompt over the page.
func (v *Viewer) Ask(p ask.Prompt) tea.Cmd {
	v.Prompt = p
	return nil
}

// AskNext calls the function show, which opens a prompt, as soon as no other prompt is open. Otherwise
// the new prompt would receive keys that the user types for the other prompt.
func (v *Viewer) AskNext(show func()) {
	if v.Prompt == nil && len(v.pendingPrompts) == 0 {
		show()
		return
	}
	v.pendingPrompts = append(v.pendingPrompts, show)
	v.ShowPending()
}

// AskHere shows p as soon as no prompt is open, unless the viewer then shows another page or loads one.
func (v *Viewer) AskHere(p ask.Prompt) {
	page := v.Session.Page()
	v.AskNext(func() {
		if v.Session.Page() == page && v.Session.Loading() == nil {
			v.Prompt = p
		}
	})
}

// ShowPending shows the prompts that wait, one at a time.
func (v *Viewer) ShowPending() {
	for v.Prompt == nil && len(v.pendingPrompts) > 0 {
		show := v.pendingPrompts[0]
		v.pendingPrompts = v.pendingPrompts[1:]
		show()
		v.Waited = v.Prompt
	}
}

// AskLine asks for one line and calls done with it, unless the line is blank.
func (v *Viewer) AskLine(title, label, value string, done func(line string) tea.Cmd) tea.Cmd {
	l := ask.NewLine(ask.Head{Title: title}, ask.Field{Label: label, Value: value})
	l.Finish = func(answers []string) tea.Cmd {
		if strings.TrimSpace(answers[0]) == "" {
			return nil
		}
		return done(answers[0])
	}
	return v.Ask(l)
}

// Choose shows a list of choices, and runs the selected choice.
func (v *Viewer) Choose(title, label string, l *ask.List) tea.Cmd {
	return v.Ask(ask.NewChoose(ask.Head{Title: title}, label, l))
}
