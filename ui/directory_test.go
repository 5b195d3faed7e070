package ui

import (
	"context"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
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
		return &protocols.Resource{Head: protocols.Head{URL: file("d"), Layout: protocols.LayoutDirectory, Size: -1}, Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		}}, nil
	}
	return w, requests
}

// invisibleNote is the note of an invisible link of a Prospero directory.
type invisibleNote struct{ *protocols.FileNote }

func (invisibleNote) Hidden() (hidden bool, entries string) { return true, "invisible links" }

// TestInvisibleLinks checks that the invisible links of a Prospero directory are hidden like names
// that begin with a dot.
func TestInvisibleLinks(t *testing.T) {
	w, dir := web{}, urlcore.Prospero{HostPort: urlcore.HostPort{Host: "h.example"}, Object: "dir"}
	entry := func(name string, n protocols.Note) protocols.Line {
		return protocols.Line{Kind: protocols.Text, Text: name, Link: file(name), Note: n}
	}
	note := &protocols.FileNote{Size: -1}
	w.addPage(dir, protocols.LayoutDirectory, "dir", entry("seen", note), entry("unseen", invisibleNote{note}))
	d := drive(t, w, Options{Home: dir}, 80, 24)
	d.wantShown("Note: invisible links: 1 hidden (Alt-. shows them)").wantNotShown("unseen")
	d.press("alt+.").wantShown("unseen", "invisible links are shown")
	d.press("alt+.").wantShown("invisible links are hidden").wantNotShown("unseen")
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

// TestUpFromDotDirectory checks that going up from a directory whose name is hidden shows the hidden
// names.
func TestUpFromDotDirectory(t *testing.T) {
	w, _ := dotDirectory(true)
	w.addPage(file("d/.z"), protocols.LayoutDirectory, ".z")
	above := file("d")
	above.Type = 'd'
	w[above] = w[file("d")]
	d := drive(t, w, Options{Home: file("d/.z")}, 80, 24)
	d.press("u").wantURL(file("d"))
	d.wantCurrent(".z").wantShown(".message")
}

// TestReadme checks that R opens the file that describes a directory, even if its name is hidden.
func TestReadme(t *testing.T) {
	w := library()
	dir := func(path string, names ...string) {
		var lines []protocols.Line
		for _, name := range names {
			lines = append(lines, protocols.Line{Kind: protocols.Text, Text: name, Link: file(path + "/" + name), Note: &protocols.FileNote{Size: 1}})
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
	d.wantShown("Open:                                                                      1/2")
	d.press("enter").wantShown("this is Readme.1st of two")
	d.press("backspace", "R", "down", "enter").wantShown("this is 00-INDEX of two")
	d.run(d.visit(file("archive"))).press("R").wantShown("this is proj/README of archive")
	d.run(d.visit(file("none"))).press("R").wantShown("no README, INDEX or .message")
	d.run(d.visit(item('1', "/"))).press("R").wantShown("this page is not a directory")
}

// TestKindAfterOpening checks that a file of unknown kind has its detected kind in the list after
// it was opened.
func TestKindAfterOpening(t *testing.T) {
	w := library()
	names := map[string]struct {
		data string
		kind protocols.Kind
	}{
		"12345": {"a text\n", protocols.Text}, "page": {"<html><p>x</p>", protocols.HTML}, "pic": {"\x89PNG\r\n\x1a\n", protocols.Image},
		"pack": {"\x1f\x8b\x08\x00", protocols.Archive}, "octets": {"\x00\x01\x02", protocols.Binary},
	}
	var lines []protocols.Line
	for name, f := range names {
		lines = append(lines, protocols.Line{Kind: protocols.Other, Text: name, Link: file("d/" + name), Note: &protocols.FileNote{Size: 1}})
		w[file("d/"+name)] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
			return &protocols.Resource{Head: protocols.Head{URL: file("d/" + name), Size: -1}, Body: strings.NewReader(f.data), Closer: io.NopCloser(nil)}, nil
		}
	}
	lines = append(lines, protocols.Line{Kind: protocols.Other, Text: "to-dir", Link: file("d/to-dir"), Note: &protocols.FileNote{Size: 1}})
	w.addPage(file("d"), protocols.LayoutDirectory, "d", lines...)
	w.addPage(file("d/to-dir"), protocols.LayoutDirectory, "to-dir")
	d := drive(t, w, Options{Home: file("d")}, 80, 24)
	for range lines {
		line, _ := d.Model.tab.Pager.Current()
		d.press("enter", "backspace")
		got, _ := d.Model.tab.Pager.Current()
		want := protocols.Directory
		if f, ok := names[line.Text]; ok {
			want = f.kind
		}
		if got.Text != line.Text || got.Kind != want {
			t.Errorf("%s: got %s of kind %v, want %v", line.Text, got.Text, got.Kind, want)
		}
		d.press("down")
	}
}

// TestHiddenWhileLoading checks that hidden lines are left out while a directory loads, and that
// the line numbers count only shown lines.
func TestHiddenWhileLoading(t *testing.T) {
	w := library()
	more := make(chan protocols.Line)
	w.addStream(file("d"), protocols.LayoutDirectory, "d", func(yield func(protocols.Line, error) bool) {
		for l := range more {
			if !yield(l, nil) {
				return
			}
		}
	})
	s := &nav.Session{}
	l := nav.Open(t.Context(), w, protocols.Request{URL: file("d")})
	head := fetchtest.Must(l.Wait())(t)
	s.Begin(l)
	p := s.Answer(l, head)
	for i, name := range []string{"c", ".x", "b", ".y", "a"} {
		more <- protocols.Line{Text: name, Link: file("d/" + name), Note: &protocols.FileNote{}}
		lines, err := l.Next()
		s.Append(l, lines, err)
		if want := []int{1, 1, 2, 2, 3}[i]; p.Lines.Len() != want || p.Lines.At(want - 1).Text[0] == '.' {
			t.Errorf("after %s: %d lines are shown, want %d", name, p.Lines.Len(), want)
		}
	}
	close(more)
	for p.IsLoading() {
		lines, err := l.Next()
		s.Append(l, lines, err)
	}
	if p.Lines.At(0).Text != "a" || p.Hidden != 2 || p.Lines.Len() != 3 {
		t.Errorf("got %d lines from %v on, %d hidden, want 3 from a on, 2 hidden", p.Lines.Len(), p.Lines.At(0), p.Hidden)
	}
	s.Close()
}

// TestHiddenWithoutServer checks that a directory without a server, such as an archive, is not
// fetched again for its hidden names.
func TestHiddenWithoutServer(t *testing.T) {
	w, list := library(), urlcore.Generic{Name: "about", Rest: "archive?x"}
	w.addPage(list, protocols.LayoutDirectory, "x.tar", protocols.Line{Kind: protocols.Text, Text: "a", Link: file("a"), Note: &protocols.FileNote{Size: 1}})
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

// TestHiddenNamesAreNotNew checks that hidden names are not marked as new when they are first shown,
// but that names added since the last visit are.
func TestHiddenNamesAreNotNew(t *testing.T) {
	id := func(name string) uint64 {
		lines := linesOf(protocols.Line{Link: file("d/" + name)})
		return lines.LinkID(0)
	}
	w, _ := dotDirectory(false)
	k := new(fakeHistory)
	o := k.options()
	o.Home = file("d")
	d := drive(t, w, o, 80, 24)
	k.fresh = []uint64{id(".z"), id(".message"), id("b")}
	d.press("alt+.").wantState(nav.New, "b")
	k.fresh = []uint64{id(".z")}
	d.press("r").wantState(nav.New, ".z")
}
