package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/newsservers"
	"gofer/urlcore"
)

// TestNewsFiles checks the name of the newsrc file for each server. The server of the demo has no file on the disk.
func TestNewsFiles(t *testing.T) {
	home := t.TempDir()
	isDemo := func(u urlcore.URL) bool { addr, _ := urlcore.Addr(u); return addr == "127.0.0.1:1119" }
	f := newNewsFiles(home, t.TempDir(), t.TempDir(), "nntps://news.example.org/", isDemo)
	f.serverNames = newsservers.Names{"work": "nntps://work.example"}
	for _, tt := range []struct{ url, file string }{
		{"about:news/work", ".newsrc-work.example_563"},
		{"snews://work.example/*", ".newsrc-work.example_563"},
		{"news:a.b", ".newsrc"},
		{"news:1@a.b", ".newsrc"},
		{"about:news", ".newsrc"},
		{"nntps://news.example.org/a.b/7", ".newsrc"},
		{"nntp://other.example.org/a.b", ".newsrc-other.example.org"},
		{"news://other.example.org/1@a.b", ".newsrc-other.example.org"},
		{"nntp://other.example.org:1119/a.b", ".newsrc-other.example.org_1119"},
		{"nntp://127.0.0.1:1119/a.b", ""},
	} {
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		fetchtest.NoError(t, f.Change(u, func(f *newsrc.File) { f.Set(newsrc.Group{Name: "x", Read: newsrc.Numbers{{First: 1, Last: 2}}}) }))
		var names []string
		entries, _ := os.ReadDir(home)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".newsrc") {
				names = append(names, e.Name())
				_ = os.Remove(filepath.Join(home, e.Name()))
			}
		}
		fetchtest.Equal(t, strings.Join(names, " "), tt.file, "%s", tt.url)
	}
	demo, _ := urlcore.Parse("nntp://127.0.0.1:1119/a.b")
	if file, err := f.File(demo); err != nil || len(file.Groups()) != 1 {
		t.Errorf("File(%s) = %v, %v; want a file in memory with one group", demo, file, err)
	}
}

// TestFirstArticle checks that a group begins a few articles before the first unread one that follows a read one.
func TestFirstArticle(t *testing.T) {
	f := newNewsFiles(t.TempDir(), t.TempDir(), t.TempDir(), "", func(urlcore.URL) bool { return false })
	u := urlcore.News{Group: "a.b"}
	for _, tt := range []struct {
		read      string
		low, high uint64
		want      uint64
	}{
		{"", 1, 100, 0},
		{"1-100", 1, 100, 0},
		{"1-200", 1, 100, 0},
		{"1-50", 1, 100, 46},
		{"1-50,60-100", 1, 100, 46},
		{"1-3", 1, 100, 1},
		{"1-50", 49, 100, 49},
		{"60-100", 40, 100, 0},
		{"60-80,90", 40, 100, 76},
		{"60-80", 70, 100, 76},
		{"1-50", 60, 100, 0},
		{"1-50", 1, 100_000, 46},
	} {
		err := f.Change(u, func(file *newsrc.File) { *file = *newsrc.Parse([]byte("a.b: " + tt.read + "\n")) })
		fetchtest.NoError(t, err)
		first, _ := f.firstArticleFunc(u, 5)("a.b", tt.low, tt.high)
		fetchtest.Equal(t, first, tt.want, "first article of %[2]d to %[3]d if %[1]q are read", tt.read, tt.low, tt.high)
	}
}

// TestGroupNumberedAnew checks that the line of a group ends at the high mark of the server, in the file of this server
// only, and that the user is told once. In private mode nothing changes.
func TestGroupNumberedAnew(t *testing.T) {
	home, data := t.TempDir(), t.TempDir()
	for _, name := range []string{".newsrc", ".newsrc-b.example.org"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, name), []byte("x.test: 1-500000\n"), 0o600))
	}
	private := true
	f := newNewsFiles(home, t.TempDir(), t.TempDir(), "", func(urlcore.URL) bool { return false })
	f.store.Replaced, f.isPrivate = data, func() bool { return private }
	first := f.firstArticleFunc(fetchtest.Parse(t, "nntp://b.example.org/x.test"), 0)
	if n, note := first("x.test", 1, 20); n != 0 || note != "" {
		t.Errorf("in private mode: %d, %q; want 0 and no note", n, note)
	}
	private = false
	kept := filepath.Join(data, "newsrc-b.example.org")
	for i, want := range []string{"x.test ends at 20 now: the higher marks of read articles were removed (kept in " + kept + ")", ""} {
		n, note := first("x.test", 1, 20)
		if n != 0 || note != want {
			t.Errorf("call %d: %d, %q; want 0, %q", i+1, n, note, want)
		}
	}
	for name, want := range map[string]string{".newsrc": "x.test: 1-500000\n", ".newsrc-b.example.org": "x.test: 1-20\n"} {
		text, _ := os.ReadFile(filepath.Join(home, name))
		fetchtest.Equal(t, string(text), want, "%s", name)
	}
	if text, _ := os.ReadFile(kept); !strings.Contains(string(text), "x.test: 1-500000\n") {
		t.Errorf("the file of replaced lines has %q", text)
	}
	n, note := first("x.test", 1, 23)
	if n != 21 || note != "" {
		t.Errorf("with three new articles: %d, %q; want 21", n, note)
	}
}

// TestNewsServers checks which servers have subscribed groups, and the times of requests for new groups.
func TestNewsServers(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".newsrc": "a.b: 1\n", ".newsrc-lock": "1", ".newsrc~": "a.b:\n",
		".newsrc-b.example.org": "a.b: 1-5\n", ".newsrc-b.example.org-lock": "1", ".newsrc-b.example.org~": "a.b:\n",
		".newsrc-c.example.org_563": "x.y:\n", ".newsrc-d.example.org_1119": "x.y:\n",
		".newsrc-none.example.org": "x.y! 1-7\n", ".newsrc-news.example.org": "x.y:\n",
	} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	newRun := func() *newsFiles {
		f := newNewsFiles(home, state, "", "news.example.org", func(urlcore.URL) bool { return false })
		f.timesFile = filepath.Join(state, "times.txt")
		return f
	}
	f := newRun()
	var got []string
	for _, u := range f.subscribedServers() {
		got = append(got, u.String())
	}
	fetchtest.Equal(t, strings.Join(got, " "), "news://b.example.org/* snews://c.example.org/* news://d.example.org:1119/*")
	for _, server := range newsServers(Setup{news: f}, nil) {
		fetchtest.Equal(t, server.MaybeTLS, server.All.Host == "d.example.org", "%s: MaybeTLS", server.All)
	}
	one, two := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for _, u := range append(f.subscribedServers(), urlcore.News{Group: "*"}) {
		if at := f.lastRequest(u); !at.IsZero() {
			t.Errorf("lastRequest(%s) = %v before the first request, want the zero time", u, at)
		}
		fetchtest.NoError(t, f.recordRequest(u, one))
		if at := f.lastRequest(u); !at.IsZero() {
			t.Errorf("lastRequest(%s) = %v after a request in the same run, want the zero time", u, at)
		}
		later := newRun()
		if at := later.lastRequest(u); !at.Equal(one) {
			t.Errorf("lastRequest(%s) = %v in the next run, want %v", u, at, one)
		}
		fetchtest.NoError(t, later.recordRequest(u, two))
		if at := later.lastRequest(u); !at.Equal(one) {
			t.Errorf("lastRequest(%s) = %v after another request in the next run, want %v", u, at, one)
		}
	}
}
