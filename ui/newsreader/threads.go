package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// threadPage returns the page if it is a list of articles in threads, without a filter. Otherwise it
// returns nil and the command that shows a notice.
func (m *Model) threadPage() (*nav.Page, tea.Cmd) {
	p := m.tab.Session.Page()
	switch {
	case p == nil || p.Layout != protocols.LayoutArticles:
		return nil, m.notify("this page is not a group")
	case !p.IsThreaded():
		return nil, m.notify("the articles are not in threads: " + m.keys.keyOf("sort") + " puts them there")
	case p.Filter != nil:
		return nil, m.notify("a filter shows single articles: " + m.keys.keyOf("stop") + " removes it")
	}
	return p, nil
}

// foldThread folds or unfolds the thread under the cursor.
func (m *Model) foldThread() tea.Cmd {
	p, notice := m.threadPage()
	if p == nil {
		return notice
	}
	first, end := p.Thread(p.Cursor)
	if end <= first+1 {
		return m.notify("no thread with several articles here")
	}
	p.Fold(first, !p.IsFolded(first))
	m.tab.ShowFolds()
	return m.tab.Scan()
}

// foldThreads folds or unfolds all threads.
func (m *Model) foldThreads() tea.Cmd {
	p, notice := m.threadPage()
	if p == nil {
		return notice
	}
	cursor := p.Cursor
	m.tab.Session.FoldThreads(p, p.Folds == nil || !p.Folded)
	m.tab.ShowFolds()
	if !p.Folded {
		m.tab.Pager.Center(cursor)
	}
	return tea.Batch(m.notifyState(p.Folded, "threads folded", "threads unfolded"), m.tab.Scan())
}

// moveToThread moves the cursor to the next thread, or to the previous one if dir is negative.
func (m *Model) moveToThread(dir int) tea.Cmd {
	p, notice := m.threadPage()
	if p == nil {
		return notice
	}
	i := p.NextThread(p.Cursor, dir)
	if i < 0 || !m.tab.Pager.IsLink(i) {
		return m.notify(map[int]string{1: "this is the last thread", -1: "this is the first thread"}[dir])
	}
	p.Cursor = i
	m.tab.Pager.Center(i)
	return nil
}

// toggleKilled shows the articles that score rules have killed, or hides them.
func (m *Model) toggleKilled(p *nav.Page) tea.Cmd {
	show := !m.tab.Session.Killed
	m.tab.Session.ShowKilled(p, show)
	m.tab.ShowRearranged(p)
	return tea.Batch(m.notifyState(show, "killed articles are shown", "killed articles are hidden"), m.tab.Scan())
}

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
	return m.foldThread()
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

// threadPlace returns the position of an article in its thread, from the list that has the article, or zero.
func threadPlace(t *tab, u urlcore.URL) protocols.ThreadPlace {
	if protocols.KindOf(u) != protocols.Article {
		return protocols.ThreadPlace{}
	}
	list, i, ok := t.Session.ListOf(u)
	if !ok && t.opener != nil {
		list, i, ok = t.opener.Session.ListOf(u)
	}
	if !ok {
		return protocols.ThreadPlace{}
	}
	note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	if !ok {
		return protocols.ThreadPlace{}
	}
	thread := threadOf(list, note)
	return protocols.ThreadPlace{N: slices.Index(thread, note) + 1, Articles: len(thread)}
}
