package aids

import (
	tea "charm.land/bubbletea/v2"

	"gofer/urlcore"
)

// ShowAttributes opens what a Gopher+ server tells of the item under the cursor, or
// of the page.
func (a *Aids) ShowAttributes() tea.Cmd {
	u := a.program.Tab().Here()
	if g, ok := u.(interface{ Attributes() urlcore.URL }); ok {
		return a.program.Visit(g.Attributes())
	}
	return a.program.Say("only the items of Gopher servers have attributes")
}

// ShowMenuAttributes opens what the server tells of all items of the menu.
func (a *Aids) ShowMenuAttributes() tea.Cmd {
	u, _ := a.program.Tab().PageHere()
	if g, ok := u.(interface {
		MenuAttributes() (urlcore.URL, bool)
	}); ok {
		if u, ok := g.MenuAttributes(); ok {
			return a.program.Visit(u)
		}
	}
	return a.program.Say("only the items of a Gopher menu have attributes")
}
