package app

import (
	"context"
	"errors"
	"os"
	"slices"

	"gofer/internal/transfer/upload"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Fetcher is what each link of the chain is, and what follows it.
type Fetcher interface {
	protocols.Fetcher
	protocols.Resumer
	protocols.Putter
	protocols.Changer
	protocols.Identifier
	Resumes(u urlcore.URL) bool
}

// Use is what the answers of a chain are for.
type Use uint8

// The uses.
const (
	Page     Use = 1 << iota // pages on the screen
	Plain                    // pages as lines with a prompt
	Print                    // pages that a command prints
	Transfer                 // downloads, uploads and changes, also after a change of the settings
	Check                    // followed pages, whose kept copies say nothing about new entries
)

// Retry calls an attempt, and again after each question that it can answer.
type Retry func(ctx context.Context, attempt func() error) error

// Way is the way of a request through the chain.
type Way struct {
	Use   Use   // exactly one
	Retry Retry // nil: questions are errors

	// The links of one use, which the caller keeps. They may be nil.
	Recorder   *Recorder
	Prefetcher *Prefetcher
	Unread     bool // only unread articles and groups with such articles
}

// link is one step of the way of a request.
type link struct {
	uses Use
	wrap func(next Fetcher) Fetcher // nil: this run has no such link
}

// Fetchers returns the chain of fetchers for a use. A request passes its links in this order, and then
// [protocols.Guarded], which gofer's own pages and the fetch of news ask directly.
func (st *State) Fetchers(w Way) Fetcher {
	chain := []link{
		{Print, w.Recorder.link()},
		{Page, w.Prefetcher.link()},
		{Page, func(next Fetcher) Fetcher { return mailboxKeeper{next, st.aboutPages().KeepMailbox} }},
		{Page | Plain, func(next Fetcher) Fetcher { return bundleOpener{next} }},
		{Plain | Print | Check, func(next Fetcher) Fetcher { return killFilter{next, st.scores, st.warnOfScores} }},
		{Print, st.unreadLink(w.Unread)},
		{Page | Plain, func(next Fetcher) Fetcher { return groupRecorder{next, st.news} }},
		{Page, draftLink(w.Retry)},
		{Page | Plain | Print, func(next Fetcher) Fetcher { return identityAsker{next, st.Identities} }},
		{Page | Print | Transfer | Check, retryLink(w.Retry)},
		{Page | Plain | Print, st.copiesLink(false)},
		{Check, st.copiesLink(true)},
		{Transfer, func(next Fetcher) Fetcher { return readOnlyGuard{next, st} }},
		{Page | Plain | Print | Transfer, func(next Fetcher) Fetcher { return personalMarker{next, &st.Setup} }},
	}
	var f Fetcher = st.fetchers
	if w.Use == Transfer {
		f = latestFetchers{st}
	}
	for _, l := range slices.Backward(chain) {
		if l.uses&w.Use != 0 && l.wrap != nil {
			f = l.wrap(f)
		}
	}
	return f
}

// Plan implements [protocols.Planner].
func (st *State) Plan(u urlcore.URL) ([]protocols.Step, error) { return st.fetchers.Plan(u) }

// latestFetchers are the fetchers of the latest settings.
type latestFetchers struct{ st *State }

func (l latestFetchers) latest() *protocols.Guarded { return l.st.latest.Load().fetchers }

func (l latestFetchers) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return l.latest().Fetch(ctx, req)
}

func (l latestFetchers) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return l.latest().Resume(ctx, req)
}

func (l latestFetchers) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	return l.latest().Put(ctx, u, up)
}

func (l latestFetchers) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	return l.latest().Change(ctx, c)
}

func (l latestFetchers) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	return l.latest().SameItem(ctx, a, b)
}

func (l latestFetchers) Resumes(u urlcore.URL) bool { return l.latest().Resumes(u) }

// ErrReadOnly refuses a change in read-only mode.
var ErrReadOnly = &protocols.Error{Reason: protocols.Unsupported, Op: "change a server", Err: errors.New("read-only mode is on (setting read_only or --read-only)")}

// readOnlyGuard refuses changes in read-only mode.
type readOnlyGuard struct {
	Fetcher
	st *State
}

func (g readOnlyGuard) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if g.st.Config.ReadOnly {
		return ErrReadOnly
	}
	return g.Fetcher.Put(ctx, u, up)
}

func (g readOnlyGuard) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	if g.st.Config.ReadOnly {
		return nil, ErrReadOnly
	}
	return g.Fetcher.Change(ctx, c)
}

// retrier passes each request as an attempt to retry.
type retrier struct {
	Fetcher
	retry Retry
}

func retryLink(retry Retry) func(Fetcher) Fetcher {
	if retry == nil {
		return nil
	}
	return func(next Fetcher) Fetcher { return retrier{next, retry} }
}

func (f retrier) Fetch(ctx context.Context, req protocols.Request) (r *protocols.Resource, err error) {
	err = f.retry(ctx, func() error {
		r, err = f.Fetcher.Fetch(ctx, req)
		return err
	})
	return r, err
}

func (f retrier) Resume(ctx context.Context, req protocols.Request) (r *protocols.Resource, err error) {
	err = f.retry(ctx, func() error {
		r, err = f.Fetcher.Resume(ctx, req)
		return err
	})
	return r, err
}

func (f retrier) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	return f.retry(ctx, func() error { return f.Fetcher.Put(ctx, u, up) })
}

func (f retrier) Change(ctx context.Context, c *protocols.Change) (u urlcore.URL, err error) {
	err = f.retry(ctx, func() error {
		u, err = f.Fetcher.Change(ctx, c)
		return err
	})
	return u, err
}

func (f retrier) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	err = f.retry(ctx, func() error {
		same, known, err = f.Fetcher.SameItem(ctx, a, b)
		return err
	})
	return same, known, err
}

const maxQuestions = 8 // bounds the questions of one fetch

// RetryWithConsent calls attempt. If attempt returns a [protocols.Confirm] and the function allow returns
// true for it, RetryWithConsent gives the consent and calls attempt again.
func RetryWithConsent(attempt func() error, allow func(*protocols.Confirm) bool) error {
	for range maxQuestions {
		err := attempt()
		if confirm, ok := errors.AsType[*protocols.Confirm](err); ok && allow(confirm) {
			confirm.GiveConsent()
		} else {
			return err
		}
	}
	return attempt()
}

// draftSender makes the drafts of messages that are sent with retry.
type draftSender struct {
	Fetcher
	retry Retry
}

func draftLink(retry Retry) func(Fetcher) Fetcher {
	if retry == nil {
		return nil
	}
	return func(next Fetcher) Fetcher { return draftSender{next, retry} }
}

func (f draftSender) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(ctx, req)
	if c, ok := errors.AsType[*protocols.Compose](err); ok {
		c.Draft = retriedDraft{c.Draft, f.retry}
	}
	return r, err
}

// retriedDraft is a draft that is sent with retry.
type retriedDraft struct {
	protocols.Draft
	retry Retry
}

func (d retriedDraft) Send(ctx context.Context) error {
	return d.retry(ctx, func() error { return d.Draft.Send(ctx) })
}

// mailboxKeeper keeps the last mailbox, so that opening a message in it needs no other fetch.
type mailboxKeeper struct {
	Fetcher
	keep func(*protocols.Resource)
}

func (k mailboxKeeper) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := k.Fetcher.Fetch(ctx, req)
	if err == nil {
		k.keep(res)
	}
	return res, err
}

// UploadFile stores the local file with the given path at the URL u.
func UploadFile(ctx context.Context, server upload.Server, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	file, err := userfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	return upload.Send(ctx, server, file, u, up, report)
}
