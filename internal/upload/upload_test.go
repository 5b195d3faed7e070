package upload_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/mirror"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/upload"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

var long = time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC)

// write makes a file, and the directories above it, with a date and a mode.
func write(t *testing.T, path, content string, mode fs.FileMode, at time.Time) {
	t.Helper()
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fetchtest.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	fetchtest.NoError(t, os.Chmod(path, mode))
	fetchtest.NoError(t, os.Chtimes(path, at, at))
}

// hardTree makes a directory with names, modes and dates of all kinds.
func hardTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	names := append(realserver.OddNames(), "~x", "*", "gr\xfcn", "\xff", "a\xffb", strings.Repeat("m", 255), ".hidden", "a  b")
	for i, name := range names {
		for _, in := range []string{"", "sub", "sub/-d  e", "~h", "\xff\xfc"} {
			write(t, filepath.Join(dir, in, name), strings.Repeat(name, i*10), []fs.FileMode{0o644, 0o600, 0o755, 0o444}[i%4], long.Add(time.Duration(i)*time.Second))
		}
	}
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o755))
	fetchtest.NoError(t, os.Chmod(filepath.Join(dir, "sub"), 0o750))
	for _, d := range []string{"sub/-d  e", "sub", "~h", "empty", ""} {
		fetchtest.NoError(t, os.Chtimes(filepath.Join(dir, d), long, long))
	}
	return dir
}

// tree returns the octets, mode and date of everything in a directory.
func tree(t *testing.T, dir string, dates bool) map[string]string {
	t.Helper()
	items := make(map[string]string)
	fetchtest.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		fetchtest.NoError(t, err)
		info := fetchtest.Must(d.Info())(t)
		text := info.Mode().String()
		if dates || !d.IsDir() {
			text += " " + info.ModTime().UTC().Format(time.DateTime)
		}
		if info.Mode().IsRegular() {
			text += " " + string(fetchtest.Must(os.ReadFile(path))(t))
		}
		items[strings.TrimPrefix(path, dir)] = text
		return nil
	}))
	return items
}

func equalTrees(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path := range maps.Keys(got) {
		if _, ok := want[path]; !ok {
			t.Errorf("%q should not be there", path)
		}
	}
	for path, item := range want {
		if got[path] != item {
			t.Errorf("%q: got %.60q, want %.60q", path, got[path], item)
		}
	}
}

// server is a real one, with the directory of the user.
type server struct {
	protocols.Registry
	*ftp.Client
	url, home string
}

func (s server) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return s.Registry.Fetch(ctx, u)
}

func (s server) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	return s.Registry.Put(ctx, u, up)
}

func (s server) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	return s.Registry.Change(ctx, c)
}

func start(t *testing.T, d realserver.FTPDaemon) server {
	t.Helper()
	s := d.Start(t)
	c := &ftp.Client{PlainPasswords: true}
	t.Cleanup(func() { _ = c.Close() })
	fetchtest.NoError(t, os.RemoveAll(filepath.Join(s.Home, "notes", t.Name())))
	return server{protocols.Registry{"ftp": c}, c, "ftp://" + s.User + ":" + s.Password + "@" + s.Addr + "/notes/", filepath.Join(s.Home, "notes")}
}

func ftpURL(t *testing.T, s string) urlcore.FTP {
	t.Helper()
	return fetchtest.Must(urlcore.Parse(s))(t).(urlcore.FTP)
}

// store stores a directory and returns the tree after its end.
func store(t *testing.T, tr *upload.Tree) (*upload.Tree, error) {
	t.Helper()
	tr.Parallel = 2
	defer tr.Close()
	if err := tr.Plan(t.Context()); err != nil {
		return tr, err
	}
	return tr, tr.Run(t.Context())
}

// TestServers stores a directory with hard names at real servers, changes it, updates it, and
// removes it.
func TestServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := start(t, d), hardTree(t)
			to := filepath.Join(s.home, "tree")
			fetchtest.NoError(t, os.RemoveAll(to)) // of an earlier run with the same server
			u := ftpURL(t, s.url+"tree;type=d")
			want := tree(t, dir, d.Name != "vsftpd") // it does not set the dates of directories
			refused := func(path string) bool {
				name := filepath.Base(path)
				return d.Name == "pure-ftpd" && (strings.Trim(name, " ") != name || strings.Contains(name, `\`))
			}
			left := 0
			for path := range want {
				if refused(path) {
					delete(want, path)
					left++
				}
			}
			got := func() map[string]string {
				items := tree(t, to, d.Name != "vsftpd")
				for path := range items {
					if name := filepath.Base(path); d.Name == "pure-ftpd" && (name == "_leading.txt" || name == "trailing_") {
						delete(items, path) // what it makes of " leading.txt"
					}
				}
				return items
			}
			partial := func(err error) {
				t.Helper()
				if p, ok := errors.AsType[*mirror.PartialError](err); left > 0 && (!ok || len(p.LeftOut) != left) || left == 0 && err != nil {
					t.Errorf("got %v, want %d items left out", err, left)
				}
			}
			tr, err := store(t, &upload.Tree{Server: s, Dir: dir, URL: u})
			partial(err)
			for _, l := range tr.LeftOut() {
				if !refused(l.Path) {
					t.Error(l)
				}
			}
			equalTrees(t, got(), want)

			// Nothing is sent again.
			tr, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u, Update: true, DryRun: left > 0})
			if p := tr.Progress(); p.Unchanged == 0 || p.Modes > 0 || left == 0 && (err != nil || p.Files > 0) {
				t.Errorf("an update without a change: %+v, %v", p, err)
			}
			if _, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u}); left == 0 && !strings.Contains(fmt.Sprint(err), "items were not stored") {
				t.Errorf("without Force: %v", err)
			}
			equalTrees(t, got(), want)

			// What has changed is.
			write(t, filepath.Join(dir, "plain.txt"), "changed", 0o640, long)
			write(t, filepath.Join(dir, "new/one"), "1", 0o644, long)
			same := fetchtest.Must(os.ReadFile(filepath.Join(dir, "sub/12345")))(t)
			slices.Reverse(same)
			write(t, filepath.Join(dir, "sub/12345"), string(same), 0o755, long.Add(time.Hour))
			fetchtest.NoError(t, os.Remove(filepath.Join(dir, "-x")))
			fetchtest.NoError(t, os.RemoveAll(filepath.Join(dir, "sub/-d  e")))
			fetchtest.NoError(t, os.Symlink(dir, filepath.Join(to, "link")))
			tr, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u, Update: true, Delete: true})
			left = len(tr.LeftOut())
			partial(err)
			if p := tr.Progress(); left == 0 && p.Files != 3 {
				t.Errorf("after three changes: %+v", p)
			}
			want = tree(t, dir, false)
			after := tree(t, to, false)
			for path, item := range maps.Clone(want) {
				if !refused(path) {
					continue
				}
				delete(want, path)
				if kept := filepath.Dir(path) + "/" + strings.ReplaceAll(filepath.Base(path), " ", "_"); !strings.Contains(path, `\`) { // it may be what was sent
					kept = filepath.Clean(kept)
					_, content, _ := strings.Cut(item, " ")
					if !strings.HasSuffix(after[kept], content[len("2017-07-14 02:40:01"):]) {
						t.Errorf("%q: got %.60q, want the content of %q", kept, after[kept], path)
					}
					want[kept] = after[kept]
				}
			}
			equalTrees(t, after, want)

			outside := filepath.Join(s.home, "outside")
			write(t, filepath.Join(outside, "f"), "keep", 0o644, long)
			fetchtest.NoError(t, os.Symlink(outside, filepath.Join(to, "new/dirlink")))
			r, err := upload.ListRemoval(t.Context(), s, u)
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, r.Files+r.Dirs, len(want)+1, "items to be removed")
			fetchtest.NoError(t, r.Run(t.Context(), func(_ string, c *protocols.Change) error {
				_, err := s.Change(t.Context(), c)
				return err
			}))
			if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is still there: %v", err)
			}
			fetchtest.Equal(t, len(tree(t, outside, false)), 2, "what the link led to")
			fetchtest.NoError(t, os.RemoveAll(outside))
		})
	}
}

// memory is a server that keeps files in memory and loses the connection.
type memory struct {
	mu    sync.Mutex // held by the methods
	files map[string][]byte
	lose  func() bool // after some octets
	puts  int
	lists []string // the items of the directory d, those that end in a slash are directories
	deep  bool     // each directory has them
	part  bool     // the listing is not complete
	below []string // the items of the directory old
	acts  []string
	note  protocols.FileNote // of each item
	date  time.Time          // of each file, if it is asked for
	dates error              // of the attempts to set a date
	asked int                // how often a date was asked for

	refuse string            // a name that is not removed
	reason protocols.Reason  // of that; 0: Denied
	places map[string]string // the paths of directories by their names
	cut    int               // files to store in part, without an error
	noMake bool              // no directory is made
	fixed  bool              // nothing is renamed
	full   string            // a name that is stored in part, then refused
	hides  bool              // stored files are not listed
	block  int64             // the unit of the listed sizes; 0: 1
	noSize bool              // no size is told
	locked bool              // the directory with stored files is not listed
	checks int               // files that are stored with a check of the size
	modes  []string          // that were set
	ways   []string          // how files were stored
	lost   int               // attempts to break before anything is stored
	broken func()            // unless nil, is called at the end of an attempt that stores a part
}

func (m *memory) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lose() {
		return nil, &protocols.Error{Reason: protocols.Refused}
	}
	if protocols.WantsFacts(ctx) {
		m.asked++
		size := int64(-1)
		if stored, ok := m.files[u.(urlcore.FTP).FileName()]; ok && !m.noSize {
			size = int64(len(stored))
		}
		return &protocols.Resource{Head: protocols.Head{URL: u, Modified: m.date, Size: size}, Body: strings.NewReader(""), Closer: io.NopCloser(nil)}, nil
	}
	stored := slices.Sorted(maps.Keys(m.files))
	if m.locked && len(stored) > 0 {
		return nil, &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	if at := u.(urlcore.FTP); m.lists != nil || len(stored) > 0 {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory, Size: -1, Path: m.places[at.FileName()]}, Closer: io.NopCloser(nil),
			Lines: func(yield func(protocols.Line, error) bool) {
				lists, old := m.lists, at.FileName() == "old"
				if old {
					lists = m.below
				}
				for i, name := range slices.Concat(lists, stored) {
					if i >= len(lists) && (m.hides || slices.Contains(lists, name)) {
						continue
					}
					name, isDir := strings.CutSuffix(name, "/")
					note := m.note
					if stored, ok := m.files[name]; ok {
						note.Size = int64(len(stored)) / max(m.block, 1)
					}
					line := protocols.Line{Kind: protocols.Other, Text: name, Note: &note}
					to, err := at.Child(name)
					if isDir {
						link := to.(urlcore.FTP)
						link.Type = 'd'
						line.Kind, to = protocols.Directory, link
					}
					if line.Link = to; err == nil && (i >= len(lists) || m.deep || old || at.FileName() == "d") && !yield(line, nil) {
						return
					}
				}
				if m.part {
					yield(protocols.Line{Kind: protocols.Failure, Text: "Output truncated to 2 matches"}, nil)
				}
			},
		}, nil
	}
	return nil, protocols.NewError(protocols.NotThere, "list", "there is none")
}

func (m *memory) Change(_ context.Context, c *protocols.Change) (urlcore.URL, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lose() {
		return nil, &protocols.Error{Reason: protocols.Broken}
	}
	if c.Kind == protocols.Remove {
		name := c.URL.(urlcore.FTP).FileName()
		m.acts = append(m.acts, "remove "+star(name))
		if name == m.refuse {
			return nil, &protocols.Error{Reason: cmp.Or(m.reason, protocols.Denied), Code: 550}
		}
	}
	if c.Kind == protocols.Chmod {
		m.modes = append(m.modes, "chmod "+c.URL.(urlcore.FTP).FileName()+" "+c.Mode)
	}
	if c.Kind == protocols.Rename {
		return c.URL, m.rename(c.URL.(urlcore.FTP).FileName(), c.Name)
	}
	if c.Kind == protocols.MakeDirectory && m.noMake {
		return nil, &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	if c.Kind == protocols.SetDate {
		return c.URL, m.dates
	}
	return c.URL, nil
}

// rename renames an item of lists or a file. The records of acts have * for the random part of a name.
func (m *memory) rename(from, to string) error {
	m.acts = append(m.acts, "rename "+star(from)+" "+star(to))
	if m.fixed {
		return &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	m.lists = slices.Clone(m.lists)
	for i, name := range m.lists {
		if plain := strings.TrimSuffix(name, "/"); plain == from {
			m.lists[i] = to + name[len(plain):]
		}
	}
	return nil
}

func star(name string) string {
	if before, _, ok := strings.Cut(name, ".gofer-mirror-"); ok {
		return before + ".gofer-mirror-*"
	}
	return name
}

func (m *memory) Put(_ context.Context, u urlcore.URL, up *protocols.Upload) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := u.(urlcore.FTP).FileName()
	m.puts++
	if !up.Unchecked {
		m.checks++
	}
	if up.Mode != "" {
		m.modes, up.ModeKept = append(m.modes, "put "+name+" "+up.Mode), true
	}
	m.acts = append(m.acts, "put "+name)
	m.ways = append(m.ways, fmt.Sprintf("%s%s before=%d", map[bool]string{false: "whole", true: "rest"}[up.Resume], map[bool]string{true: " replace"}[up.Replace], up.Before))
	if m.lost > 0 {
		m.lost--
		return &protocols.Error{Reason: protocols.Broken}
	}
	if up.Resume {
		if _, err := up.Body.(io.Seeker).Seek(int64(len(m.files[name])), io.SeekStart); err != nil {
			return err
		}
	} else {
		m.files[name] = nil
	}
	if m.lose() {
		part := make([]byte, 1000)
		n, _ := io.ReadFull(up.Body, part)
		m.files[name] = append(m.files[name], part[:n]...)
		if up.Sent = int64(len(m.files[name])); m.broken != nil {
			m.broken()
		}
		return &protocols.Error{Reason: protocols.Broken}
	}
	rest, err := io.ReadAll(up.Body)
	if m.cut > 0 {
		m.cut--
		rest = rest[:len(rest)/2]
	}
	m.files[name] = append(m.files[name], rest...)
	if name == m.full {
		return &protocols.Error{Reason: protocols.ServerFailed, Code: 552}
	}
	return err
}

// oneConnection refuses to store several files at a time.
type oneConnection struct {
	*memory
	used    sync.Mutex
	refused *atomic.Int32
}

func (o *oneConnection) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if !o.used.TryLock() {
		o.refused.Add(1)
		return &protocols.Login{Text: "Sorry, the maximum number of clients (1) for this user are already connected."}
	}
	defer o.used.Unlock()
	time.Sleep(time.Second)
	return o.memory.Put(ctx, u, up)
}

// TestOneConnection: the refusals of a server that allows one connection delay nothing.
func TestOneConnection(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), "some", 0o644, long)
	}
	synctest.Test(t, func(t *testing.T) {
		m := &memory{files: make(map[string][]byte), lose: func() bool { return false }}
		o := &oneConnection{memory: m, refused: new(atomic.Int32)}
		begun := time.Now()
		_, err := store(t, &upload.Tree{Server: o, Dir: dir, URL: ftpURL(t, "ftp://h/d;type=d")})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, time.Since(begun), 10*time.Second)
		fetchtest.Equal(t, o.refused.Load(), 1, "refused")
	})
}

// TestLostConnections: what fails for want of a network is tried again, and files are resumed.
func TestLostConnections(t *testing.T) {
	dir := t.TempDir()
	content := make([]byte, 20_000)
	for i := range content {
		content[i] = byte(i >> 4)
	}
	for i := range 20 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), string(content[:1000*i]), 0o644, long)
	}
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		m := &memory{files: make(map[string][]byte), lose: func() bool { calls++; return calls%3 != 0 }}
		waited := false
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Parallel: 1, Report: func(p upload.Progress) { waited = waited || strings.Contains(p.Waiting, "next try") }}
		defer tr.Close()
		fetchtest.NoError(t, tr.Plan(t.Context()))
		fetchtest.NoError(t, tr.Run(t.Context()))
		for i := range 20 {
			if got := m.files[fmt.Sprint(i)]; !bytes.Equal(got, content[:1000*i]) {
				t.Errorf("file %d: %d octets", i, len(got))
			}
		}
		fetchtest.Equal(t, waited, true, "the progress says what is waited for")
		p := tr.Progress()
		fetchtest.Equal(t, p.Files, 20)
		fetchtest.Equal(t, p.Waiting, "")
		fetchtest.Equal(t, p.Done, p.Size, "octets")

		// The tries are used up.
		m.lose = func() bool { return m.puts > 25 }
		m.files = make(map[string][]byte)
		m.puts = 0
		tr = &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Parallel: 1, Retry: mirror.Retry{Tries: 7}}
		defer tr.Close()
		m.puts = 20
		fetchtest.NoError(t, tr.Plan(t.Context()))
		err := tr.Run(t.Context())
		partial := fetchtest.As[*mirror.PartialError](t, err)
		fetchtest.Reason(t, err, protocols.Broken)
		fetchtest.Equal(t, len(partial.LeftOut)+tr.Progress().Files, 20, "files")
	})
}

// TestBrokenItem: a file that breaks each connection does not hold up the others.
func TestBrokenItem(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		write(t, filepath.Join(dir, name), name, 0o644, long)
	}
	synctest.Test(t, func(t *testing.T) {
		m := &memory{files: make(map[string][]byte)}
		m.lose = func() bool { return len(m.acts) > 0 && strings.HasSuffix(m.acts[len(m.acts)-1], " b") }
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Parallel: 1}
		defer tr.Close()
		fetchtest.NoError(t, tr.Plan(t.Context()))
		partial := fetchtest.As[*mirror.PartialError](t, tr.Run(t.Context()))
		fetchtest.Equal(t, len(partial.LeftOut), 1, "items left out")
		fetchtest.Equal(t, tr.Progress().Files, 2, "files")
		fetchtest.Equal(t, m.puts, 10, "attempts")
	})
}

// TestHostileListings: a removal ends, and follows no link that a forged line calls a directory.
func TestHostileListings(t *testing.T) {
	never := func() bool { return false }
	dir := ftpURL(t, "ftp://ftp.example/d;type=d")
	for _, lists := range [][]string{{"link", "link/"}, {"link/", "link"}, {"link", "link/", "link/"}} {
		r, err := upload.ListRemoval(t.Context(), &memory{lose: never, lists: lists}, dir)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, fmt.Sprint(r.Files, r.Dirs), "1 1", "files and directories of", lists)
	}
	_, err := upload.ListRemoval(t.Context(), &memory{lose: never, lists: []string{"x/"}, deep: true}, dir)
	fetchtest.Reason(t, err, protocols.TooBig)
}

// TestDelete removes what is not here: first what a server that ignores case takes for an item here, and
// what is of another kind than the item here.
func TestDelete(t *testing.T) {
	for _, tt := range []struct {
		here, there []string
		want        string
		left        string
		kept        bool
		keep        bool // no Delete
	}{
		{[]string{"A"}, []string{"A", "a", "z"}, "rename a .gofer-mirror-*, put A, remove .gofer-mirror-*, remove z", "[]", false, false},
		{[]string{"b"}, []string{"r/", "z"}, "put b, remove r, remove z", "[r: Permission denied by the server (550)]", false, false},
		{nil, []string{"a"}, "", "[]", true, false},
		{nil, []string{}, "", "[]", false, false},
		{[]string{"b"}, []string{"b/", "z"}, "rename b .gofer-mirror-*, put b, remove .gofer-mirror-*, remove z", "[]", false, false},
		{[]string{"s/x"}, []string{"s"}, "rename s .gofer-mirror-*, put x, remove .gofer-mirror-*", "[]", false, false},
		{[]string{"b"}, []string{"b/"}, "", "[b: the server has something else of that name: a directory or a file; mirror --delete replaces it]", false, true},
	} {
		dir := t.TempDir()
		for _, name := range tt.here {
			fetchtest.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			write(t, filepath.Join(dir, name), "a", 0o644, long)
		}
		m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, lists: tt.there, refuse: "r"}
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: !tt.keep})
		fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), tt.left)
		fetchtest.Equal(t, err != nil, len(tr.LeftOut()) > 0, "the error of what is left out")
		fetchtest.Equal(t, strings.Join(m.acts, ", "), tt.want)
		fetchtest.Equal(t, slices.Contains(tr.Remarks(), "nothing is removed from the server, because the directory here is empty"), tt.kept)
	}
}

// TestRefusedItem: no surplus item is removed after the server refused an item or was full.
func TestRefusedItem(t *testing.T) {
	for _, tt := range []struct {
		m          *memory
		here, want string
	}{
		{&memory{full: "b"}, "b", "put b"},
		{&memory{noMake: true, deep: true}, "b/x", ""},
		{&memory{full: "c"}, "b", "put b, remove z"},
	} {
		dir, m := t.TempDir(), tt.m
		write(t, filepath.Join(dir, tt.here), "a", 0o644, long)
		m.files, m.lose, m.lists = make(map[string][]byte), func() bool { return false }, []string{"z"}
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
		fetchtest.Equal(t, strings.Join(m.acts, ", "), tt.want)
		fetchtest.Equal(t, slices.Contains(tr.Remarks(), "nothing was removed: not everything was stored"), err != nil, "a remark")
	}
}

// TestRenamed: an item that the server has stored under another name is left out, and stays with Delete.
func TestRenamed(t *testing.T) {
	for _, name := range []string{"bell\ax", "tab\t", "d\ax/k"} {
		for _, dry := range []bool{false, true} {
			d := realserver.FTPDaemons()[slices.IndexFunc(realserver.FTPDaemons(), func(d realserver.FTPDaemon) bool { return d.Name == "pure-ftpd" })]
			s, dir := start(t, d), t.TempDir()
			write(t, filepath.Join(dir, name), "h", 0o644, long)
			write(t, filepath.Join(dir, "plain"), "p", 0o644, long)
			to := filepath.Join(s.home, "renamed")
			fetchtest.NoError(t, os.RemoveAll(to))
			var before map[string]string
			for run := range 3 {
				tr, err := store(t, &upload.Tree{Server: s, Dir: dir, URL: ftpURL(t, s.url+"renamed;type=d"), Update: true, Delete: true, DryRun: dry && run > 0})
				if run == 0 {
					before = tree(t, to, false)
					write(t, filepath.Join(to, "old"), "surplus", 0o644, long)
				} else if run == 1 {
					fetchtest.Equal(t, tr.Progress().Removed, map[bool]int{false: 1}[dry], "items removed")
				}
				fetchtest.As[*mirror.PartialError](t, err)
				if dry && run == 2 {
					fetchtest.Equal(t, len(tr.LeftOut()), 1, "items that are not planned to be removed")
				}
			}
			if !dry {
				equalTrees(t, tree(t, to, false), before)
			}
		}
	}
}

// TestFilteredRemoval: what the filter does not select stays, also in a directory that is not here.
func TestFilteredRemoval(t *testing.T) {
	for glob, want := range map[string]string{
		"none":  "put a, remove keep, remove keep, remove z, remove old, remove z",
		"keep":  "put a, remove z, remove z",
		"old/z": "put a, remove keep, remove keep, remove z",
		"old/":  "put a, remove keep, remove z",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a"), "a", 0o644, long)
		m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, lists: []string{"old/", "keep", "z"}, below: []string{"keep", "z"}}
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true}
		fetchtest.NoError(t, tr.Filter.Add(glob, false))
		_, err := store(t, tr)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(m.acts, ", "), want, "without %s", glob)
	}
}

// TestFilteredReplacement: a directory with an item that the filter does not select is not replaced.
func TestFilteredReplacement(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "old"), "a", 0o644, long)
	m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, lists: []string{"old/"}, below: []string{"keep", "z"}}
	tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true}
	fetchtest.NoError(t, tr.Filter.Add("keep", false))
	tr, _ = store(t, tr)
	fetchtest.Equal(t, len(m.acts), 0, "done:", m.acts)
	fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), "[old: the server has something else of that name: a directory, a file or a link]")
}

// TestLinkedDirectory: the content of a directory that a link leads to is neither removed nor
// replaced, even if the server lists the link as a directory.
func TestLinkedDirectory(t *testing.T) {
	never := func() bool { return false }
	u := ftpURL(t, "ftp://ftp.example/d;type=d")
	places := map[string]string{"": "/home", "d": "/home/d", "real": "/home/d/real", "link": "/srv/other", "\xff": "/home/d/\xff\xff"}
	for _, tt := range []struct {
		lists  []string
		places map[string]string
		want   string
	}{
		{[]string{"real/", "link/"}, places, "1 2"},
		{[]string{"\xff/"}, places, "0 2"},
		{[]string{"link/"}, map[string]string{"d": "/home/d"}, "0 2"},
		{[]string{"link/"}, map[string]string{"d": "HOME:[D]", "link": "HOME:[D.LINK]"}, "0 2"},
		{[]string{"a"}, map[string]string{"": "/home", "d": "/srv/d"}, "1 0"},
	} {
		m := &memory{lose: never, lists: tt.lists, places: tt.places}
		r, err := upload.ListRemoval(t.Context(), m, u)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, fmt.Sprint(r.Files, r.Dirs), tt.want, "files and directories of %q", tt.lists)
		fetchtest.NoError(t, r.Run(t.Context(), func(_ string, c *protocols.Change) error {
			if at := c.URL.(urlcore.FTP); tt.places[at.FileName()] == "/srv/other" && at.Type == 'd' {
				t.Errorf("%s is removed as a directory", at)
			}
			return nil
		}))
	}
	_, err := upload.ListRemoval(t.Context(), lockable{&memory{lose: never, lists: []string{"a"}, places: places}, func(u urlcore.URL) error {
		if u.(urlcore.FTP).FileName() == "" {
			return &protocols.Error{Reason: protocols.Denied, Code: 550}
		}
		return nil
	}}, u)
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Denied, "the parent directory is not listed")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "link/a"), "a", 0o644, long)
	write(t, filepath.Join(dir, "b"), "b", 0o644, long)
	m := &memory{files: make(map[string][]byte), lose: never, lists: []string{"link/", "z/"}, places: map[string]string{"d": "/home/d", "link": "/srv/other", "z": "/srv/other"}}
	tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: u, Update: true, Delete: true})
	fetchtest.Equal(t, fetchtest.As[*mirror.PartialError](t, err).Done, "stored or removed")
	fetchtest.Equal(t, len(tr.LeftOut()), 2, "items left out")
	fetchtest.Equal(t, strings.Join(m.acts, ", "), "put b, remove z")
}

// TestCheck sends files again that the server stored in part without an error, but none for want of an
// exact listing.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		m           *memory
		puts, asked int
	}{
		{&memory{cut: 2}, 4, 2},
		{&memory{cut: 2, hides: true}, 4, 2},
		{&memory{cut: 2, locked: true}, 4, 2},
		{&memory{}, 2, 0},
		{&memory{hides: true}, 2, 2},
		{&memory{locked: true}, 2, 2},
		{&memory{block: 512}, 2, 2},
		{&memory{block: 512, noSize: true}, 2, 2},
		{&memory{locked: true, noSize: true}, 2, 2},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a"), "1234", 0o644, long)
		write(t, filepath.Join(dir, "b"), "5678", 0o644, long)
		m := tt.m
		m.files, m.lose = make(map[string][]byte), func() bool { return false }
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Force: true})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, string(m.files["a"])+string(m.files["b"]), "12345678")
		fetchtest.Equal(t, m.puts, tt.puts, "files that were sent")
		fetchtest.Equal(t, m.checks, tt.puts-2, "files that were sent with a check")
		fetchtest.Equal(t, m.asked, tt.asked, "files whose sizes were asked for")
		p := tr.Progress()
		fetchtest.Equal(t, fmt.Sprint(p.Files, p.Done), "2 8", "files and octets")
	}
}

// TestModes sets the modes that a listing shows to be wrong, but a private one at once.
func TestModes(t *testing.T) {
	for listed, want := range map[string]string{
		"rw-r--r--": "put private 600, chmod private 600",
		"rw-------": "put private 600, chmod public 644",
		"":          "put private 600, chmod private 600, chmod public 644",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "private"), "a", 0o600, long)
		write(t, filepath.Join(dir, "public"), "b", 0o644, long)
		m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, lists: []string{}, note: protocols.FileNote{Mode: listed}}
		actions := 0
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), DryRun: true, Print: func(string) { actions++ }}
		fetchtest.NoError(t, errors.Join(tr.Plan(t.Context()), tr.Run(t.Context())))
		tr.Close()
		fetchtest.Equal(t, actions, 2, "actions of a dry run")
		fetchtest.Equal(t, m.puts, 0, "files sent by a dry run")
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: tr.URL})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(m.modes, ", "), want, "listed as %q", listed)
		fetchtest.Equal(t, tr.Progress().Modes, 0, "changed modes")
	}
}

// TestRefusedRoot: what could not be tried has one reason for all items.
func TestRefusedRoot(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a", 0o644, long)
	write(t, filepath.Join(dir, "b"), "b", 0o644, long)
	fetchtest.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dead")))
	fetchtest.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, noMake: true}
	_, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d")})
	partial := fetchtest.As[*mirror.PartialError](t, err)
	fetchtest.Reason(t, partial.Cause, protocols.Denied)
	fetchtest.Equal(t, len(partial.LeftOut), 4, "items left out")
	fetchtest.Equal(t, fmt.Sprint(mirror.Named(partial.LeftOut, err)), "[dead: it is a symbolic link to a directory, or to nothing loop: it is a symbolic link to a directory, or to nothing]")
}

// TestDates updates a file of equal size whose date at the server is listed in several ways.
func TestDates(t *testing.T) {
	none := protocols.NewError(protocols.NotSupported, "set the date", "no")
	minute := long.Truncate(time.Minute)
	for _, tt := range []struct {
		name   string
		listed protocols.FileNote
		date   time.Time // that the server answers
		dates  error
		asked  int
		sent   bool
	}{
		{"equal", protocols.FileNote{Modified: long}, long, nil, 0, false},
		{"of another size", protocols.FileNote{Modified: long, Size: 3}, long, nil, 0, true},
		{"earlier", protocols.FileNote{Modified: long.Add(-time.Second - time.Minute)}, long, nil, 0, true},
		{"to the minute, equal", protocols.FileNote{Modified: minute}, long, nil, 1, false},
		{"to the minute, earlier", protocols.FileNote{Modified: minute}, long.Add(-time.Second), nil, 1, true},
		{"to the minute, unknown", protocols.FileNote{Modified: minute}, time.Time{}, nil, 1, true},
		{"another minute", protocols.FileNote{Modified: minute.Add(-time.Minute)}, long, nil, 0, true},
		{"to the day", protocols.FileNote{Modified: long.Truncate(24 * time.Hour), DateOnly: true}, long, nil, 1, false},
		{"another day", protocols.FileNote{Modified: long.AddDate(0, 0, -9), DateOnly: true}, long, nil, 0, true},
		{"of another zone", protocols.FileNote{Modified: minute.Add(2 * time.Hour), Local: true}, long, nil, 1, false},
		{"none", protocols.FileNote{}, long, nil, 1, false},
		{"later", protocols.FileNote{Modified: long.Add(time.Second)}, long, nil, 0, true},
		{"later, and no dates are set", protocols.FileNote{Modified: long.Add(time.Second)}, long, none, 0, false},
		{"later by the answer, and no dates are set", protocols.FileNote{Modified: minute}, long.Add(time.Second), none, 1, false},
		{"later, and the date of this file is not set", protocols.FileNote{Modified: long.Add(time.Second)}, long, protocols.NewError(protocols.Denied, "set the date", "no"), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a"), "a", 0o644, long)
			if tt.listed.Size == 0 {
				tt.listed.Size = 1
			}
			tt.listed.Mode = "rw-r--r--"
			m := &memory{files: make(map[string][]byte), lose: func() bool { return false }, date: tt.date, dates: tt.dates, lists: []string{"a"}, note: tt.listed}
			tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true})
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, m.asked, tt.asked, "questions")
			fetchtest.Equal(t, m.puts == 1, tt.sent, "sent")
			p := tr.Progress()
			fetchtest.Equal(t, p.Files+p.Unchanged, 1, "counted")
			fetchtest.Equal(t, p.Files == 1, tt.sent, "counted as sent")
		})
	}
}

// TestLeftOut names what is not stored.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a", 0o644, long)
	write(t, filepath.Join(dir, "old"), "old", 0o644, long.AddDate(-1, 0, 0))
	write(t, filepath.Join(dir, "skipped.iso"), "a", 0o644, long)
	write(t, filepath.Join(dir, "d/cr\rlf"), "a", 0o644, long)
	for name, target := range map[string]string{"copy": "a", "dead": "nothing", "dir": "d", "out": "/etc/passwd", "up": "../.."} {
		fetchtest.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	m := &memory{files: make(map[string][]byte), lose: func() bool { return false }}
	tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Filter: mirror.Filter{Newer: long}}
	fetchtest.NoError(t, tr.Filter.Add("*.iso", false))
	_, err := store(t, tr)
	var left []string
	for _, l := range fetchtest.As[*mirror.PartialError](t, err).LeftOut {
		left = append(left, l.Path)
	}
	slices.Sort(left)
	fetchtest.Equal(t, strings.Join(left, " "), "d/cr\rlf dead dir out up")
	fetchtest.Equal(t, strings.Join(slices.Sorted(maps.Keys(m.files)), " "), "a copy")
	fetchtest.Contains(t, strings.Join(tr.Remarks(), "; "), "1 link to a file")
}

// TestPlanAfterLogin: a server that wants a login is asked again, and nothing is planned twice.
func TestPlanAfterLogin(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d/a"), "a", 0o644, long)
	fetchtest.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dead")))
	login := error(new(protocols.Login))
	m := &memory{files: make(map[string][]byte), lose: func() bool { return false }}
	tr := &upload.Tree{Server: lockable{m, func(urlcore.URL) error { return login }}, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d")}
	defer tr.Close()
	fetchtest.As[*protocols.Login](t, tr.Plan(t.Context()))
	login = nil
	fetchtest.NoError(t, tr.Plan(t.Context()))
	fetchtest.Equal(t, tr.Progress().Of, 1, "files")
	fetchtest.Equal(t, tr.Missing(), 2, "directories")
	fetchtest.Equal(t, len(tr.LeftOut()), 1, "items left out")
}

// lockable is a server that refuses some requests.
type lockable struct {
	*memory
	refusal func(u urlcore.URL) error
}

func (l lockable) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	if err := l.refusal(u); err != nil {
		return nil, err
	}
	return l.memory.Fetch(ctx, u)
}
