package download_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/wire"
	"gofer/nav"
	"gofer/protocols"
	"gofer/protocols/external"
	"gofer/protocols/file"
	"gofer/protocols/ftp"
	"gofer/protocols/gopher"
	"gofer/protocols/nfs"
	"gofer/urlcore"
)

var parse = fetchtest.Parse

// saveTree saves the tree of u in the new directory dir.
func saveTree(t *testing.T, m *download.Manager, u urlcore.URL, dir string) download.Status {
	t.Helper()
	defer m.Close()
	it, _ := m.Add(download.Request{URL: u, Path: dir, Tree: true})
	return it.Wait()
}

// compareDirs checks that the directories got and want have the same files with the same dates. The parameter
// renamed maps paths in want to other paths in got, or to "" for items that got does not have.
func compareDirs(t *testing.T, got, want string, renamed map[string]string) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(want, path)
		if err != nil {
			return err
		}
		name, ok := renamed[rel]
		if !ok {
			name = rel
		} else if name == "" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		at := filepath.Join(got, name)
		seen[name] = true
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		gotInfo, err := os.Lstat(at)
		if err != nil {
			t.Errorf("%q is not saved as %q: %v", rel, name, err)
			return nil
		}
		if d.IsDir() || info.IsDir() {
			return nil
		}
		a, errA := os.ReadFile(path)
		b, errB := os.ReadFile(at)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%q: got %d octets (error %v), want other content of %d octets (error %v)", rel, len(b), errB, len(a), errA)
		}
		if !gotInfo.ModTime().Equal(info.ModTime().Truncate(time.Second)) {
			t.Errorf("%q: got the date %v, want %v", rel, gotInfo.ModTime(), info.ModTime())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = filepath.WalkDir(got, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(got, path); !seen[rel] && rel != mirror.IndexName {
			t.Errorf("%s has the unexpected item %q", got, rel)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSaveTreeFromServers saves the trees of real FTP servers twice. It checks that no file is fetched the second
// time, except in directories with links or with files that the server refuses.
func TestSaveTreeFromServers(t *testing.T) {
	t.Parallel()
	for _, d := range realserver.FTPDaemons() {
		s := d.Start(t)
		control, names := map[string]string{"tab\there.txt": "tab here.txt", "esc\x1b[31mred.txt": "esc_[31mred.txt"}, map[string]string(nil)
		if s.Name == "pure-ftpd" { // pure-ftpd hides names with control characters, and sends no file whose name has a backslash
			control, names = map[string]string{"tab\there.txt": "", "esc\x1b[31mred.txt": ""}, map[string]string{`back\slash.txt`: ""}
		}
		for dir, renamed := range map[string]map[string]string{
			"pub/text": nil, "pub/deep": nil, "pub/media": nil, "pub/empty": nil, "pub/names": names,
			"pub/latin1":  {"gr\xfc\xdfe.txt": "grüße.txt"},
			"pub/control": control,
			"pub/links":   {"to-dir": "", "dangling": ""},
		} {
			t.Run(d.Name+"/"+dir, func(t *testing.T) {
				t.Parallel()
				table := protocols.Registry{d.Scheme: newFTPClient(t, s)}
				saveTwice(t, s, table, parse(t, d.Scheme+"://"+s.Addr+"/"+dir+";type=d"), dir, renamed)
			})
		}
	}
}

// TestSaveTreeFromGanesha is like TestSaveTreeFromServers, for NFS.
func TestSaveTreeFromGanesha(t *testing.T) {
	t.Parallel()
	s := realserver.Ganesha(t)
	for dir, renamed := range map[string]map[string]string{
		"pub/names":     nil,
		"pub/media":     nil,
		"pub/latin1":    {"gr\xfc\xdfe.txt": "grüße.txt"},
		"pub/control":   {"tab\there.txt": "tab here.txt", "esc\x1b[31mred.txt": "esc_[31mred.txt"},
		"pub/line-ends": {"new\nline.txt": "new_line.txt", "carriage\rreturn.txt": "carriage_return.txt"},
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			c := new(nfs.Client)
			t.Cleanup(func() { _ = c.Close() })
			saveTwice(t, s, protocols.Registry{"nfs": c}, parse(t, "nfs://"+s.Addr+s.Root+"/"+dir+"/"), dir, renamed)
		})
	}
}

// TestEqualListings checks that nested directories with equal listings are all saved.
func TestEqualListings(t *testing.T) {
	save := func(t *testing.T, f protocols.Fetcher, url, want string) {
		root := filepath.Join(t.TempDir(), "saved")
		st := saveTree(t, &download.Manager{Fetcher: f}, parse(t, url), root)
		if st.Err != nil || len(st.Notes) > 0 {
			t.Errorf("download ended with error %v, notes %q, left out %v; want none", st.Err, st.Notes, st.LeftOut)
		}
		compareDirs(t, root, want, nil)
	}
	for _, d := range realserver.FTPDaemons()[:3] { // TLS makes no difference
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			save(t, protocols.Registry{d.Scheme: newFTPClient(t, s)}, d.Scheme+"://"+s.Addr+"/pub/alike;type=d", filepath.Join(s.Root, "pub/alike"))
		})
	}
	t.Run("loopback", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "pub/n/n/n/n/file.txt")
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("deep"), 0o600)))
		for name := file; name != dir; name = filepath.Dir(name) {
			fetchtest.NoError(t, os.Chtimes(name, time.Time{}, time.Unix(1_700_000_000, 0)))
		}
		s := fetchtest.Must(demo.StartFTP(afero.NewBasePathFs(afero.NewOsFs(), dir)))(t)
		defer s.Close()
		c := new(ftp.Client)
		defer c.Close()
		save(t, protocols.Registry{"ftp": c}, "ftp://"+s.Addr()+"/pub;type=d", filepath.Join(dir, "pub"))
	})
}

// TestServerLoops checks that links to parent directories are not followed, and that the notes or the items left out name these links.
func TestServerLoops(t *testing.T) {
	check := func(t *testing.T, c protocols.Fetcher, u, dir string) {
		root := filepath.Join(t.TempDir(), "saved")
		st := saveTree(t, &download.Manager{Fetcher: c}, parse(t, u), root)
		compareDirs(t, root, filepath.Join(dir, "pub/loops"), map[string]string{"a/self": "", "a/up": "", "a/out": ""})
		texts := strings.ReplaceAll(strings.Join(st.Notes, "\n"), `"`, "")
		for _, left := range st.LeftOut {
			texts += "\n" + left.String()
		}
		for _, name := range []string{"a/self", "a/up", "a/out"} {
			fetchtest.Contains(t, texts, name+": it is a", "notes and items left out: text about %s", name)
		}
		if st.Err == nil {
			t.Error("download ended without an error, though the target of a/out is not saved")
		}
	}
	for _, d := range realserver.FTPDaemons()[:3] { // TLS makes no difference
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			check(t, newFTPClient(t, s), d.Scheme+"://"+s.Addr+"/pub/loops;type=d", s.Root)
		})
	}
	t.Run("ganesha", func(t *testing.T) {
		s, c := realserver.Ganesha(t), new(nfs.Client)
		defer c.Close()
		check(t, c, "nfs://"+s.Addr+s.Root+"/pub/loops/", s.Root)
		check(t, new(file.Client), "file://"+s.Root+"/pub/loops/", s.Root)
		check(t, &external.Client{Files: new(file.Client), AFS: s.Root + "/pub"}, "afs://loops", s.Root)
	})
}

func newFTPClient(t *testing.T, s *realserver.Server) *ftp.Client {
	c := &ftp.Client{Dialer: wire.Dialer{TLS: wire.TLS{Roots: s.Roots()}}}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// saveTwice saves u, which is the directory dir of s.
func saveTwice(t *testing.T, s *realserver.Server, table protocols.Registry, u urlcore.URL, dir string, renamed map[string]string) {
	root := filepath.Join(t.TempDir(), "saved")
	st := saveTree(t, &download.Manager{Fetcher: table}, u, root)
	refused := renamed != nil && (dir == "pub/names" || dir == "pub/links")
	if refused != (st.Err != nil) || refused && len(st.LeftOut) != len(renamed) {
		t.Fatalf("download ended with error %v, left out %v; want an error: %v", st.Err, st.LeftOut, refused)
	}
	compareDirs(t, root, filepath.Join(s.Root, dir), renamed)
	for _, left := range st.LeftOut {
		if want, ok := renamed[left.Path]; !ok || want != "" {
			t.Errorf("unexpected item left out: %s", left)
		}
	}
	var fetched atomic.Int32
	again := countingFetcher{table, func(u urlcore.URL) {
		if protocols.KindOf(u) != protocols.Directory {
			fetched.Add(1)
		}
	}}
	m := &download.Manager{Fetcher: again}
	defer m.Close()
	it, _ := m.Add(download.Request{URL: u, Path: root, Tree: true, Continue: true})
	if st := it.Wait(); refused != (st.Err != nil) || dir != "pub/links" && !refused && fetched.Load() > 0 {
		t.Errorf("second download fetched %d files and ended with error %v; want no files, an error: %v", fetched.Load(), st.Err, refused)
	}
}

// countingFetcher calls onFetch for each fetched URL.
type countingFetcher struct {
	protocols.Registry
	onFetch func(urlcore.URL)
}

func (c countingFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	c.onFetch(req.URL)
	return c.Registry.Fetch(ctx, req)
}

// TestMirror mirrors real Gopher servers and serves the mirrors. It checks that each item of a server leads to
// the same octets in the mirror.
func TestMirror(t *testing.T) {
	for _, s := range []*realserver.Server{realserver.Gophernicus(t), realserver.Pygopherd(t)} {
		t.Run(s.Name, func(t *testing.T) {
			table := fetcherWithoutMany{protocols.Registry{"gopher": &gopher.Client{}}}
			root := filepath.Join(t.TempDir(), "saved")
			st := saveTree(t, &download.Manager{Fetcher: table, Delay: 1}, parse(t, "gopher://"+s.Addr+"/1"), root)
			if len(st.LeftOut) != 1 || strings.Trim(st.LeftOut[0].URL.(urlcore.Gopher).Selector, "/") != "many" {
				t.Fatalf("mirror ended with error %v, left out %v; want only \"many\" left out", st.Err, st.LeftOut)
			}
			mirror := realserver.GophernicusWith(t, s.Name, func(to string) error { return os.CopyFS(to, os.DirFS(root)) })
			got, want := walkMenus(t, table, mirror.Addr), walkMenus(t, table, s.Addr)
			if len(want) < 20 {
				t.Errorf("server has %d items, want at least 20", len(want))
			}
			for path, wantItem := range want {
				if strings.Contains(path, "long-lines") || strings.Contains(path, "latin1") {
					continue // gophernicus cuts lines, and converts other charsets to UTF-8
				}
				if gotItem, ok := got[path]; !ok || gotItem != wantItem {
					t.Errorf("item %s: got %.300q (in the mirror: %v), want %.300q", path, gotItem, ok, wantItem)
				}
			}
			for path := range got {
				if _, ok := want[path]; !ok {
					t.Errorf("mirror has %s, which the server does not have", path)
				}
			}
		})
	}
}

// fetcherWithoutMany refuses the directory with a thousand items, because fetching them is slow.
type fetcherWithoutMany struct{ protocols.Registry }

func (f fetcherWithoutMany) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if g, ok := req.URL.(urlcore.Gopher); ok && strings.HasPrefix(g.Selector, "/many") {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch " + req.URL.String()}
	}
	return f.Registry.Fetch(ctx, req)
}

// walkMenus returns the content of all items of a Gopher server. The key of an item has the types and texts of the
// items that lead to it. The content of a menu is its links to other servers and to searches. The directory
// with a thousand items is left out.
func walkMenus(t *testing.T, f protocols.Fetcher, addr string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	seen := make(map[urlcore.URL]bool)
	var visit func(path string, u urlcore.URL)
	visit = func(path string, u urlcore.URL) {
		g := u.(urlcore.Gopher)
		if g.Selector = strings.TrimRight(g.Selector, "/"); seen[g] {
			return
		}
		seen[g] = true
		l := nav.Open(t.Context(), f, protocols.Request{URL: u})
		defer l.Cancel()
		head, err := l.Wait()
		if err != nil {
			t.Errorf("item %s: opening %s: %v", path, u, err)
			return
		}
		if head.Layout.IsDocument() {
			var b strings.Builder
			if _, err := l.Save(&b); err != nil {
				t.Errorf("item %s: reading %s: %v", path, u, err)
			}
			all[path] = strings.ReplaceAll(b.String(), "\r\n", "\n") // gophernicus changes line ends
			return
		}
		for {
			lines, err := l.Next()
			if err != nil {
				break
			}
			for _, line := range lines.All(0) {
				to, ok := line.Link.(urlcore.Gopher)
				switch kind := protocols.KindOf(line.Link); {
				case line.Link == nil, ok && strings.HasPrefix(to.Selector, "/many"):
				case !ok || to.Addr() != addr || kind == protocols.Search:
					all[path] += line.Link.String() + "\n"
				default:
					visit(path+"/"+string(rune(to.Type))+line.Text, to)
				}
			}
		}
	}
	visit("", parse(t, "gopher://"+addr+"/1"))
	return all
}

// TestPauseWithServers pauses and resumes a transfer from real servers many times.
func TestPauseWithServers(t *testing.T) {
	t.Parallel()
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			s := d.Start(t)
			m := &download.Manager{Fetcher: protocols.Registry{d.Scheme: newFTPClient(t, s)}, Folder: t.TempDir(), Rate: 200 << 20}
			defer m.Close()
			it, _ := m.Add(download.Request{URL: parse(t, d.Scheme+"://"+s.Addr+"/pub/large/50MB.bin")})
			for _, moment := range []int64{1 << 20, 20 << 20, 35 << 20} {
				for st := it.Status(); st.Received < moment; st = it.Status() {
					if st.State.IsIdle() {
						t.Fatalf("download ended in state %d after %d octets, error %v", st.State, st.Received, st.Err)
					}
					time.Sleep(time.Millisecond)
				}
				it.Pause()
				if st := it.Wait(); st.State != download.Paused && st.State != download.Saved {
					t.Fatalf("after Pause: state %d, error %v; want Paused (%d) or Saved (%d)", st.State, st.Err, download.Paused, download.Saved)
				}
				it.Resume()
			}
			st := it.Wait()
			if st.State != download.Saved || len(st.Notes) > 0 {
				t.Fatalf("download ended in state %d, error %v, notes %q; want Saved (%d) without notes", st.State, st.Err, st.Notes, download.Saved)
			}
			got, errGot := os.ReadFile(st.Path)
			want, errWant := os.ReadFile(filepath.Join(s.Root, "pub/large/50MB.bin"))
			if errGot != nil || errWant != nil || string(got) != string(want) {
				t.Errorf("got %d octets (error %v), want other content of %d octets (error %v)", len(got), errGot, len(want), errWant)
			}
		})
	}
}

// TestMirrorHostile saves menus with hostile titles. It checks that each item is one file below the directory,
// and that gophernicus, serving the mirror, answers each link with the octets of its item.
func TestMirrorHostile(t *testing.T) {
	titles := []string{
		"..", "../..", "../../etc/passwd", "/etc/passwd", "CON", "con", "nul.txt", "com1", "A", "a", "gophermap",
		"GopherMap", "gophermap.part", ".gofer-mirror.json",
		"caf\u00e9", "cafe\u0301", "x\u202egpj.exe", "\u2066x\u2069", "a\x1b[31mb", "a\x00b", "a\x07\x08b", "\xff\xfe",
		"\u009b31m", "", " ", "\u00a0", "x.part", "x", "x.part.info",
		"50%41 off?=1#2", "a+b&c;d", "a|b<c>d:e*f\"g", "a\\b", "=/bin/echo obeyed", "~", "-rf", "*", ".", "!x", "'x'",
		"$(id)", "`id`", "a.gophertag", "\ufeffx", "x ",
		strings.Repeat("t", 70_000), strings.Repeat("\u00fc", 600),
		"i" + strings.Repeat("b", 1021) + "=/bin/echo obeyed", strings.Repeat("c", 1022) + "=/bin/echo obeyed",
	}
	var lines []string
	for i, title := range titles {
		lines = append(lines, fmt.Sprintf("0%s\t0/d%d", title, i), fmt.Sprintf("1%s\t1/m%d", title, i), "i"+title+
			"\t\t\t", "3"+title+"\t\t\t", fmt.Sprintf("0%s\t0/x%d\tother.example\t70", title, i))
	}
	for _, selector := range []string{
		"0/../../a", "0/x/.hidden", "0/x/gophermap", "0/" + strings.Repeat("s", 400), "0/#%41?", "9CON", "9URL/x",
	} {
		lines = append(lines, "0Title\t"+selector, "0\t"+selector+"2", "0Far\t"+selector+"\tother.example\t70", "0Far\t"+
			selector+"\t"+strings.Repeat("h", 3000)+"\t70")
	}
	menus := map[string][]string{"": lines}
	for i := range titles {
		menus[fmt.Sprintf("1/m%d", i)] = []string{"0Same\t0/d" + fmt.Sprint(i), fmt.Sprintf("0%s\t0/n%d", titles[i], i)}
	}
	menu := "" // the menus are nested to DefaultDepth
	for i := range download.DefaultDepth + 1 {
		long := strings.Repeat("\u00fc", 200)
		menus[menu] = append(menus[menu], fmt.Sprintf("0%s.tar.gz\t0/deep%d", long, i))
		if next := fmt.Sprint("1/deep", i); i < download.DefaultDepth {
			menus[menu] = append(menus[menu], "1"+long+"\t"+next)
			menu = next
		}
	}
	s := startUMN(t, menus)
	dir := t.TempDir()
	root := filepath.Join(dir, "saved")
	st := saveTree(t, &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}, parse(t, s.URL()), root)
	fetchtest.NoError(t, st.Err)
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	fetchtest.Equal(t, len(entries), 1, "entries beside the mirror")
	seen := make(map[string]string)
	for path, text := range mirrorFiles(t, root) {
		if filepath.Base(path) == "gophermap" {
			continue
		}
		if other := seen[text]; other != "" {
			t.Errorf("document %q is saved twice, as %q and %q", text, other, path)
		}
		seen[text] = path
	}
	fetchtest.Equal(t, st.TotalFiles, len(seen), "number of documents")
	mirror := realserver.GophernicusWith(t, "This is", func(to string) error {
		return errors.Join(os.CopyFS(to, os.DirFS(root)), os.WriteFile(filepath.Join(to, "about.txt"), []byte("This is"), 0o644))
	})
	compareMenus(t, s.Addr(), mirror.Addr)
}

// TestMirrorServed saves items whose names have a meaning for servers. It checks that gophernicus and
// pygopherd, serving the mirror, answer each link with the octets of its item.
func TestMirrorServed(t *testing.T) {
	menus := map[string][]string{"": {"i\t\t\t", "0Caf\u00e9\t0/caf\u00e9", "3Closed\t\t\t"}}
	for _, name := range []string{
		"cgi-bin", "gophertag", "server-status", "server-status.html", "caps.txt", "x.cgi", "x.qry", "x.Q", "x.menu", "x.gophermap",
		"x.ask", "x.abstract", "x.tal", "x.pyg", "a..b.txt", "a....b", strings.Repeat("t", 118) + ".q " + strings.Repeat("t", 30),
	} {
		menus[""] = append(menus[""], "1"+name+"\t1/"+name, "0"+name+"\t0/"+name, "9"+name+"\t9/"+name)
		menus["1/"+name] = []string{"0" + name + "\t0/in/" + name, "i\t\t\t"}
	}
	s := startUMN(t, menus)
	root := filepath.Join(t.TempDir(), "saved")
	st := saveTree(t, &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}, parse(t, s.URL()), root)
	fetchtest.NoError(t, st.Err)
	fill := func(to string) error {
		return errors.Join(os.CopyFS(to, os.DirFS(root)), os.WriteFile(filepath.Join(to, "about.txt"), []byte("This is"), 0o644))
	}
	compareMenus(t, s.Addr(), realserver.GophernicusWith(t, "This is", fill).Addr)
	compareMenus(t, s.Addr(), realserver.PygopherdWith(t, fill).Addr)
}

// compareMenus checks that the links of a mirror lead to the same content as the links of its source.
func compareMenus(t *testing.T, source, mirror string) {
	t.Helper()
	table := protocols.Registry{"gopher": &gopher.Client{}}
	visited := make(map[urlcore.URL]bool)
	var visit func(was, is urlcore.Gopher)
	visit = func(was, is urlcore.Gopher) {
		if visited[was] {
			return
		}
		visited[was] = true
		if was.Type != '1' {
			a, b := fetchText(t, table, was), fetchText(t, table, is)
			if strings.ReplaceAll(b, "\r\n", "\n") != strings.ReplaceAll(a, "\r\n", "\n") {
				t.Errorf("content of %s: got %.60q, want %.60q as at %.60s", is, b, a, was)
			}
			return
		}
		from, to := ownLinks(t, table, was, source), ownLinks(t, table, is, mirror)
		if len(from) != len(to) {
			t.Errorf("menu %s: got %d links, want %d as in %s", is, len(to), len(from), was)
		}
		for i := range min(len(from), len(to)) {
			visit(from[i], to[i])
		}
	}
	at := func(addr string) urlcore.Gopher { return parse(t, "gopher://"+addr+"/1").(urlcore.Gopher) }
	visit(at(source), at(mirror))
}

// fetchText returns the octets of a document, or the text of the error.
func fetchText(t *testing.T, f protocols.Fetcher, u urlcore.URL) string {
	t.Helper()
	l := nav.Open(t.Context(), f, protocols.Request{URL: u})
	defer l.Cancel()
	var b strings.Builder
	if _, err := l.Wait(); err != nil {
		return err.Error()
	}
	if _, err := l.Save(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// ownLinks returns the links in a menu to the server at addr. It checks that the server did not run the command in a
// title.
func ownLinks(t *testing.T, f protocols.Fetcher, u urlcore.URL, addr string) (links []urlcore.Gopher) {
	t.Helper()
	l := nav.Open(t.Context(), f, protocols.Request{URL: u})
	defer l.Cancel()
	for {
		lines, err := l.Next()
		if err != nil {
			return links
		}
		for _, line := range lines.All(0) {
			if strings.Contains(line.Text, "obeyed") && !strings.Contains(line.Text, "/bin/echo") {
				t.Errorf("the server ran the command in a title: %q", line.Text)
			}
			if to, ok := line.Link.(urlcore.Gopher); ok && to.Addr() == addr {
				links = append(links, to)
			}
		}
	}
}
