package whatsnew

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

type fetchFunc func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)

func (f fetchFunc) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return f(ctx, req)
}

func page(name string) urlcore.URL {
	return urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1', Selector: name}
}

func menu(links int, end error) *protocols.Resource {
	return &protocols.Resource{
		Head: protocols.Head{Layout: protocols.LayoutMenu},
		Lines: func(yield func(protocols.Line, error) bool) {
			for i := range links {
				if !yield(protocols.Line{Link: page(strconv.Itoa(i))}, nil) || !yield(protocols.Line{Text: "no link"}, nil) {
					return
				}
			}
			if end != nil {
				yield(protocols.Line{}, end)
			}
		},
		Closer: io.NopCloser(nil),
	}
}

func countLinks(_ context.Context, _ urlcore.URL, links []uint64) (int, error) {
	return len(links), nil
}

func TestCount(t *testing.T) {
	answers := map[urlcore.URL]func() (*protocols.Resource, error){
		page("three"):  func() (*protocols.Resource, error) { return menu(3, nil), nil },
		page("none"):   func() (*protocols.Resource, error) { return menu(0, nil), nil },
		page("broken"): func() (*protocols.Resource, error) { return menu(5, errors.New("broken off")), nil },
		page("gone"):   func() (*protocols.Resource, error) { return nil, errors.New("not found") },
		page("login"):  func() (*protocols.Resource, error) { return nil, &protocols.Login{} },
		page("ask"):    func() (*protocols.Resource, error) { return nil, &protocols.Ask{} },
	}
	f := fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) { return answers[req.URL]() })
	urls := []urlcore.URL{page("three"), page("none"), page("broken"), page("gone"), page("login"), page("ask")}
	got := make([]string, len(urls))
	for r := range Count(t.Context(), f, urls, countLinks) {
		got[r.Index] = fmt.Sprint(r.New, " ", r.Err)
	}
	want := []string{
		"3 <nil>", "0 <nil>", "0 broken off", "0 not found",
		"0 it asks for a password: open it once to log in", "0 it asks for search words",
	}
	fetchtest.EqualSlices(t, got, want)
}

// TestCountIsBounded checks that a bounded number of pages is fetched at a time, that each has a
// timeout, and that the fetches end with the loop of the caller or the context.
func TestCountIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, running atomic.Int32
		f := fetchFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			begun.Add(1)
			running.Add(1)
			defer running.Add(-1)
			if req.URL == page("0") {
				return menu(1, nil), nil
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		urls := make([]urlcore.URL, 20)
		for i := range urls {
			urls[i] = page(strconv.Itoa(i))
		}
		for r := range Count(t.Context(), f, urls, countLinks) {
			if r.Index != 0 {
				t.Errorf("got the result of page %d first, want page 0: %v", r.Index, r.Err)
			}
			synctest.Wait()
			break
		}
		if n := begun.Load(); n != parallel+1 || running.Load() != 0 {
			t.Errorf("%d fetches were begun and %d still run; want %d and 0", n, running.Load(), parallel+1)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		for r := range Count(ctx, f, urls[1:], countLinks) {
			t.Errorf("after the end of the context: got %+v, want no result", r)
		}
		begin := time.Now()
		for r := range Count(t.Context(), f, urls[1:parallel+1], countLinks) {
			if r.Err == nil || r.Err.Error() != "timed out after 1m0s" {
				t.Errorf("a page that does not come: got the error %v, want a timeout", r.Err)
			}
		}
		fetchtest.Equal(t, time.Since(begin), timeout, "the time")
	})
}
