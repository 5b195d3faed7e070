package ui

import tea "charm.land/bubbletea/v2"

// toggleMouse takes the mouse away from the terminal, or gives it back.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	return m.sayState(m.mouse, "the mouse scrolls and follows; "+m.keys.keyOf("mouse")+" lets it select text", "the mouse selects text; "+m.keys.keyOf("mouse")+" lets it scroll and follow")
}
