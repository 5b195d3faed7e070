package ui

import tea "charm.land/bubbletea/v2"

// typeahead has the keys that were pressed before their prompt opened.
type typeahead struct {
	tab  *tab
	keys []tea.Msg
}

// expectPrompt returns a command that calls the function do, whose result opens a prompt. Keys that
// are pressed before the prompt opens are stored for it. Esc cancels the prompt.
func (m *Model) expectPrompt(do func() resultFunc) tea.Cmd {
	keys := &typeahead{tab: m.tab}
	m.typeahead = keys
	return runInBackground(func() resultFunc {
		ask := do()
		return func() tea.Cmd { return m.replayKeys(keys, ask) }
	})
}

// bufferKey stores a key or a paste while a prompt is expected. Esc and Ctrl-C cancel the prompt.
// bufferKey reports whether it has handled msg.
func (m *Model) bufferKey(msg tea.Msg) bool {
	if m.typeahead == nil {
		return false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if k := msg.String(); k == "esc" || k == "ctrl+c" {
			m.typeahead = nil
			return true
		}
	case tea.PasteMsg:
	default:
		return false
	}
	m.typeahead.keys = append(m.typeahead.keys, msg)
	return true
}

// replayKeys opens the prompt and sends it the stored keys. The keys never answer a yes-or-no
// question, because the user pressed them before the question was shown.
func (m *Model) replayKeys(keys *typeahead, ask resultFunc) tea.Cmd {
	if m.typeahead != keys {
		return nil // canceled with Esc, or another prompt is expected
	}
	m.typeahead = nil
	cmds := []tea.Cmd{ask()}
	if m.openPrompt() == nil || m.tab != keys.tab {
		return cmds[0]
	}
	for _, k := range keys.keys {
		if m.context() == contextQuestion {
			break
		}
		cmds = append(cmds, m.update(k))
	}
	return tea.Batch(cmds...)
}
