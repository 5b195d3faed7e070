package nav

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestMemoryOfSessions checks that all tabs share one limit: pages of the histories are dropped
// first, then current pages of other tabs, and never the current page of the tab used last.
func TestMemoryOfSessions(t *testing.T) {
	for _, tt := range []struct {
		limit int64
		want  []string
	}{
		{1000, []string{"b 3@2 <", "d 3@2 ... loading <", "f 3@2 <"}},
		{140, []string{"b 3@2 <", "d 3@2 ... loading <", "f 3@2 <"}},
		{100, []string{"b 0@2 dropped <", "d 3@2 ... loading <", "f 3@2 <"}},
		{80, []string{"b 0@2 dropped <", "d 0@2 dropped <", "f 3@2 <"}},
		{1, []string{"b 0@2 dropped <", "d 0@2 dropped <", "f 3@2 <"}},
	} {
		m := &Memory{Limit: tt.limit}
		var tabs []*tab
		for _, pages := range []string{"a b", "c dslow", "e f"} {
			tb := &tab{t: t, load: map[string]*Load{}}
			m.Use(&tb.s)
			tabs = append(tabs, tb)
			first, second, _ := strings.Cut(pages, " ")
			tb.step("visit " + first)
			if !strings.HasSuffix(second, "slow") {
				tb.step("visit " + second)
			} else {
				tb.step("begin " + second)
				tb.step("answer " + second)
				for tb.s.Page().Lines.Len() < 3 && !tb.s.Page().Dropped {
					tb.step("lines " + second)
				}
			}
			tb.step("cursor")
		}
		m.trim()
		var got []string
		for _, tb := range tabs {
			got = append(got, strings.Replace(tb.String(), "dslow", "d", 1))
			t.Cleanup(tb.s.Close)
		}
		fetchtest.EqualSlices(t, got, tt.want, "limit %d", tt.limit)
		m.Remove(&tabs[0].s)
		m.Use(&tabs[1].s)
		fetchtest.EqualSlices(t, m.sessions, []*Session{&tabs[2].s, &tabs[1].s}, "limit %d: the sessions", tt.limit)
	}
}

// TestMemoryFits checks that pages that fit exactly are kept.
func TestMemoryFits(t *testing.T) {
	for _, tt := range []struct {
		limit int64 // in pages
		back  bool  // whether the last session is on its first page
		want  string
	}{{6, false, ""}, {5, false, "a"}, {3, false, "abe"}, {2, false, "abef"}, {1, false, "abcef"}, {2, true, "abfg"}, {1, true, "abcfg"}} {
		var m Memory
		dropped := ""
		var pages []*Page
		for _, names := range []string{"abc", "d", "efg"} {
			s := new(Session)
			for _, name := range names {
				p := &Page{Head: protocols.Head{Title: string(name)}}
				if name != 'd' {
					p.Lines.Append(protocols.Line{Text: "a line"})
				}
				s.stack.Push(p)
				pages = append(pages, p)
			}
			if tt.back && names == "efg" {
				s.stack.at = 1
			}
			m.Use(s)
		}
		m.Limit = tt.limit * pages[0].bytes()
		m.trim()
		for _, p := range pages {
			if p.Dropped && p.Title != "d" {
				dropped += p.Title
			}
		}
		fetchtest.Equal(t, dropped, tt.want, "room for %d of 6 pages: without", tt.limit)
	}
}

// TestMemoryEndsTheLoadOfAHiddenTab checks that the load of a tab that is not shown ends when its
// lines exceed the limit, even if these lines are the last.
func TestMemoryEndsTheLoadOfAHiddenTab(t *testing.T) {
	for _, end := range []error{nil, io.EOF} {
		m := &Memory{Limit: 1}
		back, shown := &tab{t: t, load: map[string]*Load{}}, new(Session)
		t.Cleanup(back.s.Close)
		m.Use(&back.s)
		m.Use(shown)
		back.step("begin aslow")
		back.step("answer aslow")
		l := back.s.Loading()
		var lines Lines
		lines.Append(protocols.Line{Text: "a line"})
		if !back.s.Append(l, lines, end) {
			t.Errorf("%v: Append did not accept the lines", end)
		}
		if back.s.Loading() != nil || !back.s.Page().Dropped {
			t.Errorf("end %v: the page is still loading or has its lines, want a Dropped page", end)
		}
	}
}
