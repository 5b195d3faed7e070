package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// TestKnownGroups checks that groups in newsrc files, and groups opened or listed in this run, are
// guessed and completed by their names.
func TestKnownGroups(t *testing.T) {
	home := t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".newsrc-a.example"), []byte("lab.file: 1-3\nlab.both! 1\n"), 0o600))
	p := testStart(home, new(Setup))
	getenv := p.Getenv
	p.Getenv = func(name string) string {
		if name == "NNTPSERVER" {
			return "n.example"
		}
		return getenv(name)
	}
	st := p.Open(nil)
	defer st.Close()
	f := groupRecorder{serving(fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		layout := protocols.LayoutArticles
		if urlcore.NewsGroup(req.URL).Group == "*" {
			layout = protocols.LayoutGroups
		}
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: layout},
			protocols.Line{Kind: protocols.Group, Text: "lab.listed"}, protocols.Line{Kind: protocols.Group, Text: "lab.both"},
			protocols.Line{Kind: protocols.Problem, Text: "lab.odd"}, protocols.Line{Kind: protocols.Group, Text: "undotted"}), nil
	})), st.news}
	open := func(s string) {
		_, _, err := transfer.ReadAll(t.Context(), f, protocols.Request{URL: fetchtest.Parse(t, s)})
		fetchtest.NoError(t, err)
	}
	checkGuesses := func(want map[string]string) {
		t.Helper()
		for typed, want := range want {
			u, err := st.guess(typed)
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, u.String(), want, "%s", typed)
		}
	}
	open("nntp://n.example/lab.own")
	open("snews://b.example/lab.tls")
	open("nntp://b.example/lab.read/7")
	open("gopher://lab.general/1")
	st.complete(t.Context(), "lab.", 8)
	checkGuesses(map[string]string{
		"lab.own": "news:lab.own", "lab.tls": "nntps://b.example/lab.tls", "lab.read": "nntp://b.example/lab.read",
		"lab.file": "nntp://a.example/lab.file", "lab.both": "nntp://a.example/lab.both",
		"lab.listed": "gopher://lab.listed/1", "lab.general": "gopher://lab.general/1",
	})
	open("news:*")
	checkGuesses(map[string]string{
		"lab.both": "news:lab.both", "lab.listed": "news:lab.listed", "lab.odd": "gopher://lab.odd/1",
		"undotted": "gopher://undotted/1",
	})
	for typed, want := range map[string]string{
		"lab.l": "[{news:lab.listed newsgroup}]", "lab.b": "[{news:lab.both newsgroup}]", "l": "[]",
		"lab.": "[{news:lab.both newsgroup} {news:lab.listed newsgroup} " +
			"{news:lab.own newsgroup} {nntp://a.example/lab.file newsgroup} {nntp://b.example/lab.read newsgroup}]",
	} {
		fetchtest.Equal(t, completionTexts(st.complete(t.Context(), typed, 8)), want, "completions of %q", typed)
	}
}

// TestSearchWords checks that search words are completed and expanded.
func TestSearchWords(t *testing.T) {
	home := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
	settings := "[search]\nv = 'gopher://v.example/7/x?{q}'\nve = 'news:comp.{q}'\n[news]\nwork = 'nntps://n.example/'\n"
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".config/gofer/config.toml"), []byte(settings), 0o600))
	st := testStart(home, new(Setup)).Open(nil)
	defer st.Close()
	for i, u := range []string{"gopher://a.example/1", "ftp://b.example/x", "gopher://a.example/0/t"} {
		at := time.Date(2026, 11, 21, 23+i, 30, 0, 0, time.Local)
		fetchtest.NoError(t, st.Visits.Visit(t.Context(), mustParse(t, u), fmt.Sprintf("Title <%d>", i+1), at))
	}
	for u, title := range map[string]string{"ftp://c.example/x": "Files", "gopher://files.example/1": "Title"} {
		fetchtest.NoError(t, st.Visits.Visit(t.Context(), mustParse(t, u), title, time.Date(2026, 11, 1, 0, 0, 0, 0, time.Local)))
	}
	for typed, want := range map[string]string{
		"v":         "[{v  search gopher://v.example/7/x?{q}} {ve  search news:comp.{q}}]",
		"v a cat":   "[{gopher://v.example/7/x%09a%20cat search}]",
		"ve":        "[{ve  search news:comp.{q}} {about:version }]",
		"wo":        "[{work news server nntps://n.example/}]",
		"a.example": "[{gopher://a.example/0/t Title <3>} {gopher://a.example/1 Title <1>}]",
		"nowhere": "[{history: nowhere search the history} {search: nowhere search in what I have read} {bookmarks: nowhere search the bookmarks} " +
			"{v nowhere search gopher://v.example/7/x?{q}} {ve nowhere search news:comp.{q}}]",
		"title  <2>": "[{ftp://b.example/x Title <2>} {history: title <2> search the history} {search: title <2> search in what I have read} {bookmarks: title <2> search the bookmarks} " +
			"{v title <2> search gopher://v.example/7/x?{q}} {ve title <2> search news:comp.{q}}]",
		"no such://h": "[]",
		"files": "[{ftp://c.example/x Files} {gopher://files.example/1 Title} {history: files search the history} {search: files search in what I have read} {bookmarks: files search the bookmarks} " +
			"{v files search gopher://v.example/7/x?{q}} {ve files search news:comp.{q}}]",
		"gohper://": "[]", "gohper://h/": "[{gopher://h/1 Did you mean gopher?}]",
		"about:h": "[{about:home } {about:history } {about:help }]",
	} {
		fetchtest.Equal(t, completionTexts(st.complete(t.Context(), typed, 8)), want, "%q", typed)
	}
	if got := st.complete(t.Context(), "v", 1); len(got) != 1 {
		t.Errorf("complete(\"v\") with the limit 1 = %v", got)
	}
	fetchtest.Equal(t, completionTexts(st.complete(t.Context(), "title", 2)), "[{gopher://files.example/1 Title} {history: title search the history}]", "at most two")
	for typed, want := range map[string]string{
		"history: nowhere": "about:history?nowhere", "bookmarks: a b": "about:bookmarks?a%20b",
		"v cats":    "gopher://v.example/7/x%09cats",
		"v":         "gopher://v.example/7/x",
		"v.example": "gopher://v.example/1",
		"work":      "about:news/work", "work a.b": "nntps://n.example/a.b", "work/": "gopher://work/1",
		"news": "about:news", "news: work": "about:news/work", "history": "about:history", "history: a b": "about:history?a%20b",
		"news/": "news://news/*", "explain comp.lang.go": "about:explain?news%3Acomp.lang.go",
	} {
		if u, err := st.guess(typed); err != nil || u.String() != want {
			t.Errorf("guess(%q) = %v, %v; want %s", typed, u, err, want)
		}
	}
	if _, err := st.guess("ve"); err == nil {
		t.Error("guess(\"ve\") returned no error for a search word without words")
	}
	fetchtest.Equal(t, fmt.Sprint(st.recentURLs(t.Context(), 2)), "[gopher://a.example/0/t ftp://b.example/x]", "recent")
}

// TestRestrictedSearches checks that only searches through something are offered.
func TestRestrictedSearches(t *testing.T) {
	const history, bookmarks = "{history: two words search the history} {search: two words search in what I have read}", "{bookmarks: two words search the bookmarks}"
	for settings, want := range map[string]string{
		"": "[" + history + " " + bookmarks + "]", "[restrict]\nenabled = true\n": "[]", "[restrict]\nenabled = true\nbookmarks = true\n": "[" + bookmarks + "]",
	} {
		home := t.TempDir()
		fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".config/gofer/config.toml"), []byte(settings), 0o600))
		st := testStart(home, new(Setup)).Open(nil)
		fetchtest.Equal(t, completionTexts(st.complete(t.Context(), "two words", 8)), want, "with the settings %q", settings)
		st.Close()
	}
}

// completionTexts returns the texts and titles of completions.
func completionTexts(all []ask.Completion) string {
	var rows []string
	for _, c := range all {
		rows = append(rows, "{"+c.Text+" "+c.Title+"}")
	}
	return fmt.Sprint(rows)
}
