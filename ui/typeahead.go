package ui

import tea "charm.land/bubbletea/v2"

// heldKeys has the keys that were pressed before their prompt opened.
type heldKeys struct {
	tab  *tab
	keys []tea.Msg
}

// holdKeys returns the command for do, whose result opens a prompt. Keys that are pressed before
// are kept for the prompt; Esc cancels the prompt.
func (m *Model) holdKeys(do func() resultFunc) tea.Cmd {
	held := &heldKeys{tab: m.tab}
	m.held = held
	return async(func() resultFunc {
		ask := do()
		return func() tea.Cmd { return m.askHeld(held, ask) }
	})
}

// hold keeps a key or a paste if a prompt is expected, and reports whether it did.
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

// askHeld opens the prompt and sends it the kept keys. They never answer a yes-or-no question,
// because the user has not seen it.
func (m *Model) askHeld(held *heldKeys, ask resultFunc) tea.Cmd {
	if m.held != held {
		return nil // cancelled with Esc, or another prompt is expected
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
