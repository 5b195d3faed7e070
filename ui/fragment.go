package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// visitPlace visits a place in the page u. The parameter fragment names the place; if it is empty,
// visitPlace visits the page itself. The parameter others has other readings of the text of u. If the
// page is on the screen, visitPlace moves to the place at once, and going back returns to the previous
// position.
func (m *Model) visitPlace(u urlcore.URL, fragment string, others ...urlcore.URL) tea.Cmd {
	p := m.tab.Session.Page()
	if fragment == "" || p == nil || p.URL != u || p.Failed != nil {
		cmd := m.visit(u)
		m.tab.offer(others)
		m.tab.To.GoTo(nil, fragment)
		return cmd
	}
	i := p.IndexID(fragment, 0)
	if i < 0 {
		return m.notify("no place #" + clean.Short(fragment) + " on this page")
	}
	m.tab.Session.Jump()
	m.tab.Session.Page().Fragment = fragment
	m.tab.showPage()
	m.tab.Pager.GoTo(i)
	return nil
}

// readings are other URLs that the text of a URL may mean.
type readings struct {
	of     urlcore.URL
	others []urlcore.URL
}

// offer makes the error page of the load offer other readings of its URL.
func (t *tab) offer(others []urlcore.URL) {
	if l := t.Session.Loading(); l != nil {
		t.readings = readings{l.URL, others}
		l.OtherURLs = others
	}
}

// readTyped returns the fragment and the other readings of u, which was typed.
func readTyped(u urlcore.URL, typed string) (fragment string, others []urlcore.URL) {
	typed = strings.TrimSpace(typed)
	f, err := urlcore.GuessFound(typed)
	if err != nil || f.URL != u {
		return "", nil
	}
	return f.WrittenFragment(typed), f.Alternatives
}

// barFragment returns the fragment to show in the bar after its URL, with "#", or "".
func (m *Model) barFragment() string {
	fragment := ""
	switch p := m.tab.Session.Page(); {
	case m.tab.Session.IsWaiting():
		fragment = m.tab.To.Fragment()
	case p != nil && m.tab.Prompt == nil:
		fragment = p.Fragment
	}
	if fragment == "" {
		return ""
	}
	return clean.Line("#" + fragment)
}
