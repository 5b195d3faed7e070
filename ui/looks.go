package ui

import (
	tea "charm.land/bubbletea/v2"
)

// toggleColors shows the colours that texts ask for, or leaves them out. All their
// other control sequences are left out always.
func (m *Model) toggleColors() tea.Cmd {
	for _, t := range m.allTabs() {
		t.pager.Colors = !t.pager.Colors
		t.pager.Invalidate()
	}
	return m.sayState(m.pager.Colors, "the colours of texts are shown", "the colours of texts are left out")
}
