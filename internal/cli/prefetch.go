package cli

import (
	"context"
	"io"
	"sync"

	"gofer/protocols"
	"gofer/urlcore"
)

// prefetcher is a Fetcher that fetches what is wanted next, for the kept copy of it,
// until something else is wanted.
type prefetcher struct {
	protocols.Fetcher

	mu  sync.Mutex
	now *prefetching // nil: none
}

type prefetching struct {
	url  urlcore.URL
	stop context.CancelFunc
	done chan struct{}
}

// Fetch waits for u if it is being prefetched, and stops any other prefetch.
func (p *prefetcher) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	p.mu.Lock()
	f := p.now
	p.mu.Unlock()
	switch {
	case f == nil, u.Scheme() == "about":
	case f.url == u && !protocols.Fresh(ctx):
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

// prefetch reads a document of at most so many octets.
func (p *prefetcher) prefetch(ctx context.Context, u urlcore.URL, most int64) {
	ctx, stop := context.WithCancel(ctx)
	f := &prefetching{u, stop, make(chan struct{})}
	p.mu.Lock()
	if p.now != nil {
		p.now.stop()
	}
	p.now = f
	p.mu.Unlock()
	defer func() {
		stop()
		p.mu.Lock()
		if p.now == f {
			p.now = nil
		}
		p.mu.Unlock()
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
