package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
	"gofer/urlcore"
)

// barURL returns the URL that the bar shows: of the load that is waited for, of the prompt,
// or of the page.
func (m *Model) barURL() urlcore.URL {
	switch l := m.tab.Session.Loading(); {
	case l != nil && m.tab.Session.Waiting():
		return l.URL
	case m.tab.Prompt != nil && m.tab.Prompt.Subject() != nil:
		return m.tab.Prompt.Subject()
	}
	u, _ := m.tab.PageHere()
	return u
}

// places returns the functions with which the bar finds and opens URLs.
func (m *Model) places() ask.Places {
	return ask.Places{Context: m.ctx, Guess: m.opts.Guess, Open: m.openTyped, Complete: m.opts.Complete, Recent: m.opts.Recent, Past: m.barLines}
}

// editURL begins to edit the URL of the page.
func (m *Model) editURL() tea.Cmd {
	u := m.barURL()
	if m.tab.stoppedURL != nil && !m.tab.Session.Waiting() {
		u = m.tab.stoppedURL
	}
	s := ""
	if u != nil {
		s = urlcore.Redact(u).String()
	}
	m.bar = ask.NewBar(m.places(), s)
	return m.bar.Propose(m.askScreen())
}

func (m *Model) openTyped(u urlcore.URL, typed string, inTab bool) tea.Cmd {
	m.remember(typed, u)
	visit := m.visit
	if inTab {
		visit = m.visitInTab
	}
	cmd := visit(u)
	m.tab.To.GoTo(nil, typedFragment(u, typed))
	return cmd
}

// remember records the line that was typed for u, without a password.
func (m *Model) remember(typed string, u urlcore.URL) {
	if m.private {
		return
	}
	if plain := urlcore.Redact(u); plain != u {
		typed = plain.String()
	}
	m.barLines.Add(typed)
}
