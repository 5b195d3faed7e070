package ui

import (
	"cmp"
	"context"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/download"
	"gofer/internal/pages/about"
	"gofer/internal/picture"
	"gofer/internal/program/opener"
	"gofer/internal/upload"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/aids"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Options are what the program is given. Only Open is needed; what a nil field
// would do is not offered to the reader.
type Options struct {
	// Pages.

	// Open begins to fetch u; it does not wait for anything.
	Open     func(ctx context.Context, u urlcore.URL) *nav.Load
	Start    string                                  // what to show first, as typed; "": Home
	Home     urlcore.URL                             // nil: about:home
	Notice   string                                  // said over the first page, if it is not Home
	Guess    func(typed string) (urlcore.URL, error) // nil: urlcore.Guess
	Zone     *time.Location                          // of the dates shown; nil: local time
	Charsets aids.Charsets                           // nil: none are remembered
	Host     func(addr string) HostSettings          // what is set for a server, "host:port"; nil: nothing

	// The history, the bookmarks and the tabs.
	Private    bool                                       // begin in private mode
	SetPrivate func(on bool)                              // is told when private mode begins or ends; may be nil
	Forget     func(Selection) (notice string, err error) // removes visits from the history
	Marks      Marks                                      // nil: visited and new links are not marked
	Bookmarks  *bookmarks.Store                           // nil: none are kept
	Sessions   *sessions.Store                            // nil: no tabs are kept
	Restore    bool                                       // begin with the tabs of the last session

	// Visit notes a visit to u in the history; the error is a notice. When ctx ends, as
	// it does with the program, it notes it all the same, without delay.
	Visit func(ctx context.Context, u urlcore.URL, title string) error
	// Complete returns at most limit lines that may be meant by typed, the best first.
	// It is called off the event loop; ctx ends when the answer is of no use any more.
	Complete func(ctx context.Context, typed string, limit int) []ask.Completion
	// Recent returns at most limit URLs that were visited, the latest first.
	Recent func(ctx context.Context, limit int) []string

	// RemoveDraft removes the draft of a message that was not sent; nil: nothing is removed.
	RemoveDraft func(u urlcore.URL) error

	// SetSetting changes a setting in the file and returns the options with it; may be nil.
	SetSetting func(about.SettingEdit) (Options, error)
	Settings   func() ([]about.Setting, error)
	// SettingsFile is the path of the file.
	SettingsFile string

	// Changes on servers; nil: nothing is changed.
	Change func(ctx context.Context, c *protocols.Change) (urlcore.URL, error)
	// Server stores and removes directories; nil: only files and empty directories are.
	Server upload.Server
	// Upload stores a file of this machine under u, as up says; its Body and Size are not
	// set. It may call report, from one goroutine at a time, and ends when ctx does.
	Upload func(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error

	News        News      // nil: nobody knows which articles are read
	Scores      Scores    // nil: articles have none
	Articles    nav.Order // of groups; the zero value: threads by their newest article
	FoldThreads bool      // they come folded
	// Prefetch fetches a document that may be opened next, of at most the given octets. With nil,
	// nothing is prefetched.
	Prefetch func(ctx context.Context, u urlcore.URL, most int64)

	// FetchNews keeps the unread articles of groups, or of all that are subscribed if there are
	// none, and sends the articles that wait for a connection; may be nil.
	FetchNews func(ctx context.Context, report func(text string), groups ...urlcore.URL) (summary string, err error)

	// SendPosts sends the unsent articles to the server of a URL and returns messages for the
	// reader; nil: they stay unsent.
	SendPosts func(ctx context.Context, of urlcore.URL) (told []string)

	// ReadBeforeUnread is how many rows are shown above the first unread article at
	// which a group opens.
	ReadBeforeUnread int

	// Files and other programs.
	Restricted bool                              // the reader may use none of them, whatever is set below
	Downloads  *download.Manager                 // nil: nothing is saved
	Folder     string                            // where files are saved
	Programs   *opener.Programs                  // open what gofer does not; nil: there are none
	Editor     func(path string) (argv []string) // opens a file in the reader's editor; nil: none can be edited
	Lend       func() (end func())               // leaves Ctrl-C to a program that has the terminal until end; may be nil

	// Report writes a report of a panic of a program on a screen of that size and returns
	// its path; may be nil.
	Report func(p *nav.Panic, width, height int) (path string, err error)

	// SetReset is called with the function that resets the terminal, except the modes of
	// its line, and with nil when the screen has ended; may be nil.
	SetReset func(reset func())

	// The screen.
	Preset    Bindings            // in place of keys that actions have
	Keys      Bindings            // the reader's own, which win over Preset
	Env       func(string) string // what the environment tells of the terminal; nil: nothing
	Remote    bool                // the terminal is at the end of a line, as over SSH
	Mouse     bool                // take the mouse away from the terminal
	ASCII     bool                // draw with ASCII only, as where ASCIIOnly is set
	ASCIIOnly bool                // the terminal does not show UTF-8: pages are ASCII too
	NoColor   bool                // no colours, only weight and reverse video
	Theme     string              // dark, light, terminal, contrast or colourblind; else by the background
	Colors    Palette             // in place of the theme's
	Graphics  picture.Graphics    // how pictures are drawn; else with characters

	PreferHTML bool   // show the HTML of articles that come as text and as HTML
	Hyperlinks string // "always", "never"; else where the terminal knows them
}

func (o *Options) setDefaults() {
	if o.Guess == nil {
		o.Guess = urlcore.Guess
	}
	o.Home, o.Zone = cmp.Or(o.Home, urlcore.URL(about.Page("home"))), cmp.Or(o.Zone, time.Local)
	o.ASCIIOnly = o.ASCIIOnly || o.ASCII
	if o.Restricted {
		o.Downloads, o.Programs, o.Editor = nil, nil, nil
	}
}

// HostSettings are what is set for the pages of a server.
type HostSettings struct {
	Charset string // "": that which is remembered, or found
	Wrap    *bool  // nil: as other pages
}

// Selection says which visits are meant: exactly one of its fields is set.
type Selection struct {
	URL  urlcore.URL
	Host string    // of the URL, in any case
	Day  time.Time // the day of the latest visit: any time on it, in the zone meant
	All  bool
}

// Palette are the colours of the screen.
type Palette = cell.Palette
