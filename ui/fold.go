package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
)

// fold folds or unfolds the quotes of an article, or the thread or folder under the cursor.
func (m *Model) fold() tea.Cmd {
	if m.tab.IsArticle() {
		return m.aids.ToggleQuotes()
	}
	if m.isInFolder() {
		m.tab.Session.ToggleFolder(m.tab.Session.Page(), m.tab.Session.Page().Cursor)
		m.tab.ShowFolds()
		return m.tab.Scan()
	}
	if p := m.tab.Session.Page(); p == nil || p.Layout != protocols.LayoutArticles {
		return m.notify("nothing to fold here")
	}
	return m.news.FoldThread()
}

// isInFolder reports whether the cursor is on a folder of bookmarks or on an item in one.
func (m *Model) isInFolder() bool {
	p := m.tab.Session.Page()
	if p == nil {
		return false
	}
	first, _ := p.Thread(p.Cursor)
	return m.tab.OwnPage().Items == about.Bookmarks && p.Filter == nil && p.IsFolder(first) && p.Lines.HasLink(p.Cursor)
}
