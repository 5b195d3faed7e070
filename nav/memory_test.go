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
