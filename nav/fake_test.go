package nav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"gofer/protocols"
	"gofer/urlcore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testURL is a URL of no protocol.
type testURL string

func (u testURL) Scheme() string { s, _, _ := strings.Cut(string(u), ":"); return s }
func (u testURL) String() string { return string(u) }

// fetchFunc is a Fetcher.
type fetchFunc func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error)

func (f fetchFunc) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return f(ctx, u)
}

type closer struct{ n *atomic.Int32 }

func (c closer) Close() error { c.n.Add(1); return nil }

// menu answers with lines, then err; then it stalls if err is errStall.
func menu(closed *atomic.Int32, err error, lines ...protocols.Line) protocols.Fetcher {
	return fetchFunc(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Media: protocols.MediaMenu, Size: -1},
			Lines: func(yield func(protocols.Line, error) bool) {
				for _, l := range lines {
					if !yield(l, nil) {
						return
					}
				}
				if errors.Is(err, errStall) {
					<-ctx.Done()
					err = context.Cause(ctx)
				}
				if err != nil {
					yield(protocols.Line{}, err)
				}
			},
			Closer: closer{closed},
		}, nil
	})
}

var errStall = errors.New("stall")

// file answers with the blocks, one a read, then err (nil: io.EOF).
func file(closed *atomic.Int32, media string, err error, blocks ...string) protocols.Fetcher {
	return fetchFunc(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head:   protocols.Head{URL: u, Media: media, Size: -1},
			Body:   &blockReader{ctx: ctx, blocks: blocks, err: err},
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
		switch {
		case r.err == nil:
			return 0, io.EOF
		case errors.Is(r.err, errStall):
			<-r.ctx.Done()
			return 0, context.Cause(r.ctx)
		}
		return 0, r.err
	}
	n := copy(p, r.blocks[0])
	if r.blocks[0] = r.blocks[0][n:]; r.blocks[0] == "" {
		r.blocks = r.blocks[1:]
	}
	return n, nil
}

// numbered yields n lines and counts how many were taken.
func numbered(n int, taken *atomic.Int64) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for i := range n {
			taken.Add(1)
			if !yield(protocols.Line{Text: fmt.Sprintf("line %d", i)}, nil) {
				return
			}
		}
	}
}

// all reads a load to its end.
func all(l *Load) (lines []protocols.Line, err error) {
	for {
		batch, err := l.Next()
		for _, line := range batch.All(0) {
			lines = append(lines, line)
		}
		if err != nil {
			return lines, err
		}
	}
}

func texts(lines []protocols.Line) []string {
	out := []string{}
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func linesOf(lines ...protocols.Line) (l Lines) {
	l.Append(lines...)
	return l
}
