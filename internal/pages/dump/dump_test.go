package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

const pageURL = fetchtest.URL("test:somewhere")

// fetcherOf returns a Fetcher that answers with a resource of the given layout.
func fetcherOf(layout protocols.Layout, err error, lines ...protocols.Line) protocols.Fetcher {
	return fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		res, _ := fetchtest.Menu(new(atomic.Int32), err, lines...).Fetch(ctx, req)
		res.Layout, res.Title = layout, "T\xeftle\x1b"
		return res, nil
	})
}

func testMenu(t *testing.T) []protocols.Line {
	return []protocols.Line{
		{Text: "Welcome\x1b[2J"},
		{Kind: protocols.Menu, Text: "Ph\xf6ogs", Link: fetchtest.Parse(t, "gopher://h/1/phlogs")},
		{Kind: protocols.Problem, Text: "?"},
		{},
	}
}

func testDirectory(t *testing.T) []protocols.Line {
	day := time.Date(2025, 2, 3, 4, 5, 6, 0, time.FixedZone("", 3600))
	return []protocols.Line{
		{Kind: protocols.Directory, Text: "d", Link: fetchtest.Parse(t, "ftp://u:secret@h/d;type=d"), Note: &protocols.FileNote{Size: -1}},
		{Kind: protocols.Text, Text: "f", Link: fetchtest.Parse(t, "ftp://u:secret@h/f"), Note: &protocols.FileNote{Size: 0, Modified: day}},
		{Kind: protocols.Binary, Text: "l", Note: &protocols.FileNote{Size: 7, Modified: day, DateOnly: true, Target: "../x\x07"}},
		{Kind: protocols.Binary, Text: "n", Link: fetchtest.Parse(t, "ftp://h/n")},
	}
}

func testNews(t *testing.T) []protocols.Line {
	return []protocols.Line{
		{
			Kind: protocols.Group, Text: "a.b", Link: fetchtest.Parse(t, "news:a.b"),
			Note: &protocols.GroupNote{Low: 0, High: 9, Count: 8, Status: 'y', Description: "Caf\xe9"},
		},
		{
			Kind: protocols.Article, Text: "=?iso-8859-1?q?=FCber?=", Link: fetchtest.Parse(t, "news:1@h"),
			Note: &protocols.ArticleNote{
				Number: 3, Depth: 1, Subject: "=?iso-8859-1?q?=FCber?= <b>", From: "=?utf-8?b?w6Q=?= <a@b>",
				Date: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), MessageID: "1@h", References: []string{"0@h"}, Bytes: -1, Lines: 0,
			},
		},
	}
}

func testPeaks() []protocols.Line {
	return []protocols.Line{
		{
			Kind: protocols.Text, Text: "Peak",
			Note: &fetchtest.Note{Height: 812, Seen: time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC), Place: "Caf\xe9"},
		},
		{Kind: protocols.Text, Text: "Pit", Note: &fetchtest.Note{}},
	}
}

// linkedText returns the pieces of a text with a URL broken over lines.
func linkedText() []string {
	return []string{"<URL:goph", "er://h/1/\n a", "> ftp://u:p@h/b http://h/\na <", "\n"}
}

// dumpTest is a page and its expected output.
type dumpTest struct {
	name   string
	f      protocols.Fetcher
	format Format
	want   string
}

func TestDump(t *testing.T) {
	renamed := protocols.Line{
		Kind: protocols.Group, Text: "a.b", Link: urlcore.News{Group: "a.b"},
		Note: &protocols.GroupNote{Status: '=', Moved: "c.d\x1b", Description: "Old"},
	}
	unread := protocols.Line{
		Kind: protocols.Article, Text: "s",
		Note: &protocols.ArticleNote{Number: 9, Subject: "s", DateText: "K\xf6ln\x1b, someday in the year 2002", Lines: 0, Bytes: -1},
	}
	tests := []dumpTest{
		{"menu, text", fetcherOf(protocols.LayoutMenu, nil, testMenu(t)...), Text, "" +
			"           Welcome\n" +
			"menu       Phöogs\n" +
			"problem    ?\n" +
			"\n"},
		{"menu, links", fetcherOf(protocols.LayoutMenu, nil, testMenu(t)...), Links, "gopher://h/1/phlogs\n"},
		{"menu, json", fetcherOf(protocols.LayoutMenu, nil, testMenu(t)...), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"application/gopher-menu","size":null}}` + "\n" +
			`{"kind":"info","text":"Welcome\u001b[2J"}` + "\n" +
			`{"kind":"menu","text":"Phöogs","url":"gopher://h/1/phlogs","type":"1","host":"h","port":70,"selector":"/phlogs"}` + "\n" +
			`{"kind":"problem","text":"?"}` + "\n" +
			`{"kind":"info","text":""}` + "\n"},
		{"directory, text", fetcherOf(protocols.LayoutDirectory, nil, testDirectory(t)...), Text, "" +
			"directory              -  -                 d\n" +
			"text                   0  2025-02-03 03:05  f\n" +
			"binary                 7  2025-02-03        l -> ../x␇\n" +
			"binary                 -  -                 n\n"},
		{"directory, json", fetcherOf(protocols.LayoutDirectory, nil, testDirectory(t)[:3]...), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"text/directory-listing","size":null}}` + "\n" +
			`{"kind":"directory","text":"d","url":"ftp://u@h/d;type=d"}` + "\n" +
			`{"kind":"text","text":"f","url":"ftp://u@h/f","size":0,"modified":"2025-02-03T03:05:06Z"}` + "\n" +
			`{"kind":"binary","text":"l","size":7,"modified":"2025-02-03","date_only":true,"target":"../x\u0007"}` + "\n"},
		{"directory with a menu, links", fetcherOf(protocols.LayoutDirectory, nil,
			protocols.Line{Kind: protocols.Menu, Text: "Read gophermap as a menu", Link: fetchtest.Parse(t, "ftp://h/d/gophermap")},
			protocols.Line{
				Kind: protocols.Text, Text: "gophermap", Link: fetchtest.Parse(t, "ftp://h/d/gophermap"),
			}), Links, "ftp://h/d/gophermap\n"},
		{
			"directory, links", fetcherOf(protocols.LayoutDirectory, nil, testDirectory(t)...), Links,
			"ftp://u@h/d;type=d\nftp://u@h/f\nftp://h/n\n",
		},
		{"news, text", fetcherOf(protocols.LayoutGroups, nil, testNews(t)...), Text, "" +
			"group              8  a.b                                   Café\n" +
			"article            3  2025-01-01  ä                           über <b>\n"},
		{"a group without a URL, text", fetcherOf(protocols.LayoutGroups, nil, protocols.Line{
			Kind: protocols.Problem, Text: "k\xf6ln  (no URL: a reason that has no room in a column)",
			Note: &protocols.GroupNote{Count: 8, Description: "Cologne"},
		}), Text, "problem            8  köln  (no URL: a reason that has no room in a column)  Cologne\n"},
		{
			"a renamed group, text", fetcherOf(protocols.LayoutGroups, nil, renamed), Text,
			"group              0  a.b                                   now c.d␛; Old\n",
		},
		{"a renamed group, json", fetcherOf(protocols.LayoutGroups, nil, renamed), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"application/news-groupinfo","size":null}}` + "\n" +
			`{"kind":"group","text":"a.b","url":"news:a.b","low":0,"high":0,"count":0,"status":"=","moved_to":"c.d\u001b","description":"Old"}` + "\n"},
		{"news, json", fetcherOf(protocols.LayoutGroups, nil, testNews(t)...), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"application/news-groupinfo","size":null}}` + "\n" +
			`{"kind":"group","text":"a.b","url":"news:a.b","low":0,"high":9,"count":8,"status":"y","description":"Café"}` + "\n" +
			`{"kind":"article","text":"über","url":"news:1@h","number":3,"depth":1,"subject":"über <b>","from":"ä <a@b>",` +
			`"date":"2025-01-01T00:00:00Z","message_id":"1@h","references":["0@h"],"lines":0}` + "\n"},
		{"an unread date, text", fetcherOf(protocols.LayoutArticles, nil, unread), Text, "" +
			"article            9  Köln␛, someday in the year 2002                            s\n"},
		{"an unread date, json", fetcherOf(protocols.LayoutArticles, nil, unread), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"application/news-articlelist","size":null}}` + "\n" +
			`{"kind":"article","text":"s","number":9,"depth":0,"subject":"s","date_text":"Köln\u001b, someday in the year 2002","lines":0}` + "\n"},
		{"another note, text", fetcherOf(protocols.LayoutDirectory, nil, testPeaks()...), Text, "" +
			"text         812  2025-01-02  Peak      Café\n" +
			"text           0  -           Pit\n"},
		{"another note, json", fetcherOf(protocols.LayoutDirectory, nil, testPeaks()...), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"Tïtle\u001b","media":"text/directory-listing","size":null}}` + "\n" +
			`{"kind":"text","text":"Peak","height":812,"seen":"2025-01-02T00:00:00Z","place":"Café"}` + "\n" +
			`{"kind":"text","text":"Pit","height":0}` + "\n"},
		{"text, text", fetchtest.File(new(atomic.Int32), "", nil, "a\tb\r\n\x1b[1mc\x1b[m\n"), Text, "a       b\nc\n"},
		{"text, json", fetchtest.File(new(atomic.Int32), "", nil, "a\xe4"), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"","media":"text/plain","size":null}}` + "\n" +
			`{"kind":"info","text":"aä"}` + "\n"},
		{"hostile, json", fetchtest.File(new(atomic.Int32), "", nil, "\x7f\u009b31m\u202ex\U000e0041\"\n"), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"","media":"text/plain","size":null}}` + "\n" +
			`{"kind":"info","text":"\u007f\u009b31m\u202ex\udb40\udc41\""}` + "\n"},
		{"text, links", fetchtest.File(new(atomic.Int32), "", nil, "a\xe4"), Links, ""},
		{
			"text with links, links", fetchtest.File(new(atomic.Int32), "", nil, linkedText()...), Links,
			"gopher://h/1/a\nftp://u@h/b\nhttp://h/\n",
		},
		{"text with links, json", fetchtest.File(new(atomic.Int32), "", nil, linkedText()...), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"","media":"text/plain","size":null}}` + "\n" +
			`{"kind":"info","text":"<URL:gopher://h/1/","links":["gopher://h/1/a"]}` + "\n" +
			`{"kind":"info","text":" a> ftp://u:p@h/b http://h/","links":["ftp://u@h/b","http://h/"]}` + "\n" +
			`{"kind":"info","text":"a <"}` + "\n"},
		{"text, raw", fetchtest.File(new(atomic.Int32), "", nil, "a\r\n\x1b", "\x00b"), Raw, "a\r\n\x1b\x00b"},
		{"binary, text", fetchtest.File(new(atomic.Int32), "", nil, "GIF89a\x00"), Text, "" +
			"This is not a text.\nIt is image/gif, of unknown size.\n\nSave it to a file\n"},
		{"binary, json", fetchtest.File(new(atomic.Int32), "", nil, "GIF89a\x00"), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"","media":"image/gif","size":null}}` + "\n" +
			`{"kind":"binary","text":"","url":"test:somewhere"}` + "\n"},
		{
			"places, links",
			fetchtest.File(new(atomic.Int32), "", nil, "see https://matrix.to/#/#room:x or <URL:irc://h.example/#chan>"),
			Links, "https://matrix.to/#/#room:x\nirc://h.example/#chan\n",
		},
		{"binary, links", fetchtest.File(new(atomic.Int32), "", nil, "GIF89a\x00"), Links, ""},
		{"article, json", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil, "Subject: hi\r\n\r\n> quoted\r\n"), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"hi","media":"message/rfc822","size":null,"article":{"subject":"hi"}}}` + "\n" +
			`{"kind":"header","text":"Subject: hi"}` + "\n" +
			`{"kind":"info","text":""}` + "\n" +
			`{"kind":"quote","text":"> quoted"}` + "\n"},
	}
	tests = append(tests, articleTests()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			fetchtest.NoError(t, Write(t.Context(), tt.f, protocols.Request{URL: pageURL}, &got, tt.format, false, clean.Reading{}, nav.Show{}))
			if got.String() != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), tt.want)
			}
			if tt.format == JSON {
				for line := range strings.Lines(got.String()) {
					if !json.Valid([]byte(line)) {
						t.Errorf("%q is not JSON", line)
					}
				}
			}
		})
	}
}

// TestDumpCutsColumns checks that only a terminal gets columns that are cut.
func TestDumpCutsColumns(t *testing.T) {
	name := strings.Repeat("o", 200)
	f := fetcherOf(protocols.LayoutArticles, nil, protocols.Line{Kind: protocols.Article, Text: "a", Note: &protocols.ArticleNote{From: name}})
	for _, terminal := range []bool{false, true} {
		var got strings.Builder
		fetchtest.NoError(t, Write(t.Context(), f, protocols.Request{URL: pageURL}, &got, Text, terminal, clean.Reading{}, nav.Show{}))
		if strings.Contains(got.String(), name) == terminal {
			t.Errorf("terminal %v: got %q", terminal, got.String())
		}
	}
}

func TestDumpErrors(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	var got bytes.Buffer
	err := Write(
		t.Context(), fetcherOf(protocols.LayoutMenu, broken, testMenu(t)...), protocols.Request{URL: pageURL}, &got,
		Links, false, clean.Reading{}, nav.Show{},
	)
	if err != broken || got.String() != "gopher://h/1/phlogs\n" {
		t.Errorf("an error in the middle: wrote %q and returned %v; want the link before it, and %v", got.String(), err, broken)
	}
	fetchtest.Equal(
		t,
		Write(t.Context(), fetcherOf(protocols.LayoutMenu, nil), protocols.Request{URL: pageURL}, &got, Raw, false, clean.Reading{}, nav.Show{}),
		ErrNoAnswer, "raw of a menu of gofer's own",
	)
	fetchtest.Equal(
		t,
		Write(
			t.Context(), fetchtest.File(new(atomic.Int32), "", nil, "a"), protocols.Request{URL: pageURL}, &got, Raw,
			true, clean.Reading{}, nav.Show{},
		),
		ErrTerminal, "raw to a terminal",
	)
	no := protocols.Line{Kind: protocols.Failure, Text: "no such thing"}
	comment := protocols.Line{Kind: protocols.Info, Text: "so it is"}
	err = Write(
		t.Context(), fetcherOf(protocols.LayoutMenu, nil, no, comment), protocols.Request{URL: pageURL}, &got, Text,
		false, clean.Reading{}, nav.Show{},
	)
	if refused, ok := errors.AsType[*protocols.Error](err); !ok || refused.Reason != protocols.NotFound || refused.Text != "no such thing" {
		t.Errorf("a menu of an error: got the error %v, want the reason NotFound with the server's words", err)
	}
	fetchtest.NoError(t, Write(
		t.Context(), fetcherOf(protocols.LayoutText, nil, no, comment), protocols.Request{URL: pageURL}, &got, Text,
		false, clean.Reading{}, nav.Show{},
	), "a document with a note about damage")
	if err := Write(
		t.Context(), fetcherOf(protocols.LayoutMenu, nil, append(testMenu(t), no)...), protocols.Request{URL: pageURL},
		&got, Text, false, clean.Reading{}, nav.Show{},
	); err != nil {
		t.Errorf("a menu with an error among its items: got the error %v, want none", err)
	}
	for f := Text; f <= Raw; f++ {
		for _, fetcher := range []protocols.Fetcher{fetchtest.File(new(atomic.Int32), "", nil, "a")} {
			err := Write(t.Context(), fetcher, protocols.Request{URL: pageURL}, fullWriter{}, f, false, clean.Reading{}, nav.Show{})
			if f != Links && (protocols.ReasonOf(err) != protocols.LocalFailure || !errors.Is(err, syscall.ENOSPC)) {
				t.Errorf("the format %v on a full disk: got the error %v, want the reason LocalFailure", f, err)
			}
		}
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// chanWriter is a Writer that sends its input to a channel.
type chanWriter struct{ ch chan string }

func (s chanWriter) Write(p []byte) (int, error) { s.ch <- string(p); return len(p), nil }

func TestDumpStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := chanWriter{make(chan string, 10)}
		ended := make(chan error)
		go func() {
			ended <- Write(
				ctx, fetcherOf(protocols.LayoutMenu, fetchtest.ErrStall, protocols.Line{Text: "a"}),
				protocols.Request{URL: pageURL}, w, Text, true, clean.Reading{}, nav.Show{},
			)
		}()
		synctest.Wait()
		select {
		case got := <-w.ch:
			if strings.TrimSpace(got) != "a" {
				t.Errorf("wrote %q, want the line \"a\"", got)
			}
		default:
			t.Error("got no output while the server is silent, want the line that arrived")
		}
		cause := errors.New("enough")
		cancel(cause)
		if err := <-ended; err != cause {
			t.Errorf("Write after a cancellation = %v, want %v", err, cause)
		}
	})
}

func TestParseFormat(t *testing.T) {
	for name, f := range map[string]Format{"text": Text, "json": JSON, "links": Links, "raw": Raw} {
		fetchtest.Returns(t, f, "ParseFormat(%q)", name)(ParseFormat(name))
	}
	if _, err := ParseFormat("yaml"); err == nil || !strings.Contains(err.Error(), "text, json, links, raw") {
		t.Errorf("ParseFormat(yaml) error = %v, want one that lists the formats", err)
	}
}

// TestDumpAuthors checks that every form of a From field gives the name of the author.
func TestDumpAuthors(t *testing.T) {
	for _, from := range []string{
		"a@b (Ann Lee)", "Ann Lee <a@b>", `"Ann Lee" <a@b>`, "=?utf-8?q?Ann_Lee?= <a@b>", "a@b (=?utf-8?q?Ann_Lee?=)",
	} {
		var b strings.Builder
		line := protocols.Line{
			Kind: protocols.Article, Text: "Hello",
			Note: &protocols.ArticleNote{Number: 1, Subject: "Hello", From: from, Lines: -1, Bytes: -1},
		}
		fetchtest.NoError(
			t,
			Write(
				t.Context(), fetcherOf(protocols.LayoutArticles, nil, line), protocols.Request{URL: pageURL}, &b, Text,
				true, clean.Reading{}, nav.Show{},
			),
		)
		if got := b.String(); !strings.Contains(got, "  Ann Lee  ") || strings.Contains(got, "a@b") {
			t.Errorf("From: %s: got %q, want the author \"Ann Lee\"", from, got)
		}
	}
}

// TestRawFailure checks that the format Raw writes what a server has sent before the fetch of a list failed, but not in
// place of a document, nor before a question.
func TestRawFailure(t *testing.T) {
	menu, document := fetchtest.Parse(t, "gopher://h/1/a"), fetchtest.Parse(t, "gopher://h/0/a")
	failed := &protocols.Error{Reason: protocols.NotFound, Op: "list"}
	for _, tt := range []struct {
		url  urlcore.URL
		err  error
		want string
	}{
		{menu, failed, "550 no\r\n"},
		{document, failed, ""},
		{menu, &protocols.Login{}, ""},
	} {
		f := fetchtest.FetcherFunc(func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			protocols.TranscriptFrom(ctx).Receive([]byte("550 no\r\n"))
			return nil, tt.err
		})
		var got strings.Builder
		err := Write(t.Context(), f, protocols.Request{URL: tt.url}, &got, Raw, false, clean.Reading{}, nav.Show{})
		if got.String() != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v, %v: wrote %q with the error %v, want %q", tt.url, tt.err, got.String(), err, tt.want)
		}
	}
}

// TestRawList checks that the format Raw writes the octets of a list, and of a document only the octets of the document.
func TestRawList(t *testing.T) {
	list := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		transcript := protocols.TranscriptFrom(ctx)
		transcript.Receive([]byte("200 hello\r\n"))
		if req.URL != pageURL {
			return fetchtest.File(new(atomic.Int32), "", nil, "a document").Fetch(ctx, req)
		}
		res, err := fetchtest.Menu(new(atomic.Int32), nil).Fetch(ctx, req)
		res.Lines = func(yield func(protocols.Line, error) bool) {
			for range 3 {
				transcript.Receive([]byte("\x1b\r\n"))
				if !yield(protocols.Line{Text: "\x1b"}, nil) {
					return
				}
			}
		}
		return res, err
	})
	for u, want := range map[urlcore.URL]string{pageURL: "200 hello\r\n\x1b\r\n\x1b\r\n\x1b\r\n", fetchtest.URL("test:document"): "a document"} {
		var got strings.Builder
		fetchtest.NoError(t, Write(t.Context(), list, protocols.Request{URL: u}, &got, Raw, false, clean.Reading{}, nav.Show{}))
		fetchtest.Equal(t, got.String(), want, u.String())
	}
	err := Write(t.Context(), list, protocols.Request{URL: pageURL}, fullWriter{}, Raw, false, clean.Reading{}, nav.Show{})
	if protocols.ReasonOf(err) != protocols.LocalFailure || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a list on a full disk: got the error %v, want the reason LocalFailure", err)
	}
}
