package ui

import (
	"cmp"
	"context"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/aids"
	"gofer/ui/ask"
	"gofer/ui/inbox"
	"gofer/ui/newsreader"
	"gofer/ui/offline"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/urlcore"
)

// Options are the settings and functions of the program. Only Open is needed; a feature whose field
// is nil is not offered to the user.
type Options struct {
	// Config has the settings, with the values that flags of the command line replace.
	Config config.Config

	// Pages.

	// Open begins to fetch what req asks for and returns without waiting.
	Open     func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load
	Start    string                                  // the page to show first, as typed; "": Home
	Beside   string                                  // like Start, for a page beside it; "": there is none
	Home     urlcore.URL                             // nil: about:home
	Notice   string                                  // shown with the page of Start
	Guess    func(typed string) (urlcore.URL, error) // nil: urlcore.Guess
	Zone     *time.Location                          // time zone of dates; nil: local time
	Charsets aids.Charsets                           // nil: charsets are not stored

	// Orders are the orders of lists that were kept, by kind of page.
	Orders map[string]string
	// KeepOrder keeps the order of a kind of pages for later runs; may be nil.
	KeepOrder func(kind, order string) error

	// The history, the bookmarks and the tabs.
	Private    bool                                       // begin in private mode
	SetPrivate func(on bool)                              // called when private mode begins or ends; may be nil
	Forget     func(Selection) (notice string, err error) // removes visits from the history
	Marks      Marks                                      // nil: visited and new links are not marked
	Bookmarks  *bookmarks.Store                           // nil: there are no bookmarks
	Inbox      *inbox.Store                               // nil: no pages can be followed
	Sessions   *sessions.Store                            // nil: tabs are not saved
	Restore    bool                                       // begin with the tabs of the last session
	// ListenForTabs returns the listener for requests of other gofer processes that this one opens a URL in a tab, as
	// [sessions.Store.Listen] does; may be nil.
	ListenForTabs func(ctx context.Context) (*sessions.TabListener, error)

	// Visit records a visit to u, which was requested as asked, in the history; the error is shown as a notice. If ctx ends
	// because the program ends, Visit still records the visit, which may take up to two seconds.
	Visit func(ctx context.Context, asked, u urlcore.URL, title string) error
	// KeepText keeps the text of the page with this head, which was requested as asked, for searches in what was read. It is called when
	// the visit is recorded, and ends as Visit does. If it is nil, no text is kept.
	KeepText func(ctx context.Context, asked urlcore.URL, head *protocols.Head, text string) error
	// Complete returns at most maxCompletions completions of the typed text, the best first. It is
	// called outside the event loop; ctx ends when the result is not needed any more.
	Complete func(ctx context.Context, typed string, maxCompletions int) []ask.Completion
	// Recent returns at most maxURLs visited URLs, the latest first.
	Recent func(ctx context.Context, maxURLs int) []string

	// ForgetLogins forgets typed logins, cookies and consents, and returns the new options; may be nil.
	ForgetLogins func() Options

	// RemoveDraft removes the draft of an unsent message; may be nil.
	RemoveDraft func(u urlcore.URL) error

	// RemoveIdentity removes an identity and its file; may be nil.
	RemoveIdentity func(name string) error

	// TryNewsServer connects to a server, as it is written in the settings, and reads its greeting. If it is nil,
	// a news server is stored untried.
	TryNewsServer func(ctx context.Context, server string) error
	// SetSetting changes a setting in the settings file and returns the new options; may be nil.
	SetSetting func(config.Edit) (Options, error)
	Settings   func() ([]config.Setting, error)
	// SettingsFile is the path of the settings file.
	SettingsFile string

	// Change makes a change on a server and returns the new URL of the item; nil: servers are
	// read-only.
	Change func(ctx context.Context, c *protocols.Change) (urlcore.URL, error)
	// Server stores and removes directories; nil: only files and empty directories can be changed.
	Server across.Server
	// Upload stores a file of this machine under u. The caller does not set the fields Body and Size
	// of the parameter options. Upload may call report, but only from one goroutine at a time. It ends
	// when ctx ends.
	Upload func(ctx context.Context, path string, u urlcore.URL, options *protocols.Upload, report func(sent, size int64)) error

	News   newsreader.News   // nil: unread articles are not shown
	Scores newsreader.Scores // nil: articles have no scores
	// Prefetch fetches a document that may be opened next, up to a limit in octets; may be nil.
	Prefetch func(ctx context.Context, u urlcore.URL, limit int64)

	// SaveBundle saves a bundle of pages; may be nil.
	SaveBundle transfer.SaveBundle

	Offline *offline.Stores // nil: nothing is kept for reading offline

	// SendPosts sends the unsent articles to the server of a URL and returns notices; may be nil.
	SendPosts func(ctx context.Context, u urlcore.URL) (notices []string)

	// Files and other programs. They are not used if Config.Restrict.Enabled is set.
	Downloads *download.Manager // nil: nothing can be saved
	// CanDetach reports whether Detach can let downloads go on; nil: it cannot.
	CanDetach func() bool
	// Detach lets the downloads go on in another process, if it can. It is called when the user has chosen this, with nil,
	// and when the program does not end by a key, with the reason; in the second case it may do nothing.
	Detach   func(cause error) error
	Programs *opener.Programs                            // programs for files that gofer does not show, or nil
	Editor   func(path string, line int) (argv []string) // command of the user's editor, which begins at a line unless line is 0; nil: files cannot be edited
	// Lend leaves Ctrl-C to another program that uses the terminal. The function end reverts this. Lend may
	// be nil.
	Lend func() (end func())

	// Report writes a report of a panic, with the size of the screen, and returns its path; may be
	// nil.
	Report func(p *protocols.Panic, width, height int) (path string, err error)

	// SetReset is called with a function that resets the terminal, except its line modes. When the
	// screen has ended, SetReset is called with nil. The field SetReset may be nil.
	SetReset func(reset func())

	// The screen.
	Env     func(string) string // environment of the terminal; nil: empty
	Remote  bool                // the terminal is remote at the start, as over SSH
	NoColor bool                // no colors, only weight and reverse video
	// FindClient returns the terminal at which the user sits now; nil: the terminal never changes.
	FindClient func(ctx context.Context) term.Client
}

func (o *Options) setDefaults() {
	if o.Guess == nil {
		o.Guess = urlcore.Guess
	}
	o.Home, o.Zone = cmp.Or(o.Home, about.Page("home")), cmp.Or(o.Zone, time.Local)
	o.Offline = cmp.Or(o.Offline, new(offline.Stores))
	if o.Config.Restrict.Enabled {
		o.Downloads, o.Programs, o.Editor = nil, nil, nil
	}
}

// env returns a variable of the terminal's environment.
func (o *Options) env(name string) string {
	if o.Env == nil {
		return ""
	}
	return o.Env(name)
}

// Selection selects visits: exactly one of its fields is set.
type Selection struct {
	URL  urlcore.URL
	Host string    // host of the URL, in upper or lower case
	Day  time.Time // any time on the day of the latest visit, in the user's time zone
	All  bool
}
