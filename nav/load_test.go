package nav

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/protocols"
)

const somewhere = testURL("test:somewhere")

func TestLoadFetchError(t *testing.T) {
	ask := &protocols.Ask{URL: somewhere, Title: "Search"}
	l := Open(
		t.Context(),
		fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { return nil, ask }),
		protocols.Request{URL: somewhere},
	)
	var got *protocols.Ask
	if _, err := l.Wait(); !errors.As(err, &got) || got != ask {
		t.Errorf("Wait() error = %v, want the Ask", err)
	}
	if lines, err := l.Next(); lines.Len() != 0 || !errors.As(err, &got) {
		t.Errorf("Next() = %v, %v, want the Ask", lines, err)
	}
	if _, err := l.Save(io.Discard); !errors.As(err, &got) {
		t.Errorf("Save() error = %v, want the Ask", err)
	}
	l.Cancel()
}

// idleSession is an InteractiveSession that is never run.
type idleSession struct{ protocols.InteractiveSession }

func TestLoadSession(t *testing.T) {
	closed := make(chan struct{})
	l := Open(t.Context(), fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Session: idleSession{}, Closer: closeFunc(func() error { close(closed); return nil })}, nil
	}), protocols.Request{URL: somewhere})
	if got := l.Session(); got != (idleSession{}) {
		t.Errorf("Session() = %v, want the idleSession", got)
	}
	fetchtest.FailsWith(t, protocols.ErrSession, "Next")(l.Next())
	fetchtest.FailsWith(t, protocols.ErrSession, "Save")(l.Save(io.Discard))
	select {
	case <-closed:
		t.Error("the resource was closed before its end")
	default:
	}
	l.Cancel()
	<-closed
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

func TestLoadPanic(t *testing.T) {
	l := Open(
		t.Context(), fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { panic("oh") }),
		protocols.Request{URL: somewhere},
	)
	_, err := l.Wait()
	var p *protocols.Panic
	if !errors.As(err, &p) || p.Value != "oh" || len(p.Stack) == 0 {
		t.Errorf("Wait() error = %v, want a *protocols.Panic with its stack", err)
	}
	l = Open(t.Context(), fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Lines: func(yield func(protocols.Line, error) bool) {
			yield(protocols.Line{Text: "a"}, nil)
			panic("oh")
		}}, nil
	}), protocols.Request{URL: somewhere})
	lines, err := readLines(l)
	if !errors.As(err, &p) || len(lines) != 1 {
		t.Errorf("Next gives %d lines and %v, want 1 and a *protocols.Panic", len(lines), err)
	}
}

func TestLoadNothing(t *testing.T) {
	l := Open(t.Context(), fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{}, nil
	}), protocols.Request{URL: somewhere})
	var e *protocols.Error
	if _, err := l.Wait(); !errors.As(err, &e) || e.Reason != protocols.Malformed {
		t.Errorf("Wait() error = %v, want reason Malformed", err)
	}
}

func TestLoadBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20_000
		var yielded atomic.Int64
		l := Open(t.Context(), fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			return &protocols.Resource{Lines: numberedLines(n, &yielded)}, nil
		}), protocols.Request{URL: somewhere})
		synctest.Wait()
		fetchtest.Equal(t, yielded.Load(), maxWaitingLines, "lines received from the server without a reader")
		batch, err := l.Next()
		if batch.Len() != maxWaitingLines || err != nil {
			t.Errorf("Next() = %d lines, %v; want all %d that wait", batch.Len(), err, maxWaitingLines)
		}
		synctest.Wait()
		fetchtest.Equal(t, yielded.Load(), 2*maxWaitingLines, "lines received after one Next")
		rest, err := readLines(l)
		if got := batch.Len() + len(rest); got != n || err != io.EOF {
			t.Errorf("got %d lines, %v; want %d, EOF", got, err, n)
		}
	})
}

func TestLoadBackPressureBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var yielded atomic.Int64
		long := strings.Repeat("x", 100_000)
		l := Open(t.Context(), fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			return &protocols.Resource{Lines: func(yield func(protocols.Line, error) bool) {
				for yield(protocols.Line{Text: long}, nil) {
					yielded.Add(1)
				}
			}}, nil
		}), protocols.Request{URL: somewhere})
		synctest.Wait()
		if got := yielded.Load(); got > 11 {
			t.Errorf("without a reader: got %d lines of 100 kB, want at most 11", got)
		}
		l.Cancel()
	})
}

func TestLoadLimit(t *testing.T) {
	var yielded atomic.Int64
	l := Open(t.Context(), fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Lines: numberedLines(1_000_000, &yielded)}, nil
	}), protocols.Request{URL: somewhere}, Limit(1<<20))
	lines, err := readLines(l)
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.TooBig {
		t.Fatalf("the load ends with %v, want reason TooBig", err)
	}
	var page Lines
	page.Append(lines...)
	if b := page.Bytes(); b > 1<<20+100 || b < 1<<20 {
		t.Errorf("the lines take %d octets, want %d and a line", b, 1<<20)
	}
}

func TestLoadCancel(t *testing.T) {
	stuck := fetchFunc(func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	var closed atomic.Int32
	tests := []struct {
		name string
		f    protocols.Fetcher
		wait bool // whether Wait returns an answer
	}{
		{"before the answer", stuck, false},
		{"in the lines", menu(&closed, errStall, protocols.Line{Text: "a"}), true},
		{"before the first octet", file(&closed, "", errStall), false},
		{"in the text", file(&closed, "", errStall, "a\nb"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := Open(t.Context(), tt.f, protocols.Request{URL: somewhere})
				ended := make(chan error, 1)
				go func() {
					_, err := readLines(l)
					ended <- err
				}()
				synctest.Wait()
				l.Cancel()
				fetchtest.Equal(t, <-ended, ErrStopped, "Next")
				if _, err := l.Wait(); (err == nil) != tt.wait {
					t.Errorf("after Cancel, Wait() error = %v; want an answer: %v", err, tt.wait)
				}
				l.Cancel()
			})
		})
	}
	fetchtest.Equal(t, closed.Load(), 3, "closings of resources")
}

func TestLoadUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed atomic.Int32
		l := Open(t.Context(), file(&closed, "", errStall, "text"), protocols.Request{URL: somewhere})
		fetchtest.Must(l.Wait())(t)
		l.Cancel()
		fetchtest.Equal(t, closed.Load(), 1, "closings of the resource")
	})
}

func TestSaveRefuses(t *testing.T) {
	var closed atomic.Int32
	target := fetchtest.Parse(t, "ftp://f.example/a")
	redirect := fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return protocols.NewRedirect(protocols.Head{URL: somewhere}, "", target), nil
	})
	to := Open(t.Context(), redirect, protocols.Request{URL: somewhere})
	_, err := to.Save(io.Discard)
	if fetchtest.Reason(t, err, protocols.ServerFailed); !strings.Contains(sentence.Of(err), target.String()) {
		t.Errorf("Save of a redirect: error %v, want the target", err)
	}
	to.Cancel()
	l := Open(t.Context(), menu(&closed, nil), protocols.Request{URL: somewhere})
	if _, err := l.Save(io.Discard); err != protocols.ErrNoOctets {
		t.Errorf("Save of lines: error %v, want protocols.ErrNoOctets", err)
	}
	l.Cancel()
	l = Open(t.Context(), file(&closed, "", nil, "text"), protocols.Request{URL: somewhere})
	if _, err := readLines(l); err != io.EOF {
		t.Fatal(err)
	}
	if n, err := l.Save(io.Discard); n != 0 || err == nil {
		t.Errorf("Save after Next = %d, %v; want an error", n, err)
	}
	l = Open(t.Context(), file(&closed, "", nil, "text"), protocols.Request{URL: somewhere})
	fetchtest.Must(l.Save(io.Discard))(t)
	if lines, err := l.Next(); lines.Len() != 0 || err == nil || err == io.EOF {
		t.Errorf("Next after Save = %v, %v; want an error", lines, err)
	}
	l.Cancel()
}

// TestAnswerBeforeEnd checks that Wait returns the answer of the server even if the load has already ended.
func TestAnswerBeforeEnd(t *testing.T) {
	ask := &protocols.Ask{URL: somewhere}
	instant := fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { return nil, ask })
	for range 5_000 {
		l := Open(t.Context(), instant, protocols.Request{URL: somewhere})
		if _, err := l.Wait(); err != ask {
			t.Fatalf("Wait() error = %v, want the answer of the server", err)
		}
	}
}

// TestLoadText checks the text that a load has collected at the end of its page.
func TestLoadText(t *testing.T) {
	lines := []protocols.Line{
		{Text: "plain \x1b[31m red\x00"},
		{Text: "latin-1 \xe9t\xe9"},
		{},
		{Kind: protocols.Search, Text: "More", Note: protocols.ActionMore},
		{Kind: protocols.Article, Text: "Re: fox", Note: &protocols.ArticleNote{From: "Joe <joe@h.example>"}},
	}
	load := func(opts ...Option) string {
		l := Open(t.Context(), fetchFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			res := protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}, lines...)
			res.Preview = func(yield func(protocols.Line) bool) { yield(protocols.Line{Text: "preview"}) }
			return res, nil
		}), protocols.Request{URL: somewhere}, opts...)
		for {
			if _, err := l.Next(); err != nil {
				fetchtest.ErrorIs(t, err, io.EOF)
				latin1, _ := charset.Parse("iso-8859-1")
				return l.Text(clean.Reading{Charset: latin1})
			}
		}
	}
	const want = "plain \u241b[31m red\u2400\nlatin-1 \u00e9t\u00e9\n\nRe: fox Joe <joe@h.example>\n"
	fetchtest.Equal(t, load(CollectText(1000)), want, "without the preview")
	fetchtest.Equal(t, load(CollectText(1000), Preview()), want, "after the preview")
	fetchtest.Equal(t, load(CollectText(10), Preview()), "plain \u241b[31\n", "up to the limit")
	fetchtest.Equal(t, load(), "", "without the option")
}
