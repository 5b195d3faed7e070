package cli

import (
	"context"
	"io"
	"sync"

	"gofer/protocols"
	"gofer/urlcore"
)

// ahead is a Fetcher that can be told what will be wanted next. That is fetched,
// for the copy that is kept of it, until something else is wanted.
type ahead struct {
	protocols.Fetcher

	mu  sync.Mutex
	now *aheadFetch // nil: none
}

type aheadFetch struct {
	url  urlcore.URL
	stop context.CancelFunc
	done chan struct{}
}

// Fetch implements [protocols.Fetcher]. It waits for what is coming already, and
// stops anything else that was fetched ahead.
func (a *ahead) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	a.mu.Lock()
	f := a.now
	a.mu.Unlock()
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
	return a.Fetcher.Fetch(ctx, u)
}

// prefetch reads a document of at most so many octets.
func (a *ahead) prefetch(ctx context.Context, u urlcore.URL, most int64) {
	ctx, stop := context.WithCancel(ctx)
	f := &aheadFetch{u, stop, make(chan struct{})}
	a.mu.Lock()
	if a.now != nil {
		a.now.stop()
	}
	a.now = f
	a.mu.Unlock()
	defer func() {
		stop()
		a.mu.Lock()
		if a.now == f {
			a.now = nil
		}
		a.mu.Unlock()
		close(f.done)
	}()
	r, err := a.Fetcher.Fetch(ctx, u)
	if err != nil {
		return
	}
	defer r.Close()
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, most))
	}
}
