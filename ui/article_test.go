package ui

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// addNewsGroup adds a group and its articles to w. The parameter articles lists the article numbers. The
// URL of an article names a server if the URL group does. Each article after the first is a follow-up to
// the previous one.
func addNewsGroup(w web, group urlcore.URL, articles ...int) {
	var lines []protocols.Line
	for i, n := range articles {
		id := strconv.Itoa(n) + "@" + "example.org"
		u := articleURL(group, n)
		note := &protocols.ArticleNote{Number: uint64(n), Depth: i, Subject: "Article " + strconv.Itoa(n), MessageID: id, Bytes: -1, Lines: -1}
		refs := ""
		if i > 0 {
			refs = "References: <" + strconv.Itoa(articles[i-1]) + "@example.org>\r\n"
		}
		lines = append(lines, protocols.Line{Kind: protocols.Article, Text: note.Subject, Link: u, Note: note})
		text := "From: me@example.org\r\nSubject: " + note.Subject +
			"\r\nNewsgroups: g.one,g.two\r\nX-Other: value\r\nMessage-ID: <" + id + ">\r\n" + refs + "\r\n" +
			strings.Repeat("text\r\n", 30) + "the end of " + strconv.Itoa(n) + "\r\n"
		w.addBody(u, protocols.MediaArticle, text)
	}
	w.addPage(group, protocols.LayoutArticles, "a group", lines...)
}

func articleURL(group urlcore.URL, n int) urlcore.URL {
	if g, ok := group.(urlcore.NNTP); ok {
		g.Article, g.HasArticle = uint64(n), true
		return g
	}
	return urlcore.News{MessageID: strconv.Itoa(n) + "@example.org"}
}

// TestNextAndPreviousArticle checks that keys open the next and the previous article of the list,
// on the same server.
func TestNextAndPreviousArticle(t *testing.T) {
	named := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "b.example.org"}, Group: "g.one"}
	for _, group := range []urlcore.URL{urlcore.News{Group: "g.one"}, named} {
		t.Run(group.String(), func(t *testing.T) {
			w := web{}
			addNewsGroup(w, group, 11, 12, 14)
			d := drive(t, w, Options{Home: group}, 80, 24)
			want := func(n int) {
				t.Helper()
				d.wantURL(articleURL(group, n))
			}
			d.press("enter")
			want(11)
			d.press("(")
			want(11)
			d.wantShown("this is the first article of the list")
			d.press(")")
			want(12)
			d.press("space")
			want(12)
			d.wantShown("the end of 12")
			d.press("space")
			want(14)
			d.press("^")
			want(12)
			d.press(")", ")")
			want(14)
			d.wantShown("this is the last article of the list")
			d.press("(")
			want(12)
			d.press("u").wantURL(group)
			d.wantCursor(1)
			d.press(")").wantShown("this page is not an article")
		})
	}
}

// TestOlderArticles checks that the line above the articles of a group loads older articles, and
// that the cursor stays on its article.
func TestOlderArticles(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want int // number of the article under the cursor
	}{
		{"on the line", []string{"up", "enter"}, 1001},
		{"on an article", []string{"down", "L"}, 1002},
		{"at the top", []string{"home", "L"}, 1001},
		{"newest first", []string{"s", "a", "g", "e", "enter", "end", "up", "L"}, 1001},
	} {
		w, group := web{}, urlcore.News{Group: "g.one"}
		w[group] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			older, ok := req.Older, req.Paged
			if !ok {
				t.Error("gofer does not request older articles")
			}
			lines := []protocols.Line{
				{Text: "The newest articles"},
				{Kind: protocols.Group, Text: "Older articles", Link: group, Note: protocols.ActionOlder},
			}
			for n := 1001 - older; n <= 1040; n++ {
				note := &protocols.ArticleNote{Number: uint64(n), Subject: "Article " + strconv.Itoa(n)}
				lines = append(lines, protocols.Line{Kind: protocols.Article, Text: note.Subject, Link: articleURL(group, n), Note: note})
			}
			w.addPage(articleURL(group, 1001), protocols.LayoutText, "Article")
			return protocols.NewPage(protocols.Head{URL: group, Layout: protocols.LayoutArticles}, lines...), nil
		}
		d := drive(t, w, Options{Home: group, News: newMemoryNews(t, "")}, 80, 24)
		d.press(tt.keys...)
		for range 2 {
			p := d.Model.tab.Session.Page()
			note, _ := p.Lines.WithoutLink(p.Cursor).Note.(*protocols.ArticleNote)
			if note == nil || note.Number != uint64(tt.want) {
				t.Errorf("%s: the cursor is on %+v of %d lines, want article %d\n%s", tt.name, note, p.Lines.Len(), tt.want, d.screen())
			}
			if got := d.Model.tab.moreItems.items + 42; got != p.Lines.Len() || got == 42 {
				t.Errorf("%s: got %d lines, want %d, and more than 42", tt.name, p.Lines.Len(), got)
			}
			d.press("L")
		}
	}
}

// TestMoreResults checks that the last line of a search doubles the number of results at the same
// URL, and that a reload keeps the number and the cursor. It also checks that results are not marked
// as new if the last visit requested fewer results.
func TestMoreResults(t *testing.T) {
	w, search := web{}, urlcore.WAIS{HostPort: urlcore.HostPort{Host: "h.example"}, Database: "d", Search: "word", HasSearch: true}
	w[search] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		older, ok := req.Older, req.Paged
		lines := func(yield func(protocols.Line, error) bool) {
			for n := range 30 + older {
				if !yield(
					protocols.Line{
						Kind: protocols.Text, Text: fmt.Sprint("Result ", n), Link: item('0', strconv.Itoa(n)),
						Note: &protocols.FileNote{Size: 1},
					},
					nil,
				) {
					return
				}
			}
			if ok {
				yield(protocols.Line{Kind: protocols.Search, Text: "First of more", Link: search, Note: protocols.ActionMore}, nil)
			}
		}
		return &protocols.Resource{
			Head: protocols.Head{URL: search, Layout: protocols.LayoutMenu, Size: -1}, Lines: lines,
			Closer: io.NopCloser(nil),
		}, nil
	}
	lines := linesOf(link(0, "", item('0', "59")))
	o := (&fakeHistory{fresh: []uint64{lines.LinkID(0)}}).options()
	o.Home = search
	d := drive(t, w, o, 80, 24)
	for _, results := range []int{60, 120} {
		d.press("end", "enter").wantURL(search).wantCursor(results / 2)
		fetchtest.Equal(t, d.Model.tab.Session.Page().Lines.Len(), results+1, "lines")
		d.wantState(nav.New, "")
	}
	d.press("r").wantCursor(60)
	fetchtest.Equal(t, d.Model.tab.Session.Page().Lines.Len(), 121, "lines after a reload")
}

// TestHeaders checks that an article shows its main headers and its place in the thread, and that a
// key shows and hides the other headers of all articles.
func TestHeaders(t *testing.T) {
	w, group := web{}, urlcore.News{Group: "g.one"}
	addNewsGroup(w, group, 1, 2, 3)
	d := drive(t, w, Options{Home: group}, 80, 24)
	d.press("enter", ")").wantShown("Newsgroups: g.one", "Thread: 2 of 3").wantNotShown("Message-ID:", "X-Other:")
	d.press("/").typeText("X-Other").wantShown("not found")
	wantText := func(all bool) {
		t.Helper()
		var b strings.Builder
		write, _, notice := d.outside.PageText()
		if notice != "" {
			t.Fatalf("PageText: got the notice %q, want none", notice)
		}
		if err := write(&b); err != nil || strings.Contains(b.String(), "X-Other: value") != all {
			t.Errorf("the text to save is %q, %v; want all headers: %v", b.String(), err, all)
		}
	}
	wantText(false)
	d.press("esc", "*")
	d.wantShown("all headers are shown", "Message-ID: <2@example.org>", "References: <1@example.org>", "X-Other: value")
	d.press("tab", "tab", "tab", "tab").wantShown("news:1@example.org")
	wantText(true)
	d.press("*", ")").wantURL(articleURL(group, 3)).wantNotShown("X-Other:")
	d.press("tab", "tab", "tab").wantShown("no more links")
}

// TestCopyArticleFromHeader checks that y in a newly opened article copies the URL of the article,
// not of a link in its header.
func TestCopyArticleFromHeader(t *testing.T) {
	w, group := web{}, urlcore.NNTP{HostPort: urlcore.HostPort{Host: "b.example.org"}, Group: "g.one"}
	addNewsGroup(w, group, 1)
	d := drive(t, w, Options{Home: group}, 80, 24)
	d.press("enter", "y").wantShown("sent to the terminal; y again copies its news: URL")
	fetchtest.Equal(t, d.Model.tab.CurrentURL(), articleURL(group, 1), "the cursor is on")
}

// TestCopyArticle checks that y copies the URL of an article as it is shown, and a second y the one with
// the Message-ID, which is valid on other servers too.
func TestCopyArticle(t *testing.T) {
	b := urlcore.HostPort{Host: "b.example.org"}
	for _, tt := range []struct {
		group       urlcore.URL
		want, again string
	}{
		{urlcore.News{Group: "g.one"}, "news:11@example.org", "news:11@example.org"},
		{urlcore.NNTP{HostPort: b, Group: "g.one"}, "nntp://b.example.org/g.one/11", "news:11@example.org"},
		{urlcore.NNTP{HostPort: b, Group: "g.one", Secure: true}, "nntps://b.example.org/g.one/11", "news:11@example.org"},
	} {
		w := web{}
		addNewsGroup(w, tt.group, 11, 12)
		d := drive(t, w, Options{Home: tt.group}, 80, 24)
		for _, keys := range [][]string{{"y"}, {"j", "k", "enter", "y"}} {
			for _, want := range []string{tt.want, tt.again, tt.want} {
				d.press(keys...)
				if n := len(d.otherMsgs); n == 0 || fmt.Sprint(d.otherMsgs[n-1]) != want {
					t.Errorf("%v: the clipboard got %v, want %s", tt.group, d.otherMsgs, want)
				}
				keys = []string{"y"}
			}
		}
	}
}

// TestNextUnreadWithoutList opens an article by its Message-ID. It checks that the key for the next
// unread article opens the first group of that article, and then the first unread article there.
func TestNextUnreadWithoutList(t *testing.T) {
	w, group, start := web{}, urlcore.News{Group: "g.one"}, urlcore.News{MessageID: "1@example.org"}
	addNewsGroup(w, group, 1, 2, 3)
	text := w[start]
	w[start] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		r, err := text(ctx, req)
		r.Head.URL = start
		return r, err
	}
	d := drive(t, w, Options{Home: start, News: newMemoryNews(t, "g.one: 1-2\n")}, 80, 24)
	d.press(".").wantURL(group)
	d.press(".").wantURL(articleURL(group, 3))
}
