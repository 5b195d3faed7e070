package ask

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/match"
)

// cycleChoice selects the n-th choice after the selected one, and wraps at the ends.
func (f *Form) cycleChoice(n int) {
	field := &f.all[f.index]
	if field.Input != protocols.InputChoice {
		return
	}
	f.hideCompletions()
	f.line.Set("")
	i := slices.Index(field.Choices, f.answers[f.index]) + n
	f.setChoice(f.index, field.Choices[(i+len(field.Choices))%len(field.Choices)])
}

// setChoice makes a choice the answer to field i.
func (f *Form) setChoice(i int, choice string) {
	if f.answers[i] = choice; f.Chosen != nil {
		f.Chosen(f.answers)
	}
}

// choiceList returns a list of the choices of the open field. The function do is called for a chosen one.
func (f *Form) choiceList(do func(choice string)) *List {
	field := &f.all[f.index]
	var choices []Choice
	for i, c := range field.Choices {
		row := Choice{Text: f.Reading.Short(c), Do: func() tea.Cmd { do(c); return nil }}
		if f.Server != "" {
			row.Text = clean.Name(row.Text)
		}
		if field.About != nil {
			row.About = field.About[i]
		}
		choices = append(choices, row)
	}
	return NewList(choices, true, slices.Index(field.Choices, f.answers[f.index]))
}

// typeChoice lists the choices that match the text that was typed in the field, and makes the best one the
// answer. Each time that a single character is typed, the next choice that matches it as well as the best
// one becomes the answer. If there are no matches, typeChoice returns false.
func (f *Form) typeChoice(typed string) bool {
	f.hideCompletions()
	f.line.Set(typed)
	field, best, next := &f.all[f.index], match.None, ""
	from := slices.Index(field.Choices, f.answers[f.index]) + 1
	if utf8.RuneCountInString(typed) != 1 {
		from = 0
	}
	for i := range field.Choices {
		c := field.Choices[(from+i)%len(field.Choices)]
		if class := match.Classify(f.Reading.Short(c), typed); class < best {
			best, next = class, c
		}
	}
	if typed == "" || best == match.None {
		return typed == ""
	}
	f.setChoice(f.index, next)
	f.list = f.choiceList(nil)
	f.list.Narrow(typed)
	f.list.index = slices.IndexFunc(f.list.visible, func(m matchedChoice) bool { return field.Choices[m.index] == next })
	return true
}
