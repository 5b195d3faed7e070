// Package inbox has the actions on the pages that the user follows: it follows a page, marks new entries as read, and looks
// for new entries when the user asks for them and, if the settings say so, from time to time. The page of the new entries is
// made by the package about; moving from entry to entry is a part of the newsreader.
package inbox

import (
	"context"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// Store has the followed pages and their entries. The functions may be called from any goroutine.
type Store struct {
	// Follows reports whether u is followed.
	Follows func(ctx context.Context, u urlcore.URL) (bool, error)
	// Follow follows u, and reports whether it was not followed before.
	Follow func(ctx context.Context, u urlcore.URL, title string) (added bool, err error)
	// Unfollow removes u and its entries. The function undo, which is nil if u was not followed, restores them.
	Unfollow func(ctx context.Context, u urlcore.URL) (undo func(context.Context) error, err error)
	// MarkRead marks entries of a source, or of any source if it is nil, as read or unread: those with the given IDs, or all if
	// ids is nil. It returns the IDs of the entries that it has changed.
	MarkRead func(ctx context.Context, source urlcore.URL, ids []string, read bool) (changed []string, err error)
	// Refresh looks for new entries: of the given pages, or of all pages if only is nil. Unless the user has asked for it,
	// it leaves out the pages that were looked at a short time ago. It calls report for each page.
	Refresh func(ctx context.Context, asked bool, only []urlcore.URL, report func(Result)) error
}

// Result is the result of looking for new entries of a page.
type Result struct {
	Fresh int // the number of new entries
	Err   error
}

// Inbox has the actions on followed pages.
type Inbox struct {
	program room.Program
	Options
	running *refresh // nil if no refresh runs
	waiting []lookup // what is looked for after it
	timer   int      // number of the latest timer
}

// Options are what the Inbox needs besides the program.
type Options struct {
	Store func() *Store // returns nil if no pages can be followed; the user can replace the store by changing the settings
}

// New returns an Inbox for a program.
func New(p room.Program, o Options) *Inbox { return &Inbox{program: p, Options: o} }

// refusal returns the notice that says why nothing can be followed or marked, or "".
func (in *Inbox) refusal() string {
	switch {
	case in.program.Config().Restrict.Enabled:
		return room.NotAllowed
	case in.Store() == nil:
		return "no history is kept, so no page can be followed"
	case in.program.Private():
		return "private mode: nothing is followed, recorded or marked"
	}
	return ""
}

// CanFollow reports whether pages can be followed now.
func (in *Inbox) CanFollow() bool { return in.refusal() == "" }

// isShown reports whether the new entries are on the screen.
func (in *Inbox) isShown() bool { return in.program.ScreenTab().OwnPage().Items == about.Entries }

// sourceOf returns the followed page to which a line of the new entries belongs, and its title. It returns nil for other
// lines.
func sourceOf(line *protocols.Line) (u urlcore.URL, title string) {
	text := ""
	switch note := line.Note.(type) {
	case *protocols.EntryNote:
		text, title = note.SourceURL, note.Source
	case *protocols.SourceNote:
		text, title = note.URL, note.Title
	default:
		return nil, ""
	}
	u, err := urlcore.Parse(text)
	if err != nil {
		return nil, ""
	}
	return u, title
}
