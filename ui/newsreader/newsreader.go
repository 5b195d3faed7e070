// Package newsreader has the keys and the state of a newsreader: which articles are read, scores, threads, and
// moving from article to article and from group to group. It knows the pages of news by their layout and their
// notes, not by the protocol.
package newsreader

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Reader is the newsreader of the program.
type Reader struct {
	program   room.Program
	tabs      map[*viewer.Viewer]*tabState
	newRule   *addedRule      // the score rule that was added last, or nil
	sendingTo map[string]bool // servers with a pending call of Stores.Send
	announced string          // see announce
	changed   bool            // marks have changed: going back to about:news loads that page again
	Options
}

// Options are what the newsreader needs besides the program.
type Options struct {
	Stores func() Stores // the user can replace them by changing the settings
	// RunJob runs a job with a progress text, and shows a notice when it has ended.
	RunJob    func(t *viewer.Viewer, page urlcore.URL, progress func() string, do func(context.Context) error, ended func(error) string) tea.Cmd
	Following Following // nil: groups are only subscribed
	// MarkRead marks the item of a list as read whose page is shown; nil: it is only shown as read.
	MarkRead func(line *protocols.Line) tea.Cmd
}

// Following is which pages the user follows, newsgroups among them.
type Following interface {
	// SetFollowed follows u or stops following it. The function undo is nil if nothing has changed.
	SetFollowed(u urlcore.URL, title string, on bool) (undo func() error, err error)
	// ShowFollowed looks for the entries of pages that are followed now, and shows them.
	ShowFollowed(added ...urlcore.URL) tea.Cmd
	// MarkMissing marks the entry of a line as read because its page does not exist.
	MarkMissing(line *protocols.Line) tea.Cmd
}

// Stores are the news of the user. A feature whose field is nil is not offered.
type Stores struct {
	News     News                                                                                                   // nil: unread articles are not shown
	Scores   Scores                                                                                                 // nil: articles have no scores
	Prefetch func(ctx context.Context, u urlcore.URL, limit int64)                                                  // fetches an article that may be opened next
	Fetch    func(ctx context.Context, report func(text string), groups ...urlcore.URL) (summary string, err error) // stores copies of unread articles
	Send     func(ctx context.Context, u urlcore.URL) (notices []string)                                            // sends the unsent articles to the server of u
}

// tabState is the state of a tab.
type tabState struct {
	unread      unread
	lastArticle *nav.Page // the article that was shown last
}

// New returns a Reader for a program.
func New(p room.Program, o Options) *Reader {
	return &Reader{program: p, Options: o, tabs: make(map[*viewer.Viewer]*tabState), sendingTo: make(map[string]bool)}
}

// TakeChange reports whether marks have changed since the last call.
func (r *Reader) TakeChange() bool {
	changed := r.changed
	r.changed = false
	return changed
}

// Forget forgets the state of a tab that cannot be opened again.
func (r *Reader) Forget(t *viewer.Viewer) { delete(r.tabs, t) }

// stateOf returns the state of a tab.
func (r *Reader) stateOf(t *viewer.Viewer) *tabState {
	if r.tabs[t] == nil {
		r.tabs[t] = new(tabState)
	}
	return r.tabs[t]
}

// tab returns the tab on the screen.
func (r *Reader) tab() *viewer.Viewer { return r.program.ScreenTab() }

// notify shows a notice. While announce goes on, the notice begins with what was announced.
func (r *Reader) notify(text string) tea.Cmd {
	if r.announced != "" {
		text = r.announced + "; " + text
	}
	return r.program.Notify(text)
}

// announce shows what was done as a notice, unless text is "", and goes on.
func (r *Reader) announce(text string, goOn func() tea.Cmd) tea.Cmd {
	var shown tea.Cmd
	if text != "" {
		shown = r.notify(text)
	}
	r.announced = text
	defer func() { r.announced = "" }()
	return tea.Batch(shown, goOn())
}

// notifyState shows the text whenOn as a notice if the parameter on is set, otherwise the text whenOff.
func (r *Reader) notifyState(on bool, whenOn, whenOff string) tea.Cmd {
	if on {
		return r.notify(whenOn)
	}
	return r.notify(whenOff)
}

// noticeResult returns a function that shows text as a notice.
func (r *Reader) noticeResult(text string) func() tea.Cmd {
	return func() tea.Cmd { return r.notify(text) }
}
