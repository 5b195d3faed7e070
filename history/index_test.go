package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/textquery"
)

// indexOf returns an Index of a new history, and the history. The Index has the bookmarks in text.
func indexOf(t testing.TB, text string) (*Index, *Store) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "bookmarks.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	s := open(t, filepath.Join(dir, "h.sqlite"))
	return NewIndex(s, bookmarks.Open(path)), s
}

func urlsOf(found []Completion) string {
	var all []string
	for _, c := range found {
		all = append(all, c.URL)
	}
	return strings.Join(all, " ")
}

func TestComplete(t *testing.T) {
	x, s := indexOf(t, "## phlogs\ngopher://sdf.org/1/users Journals of SDF\nftp://joe:secret@ftp.example.org/pub The archive\n")
	now := time.Now().Unix()
	for range 3 {
		visit(t, s, "gopher://gopher.floodgap.com/1/", "Floodgap Systems", now-100)
	}
	visit(t, s, "gopher://flood.example/0/caf%C3%A9%20menu", "Kaffee", now-200)
	visit(t, s, "nntp://news.example.org/comp.lang.go", "Go, the flood of it", now-300)
	visit(t, s, "gopher://old.example/1/flood", "", now-400*24*3600)
	visit(t, s, "news:comp.misc", "", now-500)
	for _, tt := range []struct{ typed, want string }{
		{
			"flood",
			"gopher://gopher.floodgap.com/1/ gopher://flood.example/0/caf%C3%A9%20menu " +
				"nntp://news.example.org/comp.lang.go gopher://old.example/1/flood",
		},
		{"FLOOD Systems", "gopher://gopher.floodgap.com/1/"},
		{"systems gap", "gopher://gopher.floodgap.com/1/"},
		{"gopher://fl", "gopher://flood.example/0/caf%C3%A9%20menu"},
		{"café", "gopher://flood.example/0/caf%C3%A9%20menu"},
		{"comp.m", "news:comp.misc"},
		{"news.", "nntp://news.example.org/comp.lang.go"},
		{"journals phlogs", "gopher://sdf.org/1/users"},
		{"joe", "ftp://joe@ftp.example.org/pub"},
		{"secret", ""},
		{"news:comp.misc", ""}, // the text is already complete
		{"nowhere", ""},
		{"flood nowhere", ""},
		{"  ", ""},
		{"\x00", ""},
	} {
		found, err := x.Complete(t.Context(), tt.typed, 8)
		if got := urlsOf(found); err != nil || got != tt.want {
			t.Errorf("Complete(%q) = %s, %v; want %s", tt.typed, got, err, tt.want)
		}
	}
	found, _ := x.Complete(t.Context(), "o", 2)
	if len(found) != 2 {
		t.Errorf("Complete with limit 2 = %v, want 2 URLs", found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fetchtest.FailsWith(t, context.Canceled, "Complete after the end of its context")(x.Complete(ctx, "flood", 8))
}

// TestIndexFollowsTheHistory checks that Load adds new visits and bookmarks and drops forgotten
// ones.
func TestIndexFollowsTheHistory(t *testing.T) {
	x, s := indexOf(t, "")
	want := func(recent ...string) {
		t.Helper()
		got, err := x.Recent(t.Context(), 9)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(recent) {
			t.Fatalf("Recent = %v, %v; want %v", got, err, recent)
		}
	}
	want()
	visit(t, s, "gopher://a.example/1", "A", 100)
	visit(t, s, "gopher://b.example/1", "B", 200)
	want("gopher://b.example/1", "gopher://a.example/1")
	visit(t, s, "gopher://a.example/1", "A", 300)
	want("gopher://a.example/1", "gopher://b.example/1")
	x.AddVisit(mustParse(t, "ftp://joe:secret@demo.example/1"), "D", time.Unix(400, 0))
	x.AddVisit(mustParse(t, "about:home"), "Home", time.Unix(500, 0))
	want("ftp://joe@demo.example/1", "gopher://a.example/1", "gopher://b.example/1")
	fetchtest.Must(s.Forget(t.Context(), Selection{Host: "a.example"}))(t)
	visit(t, s, "gopher://c.example/1", "C", 600)
	want("gopher://c.example/1", "ftp://joe@demo.example/1", "gopher://b.example/1")
}

func TestIndexWithoutHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte("gopher://a.example/1 A\n"), 0o600))
	for _, x := range []*Index{NewIndex(nil, bookmarks.Open(path)), NewIndex(open(t, ""), bookmarks.Open(path))} {
		if found, err := x.Complete(t.Context(), "a.ex", 8); err != nil || urlsOf(found) != "gopher://a.example/1" {
			t.Errorf("Complete = %v, %v; want the bookmark gopher://a.example/1", found, err)
		}
	}
}

func FuzzComplete(f *testing.F) {
	f.Add("gopher://a@b.example/0/x%0Ay", "title", "b.ex")
	f.Add("news:%00", "\x00", "\x00")
	f.Fuzz(func(t *testing.T, u, title, typed string) {
		found := map[string]record{}
		for i, text := range []string{u, "x:" + u, u + "b"} {
			found[text] = record{Completion: Completion{text, title}, count: i}
		}
		table := newTable(found, time.Unix(0, 0))
		words := strings.Fields(textquery.Lower(typed))
		if len(words) == 0 {
			return
		}
		got, err := table.complete(t.Context(), words, typed, 2)
		if err != nil || len(got) > 2 {
			t.Errorf("complete(%q) = %v, %v; want at most 2 URLs", words, got, err)
		}
	})
}
