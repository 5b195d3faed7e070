package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/newsreader"
	"gofer/urlcore"
)

// TestKept checks that the screen says that a page is a copy, and that only a reload asks the server.
func TestKept(t *testing.T) {
	w, home := web{}, item('1', "/")
	at := time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC)
	requests := ""
	article := func(name string, kept time.Time, notes ...string) urlcore.URL {
		u := urlcore.News{MessageID: name + "@x"}
		w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			requests += map[bool]string{true: "server ", false: "copy "}[req.Fresh]
			return &protocols.Resource{
				Head: protocols.Head{URL: u, Media: protocols.MediaArticle, Size: -1, CopiedAt: kept, Notes: notes},
				Body: strings.NewReader("Subject: x\r\n\r\nx\r\n"), Closer: io.NopCloser(nil),
			}, nil
		}
		return u
	}
	links := []protocols.Line{
		{Kind: protocols.Article, Text: "now", Link: article("now", time.Time{})},
		{Kind: protocols.Article, Text: "kept", Link: article("kept", at)},
		{Kind: protocols.Article, Text: "lost", Link: article("lost", at, "copy of 2026-11-20 14:03: connection refused")},
	}
	w.addPage(home, protocols.LayoutMenu, "", links...)
	d := drive(t, w, Options{Home: home}, 80, 24)
	d.press("enter").wantNotShown("copy")
	d.press("ctrl+r", "backspace", "down", "enter").wantShown("copy 2026-11-20")
	d.press("I").wantShown("Copy of      2026-11-20 14:03")
	d.press("backspace", "backspace", "down", "enter")
	d.wantShown("copy of 2026-11-20 14:03: connection refused (Ctrl-R asks the server)").wantNotShown("Note: copy of")
	d.press("ctrl+r")
	fetchtest.Equal(t, requests, "copy server copy copy server ", "sources of the pages")
	narrow := drive(t, w, Options{Home: links[1].Link}, 40, 12)
	if first, _, _ := strings.Cut(narrow.screen(), "\n"); !strings.HasSuffix(strings.TrimSpace(first), "copy") {
		t.Errorf("40 columns: the bar is %q, want \"copy\" at its end", first)
	}
}

// TestGroupNote checks that a note about a group is shown at once, because the end of the list of articles may be far
// away.
func TestGroupNote(t *testing.T) {
	w, group := web{}, urlcore.News{Group: "g.one"}
	w[group] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		lines := make([]protocols.Line, 100)
		return protocols.NewPage(
			protocols.Head{URL: group, Layout: protocols.LayoutArticles, Notes: []string{"g.one ends at 20 now"}},
			lines...,
		), nil
	}
	drive(t, w, Options{Home: group}, 80, 24).wantShown("g.one ends at 20 now")
}

// TestPrefetch checks that the next unread article is fetched while another one is read, and that
// the fetch does not mark it as read.
func TestPrefetch(t *testing.T) {
	w, group := web{}, urlcore.News{Group: "g.one"}
	addNewsGroup(w, group, 11, 12, 13, 14)
	var requests []string
	news := newMemoryNews(t, "g.one: 12\n")
	o := Options{Home: group, News: news, Config: config.Config{Prefetch: true}, Prefetch: func(_ context.Context, u urlcore.URL, most int64) {
		if most != newsreader.MaxPrefetch {
			t.Errorf("Prefetch with the limit %d, want %d", most, newsreader.MaxPrefetch)
		}
		requests = append(requests, u.String())
	}}
	d := drive(t, w, o, 80, 24)
	d.press("enter")
	fetchtest.EqualSlices(t, requests, []string{"news:13@example.org"}, "fetched while article 11 is read")
	news.check(t, "g.one: 11-12\n")
	d.press(".", ".")
	fetchtest.EqualSlices(t, requests, []string{"news:13@example.org", "news:14@example.org"}, "fetched up to the last article")
	requests = nil
	d = drive(t, w, o, 80, 24)
	d.Model.tab.Session.Page().Lines.WithoutLink(2).Note.(*protocols.ArticleNote).Bytes = newsreader.MaxPrefetch + 1
	o.News = newMemoryNews(t, "g.one: 12\n")
	d.opts.News = o.News
	d.run(d.Model.news.LoadReadState(&d.tab.Viewer)).press("home", "enter")
	if len(requests) > 0 {
		t.Errorf("an article above MaxPrefetch was fetched: %q", requests)
	}
}
