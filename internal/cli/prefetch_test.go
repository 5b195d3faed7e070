package cli

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

// gated is a Fetcher whose answers wait, and which tells what was asked for.
type gated struct {
	asked, answer chan string
	read          int64 // octets of the last body
}

func (g *gated) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	g.asked <- u.String()
	select {
	case text := <-g.answer:
		if text == "" {
			return nil, errors.New("refused")
		}
		return &protocols.Resource{Body: &counting{strings.NewReader(text), g}, Closer: io.NopCloser(nil)}, nil
	case <-ctx.Done():
		g.asked <- "stopped " + u.String()
		return nil, context.Cause(ctx)
	}
}

type counting struct {
	io.Reader
	g *gated
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.g.read += int64(n)
	return n, err
}

func TestAhead(t *testing.T) {
	next, other, own := urlcore.News{MessageID: "next@x"}, urlcore.News{MessageID: "other@x"}, urlcore.Generic{Name: "about", Rest: "news"}
	for _, tt := range []struct {
		name  string
		u     urlcore.URL // fetched while next is coming
		ctx   context.Context
		first string // what is then asked for, or stopped, first
	}{
		{"the same", next, context.Background(), ""},
		{"another", other, context.Background(), "stopped news:next@x"},
		{"gofer's own", own, context.Background(), "about:news"},
		{"the same, of the server", next, protocols.WithFresh(context.Background()), "stopped news:next@x"},
	} {
		g := &gated{asked: make(chan string, 9), answer: make(chan string, 9)}
		a := &prefetcher{Fetcher: g}
		done := make(chan struct{}, 2)
		go func() {
			a.prefetch(context.Background(), next, 100)
			done <- struct{}{}
		}()
		if got := <-g.asked; got != "news:next@x" {
			t.Fatalf("%s: asked for %q", tt.name, got)
		}
		go func() {
			_, _ = a.Fetch(tt.ctx, tt.u)
			done <- struct{}{}
		}()
		var events []string
		if tt.first != "" {
			events = append(events, <-g.asked)
			if strings.HasPrefix(tt.first, "stopped") { // the fetch may have asked before the other had ended
				events = append(events, <-g.asked)
			}
			fetchtest.Contains(t, strings.Join(events, ","), tt.first, "%s", tt.name)
		}
		g.answer <- "text"
		g.answer <- "text"
		<-done
		<-done
		if a.now.Load() != nil || tt.first == "" && len(g.asked) != 1 {
			t.Errorf("%s: asked %d times", tt.name, len(g.asked))
		}
	}
}

// Only so much is read ahead, and errors are nobody's.
func TestAheadBounds(t *testing.T) {
	g := &gated{asked: make(chan string, 9), answer: make(chan string, 9)}
	a := &prefetcher{Fetcher: g}
	g.answer <- strings.Repeat("x", 1000)
	a.prefetch(context.Background(), urlcore.News{MessageID: "x@x"}, 100)
	if g.read > 100 || a.now.Load() != nil {
		t.Errorf("read %d octets", g.read)
	}
	g.answer <- ""
	a.prefetch(context.Background(), urlcore.News{MessageID: "x@x"}, 100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a.prefetch(ctx, urlcore.News{MessageID: "x@x"}, 100)
}
