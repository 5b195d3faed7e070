package fetchtest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// URL is a URL of any scheme, for tests without a protocol.
type URL string

// Scheme returns the text before the colon.
func (u URL) Scheme() string { s, _, _ := strings.Cut(string(u), ":"); return s }

// String returns the text of u.
func (u URL) String() string { return string(u) }

// FetcherFunc is a function that implements [protocols.Fetcher].
type FetcherFunc func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)

// Fetch calls f.
func (f FetcherFunc) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return f(ctx, req)
}

// GuardFunc is a function that implements [protocols.Guard]. It gets the URL of each request.
type GuardFunc func(u urlcore.URL) error

// Allow calls g.
func (g GuardFunc) Allow(_ context.Context, req protocols.Request, _ bool) error { return g(req.URL) }

// closeCounter counts the calls of Close.
type closeCounter struct{ n *atomic.Int32 }

func (c closeCounter) Close() error { c.n.Add(1); return nil }

// Menu returns a Fetcher of a menu. The menu yields the lines, and then err if err is not nil. If
// err is ErrStall the menu stalls after the lines. closed counts the calls of Close.
func Menu(closed *atomic.Int32, err error, lines ...protocols.Line) protocols.Fetcher {
	return FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu, Size: -1},
			Lines: func(yield func(protocols.Line, error) bool) {
				for _, l := range lines {
					if !yield(l, nil) {
						return
					}
				}
				if err := endError(ctx, err); err != nil {
					yield(protocols.Line{}, err)
				}
			},
			Closer: closeCounter{closed},
		}, nil
	})
}

// ErrStall makes an answer stall before its end.
var ErrStall = errors.New("stall")

// endError returns err. If err is ErrStall it waits until ctx is done and returns the cause of
// ctx.
func endError(ctx context.Context, err error) error {
	if errors.Is(err, ErrStall) {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return err
}

// File returns a Fetcher of a document. Each Read returns octets of one block. After the last block,
// Read returns err, or io.EOF if err is nil. err and closed are as in [Menu].
func File(closed *atomic.Int32, media string, err error, blocks ...string) protocols.Fetcher {
	return FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head:   protocols.Head{URL: req.URL, Media: media, Size: -1},
			Body:   &blockReader{ctx: ctx, blocks: slices.Clone(blocks), err: err},
			Closer: closeCounter{closed},
		}, nil
	})
}

type blockReader struct {
	ctx    context.Context
	blocks []string
	err    error
}

func (r *blockReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if len(r.blocks) == 0 {
		return 0, endError(r.ctx, cmp.Or(r.err, io.EOF))
	}
	n := copy(p, r.blocks[0])
	if r.blocks[0] = r.blocks[0][n:]; r.blocks[0] == "" {
		r.blocks = r.blocks[1:]
	}
	return n, nil
}

// Parse parses s. An error ends the test.
func Parse(t testing.TB, s string) urlcore.URL {
	t.Helper()
	return Must(urlcore.Parse(s))(t)
}
