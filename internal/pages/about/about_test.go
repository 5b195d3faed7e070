package about

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

var now = time.Date(2026, 3, 2, 0, 30, 0, 0, time.UTC)

var parse = fetchtest.Parse

func client(t *testing.T) *Client {
	visits := []Item{
		{URL: parse(t, "gopher://a.example/1/x"), Title: "The A hole", At: now.Add(-time.Minute), Count: 2},
		{URL: parse(t, "ftp://b.example/pub/;type=d"), At: now.Add(-time.Hour), Count: 1},
		{URL: parse(t, "nntp://n.example/a.b/7"), Title: "Re: x", At: now.Add(-48 * time.Hour), Count: 1},
	}
	return &Client{
		Visits: func(_ context.Context, words string, limit int) ([]Item, error) {
			switch words {
			case "":
				return visits[:min(limit, len(visits))], nil
			case "a hole":
				return visits[:1], nil
			case "broken":
				return nil, errors.New("disk on fire")
			}
			return nil, nil
		},
		Bookmarks: func(context.Context) ([]Item, error) {
			return []Item{
				{URL: parse(t, "gopher://a.example/1"), Title: "A"},
				{URL: parse(t, "news:a.b"), Title: "B", Folder: "News"},
			}, nil
		},
		BookmarkFile: "/home/u/bookmarks.txt",
		StartDemo: func(context.Context) (Demo, error) {
			return Demo{Pages: []Item{
				{URL: parse(t, "gopher://127.0.0.1:7070/1"), Title: "The hole"},
				{URL: parse(t, "nntp://127.0.0.1:7071/a.b"), Title: "The newsgroup a.b"},
			}}, nil
		},
		Keys: func(string) []Key {
			return []Key{
				{"Moving", []string{"enter"}, "follow"},
				{"Moving", []string{"u"}, "one level up"},
				{"Moving", []string{"b"}, "back"},
				{"Program", []string{"ctrl+c"}, "quit"},
			}
		},
		Version: "1.2.3",
		Now:     func() time.Time { return now },
	}
}

func show(t *testing.T, c *Client, s string) string {
	t.Helper()
	r, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, s)})
	fetchtest.NoError(t, err, "Fetch(%s)", s)
	defer r.Close()
	if r.Layout != protocols.LayoutPage && r.Layout != protocols.LayoutGroups || r.URL.String() != s || r.Title == "" {
		t.Errorf("Fetch(%s): head %+v; want a page or a list of groups with this URL and a title", s, r.Head)
	}
	var b strings.Builder
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		if strings.ContainsAny(l.Text, "\r\n\t\x1b") {
			t.Errorf("%s: a control character in %q", s, l.Text)
		}
		fmt.Fprintf(&b, "%s|%s", l.Kind, l.Text)
		if l.Link != nil {
			if again := parse(t, l.Link.String()); again != l.Link {
				t.Errorf("%s: %#v is not canonical: %#v", s, l.Link, again)
			}
			b.WriteString("|" + l.Link.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestHistoryPage(t *testing.T) {
	c := client(t)
	want := `search|Search the history|about:history?
info|
heading|Today, Monday, 2 March 2026
menu|00:29  The A hole  (a.example)|gopher://a.example/1/x
info|
heading|Yesterday, Sunday, 1 March 2026
directory|23:30  ftp://b.example/pub/;type=d|ftp://b.example/pub/;type=d
info|
heading|Saturday, 28 February 2026
article|00:30  Re: x  (n.example)|nntp://n.example/a.b/7
`
	fetchtest.Equal(t, show(t, c, "about:history"), want)
	got := show(t, c, "about:history?a%20hole")
	if !strings.Contains(got, "heading|Visits with: a hole") || strings.Count(got, "example") != 2 {
		t.Errorf("about:history?a%%20hole: got\n%s\nwant a heading and two visits", got)
	}
	fetchtest.Contains(t, show(t, c, "about:history?broken"), "failure|The history cannot be read: disk on fire", "a failing history")
	fetchtest.Contains(t, show(t, c, "about:history?none"), "No visit has all of these words", "nothing found")
}

// TestHistoryState checks that pages are shown while the history is busy or damaged.
func TestHistoryState(t *testing.T) {
	c := client(t)
	c.DamagedHistory = func() string { return "/h/history.sqlite.damaged" }
	for _, page := range []string{"about:home", "about:history"} {
		if got := show(t, c, page); !strings.Contains(got, "info|The history was damaged.") ||
			!strings.Contains(got, "info|/h/history.sqlite.damaged\n") || !strings.Contains(got, "The A hole") {
			t.Errorf("%s of a damaged history: got\n%s\nwant the path of the damaged file, and the visits", page, got)
		}
	}
	c.DamagedHistory = func() string { return "" }
	c.Visits = func(context.Context, string, int) ([]Item, error) {
		return nil, fmt.Errorf("read: %w", ErrBusy)
	}
	for _, page := range []string{"about:home", "about:history", "about:history?x"} {
		if got := show(t, c, page); !strings.Contains(got, "info|The history is busy: another program is using it.") ||
			strings.Contains(got, "failure|") || strings.Contains(got, "damaged") {
			t.Errorf("%s of a busy history: got\n%s\nwant only that the history is busy", page, got)
		}
	}
}

func TestHistoryAsks(t *testing.T) {
	_, err := client(t).Fetch(t.Context(), protocols.Request{URL: parse(t, "about:history?")})
	var ask *protocols.Ask
	if !errors.As(err, &ask) || len(ask.Fields) != 1 {
		t.Fatalf("about:history? gives %v, want an Ask", err)
	}
	for words, want := range map[string]string{
		"":                 "about:history",
		"  ":               "about:history",
		" a  hole ":        "about:history?a%20hole",
		"100% #1 ?x&y;z+w": "about:history?100%25%20%231%20%3Fx%26y%3Bz+w",
		"möwe":             "about:history?m%C3%B6we",
	} {
		u, err := ask.With([]string{words})
		if err != nil || u.String() != want {
			t.Errorf("With(%q) = %v, %v; want %s", words, u, err, want)
			continue
		}
		g := u.(urlcore.Generic)
		_, query, _ := strings.Cut(g.Rest, "?")
		fetchtest.Equal(t, unescape(query), strings.Join(strings.Fields(words), " "), "the words came back as")
	}
}

func TestPages(t *testing.T) {
	c := client(t)
	for page, want := range map[string][]string{
		"about:home": {
			"gofer is a browser for Gopher, FTP and Usenet news.",
			"menu|Take the tour", "|about:tour", "heading|Bookmarks", "menu|A  (a.example)|gopher://a.example/1\n",
			"heading|Last visits\nmenu| 00:29  The A hole  (a.example)|", "\narticle|28 Feb  Re: x  (n.example)|",
			"|about:history", "gopher://gopher.floodgap.com/1/\n",
			"directory|The GNU project|ftp://ftp.gnu.org/;type=d\n", "group|", "search|Veronica-2",
		},
		"about:bookmarks": {"menu|A  (a.example)|", "directory|News|about:bookmarks/News\ngroup|B  (news)|news:a.b\n", "/home/u/bookmarks.txt"},
		"about:help": {
			"heading|Moving\ninfo|enter                 follow\ninfo|u                     one level up\ninfo|b                     back\ninfo|\n",
			"heading|Program\n",
		},
		"about:about":   {"menu|about:home       bookmarks, latest visits, places to begin|about:home\n", "|about:version\n"},
		"about:version": {"gofer 1.2.3", "on "},
		"about:demo":    {"menu|The hole|gopher://127.0.0.1:7070/1\ngroup|The newsgroup a.b|"},
	} {
		got := show(t, c, page)
		for _, w := range want {
			fetchtest.Contains(t, got, w, "%s", page)
		}
	}
}

func TestEmptyClient(t *testing.T) {
	var c Client
	for _, page := range []string{"home", "bookmarks", "history", "history?x", "help", "version"} {
		if got := show(t, &c, "about:"+page); got == "" {
			t.Errorf("about:%s is empty", page)
		}
	}
	for _, page := range []string{"demo", "nothing", "home/x"} {
		fetchtest.Fails(t, protocols.NotFound, "about:%s", page)(c.Fetch(t.Context(), protocols.Request{URL: parse(t, "about:"+page)}))
	}
	for _, page := range []string{"settings", "downloads", "drafts"} {
		if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "about:"+page)}); !errors.Is(err, protocols.ErrRestricted) {
			t.Errorf("Fetch(about:%s): got the error %v, want %v", page, err, protocols.ErrRestricted)
		}
	}
	if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "gopher://a.example/1")}); err == nil {
		t.Error("Fetch(gopher://a.example/1): got no error, want one")
	}
}

func TestCancel(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := fetchtest.Must(client(t).Fetch(ctx, protocols.Request{URL: Page("home")}))(t)
	cancel(stopped)
	for _, err := range r.Lines {
		fetchtest.ErrorIs(t, err, stopped, "a line after the end")
	}
	fetchtest.FailsWith(t, stopped, "Fetch after the end")(client(t).Fetch(ctx, protocols.Request{URL: Page("home")}))
}

func TestConfigError(t *testing.T) {
	c := client(t)
	c.ConfigError = errors.New("config.toml:3: no such setting")
	const want = "failure|Setting ignored: config.toml:3: no such setting\ninfo|Run gofer config edit to correct it.\ninfo|\ninfo|gofer is"
	if got := show(t, c, "about:home"); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant first\n%s", got, want)
	}
}

func TestSkippedLines(t *testing.T) {
	for _, tt := range []struct {
		odd  SkippedLines
		err  error
		want string
	}{
		{SkippedLines{}, nil, ""},
		{SkippedLines{Invalid: []int{6, 9}}, nil, "info|\ninfo|Lines that gofer does not understand: 6, 9 (kept as they are)\n"},
		{
			SkippedLines{Invalid: []int{1, 2, 3, 4, 5, 6, 7, 8}, Passwords: []int{4}},
			nil, "info|\ninfo|Lines that gofer does not understand: 1, 2, 3, 4, 5, 6 and 2 more (kept as they are)\n" +
				"info|Bookmarks shown without their password, in lines 4\n",
		},
		{SkippedLines{Passwords: []int{4, 70}}, nil, "info|\ninfo|Bookmarks shown without their password, in lines 4, 70\n"},
		{SkippedLines{Invalid: []int{6}}, errors.New("disk on fire"), ""},
	} {
		c := client(t)
		before := show(t, c, "about:bookmarks")
		c.SkippedLines = func() (SkippedLines, error) { return tt.odd, tt.err }
		const file = "info|\ninfo|They are kept"
		fetchtest.Equal(t, show(t, c, "about:bookmarks"), strings.Replace(before, file, tt.want+file, 1), "%+v", tt.odd)
	}
}

// TestRestoreTabs checks that the home page offers the tabs of the last session, if any.
func TestRestoreTabs(t *testing.T) {
	for _, tt := range []struct {
		tabs int
		lost bool
		want string
	}{
		{0, true, ""},
		{1, false, "|Restore the tab of the last session|about:home\n"},
		{3, false, "|Restore 3 tabs of the last session|about:home\n"},
		{3, true, "|Restore 3 tabs of the last session, which was lost|about:home\n"},
	} {
		c := &Client{LastSession: func() (int, bool) { return tt.tabs, tt.lost }}
		got := show(t, c, "about:home")
		_, line, _ := strings.Cut(got, "|Restore")
		if line != "" {
			line, _, _ = strings.Cut("|Restore"+line, "\n")
			line += "\n"
		}
		fetchtest.Equal(t, line, tt.want, "%d tabs, lost %v", tt.tabs, tt.lost)
	}
}

// TestUnopenedLinkPage checks the answer to a press on a link that cannot be opened.
func TestUnopenedLinkPage(t *testing.T) {
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: protocols.UnopenedLink("javascript:f()")})
	fetchtest.Equal(t, err.Error(), "open the link: the link runs a script of the page, and no scripts are run here")
	fetchtest.Equal(t, protocols.LinkText(protocols.UnopenedLink("javascript:f()"), ""), "javascript:f()", "the text that is copied")
}
