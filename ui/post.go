package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// composeAction returns the action that writes a message of a kind about the article of the page,
// or the article under the cursor.
func composeAction(kind string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		var u urlcore.URL
		if line, ok := m.tab.Pager.Current(); m.tab.IsArticle() {
			u = m.tab.Session.Page().URL
		} else if ok && line.Kind == protocols.Article {
			u = line.Link
		}
		return m.write(kind, u, "no article on the page or under the cursor")
	}
}

// post writes a new article in the group of the page, or in the group under the cursor.
func (m *Model) post() tea.Cmd {
	var u urlcore.URL
	p := m.tab.Session.Page()
	line, ok := m.tab.Pager.Current()
	list, _, listed := m.tab.Session.ArticleList()
	switch {
	case p == nil:
	case ok && p.Layout == protocols.LayoutGroups:
		u = line.Link
	case m.tab.IsArticle() && listed:
		u = list.URL
	case m.tab.IsArticle():
		u, _ = p.Up()
	case p.Layout == protocols.LayoutArticles:
		u = p.URL
	}
	return m.write("post", u, "no group to post to: open one")
}

// isUnsentPage reports whether the page is the error page of the draft of t.
func (t *tab) isUnsentPage() bool {
	p := t.Session.Page()
	return t.draft != nil && p != nil && p.Failed != nil && p.URL == t.draft.URL
}

// write opens the page on which the user writes a message of a kind about target. On the error page
// of an unsent draft it opens the draft, except for the kind "cancel". If target is not an article
// or group for such a message, write shows the parameter missing as a notice.
func (m *Model) write(kind string, target urlcore.URL, missing string) tea.Cmd {
	if m.tab.isUnsentPage() && kind != "cancel" {
		return m.compose(m.tab, m.tab.draft)
	}
	u := about.ComposeURL(kind, target)
	if u == nil {
		return m.notify(missing)
	}
	return m.visit(room.Target{URL: u}, room.How{})
}
