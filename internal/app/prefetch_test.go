package app

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
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

func TestPrefetch(t *testing.T) {
	next, other, own := urlcore.News{MessageID: "next@x"}, urlcore.News{MessageID: "other@x"}, urlcore.Generic{Name: "about", Rest: "news"}
	for _, tt := range []struct {
		name  string
		u     urlcore.URL // fetched while next is being prefetched
		fresh bool
		first string // an event that the fetch of u causes, or ""
	}{
		{"the same", next, false, ""},
		{"another", other, false, "stopped news:next@x"},
		{"gofer's own", own, false, "about:news"},
		{"the same, fresh from the server", next, true, "stopped news:next@x"},
	} {
		g := &gatedFetcher{events: make(chan string, 9), answers: make(chan string, 9)}
		a := &Prefetcher{Fetcher: serving(g)}
		done := make(chan struct{}, 2)
		go func() {
			a.prefetch(context.Background(), next, 100)
			done <- struct{}{}
		}()
		if got := <-g.events; got != "news:next@x" {
			t.Fatalf("%s: prefetch requested %q, want news:next@x", tt.name, got)
		}
		go func() {
			_, _ = a.Fetch(t.Context(), protocols.Request{URL: tt.u, Fresh: tt.fresh})
			done <- struct{}{}
		}()
		var events []string
		if tt.first != "" {
			events = append(events, <-g.events)
			if strings.HasPrefix(tt.first, "stopped") { // the two events come in any order
				events = append(events, <-g.events)
			}
			fetchtest.Contains(t, strings.Join(events, ","), tt.first, "%s", tt.name)
		}
		g.answers <- "text"
		g.answers <- "text"
		<-done
		<-done
		if a.current.Load() != nil || tt.first == "" && len(g.events) != 1 {
			t.Errorf(
				"%s: the current prefetch is %v, and Fetch made %d requests; want nil, and 1 for the same URL", tt.name,
				a.current.Load(), len(g.events),
			)
		}
	}
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
