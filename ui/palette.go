package ui

import (
	"strings"

	"gofer/ui/ask"

	tea "charm.land/bubbletea/v2"
)

// openPalette lists all actions on pages, of which one is run.
func (m *Model) openPalette() tea.Cmd {
	var choices []ask.Choice
	for _, s := range m.keys.sections {
		if s.in[0] != reading {
			continue
		}
		for i := range s.actions {
			a := &s.actions[i]
			choices = append(choices, ask.Choice{Text: a.name, About: a.help, Key: strings.Join(keyLabels(m.keys.keysHere(a)), " "), Do: func() tea.Cmd {
				m.pressed = ""
				return a.do(m)
			}})
		}
	}
	return m.tab.Choose("Actions", "Action", ask.NewList(choices, false, 0))
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
