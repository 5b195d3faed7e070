package nav

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestPreview checks that the lines of a page replace its preview, and where the cursor is then. Without the
// option Preview there is no preview.
func TestPreview(t *testing.T) {
	line := func(s string) protocols.Line { return protocols.Line{Text: s, Link: testURL("test:" + s)} }
	for _, tt := range []struct {
		name        string
		cursor, top int
		kept, used  bool
		wantCursor  int
		wantTop     int
	}{
		{"the cursor was not moved", 0, 0, false, false, 0, 0},
		{"the cursor stays on its item", 1, 0, false, false, 3, 2},
		{"the cursor stays on the first item", 0, 0, false, true, 1, 1},
		{"a reload keeps the place", 1, 0, true, false, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown := make(chan struct{})
			f := fetchFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				r, err := menu(new(atomic.Int32), nil, line("a"), line("b"), line("c"), line("d")).Fetch(ctx, req)
				r.Preview = func(yield func(protocols.Line) bool) {
					_ = yield(line("b")) && yield(line("d"))
					<-shown
				}
				return r, err
			})
			s := &Session{}
			l := Open(t.Context(), f, protocols.Request{URL: somewhere}, Preview())
			defer l.Cancel()
			head := fetchtest.Must(l.Wait())(t)
			s.Begin(l)
			p := s.Answer(l, head)
			for p.Lines.Len() < 2 {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			p.Cursor, p.Top, p.placeKept = tt.cursor, tt.top, tt.kept
			if tt.used {
				p.KeepItem()
			}
			close(shown)
			for p.IsLoading() {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			var got []string
			for _, l := range p.Lines.All(0) {
				got = append(got, l.Text)
			}
			if strings.Join(got, " ") != "a b c d" || p.Cursor != tt.wantCursor || p.Top != tt.wantTop {
				t.Errorf("got %q, cursor %d, top %d; want \"a b c d\", cursor %d, top %d", got, p.Cursor, p.Top, tt.wantCursor, tt.wantTop)
			}
			plain := Open(t.Context(), f, protocols.Request{URL: somewhere})
			if lines, err := readLines(plain); err != io.EOF || strings.Join(texts(lines), " ") != "a b c d" {
				t.Errorf("without the option Preview: got %q, %v; want \"a b c d\", EOF", texts(lines), err)
			}
		})
	}
}

// BenchmarkSort sorts a directory again and again, in alternating directions.
func BenchmarkSort(b *testing.B) {
	for _, by := range []string{ByName, "size", "modified", byKind, ArrivalOrder} {
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

// TestOrderIsRestored checks that the order of a page is part of its place, because the meaning of
// the cursor depends on it. Later pages have the same order.
func TestOrderIsRestored(t *testing.T) {
	entry := func(name string, size int64) protocols.Line {
		return protocols.Line{Text: name, Link: testURL("test:" + name), Note: &protocols.FileNote{Size: size}}
	}
	dir := menu(new(atomic.Int32), nil, entry("a", 1), entry(".b", 3), entry("c", 2))
	f := fetchFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		r, err := dir.Fetch(ctx, req)
		r.URL, r.Layout = req.URL, protocols.LayoutDirectory
		return r, err
	})
	data := fetchtest.Must(json.Marshal(Place{Cursor: 1, Order: Order{By: "size", Reversed: true}, Dots: true}))(t)
	kept := &Page{Head: protocols.Head{URL: somewhere}}
	fetchtest.NoError(t, json.Unmarshal(data, &kept.Place))
	kept.Place = kept.WithoutNegatives()
	var s Session
	s.Restore([]*Page{kept}, 0)
	for i, u := range []urlcore.URL{somewhere, testURL("test:next")} {
		l := Open(t.Context(), f, protocols.Request{URL: u})
		defer l.Cancel()
		head := fetchtest.Must(l.Wait())(t)
		if i == 0 {
			s.Reload(l)
		} else {
			s.Begin(l)
		}
		p := s.Answer(l, head)
		for p.IsLoading() {
			lines, err := l.Next()
			s.Append(l, lines, err)
		}
		var got []string
		for _, l := range p.Lines.All(0) {
			got = append(got, l.Text)
		}
		if strings.Join(got, " ") != "a c .b" || p.Cursor != 1-i {
			t.Errorf("%v: got %q, the cursor on %d; want \"a c .b\", the cursor on %d", u, got, p.Cursor, 1-i)
		}
	}
}

// TestOrders checks the possible orders of lists.
func TestOrders(t *testing.T) {
	group := linesOf(protocols.Line{Text: "above"}, protocols.Line{Text: "a.b", Note: &protocols.GroupNote{Count: 1}})
	files := linesOf(protocols.Line{Text: "above", Note: protocols.ActionReload}, protocols.Line{Text: "a", Note: &protocols.FileNote{}})
	var late Lines
	for range 1000 {
		late.Append(protocols.Line{})
	}
	late.Append(protocols.Line{Text: "a", Note: &protocols.FileNote{}})
	for _, tt := range []struct {
		name   string
		layout protocols.Layout
		lines  Lines
		order  Order
		unread bool
		want   string
	}{
		{"a text", protocols.LayoutText, files, Order{}, false, ""},
		{"no items", protocols.LayoutMenu, linesOf(protocols.Line{Text: "a"}), Order{}, false, ""},
		{"far down", protocols.LayoutMenu, late, Order{}, false, ""},
		{"a menu", protocols.LayoutMenu, files, Order{}, false, "name,size,modified,as sent"},
		{"a directory", protocols.LayoutDirectory, files, Order{}, false, "name,size,modified,kind,as sent"},
		{"files with modes", protocols.LayoutDirectory, linesOf(protocols.Line{Kind: protocols.Text, Note: &protocols.FileNote{Mode: "-r"}}), Order{}, false, "name,size,modified,mode,owner,kind,as sent"},
		{"groups", protocols.LayoutGroups, group, Order{}, false, "name,articles,as sent"},
		{"groups and what is unread", protocols.LayoutGroups, group, Order{}, true, "name,unread,articles,as sent"},
		{"articles", protocols.LayoutArticles, Lines{}, Order{}, false, "as sent,activity,date,name,author,number,score,lines"},
		{"articles without threads", protocols.LayoutArticles, Lines{}, Order{Flat: true}, false, "date,name,author,number,score,lines"},
	} {
		p := &Page{Head: protocols.Head{Layout: tt.layout}, Lines: tt.lines, Place: Place{Order: tt.order}}
		if tt.unread {
			p.WithUnread = func(n protocols.Note) protocols.Note { return n }
		}
		var heads []string
		for _, c := range p.Orders() {
			heads = append(heads, c.Head)
		}
		fetchtest.Equal(t, strings.Join(heads, ","), tt.want, "%s", tt.name)
	}
}

// TestSortColumns checks that directories come first, and unknown values of a column last, except in the
// order of arrival.
func TestSortColumns(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutDirectory}, Err: io.EOF}
	p.Lines.Append(
		protocols.Line{Text: "above"},
		protocols.Line{Kind: protocols.Text, Text: "e", Note: &protocols.FileNote{Size: -1, Mode: "-r", Owner: "Zoe"}},
		protocols.Line{Kind: protocols.Text, Text: "D", Note: &protocols.FileNote{Size: 5, Modified: day(1), Mode: "-r", Owner: "ann"}},
		protocols.Line{Kind: protocols.Directory, Text: "z", Note: &protocols.FileNote{Size: 9, Modified: day(2), Mode: "dr", Owner: "Bob"}},
		protocols.Line{Kind: protocols.Image, Text: "a", Note: &protocols.FileNote{Size: 70, Mode: "-r"}},
		protocols.Line{Kind: protocols.Directory, Text: "Y", Note: &protocols.FileNote{Size: 3, Mode: "dr", Owner: "ann"}},
		protocols.Line{Kind: protocols.Text, Text: "b", Note: &protocols.FileNote{Size: 0, Modified: day(3), Mode: "-r", Owner: "cid"}},
		protocols.Line{Text: "below"},
		protocols.Line{Text: "an action", Note: protocols.ActionReload},
	)
	for _, tt := range []struct {
		by   Order
		want string
	}{
		{Order{By: ByName}, "above Y z a b D e an action below"},
		{Order{By: ByName, Reversed: true}, "above z Y e D b a below an action"},
		{Order{By: "size"}, "above Y z a D b e an action below"},
		{Order{By: "size", Reversed: true}, "above Y z b D a e an action below"},
		{Order{By: "modified"}, "above z Y b D a e an action below"},
		{Order{By: "owner"}, "above Y z D b e a an action below"},
		{Order{By: byKind}, "above Y z a b D e an action below"},
		{Order{By: ArrivalOrder}, "above e D z a Y b below an action"},
		{Order{By: ArrivalOrder, Reversed: true}, "above an action below b Y a z D e"},
	} {
		if ok := new(Session).Sort(p, tt.by); !ok || shownTexts(p) != tt.want {
			t.Errorf("%+v: got %q, %v, want %q", tt.by, shownTexts(p), ok, tt.want)
		}
		fetchtest.Equal(t, p.IsReordered(), tt.by != (Order{By: ArrivalOrder}), "%+v: arranged", tt.by)
	}
	groups := &Page{Head: protocols.Head{Layout: protocols.LayoutGroups}, Err: io.EOF}
	for i, n := range []protocols.GroupNote{{Count: 3}, {Unknown: true}, {Count: 1 << 63}, {Count: 4}} {
		groups.Lines.Append(protocols.Line{Kind: protocols.Group, Text: string(rune('a' + i)), Note: &n})
	}
	groups.WithUnread = func(n protocols.Note) protocols.Note {
		g := *n.(*protocols.GroupNote)
		g.Subscribed, g.Unread = g.Count > 3, 7-min(g.Count, 6)
		return &g
	}
	for by, want := range map[string]string{"articles": "c d a b", ByUnread: "d c a b", ByName: "a b c d"} {
		if new(Session).Sort(groups, Order{By: by}); shownTexts(groups) != want {
			t.Errorf("groups by %s: got %q, want %q", by, shownTexts(groups), want)
		}
	}
}

// TestSortWithoutColumn checks that a page without the column of an order, which was chosen on another page, has the default order.
func TestSortWithoutColumn(t *testing.T) {
	for _, tt := range []struct {
		layout protocols.Layout
		note   protocols.Note
		by     string
		want   string
	}{
		{protocols.LayoutMenu, protocols.Nested(0), ByName, "b a"},
		{protocols.LayoutMenu, protocols.Nested(0), "author", "b a"},
		{protocols.LayoutMenu, &protocols.FileNote{}, "author", "b a"},
		{protocols.LayoutMenu, &protocols.FileNote{}, ByName, "a b"},
		{protocols.LayoutDirectory, &protocols.FileNote{}, "author", "a b"},
	} {
		p := &Page{Head: protocols.Head{Layout: tt.layout}, Err: io.EOF}
		p.Lines.Append(protocols.Line{Text: "b", Note: tt.note}, protocols.Line{Text: "a", Note: tt.note})
		if new(Session).Sort(p, Order{By: tt.by}); shownTexts(p) != tt.want {
			t.Errorf("layout %d with %T by %s: got %q, want %q", tt.layout, tt.note, tt.by, shownTexts(p), tt.want)
		}
	}
}

// TestSortLimit checks that a list that is too large is not sorted.
func TestSortLimit(t *testing.T) {
	for _, layout := range []protocols.Layout{protocols.LayoutMenu, protocols.LayoutArticles} {
		for _, tt := range []struct {
			n     int
			bytes int64
			by    Order
			want  bool
		}{
			{2, maxSortedBytes, Order{By: ByName}, true},
			{2, maxSortedBytes + 1, Order{By: ByName}, false},
			{maxSorted + 1, 0, Order{By: ByName}, false},
			{2, maxSortedBytes + 1, Order{By: ArrivalOrder}, true},
		} {
			p := &Page{Head: protocols.Head{Layout: layout}, Err: io.EOF}
			for _, name := range []string{"b", "a"} {
				p.Lines.Append(protocols.Line{Kind: protocols.Article, Text: name, Note: &protocols.ArticleNote{}})
			}
			p.Lines.n, p.Lines.bytes = tt.n, tt.bytes
			if got := new(Session).Sort(p, tt.by); got != tt.want || got && tt.by.By == ByName && shownTexts(p) != "a b" {
				t.Errorf("layout %d, %d lines of %d octets: Sort(%+v) = %v, want %v", layout, tt.n, tt.bytes, tt.by, got, tt.want)
			}
		}
	}
}

// TestOrderOfKind checks that the order of a page is the order of the later pages of its kind, in all tabs.
func TestOrderOfKind(t *testing.T) {
	own := func(name string) urlcore.URL { return urlcore.Generic{Name: "about", Rest: name} }
	ftp := fetchtest.Must(urlcore.Parse("ftp://h/a;type=d"))(t)
	var first, second Session
	open := func(s *Session, u urlcore.URL, layout protocols.Layout) *Page {
		l := Open(t.Context(), fetchtest.Menu(new(atomic.Int32), nil), protocols.Request{URL: u})
		defer l.Cancel()
		s.Begin(l)
		return s.Answer(l, protocols.Head{URL: u, Layout: layout})
	}
	second.Inherit(&first)
	order := Order{By: "size", Reversed: true}
	first.Sort(open(&first, ftp, protocols.LayoutDirectory), order)
	first.Sort(open(&first, own("news/a"), protocols.LayoutGroups), Order{By: "unread"})
	for _, tt := range []struct {
		url    urlcore.URL
		layout protocols.Layout
		want   Order
	}{
		{fetchtest.Must(urlcore.Parse("ftp://other/b;type=d"))(t), protocols.LayoutDirectory, order},
		{ftp, protocols.LayoutMenu, Order{}},
		{own("history"), protocols.LayoutDirectory, Order{}},
		{own("news"), protocols.LayoutGroups, Order{By: "unread"}},
		{urlcore.News{Group: "*"}, protocols.LayoutGroups, Order{}},
	} {
		for _, s := range []*Session{&first, &second} {
			fetchtest.Equal(t, open(s, tt.url, tt.layout).Order, tt.want, "the order of %v", tt.url)
		}
	}
}
