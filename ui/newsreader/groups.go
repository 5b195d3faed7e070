package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/ui/room"
	"gofer/ui/viewer"
)

// markGroupRead clears the unread mark of the opened group in the list of groups that
// [nav.Session.GroupList] returns.
func markGroupRead(t *viewer.Viewer) {
	if list, line := t.Session.GroupList(); list != nil {
		list.Lines.SetState(line, list.Lines.State(line)&^nav.Unread)
	}
}

// findNextGroup returns the latest list of groups in the history of t, and the line of the next group
// with unread articles in that list. The line is -1 if no other group has unread articles, if there
// is no list, or if the list is on the screen.
func findNextGroup(t *viewer.Viewer) (list *page.Pager, line int) {
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

// OpenNextGroup opens the next group with unread articles, or the list of groups if there is none.
// On a list of groups it only moves the cursor.
func (r *Reader) OpenNextGroup() tea.Cmd {
	switch p := r.tab().Session.Page(); {
	case !r.tab().IsNews():
		return r.notify("this page is not a news page")
	case p.Layout == protocols.LayoutGroups:
		return r.MoveToNew(1)
	}
	if list, i := findNextGroup(r.tab()); i >= 0 {
		return r.openArticle(list, i, nil)
	}
	return r.OpenGroupList()
}

// OpenGroupList goes to the latest list of groups in the history, or to the subscribed groups if
// there is none.
func (r *Reader) OpenGroupList() tea.Cmd {
	u, item := about.Page("news"), r.tab().Session.Page().URL
	if list, i := r.tab().Session.GroupList(); list != nil {
		u, item = list.URL, list.Lines.At(i).Link
	}
	return r.program.Visit(room.Target{URL: u, Link: item}, room.How{})
}
