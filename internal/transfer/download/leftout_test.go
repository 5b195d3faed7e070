package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestLeftOut checks that all directories that cannot be listed and all files that
// cannot be fetched are recorded, and that a retry saves them.
func TestLeftOut(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	broken := true
	const each = 30
	f := fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		name := u.(urlcore.FTP).Name()
		switch {
		case u == root:
			lines := []protocols.Line{{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "good", 0)}}
			for i := range each {
				dir, file := fmt.Sprintf("secret%d", i), fmt.Sprintf("gone%d", i)
				lines = append(lines, protocols.Line{Kind: protocols.Directory, Text: dir, Link: ftpItem(t, []string{"d"}, dir, 'd')},
					protocols.Line{Kind: protocols.Binary, Text: file, Link: ftpItem(t, []string{"d"}, file, 0)})
			}
			return listing(u, protocols.LayoutDirectory, lines...), nil
		case broken && strings.HasPrefix(name, "secret"):
			return nil, &protocols.Error{Reason: protocols.Denied, Op: "change to " + name, Code: 550, Text: "Permission denied"}
		case broken && strings.HasPrefix(name, "gone"):
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch " + name, Code: 550, Text: "No such file"}
		case strings.HasPrefix(name, "secret"):
			return listing(u, protocols.LayoutDirectory, protocols.Line{
				Kind: protocols.Binary, Link: ftpItem(t, []string{"d", name}, "inside", 0),
			}), nil
		}
		return document(u, name), nil
	})
	m := &Manager{Fetcher: f}
	defer m.Close()
	saved := filepath.Join(t.TempDir(), "saved")
	it, _ := m.Add(Request{URL: root, Path: saved, Tree: true})
	s := it.Wait()
	if s.State != Failed || s.Files != 1 || s.Err == nil || s.Err.Error() != fmt.Sprintf("%d of %d items were not saved", 2*each, 2*each+1) {
		t.Fatalf("got state %d, %d files, error %v; want Failed (%d), 1 file, %d items left out", s.State, s.Files, s.Err, Failed, 2*each)
	}
	var page []string
	for _, line := range m.Lines("1") {
		page = append(page, line.Text)
		if kind := protocols.KindOf(line.Link); line.Note == nil && line.Link != nil && line.Kind != kind {
			t.Errorf("line %q has the kind %v, want %v", line.Text, line.Kind, kind)
		}
	}
	if lines := m.Lines("2"); lines != nil {
		t.Errorf("Lines(\"2\") = %v, want nil", lines)
	}
	if !slices.ContainsFunc(m.Lines(""), func(l protocols.Line) bool { return l.Text == "  60 not saved" && l.Link == it.DetailsURL() }) {
		t.Error("downloads page has no line with the number of items not saved")
	}
	left := leftOutTexts(&s)
	for i := range each {
		for _, want := range []string{
			fmt.Sprintf("secret%d: Could not change to secret%d: permission denied by the server (the server said \"550 Permission denied\")", i, i),
			fmt.Sprintf("gone%d: Could not fetch gone%d: not found (the server said \"550 No such file\")", i, i),
		} {
			if !slices.Contains(left, want) || !slices.Contains(page, want) {
				t.Errorf("LeftOut or the page of the download lacks %q", want)
			}
		}
	}
	fetchtest.Equal(t, len(left), 2*each, "items left out")
	broken = false
	it.Resume()
	if s = it.Wait(); s.State != Saved || s.Err != nil || len(s.LeftOut) > 0 || s.Files != 1+2*each {
		t.Errorf("after Resume: state %d, %d files, error %v, left out %q; want Saved (%d), %d files", s.State, s.Files, s.Err, leftOutTexts(&s), Saved, 1+
			2*each)
	}
	fetchtest.Must(os.Stat(filepath.Join(saved, "secret7", "inside")))(t)
}

// TestLeftOutWhenBroken checks that files that were not begun are also recorded as
// left out if the network fails for hours.
func TestLeftOutWhenBroken(t *testing.T) { synctest.Test(t, leftOutWhenBroken) }

func leftOutWhenBroken(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if u != root {
			return nil, &protocols.Error{Reason: protocols.Broken, Op: "fetch " + u.String()}
		}
		var lines []protocols.Line
		for i := range 20 {
			lines = append(lines, protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, fmt.Sprint(i), 0)})
		}
		return listing(u, protocols.LayoutDirectory, lines...), nil
	})
	s, paths := saveTree(t, &Manager{Fetcher: f}, root, filepath.Join(t.TempDir(), "saved"))
	if len(s.LeftOut) != 20 || len(paths) > 0 || !protocols.ReasonOf(s.Err).IsNetworkFailure() {
		t.Errorf("got %d items left out, error %v, saved %q; want 20 items, an error of the network, nothing", len(s.LeftOut), s.Err, paths)
	}
	seen := make(map[string]bool)
	for _, l := range s.LeftOut {
		seen[l.Path] = true
	}
	if len(seen) != 20 {
		t.Errorf("paths left out: got %v, want 20", seen)
	}
}

// TestLinkedDirectories checks that there is a note for a relative link to a directory of the tree. Absolute links,
// dangling links and links to other directories must be left out.
func TestLinkedDirectories(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	sub := ftpItem(t, []string{"d"}, "sub", 'd')
	links := map[string]string{"latest": "sub", "up": "..", "self": ".", "outside": "../other", "absolute": "/d/sub", "untold": ""}
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		var lines []protocols.Line
		switch name := u.(urlcore.FTP).Name(); {
		case u == root:
			lines = append(lines, protocols.Line{Kind: protocols.Directory, Text: "sub", Link: sub})
			for name, target := range links {
				lines = append(lines, protocols.Line{
					Kind: protocols.Other, Text: name, Link: ftpItem(t, []string{"d"}, name, 0),
					Note: &protocols.FileNote{Size: -1, Target: target},
				})
			}
		case u == sub:
			lines = append(lines, protocols.Line{
				Kind: protocols.Other, Text: "back", Link: ftpItem(t, []string{"d", "sub"}, "back", 0),
				Note: &protocols.FileNote{
					Size: -1, Target: "../sub",
				},
			},
				protocols.Line{Kind: protocols.Other, Text: "top", Link: ftpItem(t, []string{"d", "sub"}, "top", 0), Note: &protocols.FileNote{
					Size: -1, Target: "..",
				}},
				protocols.Line{
					Kind: protocols.Other, Text: "dead", Link: ftpItem(t, []string{"d", "sub"}, "dead", 0),
					Note: &protocols.FileNote{Size: -1, Target: "gone"},
				})
		case name == "dead":
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch it"}
		}
		return listing(u, protocols.LayoutDirectory, lines...), nil
	})
	s, _ := saveTree(t, &Manager{Fetcher: f}, root, filepath.Join(t.TempDir(), "saved"))
	slices.Sort(s.Notes)
	if want := []string{
		`not saved twice: "latest": it is a link to the directory "sub"`,
		`not saved twice: "self": it is a link to the directory "."`,
		`not saved twice: "sub/back": it is a link to the directory "sub"`,
		`not saved twice: "sub/top": it is a link to the directory "."`,
	}; !slices.Equal(s.Notes, want) {
		t.Errorf("got the notes %q, want %q", s.Notes, want)
	}
	left := leftOutTexts(&s)
	slices.Sort(left)
	if want := []string{
		"absolute: it is a link to a directory, which is not followed",
		"outside: it is a link to a directory, which is not followed",
		"sub/dead: it is a dangling link",
		"untold: it is a directory or a link to one, but the listing does not say so",
		"up: it is a link to a directory, which is not followed",
	}; !slices.Equal(left, want) {
		t.Errorf("items left out: got %q, want %q", left, want)
	}
}

// TestEmptyMirror checks that a mirror without files is an error and creates no
// directory, unless its menus consist of text.
func TestEmptyMirror(t *testing.T) {
	at := func(typ byte, host, selector string) urlcore.URL {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: host}, Selector: selector}
	}
	line := func(u urlcore.URL) protocols.Line {
		return protocols.Line{Text: path.Base(u.(urlcore.Gopher).Selector), Link: u}
	}
	info := protocols.Line{Kind: protocols.Info, Text: "words"}
	denied := &protocols.Error{Reason: protocols.Denied, Op: "open it"}
	for _, tt := range []struct {
		name  string
		menus map[string][]protocols.Line
		saved []string
		err   string
	}{
		{
			"other servers",
			map[string][]protocols.Line{"/top": {info, line(at('0', "other", "/x"))}},
			nil,
			"there is nothing to save: the menu items",
		},
		{
			"above",
			map[string][]protocols.Line{"/top": {line(at('0', "h", "/x")), line(at('1', "h", "/"))}},
			nil,
			"there is nothing to save: the menu items",
		},
		{"searches", map[string][]protocols.Line{"/top": {line(at('7', "h", "/top/x"))}}, nil, "there is nothing to save: the menu items"},
		{"no line", map[string][]protocols.Line{"/top": nil}, nil, "there is nothing to save: the menu is empty"},
		{
			"a menu that cannot be listed",
			map[string][]protocols.Line{"/top": {line(at('1', "h", "/top/sub"))}},
			nil,
			"there is nothing to save: sub: ",
		},
		{
			"texts",
			map[string][]protocols.Line{"/top": {info, line(at('1', "h", "/top/a"))}, "/top/a": {info}},
			[]string{"a/gophermap", "gophermap"},
			"",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
				if lines, ok := tt.menus[u.(urlcore.Gopher).Selector]; ok {
					return listing(u, protocols.LayoutMenu, lines...), nil
				}
				return nil, denied
			})
			dir := t.TempDir()
			s, paths := saveTree(t, &Manager{Fetcher: f, Delay: 1}, at('1', "h", "/top"), filepath.Join(dir, "m"), withNoParent)
			if !slices.Equal(paths, tt.saved) || (s.Err != nil) != (tt.err != "") {
				t.Errorf("saved %q, error %v; want %q, an error with %q", paths, s.Err, tt.saved, tt.err)
			}
			if _, err := os.Stat(filepath.Join(dir, "m")); tt.err != "" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("Stat of the directory: error %v, want ErrNotExist", err)
			}
			if s.Err != nil && (!strings.Contains(s.Err.Error(), tt.err) || !protocols.ReasonOf(s.Err).IsServerFailure()) {
				t.Errorf("got the error %v, want a server failure with %q", s.Err, tt.err)
			}
		})
	}
}
