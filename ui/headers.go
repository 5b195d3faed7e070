package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/urlcore"
)

// folded reports whether line i is a detail that is not shown: a header of an
// article that only who wants all of them sees, or a line of a long quote.
func (v *pager) folded(i int) bool {
	if b, ok := v.foldedQuote(i); ok {
		return i > b.from
	}
	if v.headers || v.page.Media != protocols.MediaArticle || i < 0 || i >= v.page.Lines.Len() {
		return false
	}
	_, ok := v.page.Lines.WithoutLink(i).Note.(protocols.Detail)
	return ok
}

// unfolded is the line below line i, or with dir -1 above it, that may be shown:
// the next one but for quotes that are folded.
func (v *pager) unfolded(i, dir int) int {
	b, ok := v.foldedQuote(i)
	switch {
	case ok && dir > 0:
		return b.to
	case ok && i > b.from:
		return b.from
	}
	return i + dir
}

// toggleHeaders shows all headers of articles, or the first ones, in all tabs.
func (m *Model) toggleHeaders() tea.Cmd {
	show := !m.pager.headers
	for _, t := range m.allTabs() {
		t.pager.headers = show
		t.resetSearch()
		if p := t.session.Page(); p != nil && p.Link > 0 && !t.pager.shown(p.Cursor) {
			p.Link = 0
		}
		t.pager.fill()
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
