package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

func forgetVisits(t *testing.T, s *Store, sel Selection, want int) {
	t.Helper()
	forgotten := fetchtest.Must(s.Forget(t.Context(), sel))(t)
	fetchtest.Equal(t, forgotten, Forgotten{Visits: want, Servers: forgotten.Servers}, "Forget(%+v)", sel)
}

func run(t *testing.T, s *Store, query string) {
	t.Helper()
	fetchtest.Must(s.db.Exec(query))(t)
}

func TestForget(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, zone)
	day := noon.Unix() - 12*60*60
	urls := []struct {
		url         string
		first, last int64
	}{
		{"gopher://[::1]:7070/1", day, day + 86400},
		{"gopher://b.example/1", day - 5, day + 86399},
		{"sftp://a.example/y", day + 1, day + 1},
		{"ftp://joe@a.example/x", day, day},
		{"gopher://a.example/1", day - 1, day - 1},
	}
	for _, tt := range []struct {
		name string
		sel  Selection
		left []int
	}{
		{"nothing", Selection{}, []int{0, 1, 2, 3, 4}},
		{"a URL", Selection{URL: mustParse(t, "ftp://joe:secret@a.example/x")}, []int{0, 1, 2, 4}},
		{"a URL that is not there", Selection{URL: mustParse(t, "news:a.b")}, []int{0, 1, 2, 3, 4}},
		{"a host", Selection{Host: "A.example"}, []int{0, 1}},
		{"a part of a host", Selection{Host: "example"}, []int{0, 1, 2, 3, 4}},
		{"an IPv6 address", Selection{Host: "[::1]"}, []int{1, 2, 3, 4}},
		{"a day", Selection{Day: noon}, []int{0, 4}},
		{"another day", Selection{Day: noon.AddDate(0, 0, 5)}, []int{0, 1, 2, 3, 4}},
		{"all", Selection{All: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
			for _, u := range urls {
				visit(t, s, u.url, "", u.first)
				visit(t, s, u.url, "", u.last)
			}
			forgetVisits(t, s, tt.sel, len(urls)-len(tt.left))
			var want []string
			for _, i := range tt.left {
				u := urls[i]
				if tt.name == "a day" && u.first == day {
					u.first = u.last // the visit on the forgotten day was the first one
				}
				want = append(want, fmt.Sprintf("%s||%d|%d|2", u.url, u.first, u.last))
			}
			vs, err := s.Search(t.Context(), "", 10)
			if got, want := texts(vs), strings.Join(want, "\n"); got != want || err != nil {
				t.Errorf("Search after Forget = %v and\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// TestForgottenIsOverwritten searches the files of the database for forgotten visits.
func TestForgottenIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "h.sqlite"))
	const n = 500
	visit(t, s, "gopher://rest.example/1", "", 1)
	for i := range n {
		host := []string{"kept.example", "gone.example", "day.example", "rest.example"}[i%4]
		at := int64(1_000_000_000 + i)
		if i%4 == 2 {
			at += 86400 * 365
		}
		visit(t, s, fmt.Sprintf("gopher://%s/1/%s%d", host, strings.Repeat("x", i*37%400), i*7919%n), "title at "+host, at)
	}
	for _, tt := range []struct {
		sel  Selection
		word string
	}{
		{Selection{Host: "gone.example"}, "gone.example"},
		{Selection{Day: time.Unix(1_000_000_000+86400*365, 0).UTC()}, "day.example"},
		{Selection{All: true}, "example"},
	} {
		if grep(t, dir, tt.word) == 0 {
			t.Errorf("%s is not on disk: the test looks in the wrong place", tt.word)
		}
		fetchtest.Must(s.Forget(t.Context(), tt.sel))(t)
		fetchtest.Equal(t, grep(t, dir, tt.word), 0, "copies of %s on disk", tt.word)
	}
}

// TestForgetNamedInTitle forgets a page whose host, the user's news server, is only in its title.
func TestForgetNamedInTitle(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	visit(t, s, "news:*", "Newsgroups of News.example.org:119", 1)
	forgetVisits(t, s, Selection{Host: "example.org"}, 0)
	forgetVisits(t, s, Selection{Host: "news.example.org"}, 1)
	visit(t, s, "news:*", "Newsgroups of [::1]:1119", 2)
	visit(t, s, "gopher://a.example/1", "All about ::1", 3)
	forgetVisits(t, s, Selection{Host: "::1"}, 1)
}
