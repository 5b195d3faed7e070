package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/protocols"
	"gofer/urlcore"
)

// memo is a URL memo://host/path, of a scheme that no package of gofer knows.
type memo struct {
	server urlcore.HostPort
	path   string // with a leading slash
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
	if m.path == "/stuck" {
		select {}
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

// memoFetcher is the Fetcher of memo URLs. The parser does not know them, so typed URLs are Generic.
type memoFetcher struct{}

func (memoFetcher) memo(u urlcore.URL) memo {
	if g, ok := u.(urlcore.Generic); ok {
		server, path, _ := g.Server()
		return memo{server.HostPort, path}
	}
	return u.(memo)
}

func (f memoFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	m := f.memo(req.URL)
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
	case m.path == "/desk/lamp", m.path == "/faulty", m.path == "/stuck":
		r.Body = strings.NewReader("Switch it off.\n")
	default:
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "open " + m.String()}
	}
	return r, nil
}

func (f memoFetcher) Plan(u urlcore.URL) ([]protocols.Step, error) {
	m := f.memo(u)
	return []protocols.Step{{Peer: m.Addr(), Send: "memo " + m.path + "\n"}}, nil
}

// TestMain runs gofer with the scheme memo added if the test binary is named gofer-memo, for the
// tests in internal/testbed/endtoend.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); strings.TrimSuffix(name, ".exe") == "gofer-memo" {
		os.Exit(run(func(s app.Setup) (protocols.Registry, func()) {
			table, end := newSchemes(s)
			table["memo"] = memoFetcher{}
			return table, end
		}))
	}
	m.Run()
}
