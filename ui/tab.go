package ui

import (
	"time"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// tab is a tab of the screen: a viewer, with the state of its load and of its label.
type tab struct {
	viewer.Viewer
	opener *tab      // the tab with the link that opened this tab, or nil
	unseen bool      // a load has ended since the tab was last shown
	drawn  *nav.Page // the latest page of the tab whose rows were on the screen, or nil
	lookup lookup

	target     room.Target // the target of the latest load
	how        room.How    // how that target is opened
	answered   time.Time   // the time of the last answer
	readings   readings
	moreItems  moreItems
	stoppedURL urlcore.URL // the URL of a load that was stopped before its answer, or nil

	read ask.Prompt // the latest prompt that takes keys: the user has opened it with a key or has had time to read it

	draft *protocols.Compose // the last message that was written in the tab, or nil
}

func newTab(h *viewer.Host) *tab {
	t := new(tab)
	t.Begin(h)
	return t
}
