package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/urlcore"
)

// showAttributes opens what a Gopher+ server tells of the item under the cursor, or
// of the page.
func (m *Model) showAttributes() tea.Cmd {
	u := m.tab.Here()
	if g, ok := u.(interface{ Attributes() urlcore.URL }); ok {
		return m.visit(g.Attributes())
	}
	return m.say("only the items of Gopher servers have attributes")
}

// showMenuAttributes opens what the server tells of all items of the menu.
func (m *Model) showMenuAttributes() tea.Cmd {
	u, _ := m.tab.PageHere()
	if g, ok := u.(interface {
		MenuAttributes() (urlcore.URL, bool)
	}); ok {
		if u, ok := g.MenuAttributes(); ok {
			return m.visit(u)
		}
	}
	return m.say("only the items of a Gopher menu have attributes")
}
