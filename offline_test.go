package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/demo"
	"gofer/internal/pages/dump"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestOffline fetches pages of all kinds, stops the servers, and checks that another run of gofer shows the same pages from
// their copies.
func TestOffline(t *testing.T) {
	world := fetchtest.Must(demo.StartWorld())(t)
	stop := func() { fetchtest.NoError(t, world.Close()) }
	defer func() {
		if stop != nil {
			stop()
		}
	}()
	hole := strings.TrimSuffix(world.Gopher.URL(), "1")
	archive := strings.TrimSuffix(world.FTP.URL(), ";type=d")
	urls := []string{
		world.StartURL(), hole + "0/library/urls/ftp.txt", hole + "1/plus%09%09+", hole + "1/plus%09%09$", hole + "I/art/gopher.png", hole + "1/types",
		world.FTP.URL(), archive + "pub/tides/;type=d", archive + "pub/names/;type=d", archive + "pub/tides/east.txt", archive + "pub/names",
		world.Web.URL() + "tables.html", world.Gemini.URL(), world.Gemini.URL() + "words.gmi",
		world.NNTP.URL("gofer.test"), "news:plain@demo.example.invalid", "news:*",
	}
	for u, title := range world.URLs() {
		if !strings.HasPrefix(u, "telnet") && !strings.HasSuffix(title, "gofer.quiet") && !strings.HasSuffix(title, "local.try") { // without articles
			urls = append(urls, u)
		}
	}
	env := map[string]string{"HOME": t.TempDir(), "NNTPSERVER": world.NNTP.Addr()}
	open := func(offline bool) (*app.State, app.Fetcher) {
		start := &app.Start{Schemes: newSchemes, Err: io.Discard, Getenv: func(name string) string { return env[name] }, Offline: offline}
		st := start.Open(nil)
		st.KeepCopies(false)
		return st, st.Fetchers(app.Way{Use: app.Page})
	}
	lines := func(f protocols.Fetcher, u urlcore.URL) string {
		var out strings.Builder
		format := dump.JSON
		if protocols.KindOf(u) == protocols.Image { // the octets of the picture
			format = dump.Raw
		}
		if err := dump.Write(context.Background(), f, protocols.Request{URL: u}, &out, format, false, clean.Reading{}, nav.Show{}); err != nil {
			return "error: " + err.Error()
		}
		_, rest, _ := strings.Cut(out.String(), "\n") // without the head, which has the notes
		return rest
	}
	st, online := open(false)
	want := make(map[string]string)
	for _, text := range urls {
		u := fetchtest.Must(st.GuessArgument(text))(t)
		if want[text] = lines(online, u); strings.HasPrefix(want[text], "error") || want[text] == "" {
			t.Errorf("%s: %q, want a page", text, want[text])
		}
	}
	st.Close()
	stop()
	stop = nil
	st, offline := open(true)
	defer st.Close()
	for _, text := range urls {
		u := fetchtest.Must(st.GuessArgument(text))(t)
		fetchtest.Equal(t, lines(offline, u), want[text], "%s offline", text)
		res, err := offline.Fetch(context.Background(), protocols.Request{URL: u})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		fetchtest.NoError(t, res.Close())
		if u.Scheme() != "news" || u.String() == "news:*" {
			if res.CopiedAt.IsZero() || len(res.Notes) == 0 || !strings.HasPrefix(res.Notes[0], "copy of ") {
				t.Errorf("%s: CopiedAt %v, Notes %q, want the date of the copy", text, res.CopiedAt, res.Notes)
			}
		}
	}
}
