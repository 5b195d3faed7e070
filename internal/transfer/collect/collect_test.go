package collect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/bundle"
	"gofer/internal/transfer/collect"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// world is a Fetcher of documents and lists by their URLs. The server of down.example does not answer.
type world struct {
	documents map[string]string
	lists     map[string]*protocols.Resource
	typed     []protocols.Head // of documents with a title in HTML
	fetched   []string
	check     func(ctx context.Context, req protocols.Request) // is called before each answer; may be nil
}

func (w *world) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if w.check != nil {
		w.check(ctx, req)
	}
	u := req.URL.String()
	w.fetched = append(w.fetched, u)
	if r, ok := w.lists[u]; ok {
		again := *r
		again.URL = req.URL
		return &again, nil
	}
	for _, h := range w.typed {
		if h.URL == req.URL {
			return &protocols.Resource{Head: h, Body: strings.NewReader("<title>A &amp; B</title><p>Words"), Closer: io.NopCloser(nil)}, nil
		}
	}
	if text, ok := w.documents[u]; ok {
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: int64(len(text)), Media: "text/plain"}, Body: strings.NewReader(text), Closer: io.NopCloser(nil)}, nil
	}
	if addr, _ := urlcore.Addr(req.URL); strings.HasPrefix(addr, "down.example") {
		return nil, protocols.NewError(protocols.NameNotFound, "connect to "+addr, "no such host")
	}
	if strings.Contains(u, "secret") {
		return nil, &protocols.Login{URL: req.URL, Server: "h:21"}
	}
	return nil, protocols.NewError(protocols.NotFound, "open "+u, "not there")
}

func (w *world) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return w.Fetch(ctx, req)
}

func list(t *testing.T, layout protocols.Layout, note protocols.Note, links ...string) *protocols.Resource {
	var lines []protocols.Line
	for _, l := range links {
		u := fetchtest.Parse(t, l)
		lines = append(lines, protocols.Line{Kind: protocols.KindOf(u), Text: "Line of <" + l + ">\x1b[31m", Link: u, Note: note})
	}
	return protocols.NewPage(protocols.Head{Layout: layout}, lines...)
}

func article(n int, id string, references ...string) *protocols.Resource {
	u, _ := urlcore.Parse("news:" + id)
	return protocols.NewPage(protocols.Head{}, protocols.Line{
		Kind: protocols.Article, Text: "Re: x", Link: u, Note: &protocols.ArticleNote{Number: uint64(n), Subject: "Re: x", MessageID: id, References: references},
	})
}

// save saves a bundle of URLs, and returns it, the result and the error.
func save(t *testing.T, w *world, o collect.Options, urls ...string) (*bundle.Bundle, collect.Result, error) {
	t.Helper()
	r := collect.Request{Options: o, Path: filepath.Join(t.TempDir(), "x.zip")}
	for _, u := range urls {
		r.URLs = append(r.URLs, fetchtest.Parse(t, u))
	}
	m := &download.Manager{Delay: time.Nanosecond, Tries: 1}
	defer m.Close()
	result, err := collect.Save(t.Context(), m, w, r)
	left := fetchtest.Must(os.ReadDir(filepath.Dir(r.Path)))(t)
	if err != nil {
		fetchtest.Equal(t, len(left), 0, "files after a failure")
		return nil, result, err
	}
	fetchtest.Equal(t, len(left), 1, "files besides the bundle, and the bundle")
	f := fetchtest.CloseAtEnd(os.Open(r.Path))(t)
	info := fetchtest.Must(f.Stat())(t)
	return fetchtest.Must(bundle.Open(t.Context(), io.NewSectionReader(f, 0, info.Size()), time.Now()))(t), result, nil
}

// names returns the URLs of the pages and of the items that were left out.
func names(b *bundle.Bundle) string {
	var all []string
	for _, e := range b.Entries {
		all = append(all, e.URL+" "+e.Name)
	}
	for _, e := range b.LeftOut {
		all = append(all, "left out: "+e.URL)
	}
	return strings.Join(all, "\n")
}

func hole(t *testing.T) *world {
	return &world{
		documents: map[string]string{
			"gopher://h/0/a": "a", "gopher://h/0/deep/b": "bb", "ftp://h/d/f": "f", "news:1@x": "one", "news:2@x": "two", "news:3@x": "three",
		},
		lists: map[string]*protocols.Resource{
			"gopher://h/1/":       list(t, protocols.LayoutMenu, nil, "gopher://h/0/a", "gopher://h/1/deep", "gopher://h/0/missing", "gopher://other/0/c"),
			"gopher://h/1/deep":   list(t, protocols.LayoutMenu, nil, "gopher://h/0/deep/b", "gopher://h/1/"),
			"ftp://h/d/;type=d":   list(t, protocols.LayoutDirectory, &protocols.FileNote{Size: 1}, "ftp://h/d/f", "ftp://h/d/e/;type=d"),
			"ftp://h/d/e/;type=d": list(t, protocols.LayoutDirectory, &protocols.FileNote{Size: 1}),
		},
	}
}

// TestTrees checks that a menu or directory is saved with what is below it, and that the result names what is not.
func TestTrees(t *testing.T) {
	b, result, err := save(t, hole(t), collect.Options{}, "gopher://h/1/", "ftp://h/d/;type=d")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, names(b), "gopher://h/1/ h/index.html\n"+
		"gopher://h/1/deep h/Line of _gopher___h_1_deep__[31m/index.html\n"+
		"gopher://h/0/a h/Line of _gopher___h_0_a__[31m.txt\n"+
		"gopher://h/0/deep/b h/Line of _gopher___h_1_deep__[31m/Line of _gopher___h_0_deep_b__[31m.txt\n"+
		"ftp://h/d/;type=d d/index.html\nftp://h/d/e/;type=d d/e/index.html\nftp://h/d/f d/f.txt\nleft out: gopher://h/0/missing")
	partial := fetchtest.As[*mirror.PartialError](t, result.Err)
	fetchtest.Equal(t, partial.Error(), "1 of 8 items were not saved")
	e, _ := b.Find(fetchtest.Parse(t, "gopher://h/1/"))
	r, fits, err := b.Content(t.Context(), e)
	fetchtest.NoError(t, err)
	page := string(fetchtest.Must(io.ReadAll(r))(t))
	fetchtest.Equal(t, fits, true, "the digest of a list fits")
	fetchtest.Contains(t, page, `<a href="gopher://h/0/a">Line of &lt;gopher://h/0/a&gt;`, "the page of a list")
	fetchtest.NotContains(t, page, "\x1b", "the page of a list")
}

// TestOnlyPages checks that a page that is no tree, such as an entry of a directory service, is saved alone.
func TestOnlyPages(t *testing.T) {
	w := hole(t)
	w.lists["ldap://h/o=a"] = list(t, protocols.LayoutMenu, nil, "ldap://h/cn=b,o=a")
	b, result, err := save(t, w, collect.Options{}, "ldap://h/o=a")
	fetchtest.NoError(t, err)
	fetchtest.NoError(t, result.Err)
	fetchtest.Equal(t, names(b), "ldap://h/o=a a/index.html")
}

// TestLists checks that the links of a page of gofer's own are saved without what is below them.
func TestLists(t *testing.T) {
	w := hole(t)
	w.lists["about:bookmarks/train"] = list(t, protocols.LayoutPage, nil, "gopher://h/1/", "about:home", "gopher://h/0/a", "file:///etc/passwd", "ftp://u:secret@h/x")
	b, _, err := save(t, w, collect.Options{}, "about:bookmarks/train")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, names(b), "gopher://h/1/ h/index.html\ngopher://h/0/a a.txt\nleft out: file:///etc/passwd\nleft out: ftp://u@h/x")
	for _, e := range b.Entries {
		fetchtest.Equal(t, e.Start, true, "%s is a start page", e.URL)
	}
	for _, u := range w.fetched {
		if strings.Contains(u, "secret") || strings.HasPrefix(u, "file:") {
			t.Errorf("fetched %s", u)
		}
	}
}

// TestGroups checks which articles of a group are saved.
func TestGroups(t *testing.T) {
	w := hole(t)
	group := func(articles ...*protocols.Resource) *protocols.Resource {
		var lines []protocols.Line
		for _, a := range articles {
			for l := range a.Lines {
				lines = append(lines, l)
			}
		}
		return protocols.NewPage(protocols.Head{Layout: protocols.LayoutArticles}, lines...)
	}
	one, two, three := article(1, "1@x"), article(2, "2@x", "1@x"), article(3, "3@x")
	w.lists["news:g"] = group(one, two, three)
	unread := hole(t)
	unread.lists["news:g"] = group(three)
	for _, tt := range []struct {
		o    collect.Options
		url  string
		want string
	}{
		{collect.Options{Unread: unread}, "news:g", "news:g news:3@x"},
		{collect.Options{Unread: unread, All: true}, "news:g", "news:g news:1@x news:2@x news:3@x"},
		{collect.Options{}, "news:2@x", "news:2@x"},
	} {
		b, _, err := save(t, w, tt.o, tt.url)
		fetchtest.NoError(t, err)
		var urls []string
		for _, e := range b.Entries {
			urls = append(urls, e.URL)
		}
		fetchtest.Equal(t, strings.Join(urls, " "), tt.want, "%+v of %s", tt.o, tt.url)
	}
	unread.lists["news:g"] = group()
	if _, _, err := save(t, w, collect.Options{Unread: unread}, "news:g"); err == nil || !strings.Contains(err.Error(), "--all") {
		t.Errorf("a group without unread articles: %v, want an error about --all", err)
	}
}

// TestBounds checks that what exceeds a bound is left out, and that a server that fails again and again is not asked for
// the rest.
func TestBounds(t *testing.T) {
	many := func(host string) *world {
		w := hole(t)
		var links []string
		for i := range 9 {
			u := fmt.Sprintf("gopher://%s/0/%d", host, i)
			links = append(links, u)
			if host == "h" {
				w.documents[u] = "12345"
			}
		}
		w.lists["about:bookmarks"] = list(t, protocols.LayoutPage, nil, append(links, "gopher://h/0/a")...)
		return w
	}
	for name, tt := range map[string]struct {
		host  string
		o     collect.Options
		saved int
		asked int
	}{
		"number": {"h", collect.Options{MaxItems: 4}, 4, 4},
		"octets": {"h", collect.Options{Quota: 12}, 3, 10}, // the last one is small
		"time":   {"h", collect.Options{Until: time.Now()}, 0, 0},
		"server": {"down.example", collect.Options{}, 1, 4},
	} {
		w := many(tt.host)
		b, result, err := save(t, w, tt.o, "about:bookmarks")
		saved := 0
		if err == nil {
			for _, l := range fetchtest.As[*mirror.PartialError](t, result.Err).LeftOut {
				fetchtest.Equal(t, protocols.ReasonOf(l.Err).IsNetworkFailure(), name == "server", "%s: the network failed for %s", name, l)
			}
			saved = len(b.Entries)
			fetchtest.Equal(t, len(b.Entries)+len(b.LeftOut), 10, "%s: all items", name)
		}
		fetchtest.Equal(t, saved, tt.saved, "%s: saved", name)
		asked := map[string]bool{}
		for _, u := range w.fetched[1:] {
			asked[u] = true
		}
		fetchtest.Equal(t, len(asked), tt.asked, "%s: fetched", name)
	}
	for name, o := range map[string]collect.Options{"octets": {Quota: 1}, "time": {Until: time.Now()}} {
		_, _, err := save(t, hole(t), o, "gopher://h/0/deep/b")
		fetchtest.ErrorIs(t, err, collect.ErrLeftOut, name)
	}
	b, result, err := save(t, hole(t), collect.Options{MaxItems: 1}, "gopher://h/0/missing", "gopher://h/0/a", "gopher://h/0/deep/b")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, names(b), "gopher://h/0/a a.txt\nleft out: gopher://h/0/missing\nleft out: gopher://h/0/deep/b")
	fetchtest.As[*mirror.PartialError](t, result.Err)
}

// TestManyItems checks that a bundle of a list with more items than the map may have can be opened, and that all that is left
// out is counted.
func TestManyItems(t *testing.T) {
	const n = 2*bundle.MaxEntries + 5
	w := hole(t)
	lines := make([]protocols.Line, n)
	for i := range lines {
		lines[i] = protocols.Line{Kind: protocols.Text, Text: "x", Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '0', Selector: fmt.Sprint(i)}}
	}
	lines[0].Link = fetchtest.Parse(t, "gopher://h/0/a")
	lines[1].Link = urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '0', Selector: strings.Repeat("x", 70_000)}
	lines[2].Link, lines[2].Kind = fetchtest.Parse(t, "gopher://h/1/deep"), protocols.Menu
	w.lists["about:bookmarks"] = protocols.NewPage(protocols.Head{Layout: protocols.LayoutPage}, lines...)
	b, result, err := save(t, w, collect.Options{MaxItems: 1}, "about:bookmarks")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, len(b.Entries), 1, "saved")
	fetchtest.EqualSlices(t, w.fetched, []string{"about:bookmarks", "gopher://h/0/a"}, "fetched")
	fetchtest.Equal(t, len(b.LeftOut), bundle.MaxEntries, "lines of the map for what was left out")
	last := b.LeftOut[len(b.LeftOut)-1]
	fetchtest.Equal(t, last.Title+": "+last.LeftOut, "100,005 more items: the bundle has reached its limit of items", "the last line")
	partial := fetchtest.As[*mirror.PartialError](t, result.Err)
	fetchtest.Equal(t, partial.Error(), fmt.Sprintf("%d of %d items were not saved", n-1, n))
	fetchtest.Equal(t, len(partial.LeftOut), bundle.MaxEntries, "named")
}

// TestLongNames checks that an item is left out whose line of the map would be too long.
func TestLongNames(t *testing.T) {
	w := hole(t)
	long := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '0', Selector: strings.Repeat("x", 70_000)}
	w.documents[long.String()] = "x"
	b, result, err := save(t, w, collect.Options{}, "gopher://h/0/a", long.String())
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, names(b), "gopher://h/0/a a.txt\nleft out: ")
	fetchtest.Contains(t, result.Err.(*mirror.PartialError).LeftOut[0].Err.Error(), "too long for a bundle", "the reason")
}

// TestStaleFolders checks that the folder is removed that a killed run left for the same bundle.
func TestStaleFolders(t *testing.T) {
	dir := t.TempDir()
	r := collect.Request{URLs: []urlcore.URL{fetchtest.Parse(t, "gopher://h/0/a")}, Path: filepath.Join(dir, "[x]*.zip")}
	m := &menus{world: *hole(t)}
	stale := ""
	m.before = func() {
		stale = fetchtest.Must(filepath.Glob(filepath.Join(dir, ".gofer-bundle-*")))(t)[0] + "1"
	}
	saver := &download.Manager{Tries: 1}
	defer saver.Close()
	fetchtest.Must(collect.Save(t.Context(), saver, m, r))(t)
	hourAgo := time.Now().Add(-time.Hour)
	other := strings.Replace(stale, "bundle-", "bundle-0", 1)
	for _, folder := range []string{stale, other} {
		fetchtest.NoError(t, os.MkdirAll(folder, 0o700))
		fetchtest.NoError(t, os.Chtimes(folder, hourAgo, hourAgo))
	}
	m.before, r.Overwrite = nil, true
	fetchtest.Must(collect.Save(t.Context(), saver, m, r))(t)
	left := fetchtest.Must(filepath.Glob(filepath.Join(dir, ".gofer-bundle-*")))(t)
	fetchtest.EqualSlices(t, left, []string{other}, "folders of killed runs: only that of another bundle")
}

// TestLogins checks that requests for a page that the user has chosen may log in and send cookies at its server only.
func TestLogins(t *testing.T) {
	w := hole(t)
	w.documents["gopher://h2/0/b"] = "b"
	w.lists["about:bookmarks"] = list(t, protocols.LayoutPage, nil, "gopher://h/1/deep", "gopher://h2/0/b")
	asked := ""
	w.check = func(ctx context.Context, req protocols.Request) {
		if addr, ok := urlcore.Addr(req.URL); ok && addr != "" {
			asked += fmt.Sprintln(req.URL, protocols.MayLogIn(ctx, "http", "h:70"), protocols.MayLogIn(ctx, "http", "h2:70"), protocols.MayLogIn(ctx, "http", "other:70"))
		}
	}
	_, _, err := save(t, w, collect.Options{}, "gopher://h/0/a", "about:bookmarks")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, asked, "gopher://h/0/a true false false\ngopher://h/1/deep true false false\ngopher://h2/0/b false true false\n")
}

// TestFailures checks that without any page there is no bundle, and that a file is not replaced unasked.
func TestFailures(t *testing.T) {
	for u, want := range map[string]string{
		"gopher://h/0/missing": "not there", "ldap://h/o=missing": "not there", "ftp://h/secret": "login", "ftp://u:secret@h/f": "--login", "file:///etc/passwd": "only pages of servers",
	} {
		if _, _, err := save(t, hole(t), collect.Options{}, u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Save of %s: %v, want an error with %q", u, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "x.zip")
	fetchtest.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	w := hole(t)
	r := collect.Request{URLs: []urlcore.URL{fetchtest.Parse(t, "gopher://h/0/a")}, Path: path}
	if _, err := collect.Save(t.Context(), new(download.Manager), w, r); !errors.Is(err, download.ErrExists) || len(w.fetched) > 0 {
		t.Errorf("Save over a file: %v after the requests %v, want %v and none", err, w.fetched, download.ErrExists)
	}
	fetchtest.ReturnsText(t, "mine")(os.ReadFile(path))
	r.Overwrite = true
	m := new(download.Manager)
	defer m.Close()
	fetchtest.Must(collect.Save(t.Context(), m, w, r))(t)
}

// TestNames checks that an entry has a valid name if the name at the server is not UTF-8.
func TestNames(t *testing.T) {
	w := hole(t)
	for _, u := range []string{"ftp://h/d/caf%E9.txt", "ftp://h/e/caf%E8.txt"} {
		w.documents[u] = "x"
	}
	b, _, err := save(t, w, collect.Options{}, "ftp://h/d/caf%E9.txt", "ftp://h/e/caf%E8.txt")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, len(b.Entries), 2, "entries: %s", names(b))
}

// TestOwnPages checks that of gofer's own pages only bookmarks are saved.
func TestOwnPages(t *testing.T) {
	w := hole(t)
	w.lists["about:history"] = list(t, protocols.LayoutPage, nil, "gopher://h/0/a")
	_, _, err := save(t, w, collect.Options{}, "about:history")
	fetchtest.Reason(t, err, protocols.Unsupported)
	fetchtest.Contains(t, err.Error(), "about:bookmarks", "the error")
	fetchtest.Equal(t, len(w.fetched), 0, "fetched")
}

// TestNoBookmarks checks that a folder without bookmarks, or that does not exist, is an error.
func TestNoBookmarks(t *testing.T) {
	w := hole(t)
	w.lists["about:bookmarks/none"] = list(t, protocols.LayoutPage, nil, "about:bookmarks")
	_, _, err := save(t, w, collect.Options{}, "about:bookmarks/none")
	fetchtest.Reason(t, err, protocols.Unsupported)
	fetchtest.Contains(t, err.Error(), "no bookmarks", "the error")
}

// TestUnasked checks that there is no bundle if the question about a tree cannot be asked.
func TestUnasked(t *testing.T) {
	want := errors.New("no terminal")
	o := collect.Options{Agree: func(*download.Status) (bool, error) { return false, want }}
	_, _, err := save(t, hole(t), o, "gopher://h/0/a", "gopher://h/1/", "gopher://h/0/deep/b")
	fetchtest.ErrorIs(t, err, want)
	fetchtest.Equal(t, err.Error(), want.Error())
}

// TestSuffixes checks that the names of entries say their types to programs that know only these names, and that names stay
// legible if several pages have the same one.
func TestSuffixes(t *testing.T) {
	w := &world{lists: make(map[string]*protocols.Resource)}
	var urls []string
	for _, page := range []struct{ url, media string }{
		{"http://127.0.0.1/", "text/html"},
		{"http://127.0.0.1:81/", "text/html; charset=utf-8"},
		{"http://h/many/", "text/html"},
		{"http://h/a.php", "text/html"},
		{"http://h/a.htm", "text/html"},
		{"http://h/v1.2", "text/plain"},
		{"gemini://h.com/", "text/gemini"},
	} {
		u := fetchtest.Parse(t, page.url)
		w.typed = append(w.typed, protocols.Head{URL: u, Media: page.media, Size: -1})
		urls = append(urls, page.url)
	}
	for _, u := range []string{"gopher://127.0.0.1/1/", "gopher://127.0.0.1:71/1/"} {
		w.lists[u] = list(t, protocols.LayoutMenu, nil, strings.Replace(u, "/1/", "/0/x", 1))
		urls = append(urls, u)
	}
	b, _, err := save(t, w, collect.Options{}, urls...)
	fetchtest.NoError(t, err)
	var got []string
	for _, e := range b.Entries {
		got = append(got, e.Name)
	}
	fetchtest.EqualSlices(t, got, []string{
		"127.0.0.1.html", "127.0.0.1(1).html", "many.html", "a.php.html", "a.htm", "v1.2", "h.com.gmi", "127.0.0.1/index.html", "127.0.0.1(1)/index.html",
	})
	fetchtest.Equal(t, b.Entries[2].Title, "A & B", "the title of a document")
}

// TestTitles checks that a page has the title that the user gave it.
func TestTitles(t *testing.T) {
	w := hole(t)
	w.lists["about:bookmarks"] = list(t, protocols.LayoutPage, nil, "gopher://h/1/", "gopher://h/0/a")
	titles := map[urlcore.URL]string{fetchtest.Parse(t, "gopher://h/1/"): "The hole", fetchtest.Parse(t, "gopher://h/0/a"): "A text"}
	b, _, err := save(t, w, collect.Options{Titles: titles}, "about:bookmarks")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, b.Entries[0].Title+", "+b.Entries[1].Title, "The hole, A text", "titles")
}

// TestThread checks that the thread of an article is saved, that it is the start page, and that the others are found by their
// Message-IDs.
func TestThread(t *testing.T) {
	w := hole(t)
	var lines []protocols.Line
	for i, references := range [][]string{nil, {"1@x"}, nil} {
		u := fmt.Sprintf("nntp://h/g/%d", i+1)
		w.documents[u] = "Subject: x\r\n\r\n"
		lines = append(lines, protocols.Line{
			Kind: protocols.Article, Text: "Re: x", Link: fetchtest.Parse(t, u),
			Note: &protocols.ArticleNote{Number: uint64(i + 1), MessageID: fmt.Sprintf("%d@x", i+1), References: references},
		})
	}
	w.lists["nntp://h/g"] = protocols.NewPage(protocols.Head{Title: "g", Layout: protocols.LayoutArticles}, lines...)
	w.lists["news://h/2@x"] = protocols.NewPage(protocols.Head{Layout: protocols.LayoutPage}, protocols.Line{Text: "Newsgroups: g", Link: fetchtest.Parse(t, "nntp://h/g")})
	b, _, err := save(t, w, collect.Options{Thread: true}, "news://h/2@x")
	fetchtest.NoError(t, err)
	got := ""
	for _, e := range b.Entries {
		got += fmt.Sprintln(e.URL, e.Title, e.Start)
	}
	fetchtest.Equal(t, got, "nntp://h/g g false\nnntp://h/g/1 Re: x false\nnntp://h/g/2 Re: x true\n", "entries")
	e, _ := b.Find(fetchtest.Parse(t, "news://h/1@x"))
	fetchtest.Equal(t, e.URL, "nntp://h/g/1", "the article with the Message-ID 1@x")
}

// menus is a Fetcher of menus whose octets arrive. Before each answer it calls before, which may be nil.
type menus struct {
	world
	before func()
}

func (m *menus) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if m.before != nil {
		m.before()
	}
	res, err := m.world.Fetch(ctx, req)
	if err == nil && res.Layout == protocols.LayoutMenu {
		protocols.TranscriptFrom(ctx).Receive([]byte(octetsOf(req.URL)))
	}
	return res, err
}

func octetsOf(u urlcore.URL) string { return "iOctets of " + u.String() + "\t\xe9\r\n.\r\n" }

// TestMenus checks that the octets of menus are saved as they came, also if a menu was fetched twice.
func TestMenus(t *testing.T) {
	m := &menus{world: *hole(t)}
	m.lists["about:bookmarks"] = list(t, protocols.LayoutPage, nil, "gopher://h/1/deep")
	folder := t.TempDir()
	r := collect.Request{Path: filepath.Join(folder, "x.zip"), URLs: []urlcore.URL{
		fetchtest.Parse(t, "about:bookmarks"), fetchtest.Parse(t, "gopher://h/1/"),
	}}
	saver := &download.Manager{Delay: time.Nanosecond, Tries: 1}
	defer saver.Close()
	fetchtest.Must(collect.Save(t.Context(), saver, m, r))(t)
	f := fetchtest.CloseAtEnd(os.Open(r.Path))(t)
	b := fetchtest.Must(bundle.Open(t.Context(), io.NewSectionReader(f, 0, fetchtest.Must(f.Stat())(t).Size()), time.Now()))(t)
	for _, u := range []string{"gopher://h/1/", "gopher://h/1/deep"} {
		e, _ := b.Find(fetchtest.Parse(t, u))
		content, fits, err := b.Content(t.Context(), e)
		fetchtest.NoError(t, err)
		fetchtest.ReturnsText(t, octetsOf(fetchtest.Parse(t, u)))(io.ReadAll(content))
		fetchtest.Equal(t, fits, true, "%s has its digest", u)
	}

	// A menu that cannot be written is not lost silently.
	r.Path = filepath.Join(folder, "y.zip")
	m.before = func() {
		for _, dir := range fetchtest.Must(filepath.Glob(filepath.Join(folder, ".gofer-bundle-*")))(t) {
			fetchtest.NoError(t, os.RemoveAll(dir))
		}
	}
	r.URLs = r.URLs[:1]
	_, err := collect.Save(t.Context(), saver, m, r)
	fetchtest.Reason(t, err, protocols.LocalFailure)
}
