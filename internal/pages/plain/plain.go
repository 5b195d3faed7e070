// Package plain prints pages as lines of text on any terminal, for screen readers and slow
// connections: links have numbers, commands are typed at a prompt, and printed text never changes.
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
	"gofer/internal/text/sentence"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Options are the options of [Run]. If Visit, Unread, MarkRead, Save, Bookmark or Suspend is nil, Run
// leaves out its action.
type Options struct {
	Open  func(ctx context.Context, req protocols.Request) *nav.Load
	Guess func(typed string) (urlcore.URL, error)
	// Questions calls fetch with u, and again after each question that the user answers. It
	// returns the last error of fetch, the error of a question, or ErrNoPage. It decodes the questions
	// with the charset of the latest page of this server in pages.
	Questions func(ctx context.Context, u urlcore.URL, pages *nav.Session, fetch func(urlcore.URL) error) error
	Reading   func(u urlcore.URL) clean.Reading                                   // returns the charset of the server of u, if it is known
	Visit     func(ctx context.Context, asked, u urlcore.URL, title string) error // records the page u, requested as asked, in the history
	// KeepText keeps the text of the page with this head, which was requested as asked, when its visit is recorded; may be nil.
	KeepText func(ctx context.Context, asked urlcore.URL, head *protocols.Head, text string) error
	// Unread returns a function that reports whether a line of a group is an unread article.
	Unread func(group urlcore.URL) func(*protocols.Line) bool
	// MarkRead marks an article as read. The parameter u is a URL on its server, and numbers are its
	// numbers in groups.
	MarkRead func(u urlcore.URL, numbers []protocols.Crosspost) error
	Save     func(ctx context.Context, u urlcore.URL) error
	Bookmark func(u urlcore.URL, fragment, title string) error

	In      io.Reader
	Out     io.Writer
	Size    func() (width, height int) // size of the terminal; with a height of 0, pages are printed whole
	Lend    func() (end func())        // lets Run handle Ctrl-C until end is called
	Suspend func()                     // suspends the program, for Ctrl-Z
}

// ErrNoPage reports that a URL was handled without a page.
var ErrNoPage = errors.New("the URL has no page")

var errQuit = errors.New("quit")

// browser is the state of one call of Run.
type browser struct {
	Options
	ctx         context.Context
	keyboard    keyboard
	interrupted chan os.Signal
	session     nav.Session
	batches     chan batch
	places      map[*nav.Page]*place
	searched    string
	historyErr  string              // the last error of the history that was printed
	items       map[urlcore.URL]int // number of further items that the user asked for, by the URL of the page
	firstNew    int                 // index of the line that is printed first on the next page, or 0
	fragment    string              // the fragment of the URL that is being opened, or ""
}

// batch is a group of lines from a load, or the error that ended the load.
type batch struct {
	load  *nav.Load
	lines nav.Lines
	err   error
}

// Run opens the parameter start as if the user had typed it. Then it shows the pages that the user asks
// for, until the user quits, the input ends or ctx is done.
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
	b.session.PushOverlay(nothing)
	b.places[nothing] = new(place)
	b.say("Type h and Enter for help.")
	err := b.openTyped(start)
	for err == nil {
		var command string
		if command, err = b.readCommand(); err == nil {
			err = b.runCommand(command)
		}
	}
	if errors.Is(err, errQuit) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (b *browser) say(format string, args ...any) { fmt.Fprintf(b.Out, format+"\n", args...) }

// printError prints an error as a sentence, cleaned of control characters.
func (b *browser) printError(err error) {
	text := clean.Text(sentence.Of(err))
	b.say("%s.", strings.ToUpper(text[:min(1, len(text))])+text[min(1, len(text)):])
}

// openTyped opens the URL that the user typed.
func (b *browser) openTyped(typed string) error {
	u, err := b.Guess(typed)
	if err != nil {
		b.printError(err)
		return nil
	}
	return b.visitPlace(u, urlcore.TypedFragment(u, typed), false)
}

// visitPlace is like visit. The page begins at its place fragment, which may be "".
func (b *browser) visitPlace(u urlcore.URL, fragment string, reload bool) error {
	b.fragment = fragment
	defer func() { b.fragment = "" }()
	return b.visit(u, reload)
}

// visit fetches u and prints the beginning of its page, or the error. A returned error ends the program.
func (b *browser) visit(u urlcore.URL, reload bool) error {
	b.say("Opening %s", formatURL(u))
	ctx, end := b.withInterrupt()
	var load *nav.Load
	err := b.Questions(ctx, u, &b.session, func(u urlcore.URL) error {
		load = b.Open(b.ctx, protocols.Request{URL: u, Paged: true, Older: b.items[u]})
		defer context.AfterFunc(ctx, load.Stop)()
		if reload {
			b.session.Reload(load)
		} else {
			b.session.Begin(load)
		}
		return b.receivePage(load)
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
	case stopped && err == nil: // the answer came before the interrupt
		b.session.Stop()
		b.say("Stopped.")
	case stopped: // a question was interrupted, and the goroutine that reads its answer would take the next command
		return errQuit
	case errors.Is(err, context.Canceled):
		b.session.Stop()
		b.say("Canceled.")
		return nil
	case errors.Is(err, ErrNoPage):
		b.session.Stop()
		return nil
	case errors.Is(err, protocols.ErrEmptyDraft):
		b.session.Stop()
		b.printError(err)
		return nil
	case err != nil:
		if p := b.session.Fail(load, err); p == nil {
			b.printError(err)
			return nil
		}
	}
	return b.showPage()
}

// withInterrupt returns a context that Ctrl-C cancels with [nav.ErrStopped] until the caller calls
// end.
func (b *browser) withInterrupt() (ctx context.Context, end func()) {
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

// receivePage waits until the server has answered, and begins to receive the lines of the page.
func (b *browser) receivePage(l *nav.Load) error {
	head, err := l.Wait()
	if err != nil {
		return err
	}
	if l.Session() != nil {
		return protocols.ErrSession
	}
	p := b.session.Answer(l, head)
	p.RememberCharset(b.Reading(p.URL).Charset)
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
		b.printHistoryError(b.Visit(b.ctx, l.URL, urlcore.Redact(p.URL), b.title(p)))
	}
	b.markRead(p)
	return nil
}

// printHistoryError prints an error of the history, unless it was printed before.
func (b *browser) printHistoryError(err error) {
	if err != nil && err.Error() != b.historyErr {
		b.historyErr = err.Error()
		b.printError(err)
	}
}

// append adds lines to the page. At the end of the page it keeps its text.
func (b *browser) append(x batch) {
	if b.session.Append(x.load, x.lines, x.err) && errors.Is(x.err, io.EOF) && b.KeepText != nil {
		if p := b.session.Page(); p.Layout != protocols.LayoutPage {
			b.printHistoryError(b.KeepText(b.ctx, x.load.URL, &p.Head, x.load.Text(p.Reading())))
		}
	}
}

// markRead marks the article of a page as read, if the page is an article.
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
			b.printError(err)
		}
	}
}

// openOwnPage opens one of gofer's own pages.
func (b *browser) openOwnPage(name string) error { return b.visit(about.Page(name), false) }

func (b *browser) title(p *nav.Page) string { return p.Reading().Text(p.Title) }

// formatURL returns a URL as it is printed: for a form, whose URL has all its fields, the URL that gets the answers.
func formatURL(u urlcore.URL) string {
	if f, err := protocols.ParseForm(u); err == nil {
		return "form of " + formatURL(f.Action)
	}
	return clean.Text(urlcore.Redact(u).String())
}
