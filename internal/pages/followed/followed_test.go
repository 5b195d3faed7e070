package followed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// world is a set of pages, with a store of those that are followed.
type world struct {
	t     *testing.T
	store *history.Store
	now   time.Time
	pages map[string]func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)
	mu    sync.Mutex
	asked []string // the requests, as "URL version"
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: history.OpenStore(filepath.Join(t.TempDir(), "h")), now: noon, pages: make(map[string]func(context.Context, protocols.Request) (*protocols.Resource, error))}
	t.Cleanup(func() { w.store.Close() })
	return w
}

// serve sets the answer for a page and follows the page.
func (w *world) serve(page string, answer func(req protocols.Request) (*protocols.Resource, error)) {
	w.t.Helper()
	u := fetchtest.Parse(w.t, page)
	w.pages[u.String()] = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) { return answer(req) }
	fetchtest.Must(w.store.Follow(w.t.Context(), u, "", w.now))(w.t)
}

// document serves a document with the given media type.
func (w *world) document(page, media, content string) {
	w.t.Helper()
	w.serve(page, func(req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: media, Size: -1}, Body: strings.NewReader(content), Closer: io.NopCloser(nil)}, nil
	})
}

// list serves a list.
func (w *world) list(page string, layout protocols.Layout, lines ...protocols.Line) {
	w.t.Helper()
	w.serve(page, func(req protocols.Request) (*protocols.Resource, error) {
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: layout}, lines...), nil
	})
}

func (w *world) fail(page string, err error) {
	w.t.Helper()
	w.serve(page, func(protocols.Request) (*protocols.Resource, error) { return nil, err })
}

func (w *world) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	w.mu.Lock()
	w.asked = append(w.asked, strings.TrimSpace(req.URL.String()+" "+req.Version))
	w.mu.Unlock()
	if f := w.pages[req.URL.String()]; f != nil {
		return f(ctx, req)
	}
	return nil, &protocols.Error{Reason: protocols.NotFound, Op: "open it"}
}

// refresh reads all pages an hour after the last time, and returns the titles of the unread entries.
func (w *world) refresh() (unread string) {
	w.t.Helper()
	w.now, w.asked = w.now.Add(time.Hour), nil
	fetchtest.Must(Refresh(w.t.Context(), w.options()))(w.t)
	return w.unread()
}

func (w *world) options() Options {
	return Options{Store: w.store, Fetch: w, Now: func() time.Time { return w.now }}
}

func (w *world) unread() string {
	w.t.Helper()
	var titles []string
	for _, e := range fetchtest.Must(w.store.UnreadEntries(w.t.Context(), 1000))(w.t) {
		titles = append(titles, strings.TrimSuffix(fmt.Sprintf("%s <%s#%s> %s", e.Title, e.URL, e.Fragment, e.Date.UTC().Format("2006-01-02")), " 0001-01-01"))
	}
	return strings.Join(titles, "\n")
}

func (w *world) source() history.Source {
	w.t.Helper()
	return fetchtest.Must(w.store.Sources(w.t.Context()))(w.t)[0]
}

func item(t *testing.T, text, link string) protocols.Line {
	return protocols.Line{Kind: protocols.Text, Text: text, Link: fetchtest.Parse(t, link)}
}

func file(t *testing.T, name string, size int64, modified time.Time) protocols.Line {
	l := item(t, name, "ftp://f.example/"+name)
	l.Note = &protocols.FileNote{Size: size, Modified: modified}
	return l
}

// TestKinds reads a page of each kind twice, and looks for what is new at the second time.
func TestKinds(t *testing.T) {
	const rss = `<rss version="2.0"><channel><title>T</title>%s</channel></rss>`
	for _, tt := range []struct {
		name   string
		serve  func(w *world, second bool)
		unread string
	}{
		{"RSS", func(w *world, second bool) {
			items := `<item><title>One</title><link>/1</link><guid>a</guid><pubDate>Sun, 01 Feb 2026 10:00:00 GMT</pubDate></item>`
			if second {
				items = `<item><title>One, again</title><link>/1</link><guid>a</guid></item><item><title>Two &amp; three</title><link>/2#b</link><pubDate>Sun, 29 Nov 2026 10:00:00 GMT</pubDate></item>`
			}
			w.document("http://w.example/rss", "application/rss+xml", fmt.Sprintf(rss, items))
		}, "Two & three <http://w.example/2#b> 2026-11-29"},
		{"JSON Feed", func(w *world, second bool) {
			items := ""
			if second {
				items = `{"id":"1","url":"http://w.example/1","title":"One","date_published":"2026-11-28T00:00:00Z"}`
			}
			w.document("http://w.example/f", "application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[`+items+`]}`)
		}, "One <http://w.example/1#> 2026-11-28"},
		{"gemlog", func(w *world, second bool) {
			text := "# Log\n=> a.gmi 2026-01-02 - First\n=> / Home\n"
			if second {
				text += "=> b.gmi 2026-11-29T10:00Z Second\n=> c.gmi 2026-11-29\n=> d.gmi 2026-99-99 No date\n"
			}
			w.document("gemini://g.example/log/", "text/gemini", text)
		}, "Second <gemini://g.example/log/b.gmi#> 2026-11-29\n2026-11-29 <gemini://g.example/log/c.gmi#> 2026-11-29"},
		{"gemtext without dates", func(w *world, second bool) {
			w.document("gemini://g.example/x", "text/gemini", map[bool]string{false: "one", true: "two"}[second])
		}, "gemini://g.example/x <gemini://g.example/x#>"},
		{"Gopher menu", func(w *world, second bool) {
			lines := []protocols.Line{{Text: "Welcome, visitor 7"}, item(t, "Hits: 7", "gopher://g.example/0/hits")}
			if second {
				lines = []protocols.Line{
					{Text: "Welcome, visitor 8"},
					item(t, "Hits: 8", "gopher://g.example/0/hits"), item(t, "New text", "gopher://g.example/0/new"),
					item(t, "Post [2026-11-20]", "gopher://g.example/0/post"), item(t, "[2026-11-21] - Letter", "gopher://g.example/0/l"), item(t, "No date 2026-11-290", "gopher://g.example/0/none"),
				}
			}
			w.list("gopher://g.example/1", protocols.LayoutMenu, lines...)
		}, "New text <gopher://g.example/0/new#>\nNo date 2026-11-290 <gopher://g.example/0/none#>\nLetter <gopher://g.example/0/l#> 2026-11-21\nPost [2026-11-20] <gopher://g.example/0/post#> 2026-11-20"},
		{"directory", func(w *world, second bool) {
			if !second {
				w.list("ftp://f.example/", protocols.LayoutDirectory, file(t, "same", 1, noon), file(t, "longer", 1, noon), file(t, "later", 1, noon.AddDate(0, -2, 0)))
				return
			}
			w.list("ftp://f.example/", protocols.LayoutDirectory, file(t, "same", 1, noon), file(t, "longer", 2, noon), file(t, "later", 1, noon), file(t, "added", 1, noon.AddDate(-1, 0, 0)))
		}, "longer <ftp://f.example/longer#> 2026-11-29\nlater <ftp://f.example/later#> 2026-11-29\nadded <ftp://f.example/added#> 2025-11-29"},
		{"news search", func(w *world, second bool) {
			article := func(id, subject string) protocols.Line {
				l := item(t, subject, "news:"+id)
				l.Note = &protocols.ArticleNote{Subject: subject, MessageID: id, Date: noon.AddDate(0, -2, 0)}
				return l
			}
			lines := []protocols.Line{article("1@a", "Old")}
			if second {
				lines = append(lines, article("2@a", "=?utf-8?q?Gr=C3=BC=C3=9Fe?="))
			}
			w.list("nntp://n.example/a.b?subject=x", protocols.LayoutArticles, lines...)
		}, "Grüße <news:2@a#> 2026-09-29"},
		{"web page", func(w *world, second bool) {
			w.document("http://w.example/", "text/html", "<title>Page</title><p>some  text"+map[bool]string{true: " and more"}[second])
		}, "Page <http://w.example/#>"},
		{"unchanged web page", func(w *world, second bool) {
			w.document("http://w.example/", "text/html", "<p>some text"+map[bool]string{true: "<!-- built today -->\n"}[second])
		}, ""},
		{"finger", func(w *world, second bool) {
			w.document("finger://f.example/joe", "text/plain", "Plan:\n2026-11-29 x"+map[bool]string{true: "\nmore"}[second])
		}, "finger://f.example/joe <finger://f.example/joe#>"},
		{"binary file", func(w *world, second bool) {
			w.serve("ftp://f.example/x.iso", func(req protocols.Request) (*protocols.Resource, error) {
				head := protocols.Head{URL: req.URL, Title: "x.iso", Media: "application/octet-stream", Size: 5, Modified: noon}
				if second {
					head.Size++
				}
				return &protocols.Resource{Head: head, Body: strings.NewReader("\x00\x01\x02\x00\x00"), Closer: io.NopCloser(nil)}, nil
			})
		}, "x.iso <ftp://f.example/x.iso#>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.serve(w, false)
			w.refresh()
			fetchtest.Must(w.store.MarkRead(t.Context(), nil, nil, true))(t)
			fetchtest.Equal(t, w.source().Failure, "", "failure")
			tt.serve(w, true)
			fetchtest.Equal(t, w.refresh(), tt.unread, "unread after the second check")
			if got := w.refresh(); got != tt.unread {
				t.Errorf("unread after a third check of the same page:\n%s", got)
			}
		})
	}
}

// TestFeedOfPage checks that the feed that a web page names is read in place of the page.
func TestFeedOfPage(t *testing.T) {
	w := newWorld(t)
	w.document("http://w.example/", "text/html", `<title>Site</title><link rel=alternate type="application/rss+xml" href=/rss>text`)
	const rss = "http://w.example/rss"
	w.pages[rss] = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		body := `<rss version="2.0"><channel><title>T</title><item><title>One</title><link>/1</link><pubDate>Sun, 29 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>`
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: "application/rss+xml", Size: -1}, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
	}
	fetchtest.Equal(t, w.refresh(), "One <http://w.example/1#> 2026-11-29", "unread")
	fetchtest.Equal(t, strings.Join(w.asked, ", "), "http://w.example/, "+rss, "asked first")
	src := w.source()
	fetchtest.Equal(t, FeedOf(&src), fetchtest.Parse(t, rss), "the feed")
	w.refresh()
	fetchtest.Equal(t, strings.Join(w.asked, ", "), rss, "asked then")
	delete(w.pages, rss)
	w.refresh()
	fetchtest.Contains(t, w.source().Failure, "not found", "failure")
	w.refresh()
	fetchtest.Equal(t, strings.Join(w.asked, ", "), "http://w.example/, "+rss, "asked after the feed was gone")
	fetchtest.Equal(t, w.source().Failure, "", "failure")
}

// TestFeedFailsFirst checks that a feed that fails at the first check is asked for again, although its page has not changed, and
// that its server alone is to blame.
func TestFeedFailsFirst(t *testing.T) {
	w := newWorld(t)
	w.serve("http://w.example/", func(req protocols.Request) (*protocols.Resource, error) {
		body := `<link rel=alternate type="application/rss+xml" href=//feed.example/rss>text`
		head := protocols.Head{URL: req.URL, Media: "text/html", Version: "page", Unchanged: req.Version == "page", Size: -1}
		return &protocols.Resource{Head: head, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
	})
	w.document("http://w.example/other", "text/plain", "text")
	const rss = "http://feed.example/rss"
	for _, reason := range []protocols.Reason{protocols.ServerFailed, protocols.Refused, protocols.NotFound} {
		w.pages[rss] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
			return nil, &protocols.Error{Reason: reason, Op: "open it"}
		}
		w.now = w.now.Add(24 * time.Hour)
		w.refresh()
		fetchtest.Equal(t, strings.Join(w.asked[:2], ", "), "http://w.example/, "+rss, "asked, and then %v", reason)
		fetchtest.Equal(t, w.source().Failure != "", reason != protocols.NotFound, "a failure after %v: %q", reason, w.source().Failure)
		fetchtest.Equal(t, len(w.asked), 3, "requests with the other page of the server")
	}
	w.pages[rss] = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		body := `<rss version="2.0"><channel><title>T</title></channel></rss>`
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: "application/rss+xml", Version: "page", Size: -1}, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
	}
	w.refresh()
	fetchtest.Contains(t, w.source().State, rss, "the feed that is read")
	delete(w.pages, rss)
	w.refresh()
	w.now = w.now.Add(24 * time.Hour)
	w.refresh()
	fetchtest.Equal(t, w.asked[0]+", "+w.asked[1], "http://w.example/, "+rss, "asked after the feed was gone")
}

// TestUnchanged checks that a page is asked for only if it has changed, and that the answer that it has not is a success.
func TestUnchanged(t *testing.T) {
	w := newWorld(t)
	w.serve("http://w.example/", func(req protocols.Request) (*protocols.Resource, error) {
		r := &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: "text/plain", Version: "v1", Size: -1}, Body: strings.NewReader("text"), Closer: io.NopCloser(nil)}
		if r.Unchanged = req.Version == "v1"; r.Unchanged {
			r.Body = strings.NewReader("")
		}
		return r, nil
	})
	w.refresh()
	for range 2 {
		fetchtest.Equal(t, w.refresh(), "", "unread")
		fetchtest.Equal(t, strings.Join(w.asked, ", "), "http://w.example/ v1", "asked")
		if src := w.source(); src.Failure != "" || !src.Succeeded.Equal(w.now) || FeedOf(&src) != nil {
			t.Errorf("the source is %+v; want a success now, and no feed", src)
		}
	}
}

// TestFailures checks that a page that fails says why, and ends nothing. Questions are not asked.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	u := fetchtest.Parse(t, "gopher://a.example/1")
	for page, err := range map[string]error{
		"gopher://b.example/1": &protocols.Error{Reason: protocols.Refused, Op: "connect to b.example:70"},
		"gopher://c.example/7": &protocols.Ask{URL: u, Title: "Search"},
		"gopher://d.example/1": &protocols.Login{URL: u, Server: "d.example:70"},
		"gopher://e.example/1": &protocols.Confirm{URL: u, Question: "Trust the certificate"},
		"gopher://f.example/1": &protocols.Handoff{URL: u},
		"gopher://g.example/1": errors.New("\x1b[31mred\n"),
	} {
		w.fail(page, err)
	}
	w.serve("http://h.example/feed", func(req protocols.Request) (*protocols.Resource, error) {
		return protocols.NewPage(protocols.Head{URL: fetchtest.Parse(t, "about:history"), Layout: protocols.LayoutMenu}, item(t, "x", "gopher://x.example/")), nil
	})
	w.document("http://i.example/feed", "application/rss+xml", `<rss version="2.0"><channel><title>T</title>`+
		`<item><title>F</title><link>file:///etc/passwd</link></item><item><title>A</title><link>about:settings</link></item></channel></rss>`)
	w.list("gopher://j.example/1", protocols.LayoutMenu, item(t, "a", "gopher://j.example/0/a"), protocols.Line{Kind: protocols.Failure, Text: "part"})
	w.list("gopher://k.example/1", protocols.LayoutMenu, protocols.Line{Kind: protocols.Failure, Text: "no such selector"})
	o := w.options()
	o.Asked = true
	s := fetchtest.Must(Refresh(t.Context(), o))(t)
	if s.Failed != 8 || s.Read != 2 {
		t.Errorf("Refresh = %+v; want 8 failed and 2 read", s)
	}
	want := map[string]string{
		"b.example": "Could not connect to b.example:70: connection refused",
		"c.example": "it asks for words: follow the page of an answer",
		"d.example": "it asks for a login: store one (netrc or password_command)",
		"e.example": "it needs an answer (Trust the certificate?): open the page once",
		"f.example": "another program opens it",
		"g.example": "␛[31mred",
		"k.example": "no such selector",
		"h.example": "it leads to a page of this machine",
	}
	for _, src := range fetchtest.Must(w.store.Sources(t.Context()))(t) {
		if got := src.Failure; !strings.Contains(got, want[urlcore.Host(src.URL)]) || got == "" != (want[urlcore.Host(src.URL)] == "") {
			t.Errorf("%s: the failure is %q; want %q", src.URL, got, want[urlcore.Host(src.URL)])
		}
	}
	fetchtest.Must(w.store.MarkRead(t.Context(), nil, nil, false))(t)
	got := strings.Split(w.unread(), "\n")
	slices.Sort(got)
	fetchtest.Equal(t, strings.Join(got, ", "), "A <http://i.example/feed#>, F <http://i.example/feed#>, a <gopher://j.example/0/a#>", "entries")
}

// TestRest checks how long a page and its server are left alone.
func TestRest(t *testing.T) {
	w := newWorld(t)
	w.list("gopher://a.example/1", protocols.LayoutMenu)
	w.fail("gopher://a.example/1/bad", &protocols.Error{Reason: protocols.NotFound, Op: "open it"})
	asked := func(after time.Duration, byUser bool, want string) {
		t.Helper()
		w.now, w.asked = w.now.Add(after), nil
		o := w.options()
		o.Asked = byUser
		fetchtest.Must(Refresh(t.Context(), o))(t)
		slices.Sort(w.asked)
		fetchtest.Equal(t, strings.ReplaceAll(strings.Join(w.asked, " "), "gopher://a.example/1", "1"), want, "asked at %s", w.now)
	}
	asked(0, false, "1 1/bad")
	asked(14*time.Minute, false, "")
	asked(time.Minute, false, "1") // the other one failed once
	asked(14*time.Minute, true, "1 1/bad")
	asked(15*time.Minute, false, "1") // it failed twice
	asked(30*time.Minute, false, "1")
	asked(15*time.Minute, false, "1 1/bad")
	for range 20 {
		asked(time.Minute, true, "1 1/bad")
	}
	asked(24*time.Hour, false, "1 1/bad")
	w.list("gopher://a.example/1/new", protocols.LayoutMenu)
	asked(14*time.Minute, false, "")
	asked(time.Minute, false, "1 1/new")
	asked(-48*time.Hour, false, "1 1/bad 1/new") // a clock that was wrong
}

// TestEveryFifteenMinutes checks that a timer of 15 minutes finds a page each time, although the page is slow and the timer not
// exact.
func TestEveryFifteenMinutes(t *testing.T) {
	w := newWorld(t)
	w.serve("gopher://a.example/1", func(req protocols.Request) (*protocols.Resource, error) {
		w.now = w.now.Add(50 * time.Second)
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}), nil
	})
	for i := range 3 {
		w.now = noon.Add(time.Duration(i) * (15*time.Minute - 2*time.Second))
		fetchtest.Equal(t, fetchtest.Must(Refresh(t.Context(), w.options()))(t).Read, 1, "pages read in round %d", i)
	}
}

// TestServers checks that at most two servers are asked at a time, each with one request, and only for some pages.
func TestServers(t *testing.T) { synctest.Test(t, testServers) }

func testServers(t *testing.T) {
	w := newWorld(t)
	for i := range maxRound + 50 {
		fetchtest.Must(w.store.Follow(t.Context(), fetchtest.Parse(t, fmt.Sprintf("gopher://many.example/1/%d", i)), "", noon))(t)
	}
	for i := range 10 {
		fetchtest.Must(w.store.Follow(t.Context(), fetchtest.Parse(t, fmt.Sprintf("gopher://s%d.example/1", i)), "", noon))(t)
	}
	var running, most, many, atMany atomic.Int32
	o := w.options()
	o.Fetch = fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if urlcore.Host(req.URL) == "many.example" {
			if many.Add(1); atMany.Add(1) > 1 {
				t.Error("two requests at a server")
			}
			defer atMany.Add(-1)
		}
		time.Sleep(time.Second) // until all requests of this moment wait
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}), nil
	})
	s := fetchtest.Must(Refresh(t.Context(), o))(t)
	if s.Read != maxRound+10 || s.Later != 50 || many.Load() != maxRound || most.Load() != 2 {
		t.Errorf("Refresh = %+v, %d pages of one server, %d requests at a time; want %d pages", s, many.Load(), most.Load(), maxRound)
	}
	w.now = w.now.Add(time.Hour)
	many.Store(0)
	fetchtest.Must(Refresh(t.Context(), o))(t)
	never := 0
	for _, src := range fetchtest.Must(w.store.Sources(t.Context()))(t) {
		if src.Checked.IsZero() {
			never++
		}
	}
	fetchtest.Equal(t, never, 0, "pages that were never read after two rounds")
}

// TestServerDown checks that a server that does not answer is asked once, and that all of its pages say so.
func TestServerDown(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.fail(fmt.Sprintf("gopher://a.example/1/%d", i), &protocols.Error{Reason: protocols.ConnectTimeout, Op: "connect"})
	}
	w.refresh()
	fetchtest.Equal(t, len(w.asked), 1, "requests")
	for _, src := range fetchtest.Must(w.store.Sources(t.Context()))(t) {
		if src.Failures != 1 || src.Failure == "" {
			t.Errorf("%s: got %d failures, %q", src.URL, src.Failures, src.Failure)
		}
	}
}

// TestSlowPageOfServer checks that a page that times out does not keep others of its server from being read.
func TestSlowPageOfServer(t *testing.T) {
	w := newWorld(t)
	w.fail("gopher://a.example/1/slow", protocols.TimeoutError("read it", true))
	w.list("gopher://a.example/1/good", protocols.LayoutMenu)
	const slow, good = "gopher://a.example/1/slow", "gopher://a.example/1/good"
	for _, want := range []string{slow + ", " + good, slow + ", " + good} {
		w.refresh()
		fetchtest.Equal(t, strings.Join(w.asked, ", "), want, "requests")
	}
	list := fetchtest.Must(w.store.Sources(t.Context()))(t)
	fetchtest.Equal(t, list[0].Failures, 2, "failures of the slow page")
	fetchtest.Equal(t, list[1].Failures, 0, "failures of the other page")
}

// TestForeignFeed checks that a page cannot name a URL of another scheme as its feed, also not one that was kept.
func TestForeignFeed(t *testing.T) {
	w := newWorld(t)
	w.document("http://w.example/", "text/html", `<title>Site</title><link rel=alternate type="application/rss+xml" href="gopher://127.0.0.1:25/0EHLO">text`)
	w.refresh()
	fetchtest.Equal(t, strings.Join(w.asked, ", "), "http://w.example/", "requests")
	kept := state{Feed: "gopher://127.0.0.1:25/0EHLO"}
	fetchtest.Equal(t, kept.target(w.source().URL), w.source().URL, "the URL to read")
}

// TestUnattendedRequest checks that a check may use only logins for the server of the page, and that it asks about the port
// unless the user has agreed to it.
func TestUnattendedRequest(t *testing.T) {
	for _, typed := range []bool{false, true} {
		w := newWorld(t)
		u := fetchtest.Parse(t, "http://w.example/")
		fetchtest.Must(w.store.AddSource(t.Context(), history.Source{URL: u, State: NewState(typed)}))(t)
		w.pages[u.String()] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			fetchtest.Equal(t, req.Typed, typed, "typed")
			fetchtest.Equal(t, protocols.MayLogIn(ctx, "http", "w.example:80"), true, "login at its server")
			fetchtest.Equal(t, protocols.MayLogIn(ctx, "http", "b.example:80"), false, "login at another server")
			return protocols.NewPage(protocols.Head{URL: u, Layout: protocols.LayoutMenu}), nil
		}
		w.refresh()
		w.refresh()
		fetchtest.Equal(t, len(w.asked), 1, "requests")
	}
}

// TestGroup checks that the numbers of a group are kept.
func TestGroup(t *testing.T) {
	w := newWorld(t)
	fetchtest.Must(w.store.Follow(t.Context(), fetchtest.Parse(t, "news:a.b"), "", noon))(t)
	o := w.options()
	src := w.source()
	if got := Group(&src); got != nil {
		t.Errorf("Group before the first check = %+v; want nil", got)
	}
	for _, high := range []uint64{9, 12, 4} {
		o.Count = func(context.Context, urlcore.URL) (*protocols.GroupNote, error) {
			return &protocols.GroupNote{Low: 3, High: high, Count: 5}, nil
		}
		w.now = w.now.Add(time.Hour)
		fetchtest.Must(Refresh(t.Context(), o))(t)
		src = w.source()
		if got := Group(&src); got == nil || got.Low != 3 || got.High != high || got.Count != 5 {
			t.Errorf("Group = %+v; want the numbers 3, %d and 5", got, high)
		}
	}
}

// TestEndlessPages checks that pages without an end are bounded.
func TestEndlessPages(t *testing.T) {
	w := newWorld(t)
	link := fetchtest.Parse(t, "gopher://a.example/0/x").(urlcore.Gopher)
	w.serve("gopher://a.example/1", func(req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu, Size: -1}, Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
			for i := 0; ; i++ {
				l := link
				l.Selector = fmt.Sprint("/", i)
				if !yield(protocols.Line{Kind: protocols.Text, Text: "\x1b[2Jitem", Link: l}, nil) {
					return
				}
			}
		}}, nil
	})
	w.serve("gopher://b.example/0", func(req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: "text/plain", Size: -1}, Body: endless{}, Closer: io.NopCloser(nil)}, nil
	})
	w.document("http://c.example/", "application/rss+xml", `<rss version="2.0"><channel><title>T</title>`+strings.Repeat("<item><title>A</title></item>", 100_000))
	o := w.options()
	note := ""
	o.Report = func(r Result) { note += r.Note }
	fetchtest.Must(Refresh(t.Context(), o))(t)
	fetchtest.Equal(t, note, "the feed has more than 999 entries: the others are left out", "notes")
	fetchtest.Equal(t, w.refresh(), "more entries than can be compared with the last check <gopher://a.example/1#>", "unread")
	list := fetchtest.Must(w.store.Sources(t.Context()))(t)
	fetchtest.Equal(t, list[0].Failure, "", "the menu")
	fetchtest.Contains(t, list[1].Failure, "MiB", "the text")
}

// endless is a text without line ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestSlowPage checks that a page that never ends is given up.
func TestSlowPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		r := refresh{Options: Options{Now: time.Now, Fetch: fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			return &protocols.Resource{Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu, Size: -1}, Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
				for ctx.Err() == nil && yield(protocols.Line{Text: "still here"}, nil) {
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
				}
			}}, nil
		})}}
		res, entries := r.check(t.Context(), history.Source{URL: fetchtest.Parse(t, "gopher://a.example/1")}, nil)
		fetchtest.ErrorIs(t, res.Err, errTimeout)
		if took := time.Since(begin); entries != nil || took != timeout {
			t.Errorf("got the entries %v after %s; want none after %s", entries, took, timeout)
		}
	})
}
