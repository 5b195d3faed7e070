package ui

import (
	"context"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// dotDirectory returns a directory with hidden names, and counts the requests for them. If the parameter all
// is false, the server sends names that begin with a dot only on request.
func dotDirectory(all bool) (web, *int) {
	w, requests := library(), new(int)
	entry := func(name string) protocols.Line {
		return protocols.Line{Kind: protocols.Binary, Text: name, Link: file("d/" + name), Note: &protocols.FileNote{Size: 1, Modified: day}}
	}
	w[file("d")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		lines := []protocols.Line{info(".welcome"), entry("b"), entry("a")}
		if all || req.Hidden {
			lines = []protocols.Line{info(".welcome"), entry(".z"), entry("b"), entry(".message"), entry("a")}
		}
		if req.Hidden {
			*requests++
		}
		return &protocols.Resource{
			Head:   protocols.Head{URL: file("d"), Layout: protocols.LayoutDirectory, Size: -1},
			Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
				for _, l := range lines {
					if !yield(l, nil) {
						return
					}
				}
			},
		}, nil
	}
	return w, requests
}

// TestDotFiles checks that names that begin with a dot are hidden until a key shows them. If the
// server has not sent them, the key requests them.
func TestDotFiles(t *testing.T) {
	for _, tt := range []struct {
		name     string
		all      bool
		requests int
		note     string
	}{
		{"the server sends all", true, 0, "Note: names that begin with a dot: 2 hidden (Alt-. shows them)"},
		{"the server is asked", false, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, requests := dotDirectory(tt.all)
			d := drive(t, w, Options{Home: file("d")}, 80, 24)
			want := func(names string) {
				t.Helper()
				fetchtest.Equal(t, d.names(), names)
			}
			want(".welcome a b")
			fetchtest.Equal(t, strings.Contains(d.screen(), " hidden ("), (tt.note != ""), "a note")
			d.wantShown(tt.note)
			d.press("alt+.")
			want(".welcome .message .z a b")
			d.wantNotShown(" hidden (").wantShown("names that begin with a dot are shown\n")
			d.press("r")
			want(".welcome .message .z a b")
			d.submit("s", "sent")
			want(".welcome .z b .message a")
			d.press("alt+.")
			want(".welcome b a")
			d.press("alt+.")
			want(".welcome .z b .message a")
			if *requests != tt.requests+1 { // one request is the reload
				t.Errorf("the hidden names were requested %d times, want %d", *requests, tt.requests+1)
			}
		})
	}
}

// TestDotFilesAfterLogin checks that hidden names are still requested after a login for the
// directory.
func TestDotFilesAfterLogin(t *testing.T) {
	w, _ := dotDirectory(false)
	list, loggedIn := w[file("d")], true
	w[file("d")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if loggedIn {
			return list(ctx, req)
		}
		return nil, &protocols.Login{URL: file("d"), Server: "ftp.example.org:21", User: "ann", With: func(string, string) { loggedIn = true }}
	}
	d := drive(t, w, Options{Home: file("d")}, 80, 24)
	d.press("alt+.")
	loggedIn = false
	d.press("r").wantShown(`password for "ann"`)
	d.typeText("sesame").press("enter")
	if got, want := d.names(), ".welcome .message .z a b"; got != want {
		t.Errorf("got the names %q, want %q\n%s", got, want, d.screen())
	}
}

// TestReadme checks that R opens the file that describes a directory, even if its name is hidden.
func TestReadme(t *testing.T) {
	w := library()
	dir := func(path string, names ...string) {
		var lines []protocols.Line
		for _, name := range names {
			lines = append(lines, protocols.Line{
				Kind: protocols.Text, Text: name, Link: file(path + "/" + name), Note: &protocols.FileNote{Size: 1},
			})
			w.addText(file(path+"/"+name), name, "this is "+name+" of "+path+"\n")
		}
		w.addPage(file(path), protocols.LayoutDirectory, path, lines...)
	}
	dir("one", "a.c", ".message", "b.c")
	dir("two", ".message", "00-INDEX", "a.c", "Readme.1st", "readme_test.go", "indexer.c", "zzz")
	dir("none", "a.c")
	dir("archive", "proj/a.c", "proj/README", "readme/b.c")

	d := drive(t, w, Options{Home: file("one")}, 80, 24)
	d.press("R").wantShown("this is .message of one")
	d.run(d.visit(file("two"))).press("R")
	d.wantShown("Open:                                                  1/2")
	d.press("enter").wantShown("this is Readme.1st of two")
	d.press("backspace", "R", "down", "enter").wantShown("this is 00-INDEX of two")
	d.run(d.visit(file("archive"))).press("R").wantShown("this is proj/README of archive")
	d.run(d.visit(file("none"))).press("R").wantShown("no README, INDEX or .message")
	d.run(d.visit(item('1', "/"))).press("R").wantShown("this page is not a directory")
}

// TestHiddenWithoutServer checks that a directory without a server, such as an archive, is not
// fetched again for its hidden names.
func TestHiddenWithoutServer(t *testing.T) {
	w, list := library(), urlcore.Generic{Name: "about", Rest: "archive?x"}
	w.addPage(list, protocols.LayoutDirectory, "x.tar", protocols.Line{
		Kind: protocols.Text, Text: "a", Link: file("a"), Note: &protocols.FileNote{Size: 1},
	})
	d := drive(t, w, Options{Home: list}, 80, 24)
	delete(w, list) // a second fetch would fail
	d.press("alt+.").wantShown("names that begin with a dot are shown: there are none here")
	d.press("alt+.").wantShown("names that begin with a dot are hidden").wantURL(list)
}

// TestNoDotFiles checks the notice for a directory without hidden names.
func TestNoDotFiles(t *testing.T) {
	d := drive(t, library(), Options{Home: file("pub")}, 80, 24)
	d.press("alt+.").wantShown("names that begin with a dot are shown: there are none here")
}
