package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
)

// keyForm asks for the keys of an action.
type keyForm struct {
	*ask.Form
	m       *Model
	tab     *tab
	context string           // context of [Bindings]
	all     []config.Setting // all settings
	shown   string           // keys of the action that the form proposed
}

// askKeys asks for an action and its keys, beginning with those of the setting all[i].
func (m *Model) askKeys(all []config.Setting, i int) tea.Cmd {
	context, action, _ := all[i].Binding()
	names, help := m.keys.bindableActions(context)
	if action == "" && len(names) > 0 {
		action = names[0]
	}
	f := &keyForm{m: m, tab: m.tab, context: context, all: all}
	f.shown = f.keysOf(action)
	f.Form = ask.NewForm(ask.Head{Title: "Keys of an action (keys." + context + ")"}, "Save",
		ask.Field{Label: "Action", Input: protocols.InputChoice, Choices: names, About: help, Value: action},
		ask.Field{Label: "Keys", Value: f.shown},
		ask.Field{Label: "Blanks separate keys: Q Ctrl-X F5 Space gg", Input: protocols.InputNote},
		ask.Field{Label: "Without keys, the action gets its default; " + config.Empty + " takes all away", Input: protocols.InputNote})
	f.Short, f.Finish = true, f.finish
	f.Chosen = f.proposeKeys
	return m.tab.Ask(f.Form)
}

// proposeKeys replaces the keys of the action that was chosen before by those of the chosen one. The keys that the user has
// added stay.
func (f *keyForm) proposeKeys(answers []string) {
	old := strings.Fields(f.shown)
	added := slices.DeleteFunc(strings.Fields(answers[1]), func(label string) bool { return slices.Contains(old, label) })
	f.shown = f.keysOf(answers[0])
	answers[1] = f.shown
	for _, label := range added {
		answers[1] += label + " "
	}
}

// keysOf returns the labels of the keys of an action. A blank follows each, so that the user can type
// another key.
func (f *keyForm) keysOf(action string) string {
	var text strings.Builder
	for _, label := range f.m.keys.keysIn(f.context, action) {
		text.WriteString(label + " ")
	}
	return text.String()
}

// finish asks whether to take keys away from other actions, and binds the keys.
func (f *keyForm) finish(answers []string) tea.Cmd {
	action, labels := answers[0], strings.Fields(answers[1])
	if strings.Join(labels, " ") == config.Empty {
		labels = nil
	} else if i := slices.IndexFunc(labels, func(s string) bool { _, ok := parseKey(s); return !ok }); i >= 0 {
		return f.again(notAKey(clean.Short(labels[i])))
	} else if slices.Equal(labels, f.m.keys.keysIn(f.context, action)) {
		return f.m.notify("not changed: these are the keys of " + clean.Name(action))
	}
	taken := f.m.keys.taken(f.context, action, labels)
	if taken == nil {
		return f.bind(action, answers[1], nil)
	}
	q := ask.NewQuestion(takenText(taken, action), true, func() tea.Cmd { return f.bind(action, answers[1], taken) })
	q.No = func() tea.Cmd { return f.again("not changed") }
	return f.tab.Ask(q)
}

// takenText is the question whether an action gets keys of other actions.
func takenText(taken []TakenKey, action string) string {
	var words []string
	for _, t := range taken {
		text := fmt.Sprintf("%q is the key of %q", t.Key, t.From)
		if t.Last {
			text = fmt.Sprintf("%q is the only key of %q", t.Key, t.From)
		}
		words = append(words, text)
	}
	them := "it"
	if len(taken) > 1 {
		them = "them"
	}
	return strings.Join(words, ", ") + fmt.Sprintf(": bind %s to %q instead?", them, action)
}

// again shows the form again, with a notice.
func (f *keyForm) again(text string) tea.Cmd {
	f.tab.Prompt = f.Form
	f.Reopen(1)
	return f.m.notify(text)
}

// bind writes the keys of an action to the settings. Before that, it removes the taken keys from the
// settings of other actions.
func (f *keyForm) bind(action, keys string, taken []TakenKey) tea.Cmd {
	var edits []config.Edit
	var note strings.Builder
	for _, t := range taken {
		fmt.Fprintf(&note, "; %s was %q", t.Key, t.From)
		e := f.edit(t.FromContext, t.From)
		i := slices.IndexFunc(edits, func(other config.Edit) bool { return other.Key == e.Key })
		if e.Name != "" { // only its default keys are taken away
			continue
		} else if i < 0 {
			e.Text, i = e.Old, len(edits)
			edits = append(edits, e)
		}
		rest := slices.DeleteFunc(strings.Fields(edits[i].Text), func(label string) bool { k, _ := parseKey(label); return keyLabel(k) == t.Key })
		edits[i].Text = cmp.Or(strings.Join(rest, " "), config.Empty)
	}
	e := f.edit(f.context, action)
	e.Text = strings.Join(strings.Fields(keys), " ")
	return f.m.setSetting(note.String(), func(err error) tea.Cmd {
		if err != nil {
			f.tab.AskHere(f.Form)
		}
		return nil
	}, append(edits, e)...)
}

// edit returns a change of the keys of an action in the settings file, without the new keys. It has a Name
// if the file has no keys of the action.
func (f *keyForm) edit(context, action string) config.Edit {
	for _, s := range f.all {
		if c, name, ok := s.Binding(); ok && c == context && name == action && s.Source != "" {
			return config.Edit{Key: s.Key, Old: s.Text}
		}
	}
	return config.Edit{Key: "keys." + context + `.""`, Name: action}
}
