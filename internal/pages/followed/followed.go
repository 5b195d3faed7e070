// Package followed looks for new entries of the pages that the user follows.
//
// What counts as an entry follows from the page that the server sends, never from a choice of the user: a [kind] is a small type
// that finds the entries of a page. The servers are asked sparingly: at most two at a time, each with one request at a time, no
// server again within 15 minutes, and a page that fails less and less often. A document is requested only if it has changed.
package followed

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"gofer/history"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	tolerance  = 30 * time.Second // by which timers and cron may begin a round too early
	serverRest = 15 * time.Minute // the shortest time between two rounds at a server, unless the user asks
	maxRest    = 24 * time.Hour   // the longest time between two attempts at a page that fails
	maxRound   = 100              // pages of a server that one round reads
)

// Store keeps the followed pages and their entries, as [history.Store] does.
type Store interface {
	Sources(ctx context.Context) ([]history.Source, error)
	KeepCheck(ctx context.Context, src history.Source, entries []history.Entry, movedTo func(urlcore.URL) urlcore.URL) (fresh int, err error)
}

// Options say what Refresh reads, and how.
type Options struct {
	Store Store
	Fetch protocols.Fetcher
	// Count asks the news server of a group for the numbers of its articles.
	Count     func(ctx context.Context, group urlcore.URL) (*protocols.GroupNote, error)
	ReadingOf func(u urlcore.URL) clean.Reading // the charset of a server
	MovedTo   func(u urlcore.URL) urlcore.URL   // where a server has redirected u, or nil; may be nil
	Now       func() time.Time
	IsDown    func() bool // whether the network seems to be down; may be nil

	Asked  bool          // the user has asked: also read pages that were read a short time ago
	Only   []urlcore.URL // read only these; nil: all
	Report func(Result)  // gets the result of each page, one call at a time; may be nil
}

// Result is the result of reading a page.
type Result struct {
	Source history.Source // as it was recorded
	Fresh  int            // unread entries that were added
	Note   string         // what is noteworthy about a success, or ""
	Err    error          // why the page could not be read; Source.Failure describes it
}

// Summary counts the results of a Refresh.
type Summary struct {
	Read, Failed, Fresh int // pages that were read, pages that were not, and new unread entries
	Later               int // pages that were left out, because they or their servers were asked a short time ago
}

// Refresh reads the followed pages and records their new entries. A page that fails does not end it; the error is about the
// database, or the cause of the end of ctx.
func Refresh(ctx context.Context, o Options) (Summary, error) {
	sources, err := o.Store.Sources(ctx)
	if err != nil {
		return Summary{}, err
	}
	begin := o.Now()
	rounds, later := o.plan(sources, begin)
	r := refresh{Options: o, begin: begin, Summary: Summary{Later: later}}
	mirror.AskServers(rounds, func(round []history.Source) { r.readRound(ctx, round) })
	r.excuse(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
	return r.Summary, r.err
}

// plan returns the pages to read now, grouped by server, and the number of the others.
func (o *Options) plan(sources []history.Source, now time.Time) (rounds [][]history.Source, later int) {
	latest := make(map[string]time.Time) // the latest attempt at each server
	var due []history.Source
	for _, src := range sources {
		server := serverOf(src)
		if src.Checked.After(latest[server]) {
			latest[server] = src.Checked
		}
		switch {
		case o.Only != nil && !slices.Contains(o.Only, src.URL):
		case !o.Asked && !isOver(src.Checked, rest(&src), now):
			later++
		default:
			due = append(due, src)
		}
	}
	for _, round := range mirror.GroupByServer(due, serverOf) {
		if !o.Asked && !isOver(latest[serverOf(round[0])], serverRest, now) {
			later += len(round)
			continue
		}
		slices.SortStableFunc(round, func(a, b history.Source) int { return a.Checked.Compare(b.Checked) })
		n := min(len(round), maxRound)
		later += len(round) - n
		rounds = append(rounds, round[:n])
	}
	return rounds, later
}

// rest returns the shortest time between the last attempt to read src and the next.
func rest(src *history.Source) time.Duration {
	return min(serverRest<<min(max(src.Failures, 0), 10), maxRest)
}

// isOver reports whether the duration d has passed since begin, apart from the tolerance. A time in the future is that of a clock that was wrong.
func isOver(begin time.Time, d time.Duration, now time.Time) bool {
	return begin.After(now) || now.Sub(begin) >= d-tolerance
}

// serverOf returns a key for the server that is asked for src.
func serverOf(src history.Source) string {
	u := parseState(src.State).target(src.URL)
	addr, ok := urlcore.Addr(u)
	if !ok || addr == "" {
		return u.Scheme() + ":"
	}
	return addr
}

// refresh is a running Refresh.
type refresh struct {
	Options
	begin time.Time // of the round: the time of all its checks, so that the length of a round does not delay the next one

	mu sync.Mutex // guards the following fields
	Summary
	err       error
	unreached []history.Source // whose checks nothing has answered
}

// readRound reads pages of a server, one after the other. If no connection is made, the server is not asked for the others. A
// page that is slow says nothing about the others of its server.
func (r *refresh) readRound(ctx context.Context, round []history.Source) {
	var failed error
	for _, src := range round {
		if r.hasFailed() {
			return
		}
		res, entries := r.check(ctx, src, failed)
		if isServerDown(res.Err) {
			failed = res.Err
		}
		if ctx.Err() != nil {
			return // the attempt says nothing about the page
		}
		fresh, err := r.Store.KeepCheck(ctx, res.Source, entries, r.MovedTo)
		res.Fresh = fresh
		r.add(res, err)
	}
}

// isServerDown reports whether err, the failure of a page, says that no connection to its server is made.
func isServerDown(err error) bool {
	_, isFeed := errors.AsType[feedError](err)
	return !isFeed && protocols.ReasonOf(err).Is(protocols.NotConnected)
}

func (r *refresh) hasFailed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// add adds a result. The parameter err is an error of the database.
func (r *refresh) add(res Result, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, err)
	if isUnreached(res.Err) {
		r.unreached = append(r.unreached, res.Source)
	}
	if res.Err != nil {
		r.Failed++
	} else {
		r.Read++
	}
	r.Fresh += res.Fresh
	if r.Report != nil {
		r.Report(res)
	}
}

// describe returns err of a followed page, or a description of a [protocols.Question], which nobody answers.
func describe(err error, page urlcore.URL) error {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Ask:
		return errors.New("it asks for words: follow the page of an answer")
	case *protocols.Login:
		if q.Failed {
			return errors.New("it refuses the stored login")
		}
		if addr, ok := urlcore.Addr(page); ok && addr != q.Server && !IsGroup(page) {
			return errors.New("it leads to " + q.Server + ", which asks for a login: follow the page there")
		}
		return errors.New("it asks for a login: store one (netrc or password_command)")
	case *protocols.Confirm:
		if q.Consent == protocols.ConsentPort {
			return errors.New("it needs an answer (" + q.Question + "?): if you trust it, unfollow the page, and follow it with gofer follow URL")
		}
		return errors.New("it needs an answer (" + q.Question + "?): open the page once")
	case *protocols.Compose:
		return errors.New("it is a message to write")
	case *protocols.Handoff:
		return errors.New("another program opens it")
	}
	return err
}
