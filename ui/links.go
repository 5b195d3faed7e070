package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/page"
	"gofer/ui/room"
	"gofer/ui/viewer"
)

// askLinkNumber asks for the number of a link on the screen. If the pressed key is a digit, this
// digit begins the number.
func (m *Model) askLinkNumber() tea.Cmd {
	cmd := m.focusedTab().AskNumber()
	if _, ok := m.openPrompt().(*viewer.LinkPrompt); ok && m.pressedKey >= "1" && m.pressedKey <= "9" {
		return m.insert(m.pressedKey)
	}
	return cmd
}

// linkLabels returns the link labels on the screen of a tab, and the typed part of a label.
func (s *screen) linkLabels(t *tab) (labels *page.LinkLabels, typed string) {
	p, ok := s.m.openPrompt().(*viewer.LinkPrompt)
	switch {
	case t != s.m.promptTab() || !ok:
		return nil, ""
	case p.Labels.All:
		return p.Labels, ""
	}
	return p.Labels, strings.ToLower(p.Typed())
}

// clickInText follows the link at cell (x, y) of the text in t.
func (m *Model) clickInText(t *tab, x, y int) tea.Cmd {
	link, ok := t.Pager.LinkUnder(x, y)
	if !ok {
		return nil
	}
	p := t.Session.Page()
	p.Cursor, p.Link = link.Line, link.N
	if _, ok := t.Pager.Current(); !ok { // the link begins above the screen
		return m.visit(room.Target{URL: link.URL, Fragment: link.Fragment, Others: p.OtherURLs(link.Line, link.N)}, room.How{OnPage: true})
	}
	return m.followFocused()
}
