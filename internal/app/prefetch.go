package app

import (
	"context"
	"io"
	"sync/atomic"

	"gofer/protocols"
	"gofer/urlcore"
)

// Prefetcher is a link that can fetch the next document in advance.
type Prefetcher struct {
	Fetcher

	current atomic.Pointer[activePrefetch] // nil if there is no prefetch
}

type activePrefetch struct {
	url  urlcore.URL
	stop context.CancelFunc
	done chan struct{}
}

func (p *Prefetcher) link() func(Fetcher) Fetcher {
	if p == nil {
		return nil
	}
	return func(next Fetcher) Fetcher {
		p.Fetcher = next
		return p
	}
}

// Fetch fetches u. It first waits for a prefetch of u, or stops the prefetch of another URL. With
// [protocols.Request.Fresh] it also stops a prefetch of u. If u is one of gofer's own pages, Fetch does not wait and
// the prefetch continues.
func (p *Prefetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	switch f := p.current.Load(); {
	case f == nil, req.URL.Scheme() == "about":
	case f.url == req.URL && !req.Fresh:
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	default:
		f.stop()
	}
	return p.Fetcher.Fetch(ctx, req)
}

// prefetch fetches u and reads at most limit octets.
func (p *Prefetcher) prefetch(ctx context.Context, u urlcore.URL, limit int64) {
	ctx, stop := context.WithCancel(protocols.Unattended(ctx, nil))
	f := &activePrefetch{u, stop, make(chan struct{})}
	if previous := p.current.Swap(f); previous != nil {
		previous.stop()
	}
	defer func() {
		stop()
		p.current.CompareAndSwap(f, nil)
		close(f.done)
	}()
	r, err := p.Fetcher.Fetch(ctx, protocols.Request{URL: u})
	if err != nil {
		return
	}
	defer r.Close()
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, limit))
	}
}
