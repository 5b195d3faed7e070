// Package offline keeps pages for reading offline: the list of pages to read later, and copies of pages with what they link to.
package offline

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/userfile/readlater"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Offline has the actions that keep pages for reading offline.
type Offline struct {
	program room.Program
	Options
	fetching bool // the pages to read later are being fetched
	again    bool // pages were added meanwhile
	changed  bool // see TakeChange
}

// Options are what Offline needs besides the program.
type Options struct {
	Stores func() *Stores // the user can replace them by changing the settings
	// RunJob runs a job with a progress text, and shows a notice when it has ended.
	RunJob func(t *viewer.Viewer, page urlcore.URL, progress func() string, do func(context.Context) error, ended func(error) string) tea.Cmd
	// FetchArticles keeps the unread articles of the group of the page, or of all subscribed groups.
	FetchArticles func() tea.Cmd
}

// Stores are the copies of the user and the list of pages to read later. A feature whose field is nil is not offered.
type Stores struct {
	Later *readlater.List
	// FetchLater fetches the pages to read later: all that are not fetched, or only those that wait for a connection. It
	// returns a notice, or "" if there is nothing to fetch.
	FetchLater func(ctx context.Context, all bool) (notice string, err error)
	// KeepPages keeps copies of a page and of the pages up to depth links away.
	KeepPages func(ctx context.Context, report func(text string), u urlcore.URL, depth int) (summary string, err error)
	// FetchNews keeps copies of the unread articles of the groups, or of all subscribed groups if no groups are given. It also
	// sends the articles that wait for a connection.
	FetchNews func(ctx context.Context, report func(text string), groups ...urlcore.URL) (summary string, err error)
	// NetworkIsDown reports whether the network is known to be down.
	NetworkIsDown func() bool
}

// New returns an Offline for a program.
func New(p room.Program, o Options) *Offline { return &Offline{program: p, Options: o} }

// notice returns a function that shows text as a notice.
func (o *Offline) notice(text string) func() tea.Cmd {
	return func() tea.Cmd { return o.program.Notify(text) }
}
