package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/pageinfo"
)

// pageInfo shows what is known of the page, over it.
func (m *Model) pageInfo() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil || p.Asked == nil {
		return m.say("nothing is known of this page but what it says")
	}
	m.tab.cover(pageinfo.Of(p, m.opts.Zone))
	return nil
}
