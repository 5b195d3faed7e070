package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openPalette lists all actions on pages, of which one is run.
func (m *Model) openPalette() tea.Cmd {
	var choices []choice
	for _, s := range m.keys.sections {
		if s.in[0] != reading {
			continue
		}
		for _, a := range s.actions {
			choices = append(choices, choice{text: a.name, about: a.help, key: strings.Join(keyLabels(a.keys), " "), do: func() tea.Cmd {
				m.pressed = ""
				return a.do(m)
			}})
		}
	}
	return m.tab.choose("Actions", "Action", newList(choices, false, 0))
}

// choose asks for one of the choices of a list, and does what it does.
func (t *tab) choose(title, label string, l *list) tea.Cmd {
	p := &prompt{title: title, fields: []field{{label: label}}, list: l}
	p.state = func() string { return l.position() }
	p.changed = func(typed string) tea.Cmd {
		l.narrow(typed)
		return nil
	}
	p.done = func(_ []string) tea.Cmd {
		i, ok := l.selected()
		if !ok {
			t.prompt = p
			return nil
		}
		return l.choices[i].do()
	}
	return t.ask(p.begin())
}

// keyLabels writes the keys of an action, the digits as one.
func keyLabels(keys []string) (labels []string) {
	for _, k := range keys {
		switch {
		case k == "1":
			labels = append(labels, "1-9")
		case len(k) > 1 || k < "2" || k > "9":
			labels = append(labels, keyLabel(k))
		}
	}
	return labels
}
