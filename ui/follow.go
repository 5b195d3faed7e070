package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// followPage follows the page, or stops following it. A newsgroup is followed by subscribing to it.
func (m *Model) followPage() tea.Cmd {
	line, _ := m.tab.Pager.Current()
	_, onGroup := line.Note.(*protocols.GroupNote)
	if isSearch := urlcore.SearchOf(m.tab.CurrentURL()) != (urlcore.NewsSearch{}); onGroup || m.tab.IsNews() && !m.isInbox() && !isSearch {
		return m.news.Subscribe()
	}
	return m.inbox.Follow()
}

// isInbox reports whether the page lists the new entries of the followed pages.
func (m *Model) isInbox() bool { return m.tab.OwnPage().Items == about.Entries }

// mark marks the article, the entry or the tagged articles as read or unread.
func (m *Model) mark() tea.Cmd {
	if m.inbox.OnSource() {
		return m.inbox.MarkEntry()
	}
	return m.news.Mark()
}

// catchUp marks all articles of the group or all entries of the source as read, and goes to the next ones if the parameter
// leave is set.
func (m *Model) catchUp(leave bool) tea.Cmd {
	if !m.inbox.OnSource() {
		return m.news.CatchUp(leave)
	}
	return m.inbox.MarkSource(func() tea.Cmd {
		if v := &m.tab.Pager; leave && v.Page != nil {
			if i := v.NextUnread(v.Page.Cursor + 1); i >= 0 {
				v.MoveTo(i, 0)
			}
		}
		return nil
	})
}

// toggleSource shows the new entries by source, or the newest first.
func (m *Model) toggleSource() tea.Cmd {
	return m.visit(room.Target{URL: about.NewURL(!about.IsBySource(m.tab.Session.Page().URL))}, room.How{})
}
