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

// URL is a URL of no protocol.
type URL string

// Scheme returns the text before the colon.
func (u URL) Scheme() string { s, _, _ := strings.Cut(string(u), ":"); return s }

// String is the URL.
func (u URL) String() string { return string(u) }

// Func is a Fetcher.
type Func func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error)

// Fetch calls f.
func (f Func) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return f(ctx, u)
}

// closer counts how often a resource was closed.
type closer struct{ n *atomic.Int32 }

func (c closer) Close() error { c.n.Add(1); return nil }

// Menu answers with lines, then err; then it stalls if err is ErrStall.
func Menu(closed *atomic.Int32, err error, lines ...protocols.Line) protocols.Fetcher {
	return Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Layout: protocols.LayoutMenu, Size: -1},
			Lines: func(yield func(protocols.Line, error) bool) {
				for _, l := range lines {
					if !yield(l, nil) {
						return
					}
				}
				if err := ending(ctx, err); err != nil {
					yield(protocols.Line{}, err)
				}
			},
			Closer: closer{closed},
		}, nil
	})
}

// ErrStall has an answer stop before its end.
var ErrStall = errors.New("stall")

// ending returns err, or in place of ErrStall the cause of ctx when it has ended.
func ending(ctx context.Context, err error) error {
	if errors.Is(err, ErrStall) {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return err
}

// File answers with the blocks, one a read, then err (nil: io.EOF).
func File(closed *atomic.Int32, media string, err error, blocks ...string) protocols.Fetcher {
	return Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head:   protocols.Head{URL: u, Media: media, Size: -1},
			Body:   &blockReader{ctx: ctx, blocks: slices.Clone(blocks), err: err},
			Closer: closer{closed},
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
		return 0, ending(r.ctx, cmp.Or(r.err, io.EOF))
	}
	n := copy(p, r.blocks[0])
	if r.blocks[0] = r.blocks[0][n:]; r.blocks[0] == "" {
		r.blocks = r.blocks[1:]
	}
	return n, nil
}

// Parse returns the URL s, which is good.
func Parse(t testing.TB, s string) urlcore.URL {
	t.Helper()
	return Must(urlcore.Parse(s))(t)
}
