package transfer_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer"
	"gofer/protocols"
	"gofer/urlcore"
)

var somewhere = urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1'}

func begin(protocols.Head) error { return nil }

// fetchers returns fetchers by what they do. All of them fail, or give what is neither a complete list nor a document.
func fetchers(stop context.CancelCauseFunc) map[string]protocols.Fetcher {
	answer := func(res *protocols.Resource) protocols.Fetcher {
		return fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { return res, nil })
	}
	return map[string]protocols.Fetcher{
		"fails": fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
			return nil, &protocols.Error{Reason: protocols.NotFound}
		}),
		"panics":    fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) { panic("oh") }),
		"has none":  answer(new(protocols.Resource)),
		"a session": answer(&protocols.Resource{Session: session{}}),
		"much that is no line": fetchtest.FetcherFunc(func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			protocols.ProgressFrom(ctx).AddReceived(1<<30, 0)
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		"stopped": fetchtest.FetcherFunc(func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			stop(fs.ErrClosed)
			return nil, ctx.Err()
		}),
	}
}

type session struct{ protocols.InteractiveSession }

// TestAnswers checks the errors of answers that are neither a list nor a document, for lists and for documents.
func TestAnswers(t *testing.T) {
	for name, check := range map[string]func(err error) bool{
		"fails":                func(err error) bool { return protocols.ReasonOf(err) == protocols.NotFound },
		"panics":               func(err error) bool { p, ok := errors.AsType[*protocols.Panic](err); return ok && len(p.Stack) > 0 },
		"has none":             func(err error) bool { return protocols.ReasonOf(err) == protocols.Malformed },
		"a session":            func(err error) bool { return errors.Is(err, protocols.ErrSession) },
		"much that is no line": func(err error) bool { return protocols.ReasonOf(err) == protocols.TooBig },
		"stopped":              func(err error) bool { return errors.Is(err, fs.ErrClosed) },
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		if _, lines, err := transfer.ReadAll(ctx, fetchers(stop)[name], protocols.Request{URL: somewhere}); !check(err) || lines != nil {
			t.Errorf("%s: ReadAll returned %d lines and the error %v", name, len(lines), err)
		}
		ctx, stop = context.WithCancelCause(t.Context())
		if _, err := transfer.Save(ctx, fetchers(stop)[name], protocols.Request{URL: somewhere}, io.Discard, begin); !check(err) {
			t.Errorf("%s: Save returned the error %v", name, err)
		}
		stop(nil)
	}
}

func TestReadAll(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken}
	line := protocols.Line{Text: "a", Link: somewhere}
	for _, end := range []error{nil, broken} {
		var closed atomic.Int32
		head, lines, err := transfer.ReadAll(t.Context(), fetchtest.Menu(&closed, end, line, line), protocols.Request{URL: somewhere})
		fetchtest.Equal(t, err, end, "ReadAll")
		fetchtest.EqualSlices(t, lines, []protocols.Line{line, line}, "lines before %v", end)
		fetchtest.Equal(t, head.URL, urlcore.URL(somewhere), "URL")
		fetchtest.Equal(t, closed.Load(), 1, "closings of the resource")
	}
	_, lines, err := transfer.ReadAll(t.Context(), fetchtest.Menu(new(atomic.Int32), nil), protocols.Request{URL: somewhere})
	if lines == nil || err != nil {
		t.Errorf("an empty list: got %v and the error %v, want lines that are not nil", lines, err)
	}
	_, lines, _ = transfer.ReadAll(
		t.Context(), fetchtest.Menu(new(atomic.Int32), nil, protocols.Line{Link: urlcore.File{Path: "/etc/passwd"}}),
		protocols.Request{URL: somewhere},
	)
	if _, isFile := lines[0].Link.(urlcore.File); isFile {
		t.Error("the list of a server leads to a file of this machine")
	}
	_, lines, _ = transfer.ReadAll(
		t.Context(), fetchtest.File(new(atomic.Int32), "text/plain", nil, "one\ntwo\n"),
		protocols.Request{URL: somewhere},
	)
	fetchtest.Equal(t, len(lines), 2, "lines of a text")
}

// TestBounds checks that a list ends that would take too much memory, with the context, and with a panic.
func TestBounds(t *testing.T) {
	big, n := protocols.Line{Text: strings.Repeat("x", 1<<20)}, 0
	ctx, stop := context.WithCancelCause(t.Context())
	for name, tt := range map[string]struct {
		at   func()
		want protocols.Reason
	}{
		"too big": {func() {}, protocols.TooBig},
		"stopped": {func() { stop(protocols.NewError(protocols.Refused, "", "")) }, protocols.Refused},
		"panics":  {func() { panic("oh") }, protocols.Unknown},
	} {
		var closed atomic.Int32
		n = 0
		endless := fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
			res, err := fetchtest.Menu(&closed, nil).Fetch(t.Context(), protocols.Request{URL: somewhere})
			res.Lines = func(yield func(protocols.Line, error) bool) {
				for ; yield(big, nil); n++ {
					if n == 3 {
						tt.at()
					}
				}
			}
			return res, err
		})
		_, _, err := transfer.ReadAll(ctx, endless, protocols.Request{URL: somewhere})
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%s: the error %v after %d lines", name, err, n)
		fetchtest.Equal(t, closed.Load(), 1, "%s: closings of the resource", name)
		ctx, stop = context.WithCancelCause(t.Context())
	}
	stop(nil)
}

func TestSave(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken}
	png := []string{"\x89PN", "G\r\n\x1a\n\x00\x01" + strings.Repeat("\x00\xff\r\n.", 50_000)}
	for _, tt := range []struct {
		name    string
		fetcher func(closed *atomic.Int32) protocols.Fetcher
		begin   error
		want    string
		err     error
	}{
		{"a document", func(n *atomic.Int32) protocols.Fetcher { return fetchtest.File(n, "", nil, png[0], png[1]) }, nil, png[0] + png[1], nil},
		{"a broken document", func(n *atomic.Int32) protocols.Fetcher { return fetchtest.File(n, "", broken, "abc") }, nil, "abc", broken},
		{
			"a document that is not wanted",
			func(n *atomic.Int32) protocols.Fetcher { return fetchtest.File(n, "", nil, "abc") }, fs.ErrExist, "",
			fs.ErrExist,
		},
		{
			"a document whose head is enough",
			func(n *atomic.Int32) protocols.Fetcher { return fetchtest.File(n, "", nil, "abc") }, fs.SkipAll, "", nil,
		},
		{"a list", func(n *atomic.Int32) protocols.Fetcher { return fetchtest.Menu(n, nil) }, nil, "", protocols.ErrNoOctets},
	} {
		var closed atomic.Int32
		var got strings.Builder
		_, err := transfer.Save(
			t.Context(), tt.fetcher(&closed), protocols.Request{URL: somewhere}, &got,
			func(protocols.Head) error { return tt.begin },
		)
		fetchtest.Equal(t, err, tt.err, "%s: the error", tt.name)
		fetchtest.Equal(t, got.String() == tt.want, true, "%s: %d octets, want %d", tt.name, got.Len(), len(tt.want))
		fetchtest.Equal(t, closed.Load(), 1, "%s: closings of the resource", tt.name)
	}
}

// writerFunc is a function as a writer.
type writerFunc func() error

func (w writerFunc) Write(p []byte) (int, error) { return len(p), w() }

// TestSaveEnds checks that the end of the context and a write error end Save.
func TestSaveEnds(t *testing.T) {
	stopped, stop := context.WithCancelCause(t.Context())
	for _, tt := range []struct {
		ctx context.Context
		w   writerFunc
	}{
		{t.Context(), func() error { return fs.ErrClosed }},
		{stopped, func() error { stop(fs.ErrClosed); return nil }},
	} {
		_, err := transfer.Save(tt.ctx, fetchtest.File(new(atomic.Int32), "", nil, "abc", "def"), protocols.Request{URL: somewhere}, tt.w, begin)
		fetchtest.Equal(t, err, fs.ErrClosed, "Save")
	}
}

func TestLateNotes(t *testing.T) {
	noted := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		res, err := fetchtest.File(new(atomic.Int32), "", nil, "abc").Fetch(ctx, req)
		res.LateNotes = func() []string { return []string{"late"} }
		return res, err
	})
	notes, err := transfer.Save(t.Context(), noted, protocols.Request{URL: somewhere}, io.Discard, begin)
	fetchtest.NoError(t, err)
	fetchtest.EqualSlices(t, notes, []string{"late"}, "notes")
}
