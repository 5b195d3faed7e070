package nav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// tab drives a Session as the screen does.
type tab struct {
	t    *testing.T
	s    Session
	load map[string]*Load
}

// lineFetcher is a Fetcher that answers every URL with three lines. The first line is the URL. A URL
// with "fail" fails. The load of a URL with "slow" does not end after the lines. A
// URL with "text" is a document.
var lineFetcher = fetchFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if strings.Contains(req.URL.String(), "fail") {
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "connect"}
	}
	var n atomic.Int32
	var end error
	if strings.Contains(req.URL.String(), "slow") {
		end = errStall
	}
	res, err := menu(&n, end, protocols.Line{Text: req.URL.String()}, protocols.Line{Text: "2"}, protocols.Line{Text: "3"}).Fetch(ctx, req)
	if strings.Contains(req.URL.String(), "text") {
		res.Layout = protocols.LayoutText
	}
	return res, err
})

func (tb *tab) step(step string) {
	verb, name, _ := strings.Cut(step, " ")
	u := testURL("test:" + name)
	switch verb {
	case "begin", "reload":
		l := Open(tb.t.Context(), lineFetcher, protocols.Request{URL: u})
		tb.load[name] = l
		if verb == "begin" {
			tb.s.Begin(l)
		} else {
			tb.s.Reload(l)
		}
	case "answer":
		l := tb.load[name]
		if h, err := l.Wait(); err != nil {
			tb.s.Fail(l, err)
		} else {
			tb.s.Answer(l, h)
		}
	case "lines": // all three lines, which may arrive in several batches on a busy machine
		var err error
		for n := 0; n < 3 && err == nil; {
			var lines Lines
			lines, err = tb.load[name].Next()
			tb.s.Append(tb.load[name], lines, err)
			n += lines.Len()
		}
	case "end":
		for {
			lines, err := tb.load[name].Next()
			tb.s.Append(tb.load[name], lines, err)
			if err != nil {
				return
			}
		}
	case "visit":
		tb.step("begin " + name)
		tb.step("answer " + name)
		tb.step("end " + name)
	case "cursor":
		tb.s.Page().Cursor, tb.s.Page().Top = 2, 1
	case "back":
		tb.s.GoBack()
	case "forward":
		tb.s.GoForward()
	case "stop":
		tb.s.Stop()
	default:
		tb.t.Fatalf("no step %q", step)
	}
}

// String returns the state of the session: the URL of its page, how many lines the page has, the cursor,
// whether the page is complete, whether a load is running, and whether the session can go back and forward.
func (tb *tab) String() string {
	s := &tb.s
	out := "-"
	if p := s.Page(); p != nil {
		out = strings.TrimPrefix(p.URL.String(), "test:")
		if p.Failed != nil {
			out += " failed"
		} else {
			out += fmt.Sprintf(" %d@%d", p.Lines.Len(), p.Cursor)
		}
		switch {
		case p.Dropped:
			out += " dropped"
		case p.Err == nil && p.Failed == nil:
			out += " ..."
		case errors.Is(p.Err, ErrStopped):
			out += " stopped"
		}
		if p.Cut {
			out += " cut"
		}
	}
	if s.IsWaiting() {
		out += " waiting"
	} else if s.Loading() != nil {
		out += " loading"
	}
	if s.CanGoBack() {
		out += " <"
	}
	if s.canGoForward() {
		out += " >"
	}
	return out
}

func TestSession(t *testing.T) {
	tests := []struct{ name, steps, want string }{
		{"nothing", "", "-"},
		{"begin", "begin a", "- waiting"},
		{"answer", "begin slow; answer slow; lines slow", "slow 3@0 ... loading"},
		{"whole", "visit a", "a 3@0"},
		{"old page stays", "visit a; begin b", "a 3@0 waiting"},
		{"second page", "visit a; visit b", "b 3@0 <"},
		{"back keeps the place", "visit a; cursor; visit b; back", "a 3@2 >"},
		{"forward", "visit a; visit b; back; forward", "b 3@0 <"},
		{"a visit drops what is forward", "visit a; visit b; back; visit c", "c 3@0 <"},
		{"back at the beginning", "visit a; back", "a 3@0"},
		{"stale answer", "begin a; begin b; answer a", "- waiting"},
		{"stale lines", "begin slow; answer slow; begin b; answer b; lines slow", "b 0@0 ... loading <"},
		{"superseded page keeps what came", "begin slow; answer slow; lines slow; visit b; back", "slow 3@0 stopped cut >"},
		{"forward to a list that was left", "visit a; begin slow; answer slow; lines slow; back; forward", "slow 3@0 stopped cut <"},
		{"a document that was left", "begin slow text; answer slow text; lines slow text; visit b; back", "slow text 3@0 stopped >"},
		{"a complete list that was left during a reload", "visit a; reload a; begin b; stop", "a 3@0"},
		{"a cut list is loaded again", "begin slow; answer slow; lines slow; begin b; reload slow; answer slow", "slow 0@0 ... loading"},
		{"a cut list that was stopped", "begin slow; answer slow; lines slow; begin b; reload slow; stop", "slow 3@0 stopped"},
		{"a cut list that was left during the reload", "begin slow; answer slow; lines slow; begin b; reload slow; begin b; stop", "slow 3@0 stopped cut"},
		{"a list that was stopped before", "begin slow; answer slow; lines slow; begin b; reload slow; stop; begin b; stop", "slow 3@0 stopped"},
		{"back to a list that was left", "begin slow; answer slow; lines slow; visit b; back; reload slow; answer slow; lines slow; forward; back", "slow 3@0 stopped cut >"},
		{"stop before the answer", "visit a; begin b; stop", "a 3@0"},
		{"answer after stop", "visit a; begin b; stop; answer b", "a 3@0"},
		{"stop in the lines", "begin slow; answer slow; lines slow; stop", "slow 3@0 stopped"},
		{"failure", "visit a; begin fail; answer fail", "fail failed <"},
		{"failure at first", "begin fail; answer fail", "fail failed"},
		{"back from failure", "visit a; begin fail; answer fail; back", "a 3@0"},
		{"failure is not in the history", "visit a; begin fail; answer fail; visit b; back", "a 3@0 >"},
		{"reload keeps the place", "visit a; visit b; cursor; reload b; answer b; end b", "b 3@2 <"},
		{"reload shows the old page until it is answered", "visit b; cursor; reload b", "b 3@2 waiting"},
		{"failed reload", "visit a; visit fine; cursor; reload fail; answer fail; back", "fine 3@2 <"},
		{"the same again is not a second entry", "visit a; visit b; visit b; back", "a 3@0 >"},
		{"back ends a load", "visit a; visit b; begin c; back", "a 3@0 >"},
		{"answer twice", "begin slow; answer slow; answer slow", "slow 0@0 ... loading"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tb := &tab{t: t, load: map[string]*Load{}}
			for step := range strings.SplitSeq(tt.steps, "; ") {
				if step != "" {
					tb.step(step)
				}
			}
			fetchtest.Equal(t, tb.String(), tt.want, "after %q", tt.steps)
			tb.s.Close()
			for name, l := range tb.load {
				select {
				case <-l.Done():
				default:
					t.Errorf("the load of %s has not ended after Close", name)
				}
			}
		})
	}
}

func TestSessionMemory(t *testing.T) {
	tb := &tab{t: t, load: map[string]*Load{}}
	(&Memory{Limit: 120}).Use(&tb.s)
	for _, step := range []string{"visit a", "cursor", "visit b", "visit c", "visit d"} {
		tb.step(step)
	}
	fetchtest.Equal(t, tb.String(), "d 3@0 <", "the newest page")
	tb.step("back")
	fetchtest.Equal(t, tb.String(), "c 3@0 < >", "the page before")
	tb.step("back")
	tb.step("back")
	fetchtest.Equal(t, tb.String(), "a 0@2 dropped >", "the oldest page")
	tb.step("reload a")
	tb.step("answer a")
	tb.step("end a")
	fetchtest.Equal(t, tb.String(), "a 3@2 >", "the oldest page reloaded")
	tb.s.Close()
}

// TestPlaceIsOnALine checks that the cursor and the top of the screen move to the last line when a
// page has become shorter. A page with a content instead of lines keeps them.
func TestPlaceIsOnALine(t *testing.T) {
	for _, tt := range []struct {
		name        string
		place, want Place
		content     Content
		lines       []protocols.Line
	}{
		{"within", Place{Cursor: 1, Top: 1, TopRow: 2}, Place{Cursor: 1, Top: 1, TopRow: 2}, nil, []protocols.Line{{Text: "a"}, {Text: "b"}}},
		{"the cursor below", Place{Cursor: 2, Top: 1, TopRow: 2}, Place{Cursor: 1, Top: 1}, nil, []protocols.Line{{Text: "a"}, {Text: "b"}}},
		{"the top below", Place{Cursor: 1, Top: 2, TopRow: 2}, Place{Cursor: 1, Top: 1}, nil, []protocols.Line{{Text: "a"}, {Text: "b"}}},
		{"no lines", Place{Cursor: 1, Top: 1}, Place{}, nil, nil},
		{"a picture", Place{Cursor: 3, Top: 2, TopRow: 1}, Place{Cursor: 3, Top: 2, TopRow: 1}, octetContent(1), nil},
	} {
		var s Session
		l := &Load{URL: somewhere, done: make(chan struct{}), cancel: func(error) {}, content: tt.content}
		s.Begin(l)
		p := s.Answer(l, protocols.Head{})
		p.Place = tt.place
		s.Append(l, linesOf(tt.lines...), nil)
		s.Append(l, Lines{}, io.EOF)
		fetchtest.Equal(t, p.Place, tt.want, "%s", tt.name)
	}
}

// TestJumpAndCover checks that GoBack leads to the place before a jump, and from an overlay to the
// page below it.
func TestJumpAndCover(t *testing.T) {
	tb := &tab{t: t, load: map[string]*Load{}}
	defer tb.s.Close()
	tb.s.Jump()
	tb.step("visit a")
	tb.s.Jump()
	tb.s.Page().Cursor = 2
	fetchtest.Equal(t, tb.String(), "a 3@2 <", "after a jump")
	for _, err := range []error{io.ErrNoProgress, io.ErrUnexpectedEOF} {
		tb.s.PushOverlay(ErrorPage(somewhere, err))
	}
	tb.s.Jump()
	if tb.s.Page().Failed != io.ErrUnexpectedEOF || !tb.s.CanGoBack() {
		t.Errorf("with two overlays: the page has the error %v, want %v and CanGoBack", tb.s.Page().Failed, io.ErrUnexpectedEOF)
	}
	if tb.s.GoBack(); tb.s.Page().Failed != io.ErrNoProgress {
		t.Errorf("with one overlay: the page has the error %v, want %v", tb.s.Page().Failed, io.ErrNoProgress)
	}
	for _, want := range []string{"a 3@2 <", "a 3@0 >"} {
		if ok := tb.s.GoBack(); !ok || tb.String() != want {
			t.Errorf("GoBack = %v and %q, want true and %q", ok, tb.String(), want)
		}
	}
	tb.step("begin slow")
	tb.step("answer slow")
	tb.s.Jump()
	if got, want := tb.String(), "slow 0@0 ... loading <"; got != want || tb.s.stack.Len() != 2 {
		t.Errorf("Jump on a loading page: got %q and %d pages, want %q and 2 pages", got, tb.s.stack.Len(), want)
	}
	var empty Session
	if empty.PushOverlay(ErrorPage(nil, io.EOF)); empty.CanGoBack() {
		t.Error("CanGoBack returned true for an overlay without a page below it")
	}
}
