package cli

import (
	"context"
	"io"
	"sync/atomic"

	"gofer/protocols"
	"gofer/urlcore"
)

// prefetcher is a Fetcher that fetches the next document in advance, to keep a copy of it, until
// another document is fetched.
type prefetcher struct {
	protocols.Fetcher

	now atomic.Pointer[prefetching] // nil: none
}

type prefetching struct {
	url  urlcore.URL
	stop context.CancelFunc
	done chan struct{}
}

// Fetch waits for u if it is being prefetched, and stops any other prefetch.
func (p *prefetcher) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	switch f := p.now.Load(); {
	case f == nil, u.Scheme() == "about":
	case f.url == u && !protocols.WantsFresh(ctx):
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	default:
		f.stop()
	}
	return p.Fetcher.Fetch(ctx, u)
}

// prefetch reads at most the first most octets of a document.
func (p *prefetcher) prefetch(ctx context.Context, u urlcore.URL, most int64) {
	ctx, stop := context.WithCancel(ctx)
	f := &prefetching{u, stop, make(chan struct{})}
	if before := p.now.Swap(f); before != nil {
		before.stop()
	}
	defer func() {
		stop()
		p.now.CompareAndSwap(f, nil)
		close(f.done)
	}()
	r, err := p.Fetcher.Fetch(ctx, u)
	if err != nil {
		return
	}
	defer r.Close()
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, most))
	}
}
