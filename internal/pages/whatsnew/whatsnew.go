// Package whatsnew counts, for each of several pages, the links that are new since the last visit.
package whatsnew

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	parallel = 4                // pages fetched at a time
	timeout  = 60 * time.Second // for one page
	maxPage  = 16 << 20         // octets of the lines of a page
)

// Counter returns how many links of a page are new. links contains the [nav.Lines.LinkID] of each
// link. A Counter must be safe for concurrent use.
type Counter func(ctx context.Context, u urlcore.URL, links []uint64) (int, error)

// Result is the number of new links on a page, or the error of reading it.
type Result struct {
	Index int // index of the page in the argument of [Count]
	New   int
	Err   error
}

// Count fetches the pages, a few at a time, and yields the result of each page as soon as it is
// known. The sequence ends early if ctx is done. No fetch is running after the end of the sequence.
func Count(ctx context.Context, f protocols.Fetcher, pages []urlcore.URL, count Counter) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nav.ErrStopped)
		queue, results := make(chan int), make(chan Result)
		running.Go(func() {
			defer close(queue)
			for i := range pages {
				select {
				case queue <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for range min(parallel, len(pages)) {
			running.Go(func() {
				for i := range queue {
					n, err := countNew(ctx, f, pages[i], count)
					select {
					case results <- Result{i, n, err}:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for range pages {
			select {
			case r := <-results:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// countNew compares the page as a plain request gets it: the options of about:new are not those of the bookmarked page.
func countNew(ctx context.Context, f protocols.Fetcher, u urlcore.URL, count Counter) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("timed out after %s", timeout))
	defer cancel()
	l := nav.Open(ctx, f, protocols.Request{URL: u}, nav.Limit(maxPage))
	defer l.Cancel()
	var links []uint64
	for {
		lines, err := l.Next()
		switch {
		case errors.Is(err, io.EOF):
			return count(ctx, u, links)
		case err != nil:
			return 0, questionError(err)
		}
		for i := range lines.Len() {
			if id := lines.LinkID(i); id != 0 {
				links = append(links, id)
			}
		}
	}
}

// questionError describes an error that is a [protocols.Question] in words. It returns other errors
// unchanged.
func questionError(err error) error {
	switch protocols.QuestionOf(err).(type) {
	case *protocols.Ask:
		return errors.New("it asks for search words")
	case *protocols.Login:
		return errors.New("it asks for a password: open it once to log in")
	case *protocols.Confirm:
		return errors.New("it asks before it is opened")
	}
	return err
}
