//go:build unix

package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/cli"
	"gofer/internal/config"
	"gofer/internal/download"
	"gofer/internal/fetchtest"
	"gofer/internal/gateway"
	"gofer/internal/outside"
	"gofer/internal/restrict"
	"gofer/protocols"
	"gofer/urlcore"
)

// Neither a redirect nor a page within a document gets to another server.
func TestRestrictedFetches(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusFound))
	defer server.Close()
	c := config.Defaults(os.Getenv)
	c.Restrict.Enabled = true
	c.Restrict.Allow = make([]restrict.Servers, 1)
	if err := c.Restrict.Allow[0].UnmarshalText([]byte("127.0.0.1")); err != nil {
		t.Fatal(err)
	}
	c.NewsServer = strings.TrimPrefix(elsewhere, "http://")
	table, end := fetchers(cli.Setup{
		Config: c, Getenv: func(string) string { return "" }, Programs: new(outside.Programs), Downloads: new(download.Manager),
		Visits: history.OpenStore(""), Restorable: func() (int, bool) { return 0, false },
	})
	defer end()
	for _, s := range []string{
		server.URL, elsewhere, "news:a.b", "about:attachment/1/a?" + elsewhere, "form:" + elsewhere + "?%7B%7D",
		strings.Replace(elsewhere, "http", "gopher", 1) + "/0", strings.Replace(elsewhere, "http", "ftp", 1) + "/", strings.Replace(elsewhere, "http", "wais", 1) + "/a?b",
		strings.Replace(elsewhere, "http", "telnet", 1), strings.Replace(elsewhere, "http", "gemini", 1), strings.Replace(elsewhere, "http", "prospero", 1) + "/a",
		"file:///etc/passwd", "file:///", "mailto:a@b", "rlogin://127.0.0.1/", "tn3270://127.0.0.1/",
	} {
		u, err := urlcore.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = table.Fetch(t.Context(), u)
		if protocols.ReasonOf(err) != protocols.Denied {
			t.Errorf("%s: %v", s, err)
		}
	}
	if asked {
		t.Error("another server was asked")
	}
}

// Through a gateway only what both the rules for its server and those for the URL's own
// allow is fetched.
func TestRestrictedGateway(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	for _, tt := range []struct {
		allow, url string
		asked      int
	}{
		{"127.0.0.1 *.example", "wais://a.example/d", 1},
		{"127.0.0.1 *.example", "afs://a.example/d", 1},
		{"127.0.0.1", "wais://a.example/d", 0},
		{"127.0.0.1", "afs://a.example/d", 0},
		{"*.example", "wais://a.example/d", 0},
	} {
		c := config.Defaults(os.Getenv)
		c.Restrict.Enabled = true
		c.Gateway = gateway.Templates{"wais": server.URL + "/?%s", "afs": server.URL + "/?%s", "mid": server.URL + "/?%s"}
		for host := range strings.FieldsSeq(tt.allow) {
			var s restrict.Servers
			if err := s.UnmarshalText([]byte(host)); err != nil {
				t.Fatal(err)
			}
			c.Restrict.Allow = append(c.Restrict.Allow, s)
		}
		table, end := fetchers(cli.Setup{
			Config: c, Getenv: func(string) string { return "" }, Programs: new(outside.Programs), Downloads: new(download.Manager),
			Visits: history.OpenStore(""), Restorable: func() (int, bool) { return 0, false },
		})
		asked = 0
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		if r, err := table.Fetch(t.Context(), u); err == nil {
			_ = r.Close()
		}
		if end(); asked != tt.asked {
			t.Errorf("%s with %s allowed: the gateway was asked %d times, want %d", tt.url, tt.allow, asked, tt.asked)
		}
	}
}

// At the screen of a public terminal no key leads out.
func TestRestrictedScreen(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	home := t.TempDir()
	hole := "gopher://" + world.Gopher.Addr()
	tm := open(t, home, world, "--restrict", hole+"/1/library")
	tm.wait("Histories")
	tm.keys("dDSoEJ|\x1b|\x1a") // what any of them would ask takes the rest
	tm.keys("gfile:///etc/passwd\r")
	tm.wait("not allowed at this terminal")
	tm.quit()
	if _, err := os.Stat(home + "/Downloads"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Nothing of what was read at a public terminal is left on its disk, unless that was
// asked for.
func TestRestrictedKeepsNothing(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	for _, tt := range []struct {
		flags []string
		want  bool // that there is a history
	}{
		{[]string{"--restrict"}, false},
		{[]string{"--restrict", "--private=false"}, true},
	} {
		home := t.TempDir()
		tm := open(t, home, world, append(tt.flags, hole+"/1/library")...)
		tm.wait("Histories")
		tm.keys("Pea\r\r\r\r") // what a would ask takes the rest
		tm.keys("gnews:\r")
		tm.wait("All groups")
		tm.keys("gnntp://" + world.NewsServer() + "/gofer.help\r")
		tm.wait("gofer.help/11")
		tm.keys("m")
		tm.wait("gofer.help/9")
		tm.quit()
		var left []string
		_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && !d.IsDir() && d.Name() != "history.sqlite" {
				left = append(left, strings.TrimPrefix(path, home))
			}
			return nil
		})
		store := history.OpenStore(home + "/.local/share/gofer/history.sqlite")
		visits, _, err := store.Since(t.Context(), time.Time{})
		if err = errors.Join(err, store.Close()); err != nil {
			t.Fatal(err)
		}
		for _, v := range visits {
			left = append(left, v.URL.String())
		}
		if (len(left) > 0) != tt.want {
			t.Errorf("%q: left are %q", tt.flags, left)
		}
	}
}
