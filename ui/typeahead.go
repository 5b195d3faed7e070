package ui

import tea "charm.land/bubbletea/v2"

// heldKeys are keys that wait for a prompt.
type heldKeys struct {
	tab  *tab
	keys []tea.Msg
}

// holdKeys returns the command for do, whose message asks for something: keys that
// are pressed before it comes are for the answer. Esc ends the wait.
func (m *Model) holdKeys(do func() resultFunc) tea.Cmd {
	held := &heldKeys{tab: m.tab}
	m.held = held
	return async(func() resultFunc {
		ask := do()
		return func() tea.Cmd { return m.askHeld(held, ask) }
	})
}

// hold keeps what is typed for the prompt to come, if one will.
func (m *Model) hold(msg tea.Msg) bool {
	if m.held == nil {
		return false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if k := msg.String(); k == "esc" || k == "ctrl+c" {
			m.held = nil
			return true
		}
	case tea.PasteMsg:
	default:
		return false
	}
	m.held.keys = append(m.held.keys, msg)
	return true
}

// askHeld asks, and types what was pressed meanwhile. That is no answer to a question
// of yes or no, which nobody has seen.
func (m *Model) askHeld(held *heldKeys, ask resultFunc) tea.Cmd {
	if m.held != held {
		return nil // the reader has gone on
	}
	m.held = nil
	cmds := []tea.Cmd{ask()}
	if m.tab.Prompt == nil || m.tab != held.tab {
		return cmds[0]
	}
	for _, k := range held.keys {
		if m.context() == asked {
			break
		}
		cmds = append(cmds, m.update(k))
	}
	return tea.Batch(cmds...)
}
