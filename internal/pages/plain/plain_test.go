package plain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/internal/pages/plain"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// server returns a Fetcher that answers by the path of the URL.
func server(t *testing.T) fetchtest.FetcherFunc {
	menu := []protocols.Line{
		{Text: "Wel\x1b[2Jcome"},
		{Kind: protocols.Menu, Text: "Below", Link: fetchtest.Parse(t, "gopher://h/1/menu/below")},
		{Kind: protocols.Text, Text: "Long", Link: fetchtest.Parse(t, "ftp://joe:secret@h/0/long")},
	}
	var closed atomic.Int32
	count := 0
	return func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		count++
		_, path, _ := strings.Cut(u.String(), "://")
		_, path, _ = strings.Cut(path, "/")
		f := fetchtest.Menu(&closed, nil, menu...)
		switch path {
		case "1/menu", "1":
		case "1/menu/below":
			f = fetchtest.Menu(&closed, nil, protocols.Line{Text: fmt.Sprint("Fetch ", count)})
		case "1/empty":
			f = fetchtest.Menu(&closed, nil)
		case "1/broken":
			f = fetchtest.Menu(&closed, &protocols.Error{Reason: protocols.Broken}, menu...)
		case "0/places":
			page := strings.Repeat("<p>above", 50) + `<p><a href="#part">to the part</a><p id=part>here<p>below`
			f = fetchtest.File(&closed, "text/html", nil, page)
		case "0/moved":
			r, err := fetchtest.File(&closed, "text/html", nil, strings.Repeat("<p>above", 50)+`<p id=part>here<p>below`).Fetch(ctx, req)
			r.Fragment = "part"
			return r, err
		case "0/long":
			f = fetchtest.File(&closed, "text/plain", nil, "one\nTwo words that are wide\nthree\nfour\ntwo\nsix\n")
		case "0/russian":
			f = fetchtest.File(&closed, "text/plain", nil, "\xe4\n")
		case "0/noted":
			r, err := fetchtest.File(&closed, "text/plain", nil, "one\n").Fetch(ctx, req)
			r.Notes, r.LateNotes = []string{"first"}, func() []string { return []string{"la\x1bte"} }
			return r, err
		case "1/search":
			older := req.Older
			note := protocols.ActionMore
			if older == 6 {
				note = protocols.ActionOlder
			}
			if older > 6 {
				return nil, &protocols.Error{Reason: protocols.NotFound, Text: fmt.Sprint(older, " asked for")}
			}
			lines := []protocols.Line{{Text: "Results"}}
			for i := range 2 + older {
				lines = append(lines, protocols.Line{
					Kind: protocols.Article, Text: fmt.Sprint(i), Link: menu[1].Link, Note: new(protocols.ArticleNote),
				})
			}
			f = fetchtest.Menu(
				&closed, nil,
				append(
					lines,
					protocols.Line{Kind: protocols.Search, Text: "More: Enter for the next", Link: u, Note: note},
					protocols.Line{Text: "End"},
				)...,
			)
		case "1/ask":
			return nil, &protocols.Ask{URL: u}
		default:
			if u.Scheme() == "nntp" {
				r := protocols.NewPage(protocols.Head{URL: u, Media: protocols.MediaArticle, Title: "Article"}, protocols.Line{Text: "Text."})
				r.Crossposts = []protocols.Crosspost{{Group: "c.d", Number: 9}}
				return r, nil
			}
			return nil, &protocols.Error{Reason: protocols.NotFound, Text: "no \x1b[2Jsuch"}
		}
		r, err := f.Fetch(ctx, req)
		r.Title = "Page \x1b" + path
		return r, err
	}
}

// options returns Options whose commands come from the parameter in. Visit, MarkRead, Save and Bookmark log
// their calls to out.
func options(out io.Writer, f protocols.Fetcher, in string) plain.Options {
	note := func(format string, args ...any) { fmt.Fprintf(out, "("+format+")\n", args...) }
	return plain.Options{
		Open: func(ctx context.Context, req protocols.Request) *nav.Load { return nav.Open(ctx, f, req) },
		Guess: func(typed string) (urlcore.URL, error) {
			if !strings.Contains(typed, ":") {
				return nil, errors.New("no \x1bURL")
			}
			return urlcore.Parse(typed)
		},
		Questions: func(_ context.Context, u urlcore.URL, _ *nav.Session, fetch func(urlcore.URL) error) error {
			return fetch(u)
		},
		Reading: func(u urlcore.URL) clean.Reading {
			if urlcore.Host(u) == "russian.example" {
				return clean.Reading{Charset: charset.KOI8R}
			}
			return clean.Reading{}
		},
		Visit: func(_ context.Context, _, u urlcore.URL, title string) error {
			note("visited %s %s", u, title)
			return nil
		},
		MarkRead: func(_ urlcore.URL, numbers []protocols.Crosspost) error { note("read %v", numbers); return nil },
		Save:     func(_ context.Context, u urlcore.URL) error { note("saved %s", u); return nil },
		Bookmark: func(u urlcore.URL, fragment, title string) error {
			note("bookmarked %s %s", urlcore.WithFragment(u.String(), fragment), title)
			return nil
		},
		In: strings.NewReader(in), Out: out,
		Size: func() (int, int) { return 0, 0 },
		Lend: func() func() { return func() {} },
	}
}

// run returns the output of commands that begin at gopher://h/1/menu.
func run(t *testing.T, change func(*plain.Options), commands ...string) string {
	t.Helper()
	var out bytes.Buffer
	o := options(&out, server(t), strings.Join(append(commands, ""), "\n"))
	if change != nil {
		change(&o)
	}
	fetchtest.NoError(t, plain.Run(t.Context(), o, "gopher://h/1/menu"))
	return out.String()
}

const (
	menuPage = "Page ␛1/menu\ngopher://h/1/menu\n\nWelcome\n[1] Below, menu\n[2] Long, text\n"
	start    = "Type h and Enter for help.\nOpening gopher://h/1/menu\n(visited gopher://h/1/menu Page ␛1/menu)\n" + menuPage
	end      = "gofer> \n"
)

// belowPage returns the output for link 1 of the menu; n is the number of fetches so far.
func belowPage(n int) string {
	const u = "gopher://h/1/menu/below"
	return fmt.Sprintf("gofer> Opening %s\n(visited %[1]s Page ␛1/menu/below)\nPage ␛1/menu/below\n%[1]s\n\nFetch %d\n", u, n)
}

func TestCommands(t *testing.T) {
	again := strings.Replace(
		belowPage(2), "gofer> Opening gopher://h/1/menu/below\n(visited gopher://h/1/menu/below Page ␛1/menu/below)\n",
		"gofer> ", 1,
	)
	for _, tt := range []struct {
		commands string
		want     string
	}{
		{"", "gofer> End of the page.\n"},
		{"q|1", ""},
		{"1|b|f", belowPage(2) + "gofer> " + menuPage + again},
		{"b|f", "gofer> There is no page before this one.\ngofer> There is no page after this one.\n"},
		{"1|r|b", belowPage(2) + belowPage(3) + "gofer> " + menuPage},
		{"0|3|-1", "gofer> There is no link 0: so far there are 2.\ngofer> There is no link 3: so far there are 2.\n" +
			"gofer> There is no link -1: so far there are 2.\n"},
		{"1|u|u|u", belowPage(2) + "gofer> Opening gopher://h/1/menu\n(visited gopher://h/1/menu Page ␛1/menu)\n" + menuPage +
			"gofer> Opening gopher://h/1\n(visited gopher://h/1 Page ␛1)\n" + strings.Replace(
			menuPage, "1/menu\ngopher://h/1/menu", "1\ngopher://h/1", 1,
		) + "gofer> There is nothing above this page.\n"},
		{"y|y 1|y 2|y 3", "gofer> gopher://h/1/menu\ngofer> gopher://h/1/menu/below\ngofer> ftp://joe@h/0/long\n" +
			"gofer> There is no link 3: so far there are 2.\n"},
		{
			"d|d 1|d 3",
			"gofer> (saved gopher://h/1/menu)\ngofer> (saved gopher://h/1/menu/below)\ngofer> There is no link 3: so far there are 2.\n",
		},
		{"a", "gofer> (bookmarked gopher://h/1/menu Page ␛1/menu)\nBookmarked. B shows the bookmarks.\n"},
		{"|g|/", "gofer> End of the page.\ngofer> Type g and a URL: g gopher://gopher.floodgap.com/\ngofer> /words finds words.\n"},
		{"t", "gofer> " + menuPage},
		{"gopher://h/0/noted|t", "gofer> Opening gopher://h/0/noted\n(visited gopher://h/0/noted )\ngopher://h/0/noted\nfirst\n\none\nla␛te\n" +
			"gofer> gopher://h/0/noted\nfirst\nla␛te\n\none\n"},
		{
			"gopher://russian.example/0/russian",
			"gofer> Opening gopher://russian.example/0/russian\n(visited gopher://russian.example/0/russian Page ␛0/russian)\n" +
				"Page ␛0/russian\ngopher://russian.example/0/russian\n\nД\n",
		},
		{"a b|d x|nonsense", strings.Repeat("gofer> No ␛URL.\n", 3)},
		{"gopher://h/1/menu/below", belowPage(2)},
		{"g   gopher://h/1/menu/below ", belowPage(2)},
		{
			"F|R 1|P|P 7",
			strings.Repeat("gofer> This is neither an article nor a group.\n", 3) + "gofer> There is no link 7: so far there are 2.\n",
		},
		{"/below|n|t|/Below", "gofer> [1] Below, menu\n[2] Long, text\ngofer> Not found below: below. t goes to the beginning.\n" +
			"gofer> " + menuPage + "gofer> [1] Below, menu\n[2] Long, text\n"},
		{"/BELOW", "gofer> Not found below: BELOW. t goes to the beginning.\n"},
		{"\x1b[Agopherx\x7f\x15t\x08t", "gofer> " + menuPage},
	} {
		want := start + tt.want + end
		if tt.commands == "q|1" {
			want = start + "gofer> "
		}
		fetchtest.Equal(t, run(t, nil, strings.Split(tt.commands, "|")...), want, "%s", tt.commands)
	}
}

// TestPlainURL checks that y prints the URL of a Gopher+ item as other programs understand it.
func TestPlainURL(t *testing.T) {
	got := run(t, nil, "gopher://h/1/none%09%09+", "y")
	if want := "\ngofer> gopher://h/1/none\ngofer> \n"; !strings.HasSuffix(got, want) {
		t.Errorf("y printed\n%s\nwant the end\n%s", got, want)
	}
}

// TestPlaces checks that a link to a place in a page begins there, and that y and a keep the place.
func TestPlaces(t *testing.T) {
	got := run(t, nil, "gopher://h/0/places", "y 1", "1", "y", "a")
	_, got, _ = strings.Cut(got, "[1]to the part\n\nhere\n\nbelow\n")
	const u = "gopher://h/0/places"
	want := "gofer> " + u + "#part\ngofer> Opening " + u + "\n(visited " + u +
		" Page \u241b0/places)\nPage \u241b0/places\n" + u + "\n\nhere\n\nbelow\n" + "gofer> " + u +
		"#part\ngofer> (bookmarked " + u + "#part Page \u241b0/places)\nBookmarked. B shows the bookmarks.\ngofer> \n"
	fetchtest.Equal(t, got, want)
}

// TestSessions covers errors, news, questions, missing options and small terminals.
func TestSessions(t *testing.T) {
	const long, article, opening = "gopher://h/0/long", "nntp://h/a.b/7", "gofer> Opening "
	visited := func(u, title string) string { return opening + u + "\n(visited " + u + " " + title + ")\n" }
	head := visited(long, "Page ␛0/long") + "Page ␛0/long\n" + long + "\n\n"
	const search, results = "gopher://h/1/search", "Page ␛1/search\ngopher://h/1/search\n\n"
	const first = "one\nTwo words that are\nwide\nthree\nfour\n"
	notFound := func(u string) string {
		links := "[1] Try again\n\n[2] Edit the URL\n[3] Go back\n"
		if strings.HasPrefix(u, "gopher") {
			links = "[1] Try again\n[2] The server's main menu\n\n[3] Edit the URL\n[4] Go back\n"
		}
		return opening + u + "\n" + u + "\n\nNot found\n\nIt may have been moved or removed.\n\n" +
			"\"no ␛[2Jsuch\"\n\n" + links
	}
	ask := func(err error) func(*plain.Options) {
		return func(o *plain.Options) {
			fetch := o.Questions
			o.Questions = func(ctx context.Context, u urlcore.URL, pages *nav.Session, do func(urlcore.URL) error) error {
				answer := fetch(ctx, u, pages, do)
				if _, ok := errors.AsType[*protocols.Ask](answer); ok {
					return err
				}
				return answer
			}
		}
	}
	size := func(width, height int) func(*plain.Options) {
		return func(o *plain.Options) { o.Size = func() (int, int) { return width, height } }
	}
	for _, tt := range []struct {
		name     string
		change   func(*plain.Options)
		commands string
		want     string
	}{
		{"an error", nil, "gopher://h/1/none|a|1", notFound("gopher://h/1/none") +
			"gofer> (bookmarked gopher://h/1/none h)\nBookmarked. B shows the bookmarks.\n" + notFound("gopher://h/1/none")},
		{
			"actions of an error page", nil, "gopher://h/1/menu|gopher://h/1/none|3|4",
			visited("gopher://h/1/menu", "Page ␛1/menu") + menuPage + notFound("gopher://h/1/none") +
				"gofer> Type g and the URL: g gopher://h/1/none\ngofer> " + menuPage,
		},
		{"an answer that breaks off", nil, "gopher://h/1/broken", visited("gopher://h/1/broken", "Page ␛1/broken") +
			strings.ReplaceAll(menuPage, "1/menu", "1/broken") + "\nThis page is incomplete\nConnection lost.\n[3] Load it again, menu\n"},
		{"an empty page", nil, "gopher://h/1/empty", visited("gopher://h/1/empty", "Page ␛1/empty") +
			"Page ␛1/empty\ngopher://h/1/empty\n\nThis page is empty.\n"},
		{"an article", nil, article + "|F", visited(article, "Article") + "(read [{c.d 9} {a.b 7}])\nArticle\n" + article + "\n\nText.\n" +
			notFound("about:compose/followup?nntp%3A%2F%2Fh%2Fa.b%2F7")},
		{
			"more items", nil, search + "|3|5|9",
			visited(search, "Page ␛1/search") + results + "Results\n[1] 0, article\n[2] 1, article\n[3] More, search\nEnd\n" +
				visited(search, "Page ␛1/search") + results + "[3] 2, article\n[4] 3, article\n[5] More, search\nEnd\n" +
				visited(search, "Page ␛1/search") + results + "[5] 4, article\n[6] 5, article\n[7] 6, article\n" +
				"[8] 7, article\n[9] More: Enter for the next, search\nEnd\n" +
				strings.Replace(notFound(search), "no ␛[2Jsuch", "506 asked for", 1),
		},
		{
			"after more items that did not come", nil, search + "|3|5|9|r",
			visited(search, "Page ␛1/search") + results + "Results\n[1] 0, article\n[2] 1, article\n[3] More, search\nEnd\n" +
				visited(search, "Page ␛1/search") + results + "[3] 2, article\n[4] 3, article\n[5] More, search\nEnd\n" +
				visited(search, "Page ␛1/search") + results + "[5] 4, article\n[6] 5, article\n[7] 6, article\n" +
				"[8] 7, article\n[9] More: Enter for the next, search\nEnd\n" +
				strings.Replace(notFound(search), "no ␛[2Jsuch", "506 asked for", 1) +
				visited(search, "Page ␛1/search") + results + "Results\n[1] 0, article\n[2] 1, article\n[3] 2, article\n[4] 3, article\n" +
				"[5] 4, article\n[6] 5, article\n[7] 6, article\n[8] 7, article\n[9] More: Enter for the next, search\nEnd\n",
		},
		{"private", func(o *plain.Options) {
			o.MarkRead = nil
			o.Visit = func(context.Context, urlcore.URL, urlcore.URL, string) error { return nil }
		}, article, opening + article + "\nArticle\n" + article + "\n\nText.\n"},
		{
			"nothing is kept", func(o *plain.Options) { o.Save, o.Bookmark = nil, nil }, "d|a",
			"gofer> Nothing is saved here.\ngofer> No bookmarks are kept here.\n",
		},
		{"full disk", func(o *plain.Options) {
			full := errors.New("disk \x1bfull")
			o.Visit = func(context.Context, urlcore.URL, urlcore.URL, string) error { return full }
			o.MarkRead = func(urlcore.URL, []protocols.Crosspost) error { return full }
			o.Save = func(context.Context, urlcore.URL) error { return full }
			o.Bookmark = func(urlcore.URL, string, string) error { return full }
		}, article + "|d|a", opening + article + "\nDisk ␛full.\nArticle\n" + article + "\n\nText.\ngofer> Disk ␛full.\ngofer> Disk ␛full.\n"},
		{"own pages", nil, "H|B", notFound("about:history") + notFound("about:bookmarks")},
		{"a form that is not sent", ask(plain.ErrNoPage), "gopher://h/1/ask|y", opening + "gopher://h/1/ask\ngofer> gopher://h/1/menu\n"},
		{
			"a draft without text", ask(protocols.ErrEmptyDraft), "gopher://h/1/ask",
			opening + "gopher://h/1/ask\nThe message is empty and was not sent.\n",
		},
		{"canceled", ask(context.Canceled), "gopher://h/1/ask", opening + "gopher://h/1/ask\nCanceled.\n"},
		{"screens", size(20, 9), long + "|||t||/TWO|/two|n|b", head + first + "-- more -- two\nsix\ngofer> End of the page.\n" +
			"gofer> " + strings.SplitAfterN(head, "\n", 3)[2] + first + "-- more -- two\nsix\n" +
			"gofer> Not found below: TWO. t goes to the beginning.\ngofer> two\nsix\ngofer> Not found below: two. t goes to the beginning.\n" +
			"gofer> " + menuPage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, tt.change, strings.Split(tt.commands, "|")...)
			if _, got, _ = strings.Cut(got, menuPage); got != tt.want+end {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want+end)
			}
		})
	}
}

// TestFirstUnread checks that a group is printed from a few lines before its first unread
// article, or only its end if all are read, or whole if the height of the terminal is unknown.
func TestFirstUnread(t *testing.T) {
	group := fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		var lines []protocols.Line
		for i := range 40 {
			lines = append(lines, protocols.Line{
				Kind: protocols.Article, Text: fmt.Sprintf("a%d.", i), Link: req.URL,
				Note: &protocols.ArticleNote{Number: uint64(i)},
			})
		}
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutArticles}, lines...), nil
	})
	for _, tt := range []struct {
		height int
		unread func(n uint64) bool
		first  string
	}{
		{12, func(n uint64) bool { return n > 29 }, "a27."},
		{12, func(n uint64) bool { return n > 1 }, "a0."},
		{12, func(uint64) bool { return false }, "a34."},
		{0, func(n uint64) bool { return n > 29 }, "a0."},
	} {
		var out bytes.Buffer
		o := options(&out, group, "")
		o.Size = func() (int, int) { return 80, tt.height }
		o.Unread = func(urlcore.URL) func(*protocols.Line) bool {
			return func(l *protocols.Line) bool { return tt.unread(l.Note.(*protocols.ArticleNote).Number) }
		}
		fetchtest.NoError(t, plain.Run(t.Context(), o, "nntp://h/a.b"))
		_, list, _ := strings.Cut(out.String(), "] ")
		if got, _, _ := strings.Cut(list, ","); !strings.HasPrefix(got, tt.first) {
			t.Errorf("height %d: got the first line %q, want %s; output:\n%s", tt.height, got, tt.first, out.String())
		}
	}
}

// writer is a function used as an io.Writer.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestInterrupt presses Ctrl-C before the answer of a server and during the answer.
func TestInterrupt(t *testing.T) {
	self := fetchtest.Must(os.FindProcess(os.Getpid()))(t)
	menu := server(t)
	f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		switch req.URL.String() {
		case "gopher://h/1/silent":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case "gopher://h/1/stalled":
			return fetchtest.Menu(new(atomic.Int32), fetchtest.ErrStall, protocols.Line{Text: "A line"}).Fetch(ctx, req)
		}
		return menu(ctx, req)
	})
	for _, tt := range []struct{ path, at, want string }{
		{"silent", "Opening gopher://h/1/silent", "Stopped.\ngofer> gopher://h/1/menu\n"},
		{"stalled", "A line", "(visited gopher://h/1/stalled )\ngopher://h/1/stalled\n\nA line\nStopped.\ngofer> gopher://h/1/stalled\n"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			var out bytes.Buffer
			o := options(&out, f, "gopher://h/1/"+tt.path+"\ny\n")
			o.Out = writer(func(p []byte) (int, error) {
				if bytes.Contains(p, []byte(tt.at)) {
					if err := self.Signal(os.Interrupt); err != nil {
						t.Skip(err)
					}
				}
				return out.Write(p)
			})
			fetchtest.NoError(t, plain.Run(t.Context(), o, "gopher://h/1/menu"))
			fetchtest.Equal(t, out.String(), start+"gofer> Opening gopher://h/1/"+tt.path+"\n"+tt.want+end)
		})
	}
}

// TestEnd checks that Run returns the cause of its context.
func TestEnd(t *testing.T) {
	hangup := errors.New("hangup")
	ctx, cancel := context.WithCancelCause(t.Context())
	o := options(io.Discard, server(t), "")
	typed, keyboard := io.Pipe()
	defer keyboard.Close()
	o.In = io.MultiReader(strings.NewReader("d\n"), typed)
	o.Save = func(context.Context, urlcore.URL) error { cancel(hangup); return nil }
	fetchtest.ErrorIs(t, plain.Run(ctx, o, "gopher://h/1/menu"), hangup)
}
