package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
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

// mark marks the article, the entry or the tagged ones as read or unread.
func (m *Model) mark() tea.Cmd {
	if m.inbox.OnSource() || m.isInbox() && m.tab.Items().Tagged {
		return m.inbox.MarkEntry()
	}
	return m.news.Mark()
}

// markRead marks the item of a list as read whose page is shown.
func (m *Model) markRead(line *protocols.Line) tea.Cmd {
	switch note := line.Note.(type) {
	case *protocols.EntryNote:
		return m.inbox.MarkShown(note)
	case *about.LaterNote:
		return m.offline.MarkRead(line.Link)
	}
	return nil
}

// pageContext returns the context of the keys of the page on the screen.
func (m *Model) pageContext() string {
	_, isEntry := m.news.Entry(&m.tab.Viewer)
	ctx := contextPage
	switch {
	case m.tab.IsNews() || m.tab.isUnsentPage():
		ctx = contextNews
	case isEntry:
		ctx = contextEntry
	case m.otherPane() != nil:
		return contextFiles
	}
	if m.otherPane() != nil {
		ctx += besideFiles
	}
	return ctx
}

// catchUp marks all articles of the group or all entries of the source as read, and goes to the next ones if the parameter
// leave is set.
func (m *Model) catchUp(leave bool) tea.Cmd {
	line, isEntry := m.news.Entry(&m.tab.Viewer)
	goOn := m.news.NextNew
	if m.inbox.OnSource() {
		line, isEntry = m.tab.Pager.Current()
		goOn = m.goToUnread
	}
	if !leave {
		goOn = func() tea.Cmd { return nil }
	}
	if !isEntry {
		return m.news.CatchUp(leave)
	}
	return m.inbox.MarkSource(&line, goOn)
}

// goToUnread moves the cursor to the next unread line.
func (m *Model) goToUnread() tea.Cmd {
	if v := &m.tab.Pager; v.Page != nil {
		if i := v.NextUnread(v.Page.Cursor + 1); i >= 0 {
			v.MoveTo(i, 0)
		}
	}
	return nil
}

// toggleSource shows the new entries by source, or the newest first.
func (m *Model) toggleSource() tea.Cmd {
	return m.visit(room.Target{URL: about.NewURL(!about.IsBySource(m.tab.Session.Page().URL))}, room.How{})
}

// inboxHints returns the hints on a line of the new entries, the least important first.
func inboxHints(p *nav.Page, line *protocols.Line) []string {
	order := "sort=by source"
	if about.IsBySource(p.URL) {
		order = "sort=newest first"
	}
	switch line.Note.(type) {
	case *protocols.EntryNote, *protocols.SourceNote:
		return []string{order, "follow=unfollow", "catch up and go=mark source", "next new=next unread", "help"}
	case *protocols.GroupNote:
		return []string{order, "follow=unsubscribe", "catch up and go=mark group", "next new=next unread", "help"}
	}
	return []string{"URL", order, "next new=next unread", "open", "help"}
}
