package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

var ftpServer = urlcore.Server{HostPort: urlcore.HostPort{Host: "ftp.example.org"}}

// ftpItem returns the URL of an item of a directory. The name may have any octets.
func ftpItem(t *testing.T, dirs []string, name string, typ byte) urlcore.URL {
	t.Helper()
	return fetchtest.Must(urlcore.NewFTP(ftpServer, dirs, name, typ))(t)
}

// listing returns a Resource with the lines of a directory or menu.
func listing(u urlcore.URL, layout protocols.Layout, lines ...protocols.Line) *protocols.Resource {
	return &protocols.Resource{
		Head: protocols.Head{URL: u, Layout: layout, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		},
		Closer: io.NopCloser(nil),
	}
}

// document returns a Resource with a document.
func document(u urlcore.URL, body string) *protocols.Resource {
	return &protocols.Resource{Head: protocols.Head{URL: u, Size: int64(len(body))}, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}
}

type fetchFunc func(u urlcore.URL) (*protocols.Resource, error)

func (f fetchFunc) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return f(req.URL)
}

// saveTree saves the tree of u in the directory dir. It returns the Status, and the paths of the files in dir
// without the index.
func saveTree(t *testing.T, m *Manager, u urlcore.URL, dir string, more ...func(*Request)) (Status, []string) {
	t.Helper()
	m.RecordFolder = recordsOf(dir)
	defer m.Close()
	r := Request{URL: u, Path: dir, Tree: true}
	for _, change := range more {
		change(&r)
	}
	it, _ := m.Add(r)
	s := it.Wait()
	var paths []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); err == nil && relErr == nil && !d.IsDir() && rel != indexName {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	return s, paths
}

// leftOutTexts returns the items left out of a tree as texts.
func leftOutTexts(s *Status) (all []string) {
	for _, l := range s.LeftOut {
		all = append(all, l.String())
	}
	return all
}

// TestHostileNames checks that files with hostile names are saved below the directory, under unique names.
func TestHostileNames(t *testing.T) {
	names := []string{
		"..", ".", "../../../etc/passwd", "/etc/passwd", "a/../../b", "a", "a.part", "a.part.info", "A", "con",
		"nul.txt", "x\x1b[31m", "x\u202egpj.exe",
		"-rf", "~", ".hidden", "...", "....", "", " ", "\xff\xfe", strings.Repeat("n", 300), strings.Repeat("ü", 200),
		"tab\there", "back\\slash", "a:b",
	}
	root := ftpItem(t, nil, "d", 'd')
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if u != root {
			return document(u, u.String()), nil
		}
		var lines []protocols.Line
		for _, name := range names {
			lines = append(lines, protocols.Line{
				Kind: protocols.Binary, Text: name, Link: ftpItem(t, []string{"d"}, name, 0),
				Note: &protocols.FileNote{Size: -1},
			})
		}
		other := urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "elsewhere.example"}}, Path: "x"}
		lines = append(lines, protocols.Line{Kind: protocols.Binary, Text: "other", Link: other}, protocols.Line{
			Kind: protocols.Problem, Text: "what",
		})
		return listing(u, protocols.LayoutDirectory, lines...), nil
	})
	dir := t.TempDir()
	s, paths := saveTree(t, &Manager{Fetcher: f}, root, filepath.Join(dir, "saved"))
	if len(paths) != len(names) {
		t.Errorf("saved %d files, error %v; want %d: %q", len(paths), s.Err, len(names), paths)
	}
	fetchtest.EqualSlices(
		t, leftOutTexts(&s), []string{"other: it is on another server", "what: its name cannot be requested"},
		"items left out",
	)
	contents := make(map[string]bool)
	for _, path := range paths {
		b, err := os.ReadFile(filepath.Join(dir, "saved", path))
		if err != nil || contents[string(b)] {
			t.Errorf("%s: content %q (error %v), want the content of a file that is saved once", path, b, err)
		}
		contents[string(b)] = true
		if strings.ContainsAny(path, "/\x1b\t\x00") || len(path) > 255 {
			t.Errorf("the name %q is not harmless", path)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("got the entries %v, want only the saved directory and the folder of the records", entries)
	}
	for _, want := range []string{"a", "A", ".hidden", "-rf"} {
		if !slices.Contains(paths, want) {
			t.Errorf("saved files %q lack %q", paths, want)
		}
	}
}

// hidingServer lists the name that begins with a dot only if hidden names are requested, as vsftpd does.
type hidingServer struct{ t *testing.T }

func (h hidingServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if protocols.KindOf(req.URL) != protocols.Directory {
		return document(req.URL, "x"), nil
	}
	names := []string{"a"}
	if req.Hidden {
		names = append(names, ".profile")
	}
	var lines []protocols.Line
	for _, name := range names {
		lines = append(lines, protocols.Line{
			Kind: protocols.Binary, Text: name, Link: ftpItem(h.t, []string{"d"}, name, 0),
			Note: &protocols.FileNote{Size: 1},
		})
	}
	return listing(req.URL, protocols.LayoutDirectory, lines...), nil
}

// TestHiddenNames checks that files whose names a server hides are saved too.
func TestHiddenNames(t *testing.T) {
	_, paths := saveTree(t, &Manager{Fetcher: hidingServer{t}}, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "saved"))
	fetchtest.EqualSlices(t, paths, []string{".profile", "a"}, "saved files")
}

// TestProsperoTree checks that the documents of a Prospero directory are fetched by FTP from other servers. A
// server that cannot be reached must get at most defaultPerServer requests, and must not end the tree.
func TestProsperoTree(t *testing.T) {
	root := urlcore.Prospero{HostPort: urlcore.HostPort{Host: "p"}, Object: "dir"}
	links := []string{
		"ftp://a/ftp.txt;type=i", "ftp://gone/1", "ftp://gone/2", "ftp://gone/3", "ftp://gone/4", "ftp://asks:25/c.txt",
		"ftp://b/pub/;type=d", "gopher://g/0d.txt",
		"prospero://other/e.txt", "prospero://p/f.txt", "ftp://a/g.txt",
	}
	var asked atomic.Int32
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		addr, _ := urlcore.Addr(u)
		switch {
		case u == root:
			var lines []protocols.Line
			for _, link := range links {
				u := fetchtest.Parse(t, link)
				lines = append(lines, protocols.Line{Kind: protocols.KindOf(u), Text: path.Base(link), Link: u})
			}
			return listing(u, protocols.LayoutDirectory, lines...), nil
		case addr == "gone:21":
			asked.Add(1)
			return nil, &protocols.Error{Reason: protocols.Refused, Op: "connect to gone:21"}
		case addr == "asks:25":
			return nil, &protocols.Confirm{URL: u, Consent: protocols.ConsentPort, Question: "Send this anyway"}
		}
		return document(u, u.String()), nil
	})
	s, paths := saveTree(t, &Manager{Fetcher: f}, root, filepath.Join(t.TempDir(), "saved"))
	fetchtest.EqualSlices(t, paths, []string{"f.txt", "ftp.txt", "g.txt"}, "saved files")
	left := leftOutTexts(&s)
	slices.Sort(left)
	const down = "Could not connect to gone:21: connection refused"
	fetchtest.EqualSlices(t, left, []string{
		"0d.txt: it is on another server", "1: " + down, "2: " + down, "3: " + down, "4: " + down, ";type=d: it is on another server",
		"c.txt: not confirmed: Send this anyway", "e.txt: it is on another server",
	}, "items left out")
	if n := asked.Load(); n > defaultPerServer {
		t.Errorf("the server that is down got %d requests, want at most %d", n, defaultPerServer)
	}
}

// TestUpdateKeepsListed checks that a mirror with Delete keeps local items that the server lists or may have, even
// if they cannot be saved.
func TestUpdateKeepsListed(t *testing.T) {
	root := urlcore.Prospero{HostPort: urlcore.HostPort{Host: "p"}, Object: "dir"}
	at := func(link string) protocols.Line {
		u := fetchtest.Parse(t, link)
		return protocols.Line{Kind: protocols.KindOf(u), Text: path.Base(link), Link: u}
	}
	loop := protocols.Line{Kind: protocols.Directory, Text: "loop", Link: urlcore.Prospero{HostPort: root.HostPort, Object: "dir/loop"}}
	for _, tt := range []struct {
		name     string
		line     protocols.Line
		identity string
		kept     []string
	}{
		{"all is saved", protocols.Line{Kind: protocols.Info, Text: "Hello"}, "", nil},
		{"a document of another server", at("prospero://other/gone"), "", []string{"gone"}},
		{"another scheme", at("gopher://g/0gone"), "", []string{"gone"}},
		{"another scheme without a name", at("telnet://g/"), "", []string{"gone", "loop", "loop/gone"}},
		{
			"a directory of another server",
			protocols.Line{Kind: protocols.Directory, Text: "loop", Link: fetchtest.Parse(t, "ftp://b/loop;type=d")},
			"",
			[]string{"loop", "loop/gone"},
		},
		{"a line that is not understood", protocols.Line{Kind: protocols.Problem, Text: "what"}, "", []string{"gone", "loop", "loop/gone"}},
		{"a part that cannot be listed", protocols.Line{Kind: protocols.Failure, Text: "Union p:a"}, "", []string{"gone", "loop", "loop/gone"}},
		{"a link to a parent", loop, "1", []string{"loop", "loop/gone"}},
		{"a directory that may be a parent", loop, "", []string{"loop", "loop/gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
				if u == root || u == loop.Link {
					res := listing(u, protocols.LayoutDirectory, at("prospero://p/a"), tt.line)
					res.Identity = tt.identity
					return res, nil
				}
				return document(u, "a"), nil
			})
			dir := t.TempDir()
			fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "loop"), 0o700))
			for _, name := range []string{"gone", "loop/gone"} {
				fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
			}
			saveTree(t, &Manager{Fetcher: f}, root, dir, func(r *Request) { r.Mirror = &UpdateOptions{Delete: true} })
			var kept []string
			for _, name := range []string{"gone", "loop", "loop/gone"} {
				if exists(filepath.Join(dir, name)) {
					kept = append(kept, name)
				}
			}
			fetchtest.EqualSlices(t, kept, tt.kept, "kept items")
		})
	}
}

// TestEndlessTree checks that trees with endless directories, or with links to parents, end.
func TestEndlessTree(t *testing.T) {
	dir := func(u urlcore.URL, name string) protocols.Line {
		f := u.(urlcore.FTP)
		return protocols.Line{
			Kind: protocols.Directory, Text: name, Link: ftpItem(t, append(f.CWDs(), f.Name()), name, 'd'),
			Note: &protocols.FileNote{Size: -1},
		}
	}
	file := func(u urlcore.URL, name string) protocols.Line {
		f := u.(urlcore.FTP)
		return protocols.Line{
			Kind: protocols.Binary, Text: name, Link: ftpItem(t, append(f.CWDs(), f.Name()), name, 0),
			Note: &protocols.FileNote{Size: 1},
		}
	}
	up := func(u urlcore.URL) []protocols.Line { return []protocols.Line{dir(u, "up"), file(u, "f")} }
	root := ftpItem(t, nil, "d", 'd')
	n := 0
	for _, tt := range []struct {
		name     string
		list     func(u urlcore.URL) []protocols.Line
		identity func(u urlcore.URL) string
		files    int
		notes    []string
		left     []string
		err      string
	}{
		{"deep", func(u urlcore.URL) []protocols.Line {
			n++
			return []protocols.Line{dir(u, fmt.Sprint("d", n)), file(u, "f")}
		}, nil, 6, nil, []string{"d1/d2/d3/d4/d5/d6: it is deeper than the limit of levels"}, "1 of 7 items"},
		{
			"a link back up", up, func(urlcore.URL) string { return "unique 1" }, 1,
			[]string{`not saved twice: "up": it is a link to a parent directory`},
			nil, "",
		},
		{
			"a link back up, and a server that does not identify directories", up, func(urlcore.URL) string { return "" }, 1, nil,
			[]string{"up: it may be a link to a parent directory: the listings are equal"},
			"1 of 2 items",
		},
		{
			"a link back up, and a server that knows no links", up, urlcore.URL.String, 6, nil,
			[]string{"up/up/up/up/up/up: it is deeper than the limit of levels"},
			"1 of 7 items",
		},
		{"directories that are alike", func(u urlcore.URL) []protocols.Line {
			if strings.HasSuffix(u.String(), "/d/n/n/n/n;type=d") {
				return []protocols.Line{file(u, "f")}
			}
			return []protocols.Line{dir(u, "n")}
		}, urlcore.URL.String, 1, nil, nil, ""},
		{"wide", func(u urlcore.URL) (lines []protocols.Line) {
			for i := range 102 {
				lines = append(lines, file(u, fmt.Sprint(i)))
			}
			return lines
		}, nil, 0, nil, nil, "there are more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				u := req.URL
				if protocols.KindOf(u) != protocols.Directory {
					return document(u, "x"), nil
				}
				res := listing(u, protocols.LayoutDirectory, tt.list(u)...)
				if req.Identity {
					res.Identity = tt.identity(u)
				}
				return res, nil
			})
			s, paths := saveTree(t, &Manager{Fetcher: f, Depth: 5, maxFiles: 100}, root, filepath.Join(t.TempDir(), "saved"))
			if len(paths) != tt.files || !slices.Equal(s.Notes, tt.notes) || !slices.Equal(leftOutTexts(&s), tt.left) {
				t.Errorf("got %d files, notes %q, left out %q; want %d, %q, %q", len(paths), s.Notes, leftOutTexts(&s), tt.files, tt.notes, tt.left)
			}
			if (s.Err != nil) != (tt.err != "") || s.Err != nil && !strings.Contains(s.Err.Error(), tt.err) {
				t.Errorf("got the error %v, want one with %q", s.Err, tt.err)
			}
		})
	}
}

// TestNoTree checks that only directories, and menus of Gopher servers, are saved as trees.
func TestNoTree(t *testing.T) {
	for _, root := range []string{"file:///d/gophermap", "http://h/gophermap", "gemini://h/gophermap", "ftp://h/gophermap"} {
		f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			item := protocols.Line{Kind: protocols.Text, Text: "A", Link: fetchtest.Parse(t, "gopher://h/0a")}
			return listing(u, protocols.LayoutMenu, item, protocols.Line{Kind: protocols.Text, Text: "B", Link: u}), nil
		})
		s, paths := saveTree(t, &Manager{Fetcher: f}, fetchtest.Parse(t, root), filepath.Join(t.TempDir(), "saved"))
		if !errors.Is(s.Err, ErrNoTree) || len(paths) > 0 {
			t.Errorf("the menu %s: got the error %v and the files %q, want ErrNoTree", root, s.Err, paths)
		}
	}
}

// TestTreeLinks checks that links in the local directory are not followed.
func TestTreeLinks(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		switch u {
		case root:
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Directory, Link: ftpItem(t, []string{"d"}, "sub", 'd')},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "file", 0), Note: &protocols.FileNote{Size: -1}}), nil
		case ftpItem(t, []string{"d"}, "sub", 'd'):
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d", "sub"}, "f", 0)}), nil
		}
		return document(u, "x"), nil
	})
	for _, name := range []string{"sub", "file", "file.part"} {
		t.Run(name, func(t *testing.T) {
			outside, saved := t.TempDir(), filepath.Join(t.TempDir(), "saved")
			target := outside
			if name != "sub" {
				target = filepath.Join(outside, "mine")
				fetchtest.NoError(t, os.WriteFile(target, []byte("mine"), 0o600))
			}
			fetchtest.NoError(t, errors.Join(os.Mkdir(saved, 0o700), os.Symlink(target, filepath.Join(saved, name))))
			s, _ := saveTree(t, &Manager{Fetcher: f}, root, saved, withOverwrite)
			if (s.Err == nil) != (name == "file.part") {
				t.Errorf("download ended with the error %v", s.Err)
			}
			if name == "sub" {
				if left, _ := os.ReadDir(outside); len(left) > 0 {
					t.Errorf("download saved files outside its directory: %v", left)
				}
			} else if b, err := os.ReadFile(target); string(b) != "mine" {
				t.Errorf("target of the link: got %q (error %v), want %q", b, err, "mine")
			}
		})
	}
}

// TestMirrorLinks replaces a directory of a mirror by a link before or during an update, and checks that nothing is
// written through the link.
func TestMirrorLinks(t *testing.T) {
	for _, options := range []struct {
		name   string
		change func(*Request)
	}{{"continue", withContinue}, {"overwrite", withOverwrite}, {"mirror", func(r *Request) { r.Mirror = &UpdateOptions{} }}} {
		for _, there := range []string{"", "gophermap=mine", "a=mine"} {
			for _, during := range []string{"", "/a", "/s/a", "/s/b"} {
				t.Run(strings.Join([]string{options.name, there, during}, " "), func(t *testing.T) {
					dir, outside := filepath.Join(t.TempDir(), "m"), t.TempDir()
					swap := func() {
						sub := filepath.Join(dir, "sub")
						fetchtest.NoError(t, errors.Join(os.RemoveAll(sub), os.Symlink(outside, sub)))
					}
					menus := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
						switch g := u.(urlcore.Gopher); {
						case g.Type == '1' && g.Selector == "":
							return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "/a")}, protocols.Line{
								Text: "sub", Link: gopherAt('1', "/s"),
							}), nil
						case g.Type == '1':
							return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "/s/a")}, protocols.Line{
								Text: "b", Link: gopherAt('0', "/s/b"),
							}), nil
						case g.Selector == during:
							swap()
						}
						return document(u, "new"), nil
					})
					if during == "" {
						saveTree(t, &Manager{Fetcher: menus, Delay: 1}, gopherAt('1', ""), dir)
						swap()
					}
					want := []string(nil)
					if there != "" {
						writeFiles(t, outside, there)
						want = []string{there}
					}
					s, _ := saveTree(t, &Manager{Fetcher: menus, Delay: 1}, gopherAt('1', ""), dir, options.change)
					fetchtest.EqualSlices(t, dirState(t, outside), want, "target of the link")
					if s.Err == nil {
						t.Error("the update had no error")
					}
					if during == "" && !slices.ContainsFunc(s.LeftOut, func(l mirror.LeftOut) bool { return l.Path == "sub/gophermap" }) {
						t.Errorf("the menu is not among the items left out: %q (error %v)", leftOutTexts(&s), s.Err)
					}
				})
			}
		}
	}
}

// TestTreeCanceled counts a tree, and cancels it while it is saved. It checks that no files are left.
func TestTreeCanceled(t *testing.T) {
	for _, root := range []urlcore.URL{ftpItem(t, nil, "d", 'd'), urlcore.Prospero{HostPort: urlcore.HostPort{Host: "p"}, Object: "d"}} {
		synctest.Test(t, func(t *testing.T) { cancelTree(t, root) })
	}
}

func cancelTree(t *testing.T, root urlcore.URL) {
	t.Helper()
	f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		if u == root {
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "whole", 0)},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "stalls", 0)}), nil
		}
		if strings.HasSuffix(u.String(), "stalls") {
			return fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "some").Fetch(ctx, req)
		}
		return document(u, "some"), nil
	})
	dir := t.TempDir()
	m := &Manager{Fetcher: f, Folder: dir}
	defer m.Close()
	it, _ := m.Add(Request{URL: root, Tree: true, CountOnly: true})
	if s := it.Wait(); s.State != Counted || s.TotalFiles != 2 {
		t.Fatalf("got state %d, %d files, error %v; want Counted (%d), 2 files", s.State, s.TotalFiles, s.Err, Counted)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("counting made the files %v", left)
	}
	it.Resume()
	synctest.Wait()
	if s := it.Status(); s.State != Running || s.Files != 1 {
		t.Errorf("after Resume: state %d, %d files; want Running (%d), 1 file", s.State, s.Files, Running)
	}
	fetchtest.Equal(t, it.CreatedFiles(), 1, "CreatedFiles")
	it.Cancel()
	if s := it.Wait(); s.State != Removed {
		t.Errorf("after Cancel: state %d, error %v; want Removed (%d)", s.State, s.Err, Removed)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files left after Cancel: %v", left)
	}
}

// TestMirrorBounds checks that a mirror stays on its server and below its menu, sends one request at a time
// with a delay, and ends at the quota.
func TestMirrorBounds(t *testing.T) {
	at := func(typ byte, host, selector string) urlcore.URL {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: host}, Selector: selector}
	}
	line := func(u urlcore.URL) protocols.Line {
		return protocols.Line{Kind: protocols.KindOf(u), Text: path.Base(u.(urlcore.Gopher).Selector), Link: u}
	}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asked []string
		var last time.Time
		f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			mu.Lock()
			defer mu.Unlock()
			if now := time.Now(); now.Sub(last) < time.Second {
				t.Errorf("%s was requested %v after the last request, want at least 1 s", u, now.Sub(last))
			}
			last = time.Now()
			asked = append(asked, u.String())
			if u == at('1', "h", "/top") {
				return listing(
					u, protocols.LayoutMenu, protocols.Line{Text: "Hello\tthere"}, line(at('0', "h", "/top/a.txt")),
					line(at('0', "h", "/top/a.txt")), line(at('9', "h", "/top/a.txt")), line(at('1', "h", "/top/")),
					line(at('1', "h", "/")), line(at('0', "other", "/top/b")), line(at('7', "h", "/top/find")),
					line(at('1', "h", "/top/sub")), line(at('0', "h", "/top/../../etc/passwd")),
					line(at('0', "h", "/top/gophermap")), protocols.Line{Text: "news", Link: urlcore.News{Group: "a.b"}},
					protocols.Line{Text: "more", Link: urlcore.News{Group: "c.d"}}, protocols.Line{Text: "mail", Link: urlcore.Mailto{Address: "a@h"}},
				), nil
			}
			if u == at('1', "h", "/top/sub") {
				return listing(u, protocols.LayoutMenu, line(at('1', "h", "/top")), line(at('0', "h", "/top/sub/c"))), nil
			}
			return document(u, strings.Repeat("x", 100)), nil
		})
		dir := t.TempDir()
		s, paths := saveTree(t, &Manager{Fetcher: f, Delay: time.Second}, at('1', "h", "/top"), filepath.Join(dir, "m"), withNoParent)
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		fetchtest.EqualSlices(t, paths, []string{"a.txt", "gophermap", "gophermap(1)", "passwd", "sub/c", "sub/gophermap"}, "saved files")
		only := "only linked: 1 item on other servers (other:70), 3 items that name no server (mailto: and news:), 1 item outside this menu, 1 search or form"
		fetchtest.EqualSlices(t, s.Notes, []string{only}, "notes")
		b, _ := os.ReadFile(filepath.Join(dir, "m", "gophermap"))
		for _, line := range []string{
			"iHello there\tfake\t(NULL)\t0\n", "\t/a.txt\n", "1top\t/\n", "1/\t/\th\t70\n", "0b\t/top/b\tother\t70\n",
			"7find\t/top/find\th\t70\n", "1sub\t/sub\n", "\t/gophermap(1)\n",
		} {
			if !strings.Contains(string(b), line) {
				t.Errorf("gophermap lacks %q:\n%s", line, b)
			}
		}
		for _, u := range asked {
			if !strings.HasPrefix(u, "gopher://h/") || strings.Contains(u, "find") || u == "gopher://h/1/" {
				t.Errorf("%s was requested, though it does not belong to the mirror", u)
			}
		}
		edited := filepath.Join(dir, "m", "gophermap")
		fetchtest.NoError(t, os.WriteFile(edited, []byte("my own\n"), 0o600))
		time.Sleep(time.Second) // the delay before the next request
		m := &Manager{Fetcher: f, Delay: time.Second}
		it, _ := m.Add(Request{URL: at('1', "h", "/top"), Path: filepath.Join(dir, "m"), Tree: true, Continue: true, NoParent: true})
		s = it.Wait()
		m.Close()
		if b, _ := os.ReadFile(edited); string(b) != "my own\n" || s.Err != nil {
			t.Errorf("after an update: edited menu %q, error %v; want %q, no error", b, s.Err, "my own\n")
		}
		fetchtest.EqualSlices(
			t, s.Notes, []string{only, `not replaced: "gophermap": it was changed here; remove it to get the new menu`},
			"notes",
		)
		s, _ = saveTree(t, &Manager{Fetcher: f, Delay: time.Second, Quota: 150}, at('1', "h", "/top"), filepath.Join(dir, "n"), withNoParent)
		if s.Err == nil || !strings.Contains(s.Err.Error(), "quota") {
			t.Errorf("got the error %v, want one with \"quota\"", s.Err)
		}
	})
}

func withNoParent(r *Request) { r.NoParent = true }

// TestMirrorSkipsFailures checks that a failure of one item does not end the mirror.
func TestMirrorSkipsFailures(t *testing.T) {
	at := func(selector string) urlcore.URL {
		return urlcore.Gopher{Type: '0', HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
	}
	top := urlcore.Gopher{Type: '1', HostPort: urlcore.HostPort{Host: "h"}}
	menu := func(selectors ...string) func(u urlcore.URL) *protocols.Resource {
		var lines []protocols.Line
		for _, s := range selectors {
			lines = append(lines, protocols.Line{Text: s, Link: at(s)})
		}
		return func(u urlcore.URL) *protocols.Resource { return listing(u, protocols.LayoutMenu, lines...) }
	}
	fails := map[string]protocols.Reason{"/nul": protocols.BadURL, "/none": protocols.NotFound, "/slow": protocols.IdleTimeout}
	save := func(t *testing.T, menu func(urlcore.URL) *protocols.Resource) (s Status, paths []string, asked int) {
		f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			if u == top {
				return menu(u), nil
			}
			asked++
			name := u.(urlcore.Gopher).Selector
			reason, ok := fails[name]
			if strings.HasPrefix(name, "/broken") {
				reason, ok = protocols.Broken, true
			}
			if ok {
				return nil, &protocols.Error{Reason: reason, Op: "open " + name}
			}
			return document(u, name), nil
		})
		s, paths = saveTree(t, &Manager{Fetcher: f, Delay: 1}, top, filepath.Join(t.TempDir(), "m"))
		return s, paths, asked
	}
	s, paths, _ := save(t, menu("/nul", "/a", "/none", "/broken", "/slow", "/b", "/broken2", "/gophermap.part", "/c"))
	fetchtest.EqualSlices(t, paths, []string{"a", "b", "c", "gophermap", "gophermap.part_"}, "saved files")
	if s.State != Failed || !strings.Contains(s.Err.Error(), "5 of 9 items were not saved") {
		t.Errorf("got state %d, error %v; want Failed (%d), 5 of 9 items left out", s.State, s.Err, Failed)
	}
	if s, _, asked := save(t, menu("/broken1", "/broken2", "/broken3", "/a", "/b")); s.State != Failed || asked != maxBreaks {
		t.Errorf("mirror ended after %d requests in state %d, error %v; want %d requests, Failed (%d)", asked, s.State, s.Err, maxBreaks, Failed)
	}
}
