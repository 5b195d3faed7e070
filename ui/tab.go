package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// tab is a tab of the screen: a viewer, with the state of its load and of its label.
type tab struct {
	viewer.Viewer
	opener      *tab // the tab with the link that opened this tab, or nil
	unseen      bool // a load has ended since the tab was last shown
	lookup      lookup
	unread      unread
	lastArticle *nav.Page // the article that was shown last
	moreItems   moreItems

	reloading   bool        // the load under way is a reload
	bypassCache bool        // new loads ask the server, not the cache
	linkText    string      // the text of the link that started the load
	searchTerms string      // the search terms of the load
	typedURL    urlcore.URL // the URL of the load if the user has typed it, or nil
	readings    readings    // other readings of the URL that was opened last
	stoppedURL  urlcore.URL // the URL of a load that was stopped before its answer, or nil

	draft     *protocols.Compose // the last message that was written in the tab, or nil
	ifMissing func() tea.Cmd     // runs instead of an error page if the article does not exist, or nil
}

func newTab(h *viewer.Host) *tab {
	t := new(tab)
	t.Begin(h)
	return t
}

// showPage shows the page of the session and forgets the results of the lookup of its links.
func (t *tab) showPage() {
	t.lookup.forget()
	t.Show()
}

// showError shows an error page over the page of the session.
func (t *tab) showError(u urlcore.URL, err error) {
	t.Session.ShowError(u, err)
	t.showPage()
}
