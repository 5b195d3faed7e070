package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/cli"
	"gofer/internal/fetchtest"
	"gofer/internal/loopback"
	"gofer/protocols"
	"gofer/urlcore"
)

// memo is a URL of a scheme that no package of gofer knows: memo://host/path.
type memo struct {
	server urlcore.HostPort
	path   string // with its leading slash
}

func (memo) Scheme() string { return "memo" }

func (m memo) String() string {
	host, port, _ := strings.Cut(m.Addr(), ":")
	if port == "3" {
		return "memo://" + host + m.path
	}
	return "memo://" + m.Addr() + m.path
}

func (m memo) Addr() string {
	if m.server.Port == 0 {
		return m.server.Host + ":3"
	}
	return m.server.Host + ":4004"
}

func (m memo) At(host string, port uint16) urlcore.URL {
	m.server = urlcore.HostPort{Host: host, Port: port}
	return m
}

func (m memo) Up() (urlcore.URL, bool) {
	if m.path == "/faulty" {
		panic("went up")
	}
	ok := m.path != "/"
	m.path = m.path[:strings.LastIndexByte(strings.TrimSuffix(m.path, "/"), '/')+1]
	return m, ok
}

func (m memo) FileName() string { return filepath.Base(m.path) + ".memo" }

func (m memo) Kind() string {
	if strings.HasSuffix(m.path, "/") {
		return "menu"
	}
	return "text"
}

func (m memo) Alternatives() []urlcore.Alternative {
	m.path = "/"
	return []urlcore.Alternative{{URL: m, Text: "The board of all memos"}}
}

// memos is the Fetcher. The parser does not know the scheme: what has been typed
// or read from a file comes as a Generic.
type memos struct{}

func (memos) memo(u urlcore.URL) memo {
	if g, ok := u.(urlcore.Generic); ok {
		server, path, _ := g.Server()
		return memo{server.HostPort, path}
	}
	return u.(memo)
}

func (f memos) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	m := f.memo(u)
	r := &protocols.Resource{Head: protocols.Head{URL: m, Title: "Memos at " + m.server.Host, Size: -1}}
	to := func(path string) protocols.Line {
		link := memo{m.server, path}
		return protocols.Line{Kind: protocols.KindOf(link), Text: "to " + path, Link: link}
	}
	list := map[string][]protocols.Line{"/": {to("/desk/"), to("/gone/")}, "/desk/": {to("/desk/door"), to("/desk/lamp")}}
	switch {
	case list[m.path] != nil:
		r.Layout = protocols.LayoutMenu
		r.Lines = func(yield func(protocols.Line, error) bool) {
			for _, line := range list[m.path] {
				if !yield(line, nil) {
					return
				}
			}
		}
	case m.path == "/panic":
		panic("fetched")
	case m.path == "/desk/lamp", m.path == "/faulty":
		r.Body = strings.NewReader("Switch it off.\n")
	default:
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "open " + m.String()}
	}
	return r, nil
}

func (f memos) Plan(u urlcore.URL) ([]protocols.Step, error) {
	m := f.memo(u)
	return []protocols.Step{{Peer: m.Addr(), Send: "memo " + m.path + "\n"}}, nil
}

// mainWithMemo is main with one more line in the scheme table.
func mainWithMemo() {
	os.Exit(run(func(s cli.Setup) (protocols.Registry, func()) {
		table, end := fetchers(s)
		table["memo"] = memos{}
		return table, end
	}))
}

// TestNewScheme wants a scheme to need a URL type, a Fetcher and a line in the
// scheme table, and nothing else to be told of it.
func TestNewScheme(t *testing.T) {
	home := t.TempDir()
	gofer := func(args ...string) string {
		cmd := exec.Command("gofer-memo", args...)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=" + gorace}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("gofer-memo %q: %v", args, err)
		}
		return string(out)
	}
	for _, tt := range []struct {
		args, want string
	}{
		{"dump memo://h/", "to /desk/\n"},
		{"dump --format json memo://h/", `{"kind":"menu","text":"to /desk/","url":"memo://h/desk/"}`},
		{"dump --format links memo://h/desk/", "memo://h/desk/door\nmemo://h/desk/lamp\n"},
		{"dump --format raw memo://h/desk/lamp", "Switch it off.\n"},
		{"get memo://h/desk/lamp", "lamp: 15 B"},
		{"url explain memo://h:4004/desk/lamp", "memo /desk/lamp"},
		{"url canon MEMO://H/desk", "memo://h/desk"},
	} {
		if got := gofer(strings.Fields(tt.args)...); !strings.Contains(got, tt.want) {
			t.Errorf("gofer-memo %s: got\n%s\nwant\n%s", tt.args, got, tt.want)
		}
	}

	world := fetchtest.Started(loopback.StartWorld())(t)
	tm := openCommand(t, command(home, world, "gofer-memo", "memo://h:4004/"))
	tm.here("memo://h:4004/", "Memos at h")
	tm.keys("\r")
	tm.here("memo://h:4004/desk/", "Memos at h")
	tm.to("j", "memo://h:4004/desk/lamp")
	tm.keys("d")
	tm.wait("saved ", "lamp.memo")
	tm.keys("A")
	tm.wait("Title: ")
	tm.keys("\r")
	tm.wait("bookmarked memo://h:4004/desk/lamp")
	tm.keys("\r")
	tm.wait("Switch it off.")
	tm.keys("a")
	tm.wait("Edit bookmark")
	tm.keys("\r")
	tm.wait("bookmark changed: memo://h:4004/desk/lamp")
	tm.keys("u")
	tm.wait("to /desk/door")
	if at := link(tm.whole()); at != "memo://h:4004/desk/lamp" {
		t.Errorf("going up leads to the line of %s", at)
	}
	tm.to("k", "memo://h:4004/desk/door")
	tm.keys("\r")
	tm.wait("One level up", "The board of all memos", "The same at the usual port")
	tm.keys("=")
	tm.wait("memo /desk/door")
	tm.bar("about:bookmarks")
	tm.wait("to /desk/lamp  (memo)")
	tm.to("j", "memo://h:4004/desk/lamp")
	tm.keys("\r")
	tm.wait("Switch it off.")
	tm.keys("u")
	tm.wait("to /desk/door")
	tm.quit()
	if got, want := gofer("dump", "--format", "links", "about:bookmarks"), "memo://h:4004/desk/lamp\nabout:new\n"; got != want {
		t.Errorf("the bookmarks are %q, want %q", got, want)
	}
	if got := gofer("history"); !strings.Contains(got, "memo://h:4004/desk/lamp") {
		t.Errorf("the history is\n%s", got)
	}
}
