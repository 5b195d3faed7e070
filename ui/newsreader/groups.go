package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/ui/room"
)

// markGroupRead clears the unread mark of the opened group in the list of groups that
// [nav.Session.GroupList] returns.
func (t *tab) markGroupRead() {
	if list, line := t.Session.GroupList(); list != nil {
		list.Lines.SetState(line, list.Lines.State(line)&^nav.Unread)
	}
}

// findNextGroup returns the latest list of groups in the history of t, and the line of the next group
// with unread articles in that list. The line is -1 if no other group has unread articles, if there
// is no list, or if the list is on the screen.
func (t *tab) findNextGroup() (list *page.Pager, line int) {
	p, current := t.Session.GroupList()
	if p == nil || p == t.Session.Page() {
		return nil, -1
	}
	list = new(t.Pager)
	list.Show(p)
	if line = list.NextUnread(current + 1); line == current {
		line = -1
	}
	return list, line
}

// openNextGroup opens the next group with unread articles, or the list of groups if there is none.
// On a list of groups it only moves the cursor.
func (m *Model) openNextGroup() tea.Cmd {
	switch p := m.tab.Session.Page(); {
	case !m.tab.IsNews():
		return m.notify("this page is not a news page")
	case p.Layout == protocols.LayoutGroups:
		return m.moveToNew(1)
	}
	if list, i := m.tab.findNextGroup(); i >= 0 {
		return m.openArticle(list, i, nil)
	}
	return m.openGroupList()
}

// openGroupList goes to the latest list of groups in the history, or to the subscribed groups if
// there is none.
func (m *Model) openGroupList() tea.Cmd {
	u, item := about.Page("news"), m.tab.Session.Page().URL
	if list, i := m.tab.Session.GroupList(); list != nil {
		u, item = list.URL, list.Lines.At(i).Link
	}
	return m.visit(room.Target{URL: u, Link: item}, room.How{})
}

// leave goes from an article to its group, and from a group to the list of groups. On a list of groups
// it quits the program. On a page that is not news it goes back.
func (m *Model) leave() tea.Cmd {
	p := m.tab.Session.Page()
	switch {
	case !m.tab.IsNews():
		return m.goBack()
	case m.tab.IsArticle():
		return m.goUp()
	case p.Layout == protocols.LayoutGroups:
		return m.quit()
	}
	return m.openGroupList()
}
