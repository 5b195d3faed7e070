package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/room"
	"gofer/urlcore"
)

// jump moves to the place in the page on the screen that a fragment names. Going back returns to the previous position.
func (m *Model) jump(fragment string) tea.Cmd {
	i := m.tab.Session.Page().IndexID(fragment, 0)
	if i < 0 {
		return m.notify("no place #" + clean.Short(fragment) + " on this page")
	}
	m.tab.Session.Jump()
	m.tab.Session.Page().Fragment = fragment
	m.tab.Show()
	m.tab.Pager.GoTo(i)
	return nil
}

// readTyped returns u with the fragment and the other readings of the typed text.
func readTyped(u urlcore.URL, typed string) room.Target {
	typed = strings.TrimSpace(typed)
	f, err := urlcore.GuessFound(typed)
	if err != nil || f.URL != u {
		return room.Target{URL: u}
	}
	return room.Target{URL: u, Fragment: f.WrittenFragment(typed), Others: f.Alternatives, Guessed: !urlcore.NamesScheme(typed)}
}

// barFragment returns the fragment to show in the bar after its URL, with "#", or "".
func (t *tab) barFragment() string {
	fragment := ""
	switch p := t.Session.Page(); {
	case t.Session.IsWaiting():
		fragment = t.To.Fragment()
	case p != nil && t.Prompt == nil:
		fragment = p.Fragment
	}
	if fragment == "" {
		return ""
	}
	return clean.Line("#" + fragment)
}
