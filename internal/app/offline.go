package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/keep"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/internal/userfile/readlater"
	"gofer/protocols"
	"gofer/urlcore"

	"github.com/dustin/go-humanize/english"
)

// copyKeeper is a link that keeps copies of pages, and returns them while the network fails, unless onlyAnswers is set.
type copyKeeper struct {
	Fetcher
	keeper      *keep.Keeper
	onlyAnswers bool
}

func (k copyKeeper) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if k.onlyAnswers {
		return k.keeper.Update(ctx, req)
	}
	return k.keeper.Fetch(ctx, req)
}

// copiesLink returns the link, or nil in restricted mode, in which the copies would be those of another user.
func (st *State) copiesLink(onlyAnswers bool) func(Fetcher) Fetcher {
	if st.Copies == nil || st.Config.Restrict.Enabled {
		return nil
	}
	return func(next Fetcher) Fetcher { return copyKeeper{next, st.keeper(next), onlyAnswers} }
}

func (s *Setup) keeper(next protocols.Fetcher) *keep.Keeper {
	return &keep.Keeper{Next: next, Copies: cmp.Or(s.OldCopies, s.Copies), Network: s.Network}
}

// reader returns what fetches pages in advance. Stored logins are only for news servers ([protocols.Unattended]).
func (st *State) reader() keep.Reader {
	chain := st.Fetchers(Way{Use: Transfer, Retry: StoredLogins{st, nil}.Retry})
	return keep.Reader{Keeper: st.keeper(chain), Delay: keep.DefaultDelay}
}

// Later returns the list of pages to read later.
func (s *Setup) Later() *readlater.List { return &readlater.List{Path: s.Dirs.ReadLater()} }

// laterItems returns the pages to read later. A page whose copy was removed waits again; those of news have copies elsewhere.
func (s *Setup) laterItems() ([]readlater.Item, error) {
	items, err := s.Later().Items()
	for i := range items {
		key, kept := keep.KeyOf(items[i].URL)
		if items[i].State == readlater.Fetched && kept && !s.Copies.Has(key) {
			items[i].State = readlater.Waiting
		}
	}
	return items, err
}

// Errors of fetches in advance.
var (
	errNoCopies = protocols.NewError(protocols.LocalFailure, "keep copies", "the setting kept_copies is 0")
	errNoFolder = protocols.LocalError("keep copies", errors.New("cannot write to the cache folder"))
)

// Crawl returns a crawl that keeps copies of a page and of the pages around it, in at most three quarters of kept_copies.
func (st *State) Crawl() *keep.Crawl {
	return &keep.Crawl{Reader: st.reader(), Octets: int64(st.Config.KeptCopies) << 20 / 4 * 3}
}

// RunCrawl runs c. The error also says if copies cannot be kept.
func (st *State) RunCrawl(ctx context.Context, c *keep.Crawl, root urlcore.URL) error {
	switch {
	case st.Config.KeptCopies == 0:
		return errNoCopies
	case !keep.CanKeep(root):
		return protocols.NewError(protocols.Unsupported, "keep "+urlcore.Redact(root).String(), keep.ErrNotKept.Error())
	}
	err := c.Run(ctx, root)
	if c.Kept > 0 && !st.private.Load() && !st.Copies.IsOnDisk() && !st.InDemo {
		err = errors.Join(err, errNoFolder)
	}
	return err
}

// keepPages runs a crawl for the screen.
func (st *State) keepPages(ctx context.Context, report func(string), root urlcore.URL, depth int) (summary string, err error) {
	c := st.latest.Load().Crawl()
	c.Depth = depth
	c.Report = func(c *keep.Crawl, u urlcore.URL) {
		report(fmt.Sprintf("page %d: %s", c.Kept+1, clean.Short(u.String())))
	}
	err = st.latest.Load().RunCrawl(ctx, c, root)
	if _, partial := errors.AsType[*mirror.PartialError](err); (partial || c.BeyondLimits > 0) && ctx.Err() == nil {
		err = nil // the summary counts them
	}
	return c.Summary("(gofer fetch names them)"), err
}

// retryLater is the time after which a page that could not be fetched is tried again in the background.
const retryLater = 10 * time.Minute

// LaterFetch fetches the pages to read later.
type LaterFetch struct {
	State  *State
	Always bool // also what has failed, and what was tried a short time ago
	Report func(u urlcore.URL, octets int64, err error)

	// The results.
	Fetched int
	LeftOut []mirror.LeftOut
}

// Run fetches the pages that wait. It returns [userfile.ErrBusy] if another program fetches them, the cause of ctx, or a
// [*mirror.PartialError].
func (f *LaterFetch) Run(ctx context.Context) error {
	list := f.State.Later()
	urls, err := f.waiting()
	if err != nil || len(urls) == 0 {
		return err
	}
	if f.State.Config.KeptCopies == 0 {
		return errNoCopies
	}
	lock, err := userfile.Lock(ctx, filepath.Join(f.State.Dirs.State, "fetch-queue"))
	if err != nil {
		return protocols.LocalError("fetch the pages to read later", err)
	}
	defer lock.Unlock()
	if urls, err = f.waiting(); err != nil { // another program may have fetched them meanwhile
		return err
	}
	reader := f.State.reader()
	var failed error
	err = reader.FetchAll(ctx, urls, func(u urlcore.URL, octets int64, err error) {
		failed = errors.Join(failed, f.record(list, u, err))
		if f.Report != nil {
			f.Report(u, octets, err)
		}
	})
	switch {
	case err != nil || failed != nil:
		return errors.Join(err, failed)
	case f.Fetched > 0 && !f.State.private.Load() && !f.State.Copies.IsOnDisk() && !f.State.InDemo:
		return errNoFolder
	case len(f.LeftOut) > 0:
		return &mirror.PartialError{LeftOut: f.LeftOut, Total: len(urls), Verb: "fetched"}
	}
	return nil
}

// waiting returns the pages to fetch.
func (f *LaterFetch) waiting() (urls []urlcore.URL, err error) {
	items, err := f.State.laterItems()
	for _, it := range items {
		due := it.State == readlater.Waiting && time.Since(it.Tried).Abs() > retryLater
		if due || f.Always && it.State.IsMissing() {
			urls = append(urls, it.URL)
		}
	}
	return urls, err
}

// record writes the result of a fetch into the list. After a network failure the page waits for the next connection.
func (f *LaterFetch) record(list *readlater.List, u urlcore.URL, err error) error {
	state, reason := readlater.Fetched, ""
	if err != nil {
		f.LeftOut = append(f.LeftOut, mirror.LeftOut{URL: u, Path: u.String(), Err: err})
		if state, reason = readlater.Failed, sentence.Short(err); protocols.ReasonOf(err).IsNetworkFailure() {
			state = readlater.Waiting
		}
	} else {
		f.Fetched++
	}
	return list.Update(u, state, reason, time.Now())
}

// Summary returns one line about the results.
func (f *LaterFetch) Summary() string {
	text := english.Plural(f.Fetched, "page", "") + " fetched to read later"
	if n := len(f.LeftOut); n > 0 {
		text += fmt.Sprintf(", %d not", n)
	}
	return text
}

// fetchLater fetches the waiting pages for the screen. It returns a notice, or "" if there was nothing to fetch. It does not
// wait for another program that fetches them.
func (st *State) fetchLater(ctx context.Context, always bool) (notice string, err error) {
	f := LaterFetch{State: st.latest.Load(), Always: always}
	err = f.Run(ctx)
	if f.Fetched+len(f.LeftOut) > 0 {
		notice = f.Summary()
	}
	if len(f.LeftOut) > 0 {
		notice += " (about:later has the reasons)"
	}
	if _, partial := errors.AsType[*mirror.PartialError](err); partial || ctx.Err() != nil || errors.Is(err, userfile.ErrBusy) {
		err = nil
	}
	return notice, err
}
