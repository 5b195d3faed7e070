package ui

import tea "charm.land/bubbletea/v2"

// heldKeys holds the keys that were pressed before their prompt.
type heldKeys struct {
	tab  *tab
	keys []tea.Msg
}

// holdKeys returns the command for do, whose result shows a prompt. Keys that are pressed
// before are held for the prompt; Esc drops the prompt.
func (m *Model) holdKeys(do func() resultFunc) tea.Cmd {
	held := &heldKeys{tab: m.tab}
	m.held = held
	return async(func() resultFunc {
		ask := do()
		return func() tea.Cmd { return m.askHeld(held, ask) }
	})
}

// hold holds a key or a paste if a prompt is expected, and reports whether it did.
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

// askHeld shows the prompt and replays the held keys. They never answer a question of yes
// or no, because the reader has not seen it.
func (m *Model) askHeld(held *heldKeys, ask resultFunc) tea.Cmd {
	if m.held != held {
		return nil // dropped with Esc, or another prompt is expected
	}
	m.held = nil
	cmds := []tea.Cmd{ask()}
	if m.promptTab().Prompt == nil || m.tab != held.tab {
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
