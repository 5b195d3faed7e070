package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// visitPlace visits a place in the page u. The parameter fragment names the place; if it is empty,
// visitPlace visits the page itself. If the page is on the screen, visitPlace moves to the place at
// once, and going back returns to the previous position.
func (m *Model) visitPlace(u urlcore.URL, fragment string) tea.Cmd {
	p := m.tab.Session.Page()
	if fragment == "" || p == nil || p.URL != u || p.Failed != nil {
		cmd := m.visit(u)
		m.tab.To.GoTo(nil, fragment)
		return cmd
	}
	i := p.IndexID(fragment, 0)
	if i < 0 {
		return m.notify("no place #" + clean.Short(fragment) + " on this page")
	}
	m.tab.Session.Jump()
	p.Fragment = fragment
	m.tab.showPage()
	m.tab.Pager.GoTo(i)
	return nil
}
