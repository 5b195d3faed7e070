package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// tab is one way through the pages: what is read of them, and what it waits for.
type tab struct {
	viewer.Viewer
	opener *tab // from whose page it was opened, or nil
	unseen bool // a load has ended since it was shown
	lookup lookup
	unread unread
	looked *nav.Page // the article that was looked at last
	older  older

	reloading   bool        // the load under way is a reload
	fresh       bool        // the loads that begin are to ask the server, not for a copy
	searchTerms string      // what was typed for the load under way
	stoppedURL  urlcore.URL // the load of it was stopped before it answered

	ifMissing func() tea.Cmd // where the reader goes on if what is loaded is not there; nil: an error page says so
}

func newTab(h *viewer.Host) *tab {
	t := new(tab)
	t.Begin(h)
	return t
}

// showPage shows the session's page, whose links are looked up anew.
func (t *tab) showPage() {
	t.lookup.forget()
	t.Show()
}

// showError lays a page that tells of err over that of the session.
func (t *tab) showError(u urlcore.URL, err error) {
	t.Session.Show(u, err)
	t.showPage()
}
