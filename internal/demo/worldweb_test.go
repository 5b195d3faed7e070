package demo_test

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/protocols/web"
	"gofer/urlcore"
)

// TestWorldWeb follows all links of the web, Gemini and Spartan servers. It checks that the links work,
// and that some link leads to each file.
func TestWorldWeb(t *testing.T) {
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	pages := &web.Client{Proxy: func(*url.URL) (*url.URL, error) { return nil, nil }}
	capsules := new(gemini.Client)
	table := protocols.Registry{"http": pages, "form": pages, "gemini": capsules, "spartan": capsules}
	broken := map[string]bool{"/loop.html": true, "/nothing.html": true, "/loop": true, "/gone": true}
	seen := map[urlcore.URL]bool{}
	var queue []urlcore.URL
	add := func(u urlcore.URL) {
		if table[u.Scheme()] != nil && !seen[u] && !strings.Contains(u.String(), "example.org") {
			seen[u] = true
			queue = append(queue, u)
		}
	}
	for _, s := range []string{world.Web.URL(), world.Gemini.URL(), world.Spartan.URL()} {
		u := fetchtest.Parse(t, s)
		add(u)
	}
	reached := map[string]bool{"web/index.html": true, "gemini/index.gmi": true}
	for ; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		lines, err := readLines(t.Context(), table, u)
		var ask *protocols.Ask
		var login *protocols.Login
		h, isPage := u.(urlcore.HTTP)
		if errors.As(err, &ask) || errors.As(err, &login) {
			continue
		}
		wantError := broken[h.Path] || h.Name == "spartan" && (h.Path == "/search" || h.Path == "/secret")
		if isPage && (err != nil) != wantError {
			t.Errorf("%s: got error %v, want an error: %v", u, err, wantError)
		}
		if folder := map[string]string{"http": "web", "gemini": "gemini"}[u.Scheme()]; isPage {
			reached[path.Join(folder, h.Path)] = true
		}
		for _, line := range lines {
			if strings.Contains(line.Text, "@WEB@") || strings.Contains(line.Text, "@GOPHER@") {
				t.Errorf("%s: a placeholder was not replaced in %q", u, line.Text)
			}
			if note, ok := line.Note.(*protocols.Hypertext); ok {
				for _, l := range note.Links {
					add(l.URL)
				}
			}
		}
	}
	for _, folder := range []string{"web", "gemini"} {
		err := fs.WalkDir(os.DirFS("world"), folder, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !reached[name] {
				t.Errorf("no link leads to %s", name)
			}
			return err
		})
		fetchtest.NoError(t, err)
	}
}

func readLines(ctx context.Context, f protocols.Fetcher, u urlcore.URL) (lines []protocols.Line, err error) {
	r, err := f.Fetch(ctx, protocols.Request{URL: u})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := document.Open(r.Head, r.Body)
	if err != nil {
		return nil, err
	}
	for line, err := range d.Lines() {
		if err != nil {
			return nil, err
		}
		if lines = append(lines, line); len(lines) > 10_000 {
			break
		}
	}
	return lines, nil
}
