package ui

import (
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// visitPlace visits a place of a page, "" for its beginning. A place of the page
// that is shown is gone to at once, and back leads to where the reader was.
func (m *Model) visitPlace(u urlcore.URL, fragment string) tea.Cmd {
	p := m.tab.Session.Page()
	if fragment == "" || p == nil || p.URL != u || p.Failed != nil {
		cmd := m.visit(u)
		m.tab.To.GoTo(nil, fragment)
		return cmd
	}
	i := p.IndexID(fragment, 0)
	if i < 0 {
		return m.say("there is no place #" + clean.Short(fragment) + " in this page")
	}
	m.tab.Session.Jump()
	m.tab.showPage()
	m.tab.Pager.GoTo(i)
	return nil
}

// typedFragment is the place of a page of the web that was typed behind its URL.
func typedFragment(u urlcore.URL, typed string) string {
	_, fragment, _ := strings.Cut(typed, "#")
	if _, ok := u.(urlcore.HTTP); !ok {
		return ""
	}
	if f, err := url.PathUnescape(fragment); err == nil {
		return f
	}
	return fragment
}
