package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/urlcore"
)

// toggleHeaders shows all headers of articles, or the first ones, in all tabs.
func (m *Model) toggleHeaders() tea.Cmd {
	show := !m.pager.Headers
	for _, t := range m.allTabs() {
		t.pager.Headers = show
		t.resetSearch()
		if p := t.session.Page(); p != nil && p.Link > 0 && !t.pager.Shown(p.Cursor) {
			p.Link = 0
		}
		t.pager.Fill()
	}
	return m.sayState(show, "all headers are shown", "only the first headers are shown")
}

// threadPlace is where an article that is to be opened stands in its thread, as
// the list tells from which it is opened.
func threadPlace(t *tab, u urlcore.URL) (place protocols.ThreadPlace, ok bool) {
	if protocols.KindOf(u) != protocols.Article {
		return place, false
	}
	list, i, ok := t.session.ListOf(u)
	if !ok && t.opener != nil {
		list, i, ok = t.opener.session.ListOf(u)
	}
	if !ok {
		return place, false
	}
	note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	if !ok {
		return place, false
	}
	thread := threadOf(list, note)
	return protocols.ThreadPlace{N: slices.Index(thread, note) + 1, Articles: len(thread)}, true
}
