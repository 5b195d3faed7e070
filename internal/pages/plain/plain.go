// Package plain shows pages as lines of text on a terminal of any kind, for
// screen readers and slow lines: links have numbers, commands are typed at a
// prompt, and nothing is ever drawn over.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Options are what [Run] is given. What a nil field would do is not offered.
type Options struct {
	Open  func(ctx context.Context, u urlcore.URL) *nav.Load
	Guess func(typed string) (urlcore.URL, error)
	// Questions calls fetch with u, and again after each question that the user answers,
	// read in the charset of pages. It returns the last error of fetch, that of a
	// question, or ErrNoPage.
	Questions func(ctx context.Context, u urlcore.URL, pages *nav.Session, fetch func(urlcore.URL) error) error
	Visit     func(ctx context.Context, u urlcore.URL, title string) error // notes a page in the history
	// Unread returns a function that reports whether a line of a group is an unread article.
	Unread func(group urlcore.URL) func(*protocols.Line) bool
	// MarkRead marks an article on the server of a URL as read, by its group numbers.
	MarkRead func(of urlcore.URL, numbers []protocols.Crosspost) error
	Save     func(ctx context.Context, u urlcore.URL) error
	Bookmark func(u urlcore.URL, title string) error

	In      io.Reader
	Out     io.Writer
	Size    func() (width, height int) // of the terminal; a height of 0 prints pages whole
	Lend    func() (end func())        // leaves Ctrl-C to Run until end
	Suspend func()                     // does what Ctrl-Z does
}

// ErrNoPage is the end of what has been done without a page.
var ErrNoPage = errors.New("there is no page of it")

var errQuit = errors.New("quit")

// browser is one run.
type browser struct {
	Options
	ctx         context.Context
	keyboard    keyboard
	interrupted chan os.Signal
	session     nav.Session
	batches     chan batch
	places      map[*nav.Page]*place
	searched    string
	historyErr  string              // the last one told
	items       map[urlcore.URL]int // asked for beside the first ones of a page
	from        int                 // the line that the next page is shown from
}

// batch is what has come of a load.
type batch struct {
	load  *nav.Load
	lines nav.Lines
	err   error
}

// Run shows the page that start names, and those that are asked for, until the
// user quits, what is typed ends or ctx does.
func Run(ctx context.Context, o Options, start string) error {
	defer o.Lend()()
	ctx, cancel := context.WithCancelCause(ctx)
	b := &browser{
		Options: o, ctx: ctx, keyboard: keyboard{in: o.In, typed: make(chan key)},
		interrupted: make(chan os.Signal, 1), batches: make(chan batch), places: make(map[*nav.Page]*place), items: make(map[urlcore.URL]int),
	}
	signal.Notify(b.interrupted, os.Interrupt)
	defer signal.Stop(b.interrupted)
	defer b.session.Close()
	defer cancel(nil)
	nothing := &nav.Page{Head: protocols.Head{URL: about.Page("home")}, Err: io.EOF}
	b.session.Cover(nothing)
	b.places[nothing] = new(place)
	b.say("Type h and Enter for help.")
	err := b.address(start)
	for err == nil {
		var command string
		if command, err = b.command(); err == nil {
			err = b.do(command)
		}
	}
	if errors.Is(err, errQuit) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (b *browser) say(format string, args ...any) { fmt.Fprintf(b.Out, format+"\n", args...) }

// tell says what has gone wrong, without what a server could do by it.
func (b *browser) tell(err error) {
	text := clean.Text(nav.Sentence(err))
	b.say("%s.", strings.ToUpper(text[:min(1, len(text))])+text[min(1, len(text)):])
}

// address goes where typed leads.
func (b *browser) address(typed string) error {
	u, err := b.Guess(typed)
	if err != nil {
		b.tell(err)
		return nil
	}
	return b.visit(u, false)
}

// visit fetches u and prints the beginning of its page. An error ends the program.
func (b *browser) visit(u urlcore.URL, reload bool) error {
	b.say("Opening %s", shown(u))
	ctx, end := b.interruptible()
	var load *nav.Load
	err := b.Questions(ctx, u, &b.session, func(u urlcore.URL) error {
		load = b.Open(protocols.WithOlder(b.ctx, b.items[u]), u)
		defer context.AfterFunc(ctx, load.Stop)()
		if reload {
			b.session.Reload(load)
		} else {
			b.session.Begin(load)
		}
		return b.answer(load)
	})
	end()
	stopped := errors.Is(context.Cause(ctx), nav.ErrStopped)
	switch {
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case errors.Is(err, nav.ErrStopped):
		b.session.Stop()
		b.say("Stopped.")
		return nil
	case stopped && err == nil: // the answer came first
		b.session.Stop()
		b.say("Stopped.")
	case stopped: // a question was interrupted: who has read for it would read the next command
		return errQuit
	case errors.Is(err, context.Canceled):
		b.session.Stop()
		b.say("Cancelled.")
		return nil
	case errors.Is(err, ErrNoPage):
		b.session.Stop()
		return nil
	case errors.Is(err, protocols.ErrEmptyDraft):
		b.session.Stop()
		b.tell(err)
		return nil
	case err != nil:
		if p := b.session.Fail(load, err); p == nil {
			b.tell(err)
			return nil
		}
	}
	return b.show()
}

// interruptible returns a context that Ctrl-C ends with [nav.ErrStopped], until end
// is called. It takes no Ctrl-C after end has returned.
func (b *browser) interruptible() (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(b.ctx)
	ended := make(chan struct{})
	go func() {
		select {
		case <-b.interrupted:
			cancel(nav.ErrStopped)
		case <-ended:
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		select {
		case ended <- struct{}{}:
		case <-ctx.Done():
		}
		cancel(nil)
	}
}

// answer waits for the answer to a load, and has its lines come.
func (b *browser) answer(l *nav.Load) error {
	head, err := l.Wait()
	if err != nil {
		return err
	}
	if l.Session() != nil {
		return nav.ErrSession
	}
	p := b.session.Answer(l, head)
	go func() {
		for {
			lines, err := l.Next()
			select {
			case b.batches <- batch{l, lines, err}:
			case <-b.ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	if b.Visit != nil && p.URL.Scheme() != "about" {
		if err := b.Visit(b.ctx, urlcore.Redact(p.URL), b.title(p)); err != nil && err.Error() != b.historyErr {
			b.historyErr = err.Error()
			b.tell(err)
		}
	}
	b.markRead(p)
	return nil
}

// markRead marks the article of a page, if it is one, as read.
func (b *browser) markRead(p *nav.Page) {
	if b.MarkRead == nil || p.Media != protocols.MediaArticle {
		return
	}
	numbers := p.Crossposts
	if u, ok := p.URL.(urlcore.NNTP); ok && u.HasArticle {
		numbers = append(slices.Clip(numbers), protocols.Crosspost{Group: u.Group, Number: u.Article})
	}
	if len(numbers) > 0 {
		if err := b.MarkRead(p.URL, numbers); err != nil {
			b.tell(err)
		}
	}
}

// own goes to a page of the program's own.
func (b *browser) own(name string) error { return b.visit(about.Page(name), false) }

func (b *browser) title(p *nav.Page) string { return p.Reading().Text(p.Title) }

// shown is a URL as it is printed.
func shown(u urlcore.URL) string { return clean.Text(urlcore.Redact(u).String()) }
