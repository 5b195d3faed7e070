package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
)

// toggleQuotes folds the long quotes of articles to one line each, or shows them,
// in all tabs.
func (m *Model) toggleQuotes() tea.Cmd {
	fold := !m.tab.Pager.FoldQuotes
	for _, t := range m.allTabs() {
		t.ResetSearch()
		t.Pager.FoldLongQuotes(fold)
	}
	return m.sayState(fold, "quotes of more than "+strconv.Itoa(page.FoldedFrom-1)+" lines are folded", "all quotes are shown")
}

// toggleROT13 shifts the letters of a text by 13, or back.
func (m *Model) toggleROT13() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil || p.Layout != protocols.LayoutText {
		return m.say("this page is not a text")
	}
	p.ROT13 = !p.ROT13
	m.tab.Pager.Invalidate()
	m.tab.ResetSearch()
	return m.sayState(p.ROT13, "ROT13 on", "ROT13 off")
}

// toggleHeaders shows all headers of articles, or the first ones, in all tabs.
func (m *Model) toggleHeaders() tea.Cmd {
	show := !m.tab.Pager.Headers
	for _, t := range m.allTabs() {
		t.Pager.Headers = show
		t.ResetSearch()
		if p := t.Session.Page(); p != nil && p.Link > 0 && !t.Pager.Shown(p.Cursor) {
			p.Link = 0
		}
		t.Pager.Fill()
	}
	return m.sayState(show, "all headers are shown", "only the first headers are shown")
}

// toggleColors shows the colours that texts ask for, or leaves them out. All their
// other control sequences are left out always.
func (m *Model) toggleColors() tea.Cmd {
	for _, t := range m.allTabs() {
		t.Pager.Colors = !t.Pager.Colors
		t.Pager.Invalidate()
	}
	return m.sayState(m.tab.Pager.Colors, "the colours of texts are shown", "the colours of texts are left out")
}

// toggleMouse takes the mouse away from the terminal, or gives it back.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	return m.sayState(m.mouse, "the mouse scrolls and follows; "+m.keys.keyOf("mouse")+" lets it select text", "the mouse selects text; "+m.keys.keyOf("mouse")+" lets it scroll and follow")
}

// toggleWrap is for all pages of the kind that is on the screen, or of its
// server if there is a setting for that.
func (m *Model) toggleWrap() tea.Cmd {
	wrap := !m.tab.Pager.Wrap()
	switch _, ok := m.tab.Pager.WrapHost[m.tab.Pager.Server]; {
	case ok:
		m.tab.Pager.WrapHost[m.tab.Pager.Server] = wrap
	case m.tab.Pager.Prose():
		m.tab.Pager.WrapText = wrap
	default:
		m.tab.Pager.WrapLists = wrap
	}
	if p := m.tab.Session.Page(); p != nil {
		p.Left, p.TopRow = 0, 0
	}
	m.tab.Pager.Invalidate()
	return m.sayState(wrap, "long lines are wrapped", "long lines are not wrapped: "+m.keys.keyOf("pan right")+" and "+m.keys.keyOf("pan left")+" scroll")
}

// wrapAsSet wraps a page that begins to come as is set for its server.
func (m *Model) wrapAsSet(p *nav.Page) {
	server := page.ServerOf(p)
	if _, ok := m.tab.Pager.WrapHost[server]; ok {
		return
	}
	if wrap := m.opts.host(server).Wrap; wrap != nil {
		m.tab.Pager.WrapHost[server] = *wrap
	}
}
