package nav

import (
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestDirectoryIsSorted(t *testing.T) {
	entry := func(name string) protocols.Line {
		kind := protocols.Text
		if strings.HasSuffix(name, "/") {
			kind = protocols.Directory
		}
		return protocols.Line{Kind: kind, Text: name, Note: &protocols.FileNote{Size: -1}}
	}
	for _, tt := range []struct {
		name        string
		cursor, top int
		kept        bool
		wantCursor  int
		wantTop     int
	}{
		{"the cursor was not moved", 1, 0, false, 1, 0},
		{"the cursor stays on its entry", 2, 0, false, 3, 1},
		{"a reload keeps the place", 3, 1, true, 3, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Session{}
			l := Open(t.Context(), menu(new(atomic.Int32), nil), somewhere)
			defer l.Cancel()
			head := fetchtest.Must(l.Wait())(t)
			s.Begin(l)
			head.Layout = protocols.LayoutDirectory
			p := s.Answer(l, head)
			p.Cursor, p.Top, p.placeKept = tt.cursor, tt.top, tt.kept
			s.Append(l, linesOf([]protocols.Line{
				{Text: "welcome"}, entry("c"), entry("b"), {Kind: protocols.Problem, Text: "?"}, entry("z/"), entry("A"),
			}...), nil)
			s.Append(l, Lines{}, io.EOF)
			var got []string
			for _, l := range p.Lines.All(0) {
				got = append(got, l.Text)
			}
			if want := "welcome z/ A b c ?"; strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if p.Cursor != tt.wantCursor || p.Top != tt.wantTop {
				t.Errorf("cursor %d, top %d; want %d, %d", p.Cursor, p.Top, tt.wantCursor, tt.wantTop)
			}
		})
	}
}

// TestSortHoldsRows: to put the entries of a directory with a long path in
// order writes each link once, and parses none.
func TestSortHoldsRows(t *testing.T) {
	path := strings.Repeat("a", 20_000)
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutDirectory}}
	for i := range 5000 {
		p.Lines.Append(protocols.Line{Text: strconv.Itoa(i * 7919 % 5000), Note: &protocols.FileNote{}, Link: urlcore.Gopher{
			HostPort: urlcore.HostPort{Host: "h"}, Type: '0', Selector: path + strconv.Itoa(i),
		}})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.sortEntries()
	runtime.ReadMemStats(&after)
	if got, links := after.TotalAlloc-before.TotalAlloc, uint64(5000*20_000); got > links*3/2 {
		t.Errorf("sorting links of %d octets allocates %d", links, got)
	}
	if p.Lines.At(1).Text != "1" || p.Lines.Len() != 5000 || p.Lines.At(4999).Link == nil {
		t.Errorf("line 1 is %.40v", p.Lines.At(1))
	}
}

// What a preview has shown is replaced by all lines at once; who does not ask
// for it gets those only.
func TestPreview(t *testing.T) {
	line := func(s string) protocols.Line { return protocols.Line{Text: s, Link: testURL("test:" + s)} }
	for _, tt := range []struct {
		name        string
		cursor, top int
		kept        bool
		wantCursor  int
		wantTop     int
	}{
		{"the cursor was not moved", 0, 0, false, 0, 0},
		{"the cursor stays on its entry", 1, 0, false, 3, 2},
		{"a reload keeps the place", 1, 0, true, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown := make(chan struct{})
			f := fetchFunc(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
				r, err := menu(new(atomic.Int32), nil, line("a"), line("b"), line("c"), line("d")).Fetch(ctx, u)
				r.Preview = func(yield func(protocols.Line) bool) {
					_ = yield(line("b")) && yield(line("d"))
					<-shown
				}
				return r, err
			})
			s := &Session{}
			l := Open(t.Context(), f, somewhere, Preview())
			defer l.Cancel()
			head := fetchtest.Must(l.Wait())(t)
			s.Begin(l)
			p := s.Answer(l, head)
			for p.Lines.Len() < 2 {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			p.Cursor, p.Top, p.placeKept = tt.cursor, tt.top, tt.kept
			close(shown)
			for p.Loading() {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			var got []string
			for _, l := range p.Lines.All(0) {
				got = append(got, l.Text)
			}
			if strings.Join(got, " ") != "a b c d" || p.Cursor != tt.wantCursor || p.Top != tt.wantTop {
				t.Errorf("got %q, cursor %d, top %d; want %d, %d", got, p.Cursor, p.Top, tt.wantCursor, tt.wantTop)
			}
			plain := Open(t.Context(), f, somewhere)
			if lines, err := all(plain); err != io.EOF || strings.Join(texts(lines), " ") != "a b c d" {
				t.Errorf("without the preview: %q, %v", texts(lines), err)
			}
		})
	}
}

// BenchmarkSort puts a directory in order anew.
func BenchmarkSort(b *testing.B) {
	for _, by := range []string{ByName, "size", "modified", ByKind, AsSent} {
		b.Run(by, func(b *testing.B) {
			p := &Page{Head: protocols.Head{Layout: protocols.LayoutDirectory}, Err: io.EOF}
			for i := range 100_000 {
				name := "file-" + strconv.Itoa(i*7919%100_000) + ".tar.gz"
				p.Lines.Append(protocols.Line{Kind: protocols.Archive, Text: name, Link: testURL("test:" + name), Note: &protocols.FileNote{
					Size: int64(i * 104729 % 99_991), Modified: time.Unix(int64(i)*15485863%1_700_000_000, 0),
				}})
			}
			var s Session
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Sort(p, Order{By: by, Reversed: i%2 == 1})
			}
		})
	}
}

// TestOrderIsRestored: the order of a page is part of its place, for what else
// does the cursor mean; the pages after it have it too.
func TestOrderIsRestored(t *testing.T) {
	entry := func(name string, size int64) protocols.Line {
		return protocols.Line{Text: name, Link: testURL("test:" + name), Note: &protocols.FileNote{Size: size}}
	}
	dir := menu(new(atomic.Int32), nil, entry("a", 1), entry(".b", 3), entry("c", 2))
	f := fetchFunc(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
		r, err := dir.Fetch(ctx, u)
		r.URL, r.Layout = u, protocols.LayoutDirectory
		return r, err
	})
	data := fetchtest.Must(json.Marshal(Place{Cursor: 1, Order: Order{By: "size", Reversed: true}, Dots: true}))(t)
	kept := &Page{Head: protocols.Head{URL: somewhere}}
	fetchtest.NoError(t, json.Unmarshal(data, &kept.Place))
	kept.Place = kept.Bounded()
	var s Session
	s.Restore([]*Page{kept}, 0)
	for i, u := range []urlcore.URL{somewhere, testURL("test:next")} {
		l := Open(t.Context(), f, u)
		defer l.Cancel()
		head := fetchtest.Must(l.Wait())(t)
		if i == 0 {
			s.Reload(l)
		} else {
			s.Begin(l)
		}
		p := s.Answer(l, head)
		for p.Loading() {
			lines, err := l.Next()
			s.Append(l, lines, err)
		}
		var got []string
		for _, l := range p.Lines.All(0) {
			got = append(got, l.Text)
		}
		if strings.Join(got, " ") != "a c .b" || p.Cursor != 1-i {
			t.Errorf("%v: got %q, the cursor on %d", u, got, p.Cursor)
		}
	}
}

// TestSortKeysAreBeginnings: texts that differ only after what a key holds of them
// are in order, both ways, and those that are not known come last.
func TestSortKeysAreBeginnings(t *testing.T) {
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutArticles}, Err: io.EOF}
	long := strings.Repeat("x", 20)
	for _, from := range []string{long + "c", "", "b", long + "a", "", "b\x00", long, "a", long + "b"} {
		p.Lines.Append(protocols.Line{Kind: protocols.Article, Text: "s", Note: &protocols.ArticleNote{From: from, Number: uint64(p.Lines.Len())}})
	}
	for _, tt := range []struct {
		order Order
		want  string
	}{
		{Order{By: ByAuthor, Flat: true}, "725638014"},
		{Order{By: ByAuthor, Flat: true, Reversed: true}, "083652714"},
		{Order{By: ByNumber, Flat: true}, "876543210"},
		{Order{By: ByNumber, Flat: true, Reversed: true}, "012345678"},
	} {
		new(Session).Sort(p, tt.order)
		got := ""
		for _, l := range p.Lines.All(0) {
			got += strconv.FormatUint(l.Note.(*protocols.ArticleNote).Number, 10)
		}
		if got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.order, got, tt.want)
		}
	}
}
