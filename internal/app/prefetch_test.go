package app

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// gatedFetcher is a Fetcher that sends the URL of each request to the channel events and waits for a text from the
// channel answers. After the text "", the request fails.
type gatedFetcher struct {
	events, answers chan string
	read            int64 // octets read from bodies
}

func (g *gatedFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	g.events <- req.URL.String()
	select {
	case text := <-g.answers:
		if text == "" {
			return nil, errors.New("refused")
		}
		return &protocols.Resource{Body: &countingReader{strings.NewReader(text), g}, Closer: io.NopCloser(nil)}, nil
	case <-ctx.Done():
		g.events <- "stopped " + req.URL.String()
		return nil, context.Cause(ctx)
	}
}

type countingReader struct {
	io.Reader
	g *gatedFetcher
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.g.read += int64(n)
	return n, err
}

// TestPrefetchBounds checks that a prefetch stops at its limit, and that its errors are ignored.
func TestPrefetchBounds(t *testing.T) {
	g := &gatedFetcher{events: make(chan string, 9), answers: make(chan string, 9)}
	a := &Prefetcher{Fetcher: serving(g)}
	g.answers <- strings.Repeat("x", 1000)
	a.prefetch(context.Background(), urlcore.News{MessageID: "x@x"}, 100)
	if g.read > 100 || a.current.Load() != nil {
		t.Errorf("prefetch read %d octets, and %v is the current prefetch; want at most 100, and nil", g.read, a.current.Load())
	}
	g.answers <- ""
	a.prefetch(context.Background(), urlcore.News{MessageID: "x@x"}, 100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a.prefetch(ctx, urlcore.News{MessageID: "x@x"}, 100)
}
