package ui

import tea "charm.land/bubbletea/v2"

// toggleMouse takes the mouse away from the terminal, or gives it back.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		return m.say("the mouse scrolls and follows; " + m.keys.keyOf("mouse") + " lets it select text")
	}
	return m.say("the mouse selects text; " + m.keys.keyOf("mouse") + " lets it scroll and follow")
}
