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

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

var longAgo = time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC)

// writeFile makes a file, and the directories above it, with a date and a mode.
func writeFile(t *testing.T, path, content string, mode fs.FileMode, at time.Time) {
	t.Helper()
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fetchtest.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	fetchtest.NoError(t, os.Chmod(path, mode))
	fetchtest.NoError(t, os.Chtimes(path, at, at))
}

// makeHardTree makes a directory with names, modes and dates of all kinds.
func makeHardTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	names := append(realserver.OddNames(), "~x", "*", "gr\xfcn", "\xff", "a\xffb", strings.Repeat("m", 255), ".hidden", "a  b")
	for i, name := range names {
		for _, in := range []string{"", "sub", "sub/-d  e", "~h", "\xff\xfc"} {
			writeFile(t, filepath.Join(dir, in, name), strings.Repeat(name, i*10), []fs.FileMode{
				0o644, 0o600, 0o755, 0o444,
			}[i%4], longAgo.Add(time.Duration(i)*time.Second))
		}
	}
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o755))
	fetchtest.NoError(t, os.Chmod(filepath.Join(dir, "sub"), 0o750))
	for _, d := range []string{"sub/-d  e", "sub", "~h", "empty", ""} {
		fetchtest.NoError(t, os.Chtimes(filepath.Join(dir, d), longAgo, longAgo))
	}
	return dir
}

// readTree returns the octets, mode and date of everything in a directory, by path. The parameter dates says whether
// directories have dates too.
func readTree(t *testing.T, dir string, dates bool) map[string]string {
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

// server is a client of a real server, and the directory of its user.
type server struct {
	protocols.Registry
	*ftp.Client
	url, home string
}

func (s server) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return s.Registry.Fetch(ctx, req)
}

func (s server) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	return s.Registry.Put(ctx, u, up)
}

func (s server) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	return s.Registry.Change(ctx, c)
}

func startServer(t *testing.T, d realserver.FTPDaemon) server {
	t.Helper()
	s := d.Start(t)
	c := &ftp.Client{PlainPasswords: true}
	t.Cleanup(func() { _ = c.Close() })
	fetchtest.NoError(t, os.RemoveAll(filepath.Join(s.Home, "notes", t.Name())))
	return server{
		protocols.Registry{"ftp": c},
		c, "ftp://" + s.User + ":" + s.Password + "@" + s.Addr + "/notes/",
		filepath.Join(s.Home, "notes"),
	}
}

func ftpURL(t *testing.T, s string) urlcore.FTP {
	t.Helper()
	return fetchtest.Must(urlcore.Parse(s))(t).(urlcore.FTP)
}

// store plans and runs tr, and returns it closed.
func store(t *testing.T, tr *upload.Tree) (*upload.Tree, error) {
	t.Helper()
	tr.Parallel = 2
	defer tr.Close()
	if err := tr.Plan(t.Context()); err != nil {
		return tr, err
	}
	return tr, tr.Run(t.Context())
}

// TestStoreOnServers stores a directory with hard names on real servers, changes it, updates it, and removes it.
func TestStoreOnServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := startServer(t, d), makeHardTree(t)
			to := filepath.Join(s.home, "tree")
			fetchtest.NoError(t, os.RemoveAll(to)) // an earlier run with the same server may have made the directory
			u := ftpURL(t, s.url+"tree;type=d")
			want := readTree(t, dir, d.Name != "vsftpd") // vsftpd does not set the dates of directories
			isRefused := func(path string) bool {
				name := filepath.Base(path)
				return d.Name == "pure-ftpd" && (strings.Trim(name, " ") != name || strings.Contains(name, `\`))
			}
			left := 0
			for path := range want {
				if isRefused(path) {
					delete(want, path)
					left++
				}
			}
			got := func() map[string]string {
				items := readTree(t, to, d.Name != "vsftpd")
				for path := range items {
					if name := filepath.Base(path); d.Name == "pure-ftpd" && (name == "_leading.txt" || name == "trailing_") {
						delete(items, path) // pure-ftpd stores " leading.txt" and "trailing " under these names
					}
				}
				return items
			}
			checkPartial := func(err error) {
				t.Helper()
				if p, ok := errors.AsType[*mirror.PartialError](err); left > 0 && (!ok || len(p.LeftOut) != left) || left == 0 && err != nil {
					t.Errorf("got %v, want %d items left out", err, left)
				}
			}
			tr, err := store(t, &upload.Tree{Server: s, Dir: dir, URL: u})
			checkPartial(err)
			for _, l := range tr.LeftOut() {
				if !isRefused(l.Path) {
					t.Error(l)
				}
			}
			equalTrees(t, got(), want)

			// Nothing is sent again.
			tr, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u, Update: true, DryRun: left > 0})
			if p := tr.Progress(); p.Unchanged == 0 || p.ChangedModes > 0 || left == 0 && (err != nil || p.Files > 0) {
				t.Errorf("an update without a change: got %+v, %v; want only unchanged files", p, err)
			}
			if _, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u}); left == 0 &&
				!strings.Contains(fmt.Sprint(err), "items were not stored") {
				t.Errorf("without Force: got %v, want that items were not stored", err)
			}
			equalTrees(t, got(), want)

			// Changed files are sent.
			writeFile(t, filepath.Join(dir, "plain.txt"), "changed", 0o640, longAgo)
			writeFile(t, filepath.Join(dir, "new/one"), "1", 0o644, longAgo)
			same := fetchtest.Must(os.ReadFile(filepath.Join(dir, "sub/12345")))(t)
			slices.Reverse(same)
			writeFile(t, filepath.Join(dir, "sub/12345"), string(same), 0o755, longAgo.Add(time.Hour))
			fetchtest.NoError(t, os.Remove(filepath.Join(dir, "-x")))
			fetchtest.NoError(t, os.RemoveAll(filepath.Join(dir, "sub/-d  e")))
			fetchtest.NoError(t, os.Symlink(dir, filepath.Join(to, "link")))
			tr, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: u, Update: true, Delete: true})
			left = len(tr.LeftOut())
			checkPartial(err)
			if p := tr.Progress(); left == 0 && p.Files != 3 {
				t.Errorf("after three changes: got %+v, want 3 files", p)
			}
			want = readTree(t, dir, false)
			after := readTree(t, to, false)
			for path, item := range maps.Clone(want) {
				if !isRefused(path) {
					continue
				}
				delete(want, path)
				if kept := filepath.Dir(path) + "/" +
					strings.ReplaceAll(filepath.Base(path), " ", "_"); !strings.Contains(path, `\`) { // the server stores the file under this name
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
			writeFile(t, filepath.Join(outside, "f"), "keep", 0o644, longAgo)
			fetchtest.NoError(t, os.Symlink(outside, filepath.Join(to, "new/dirlink")))
			r, err := upload.ListRemoval(t.Context(), s, u)
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, r.Files+r.Dirs, len(want)+1, "items to be removed")
			fetchtest.NoError(t, r.Run(t.Context(), func(_ string, c *protocols.Change) error {
				_, err := s.Change(t.Context(), c)
				return err
			}))
			if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Stat of the removed directory: got %v, want %v", err, fs.ErrNotExist)
			}
			fetchtest.Equal(t, len(readTree(t, outside, false)), 2, "items in the target of the link")
			fetchtest.NoError(t, os.RemoveAll(outside))
		})
	}
}

// memoryServer is a server that keeps files in memory and may lose connections.
type memoryServer struct {
	mu             sync.Mutex // held by the methods
	files          map[string][]byte
	loses          func() bool // reports whether the connection breaks
	puts           int
	listing        []string // items of the directory d; directories end in a slash
	sameEverywhere bool     // each directory has these items
	partial        bool     // the listing is incomplete
	listEnd        error    // the error after the lines of a listing, or nil
	oldListing     []string // items of the directory old
	actions        []string
	note           protocols.FileNote // of each item
	date           time.Time          // date of each file, if requested
	setDateErr     error              // error of setting a date
	dateRequests   int                // number of requests for a date

	refusesRemove string            // name of an item that cannot be removed
	removeReason  protocols.Reason  // reason for refusesRemove; 0: Denied
	paths         map[string]string // paths of directories, by name
	truncates     int               // number of files to store in part without an error
	refusesMkdir  bool              // directories cannot be made
	refusesRename bool              // items cannot be renamed
	refusesPut    string            // name of a file that is stored in part and refused
	fullAfter     int               // number of files after which fullErr is the reply to others; 0: no limit
	fullErr       *protocols.Error  // the reply of a full server
	hidesFiles    bool              // stored files are not listed
	block         int64             // unit of the listed sizes; 0: 1
	hidesSize     bool              // no sizes are sent
	refusesList   bool              // a directory with files cannot be listed
	checkedPuts   int               // number of files stored with a check of the size
	modes         []string          // modes that were set
	putModes      []string          // how files were stored
	breaksBefore  int               // number of attempts that break before anything is stored
	onBreak       func()            // if not nil, called after an attempt that stores a part
}

func (m *memoryServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	u := req.URL
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loses() {
		return nil, &protocols.Error{Reason: protocols.Refused}
	}
	if req.Facts {
		m.dateRequests++
		size := int64(-1)
		if stored, ok := m.files[u.(urlcore.FTP).FileName()]; ok && !m.hidesSize {
			size = int64(len(stored))
		}
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Modified: m.date, Size: size}, Body: strings.NewReader(""),
			Closer: io.NopCloser(nil),
		}, nil
	}
	stored := slices.Sorted(maps.Keys(m.files))
	if m.refusesList && len(stored) > 0 {
		return nil, &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	if at := u.(urlcore.FTP); m.listing != nil || len(stored) > 0 {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory, Size: -1, Path: m.paths[at.FileName()]}, Closer: io.NopCloser(nil),
			Lines: func(yield func(protocols.Line, error) bool) {
				lists, old := m.listing, at.FileName() == "old"
				if old {
					lists = m.oldListing
				}
				for i, name := range slices.Concat(lists, stored) {
					if i >= len(lists) && (m.hidesFiles || slices.Contains(lists, name)) {
						continue
					}
					name, isDir := strings.CutSuffix(name, "/")
					note := m.note
					name, note.Link = strings.CutSuffix(name, "@")
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
					if line.Link = to; err == nil && (i >= len(lists) || m.sameEverywhere || old || at.FileName() == "d") && !yield(line, nil) {
						return
					}
				}
				if m.partial {
					yield(protocols.Line{Kind: protocols.Failure, Text: "Output truncated to 2 matches"}, nil)
				}
				if m.listEnd != nil {
					yield(protocols.Line{}, m.listEnd)
				}
			},
		}, nil
	}
	return nil, protocols.NewError(protocols.NotFound, "list", "there is none")
}

func (m *memoryServer) Change(_ context.Context, c *protocols.Change) (urlcore.URL, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loses() {
		return nil, &protocols.Error{Reason: protocols.Broken}
	}
	if c.Kind == protocols.Remove {
		name := c.URL.(urlcore.FTP).FileName()
		m.actions = append(m.actions, "remove "+replaceRandom(name))
		if name == m.refusesRemove {
			return nil, &protocols.Error{Reason: cmp.Or(m.removeReason, protocols.Denied), Code: 550}
		}
	}
	if c.Kind == protocols.Chmod {
		m.modes = append(m.modes, "chmod "+c.URL.(urlcore.FTP).FileName()+" "+c.Mode)
	}
	if c.Kind == protocols.Rename {
		return c.URL, m.rename(c.URL.(urlcore.FTP).FileName(), c.Name)
	}
	if c.Kind == protocols.MakeDirectory && m.refusesMkdir {
		if m.fullErr != nil {
			m.actions = append(m.actions, "make "+c.Name)
			return nil, m.fullErr
		}
		return nil, &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	if c.Kind == protocols.SetDate {
		return c.URL, m.setDateErr
	}
	return c.URL, nil
}

// rename renames an item of m.listing. In m.actions, * replaces the random part of a temporary name.
func (m *memoryServer) rename(from, to string) error {
	m.actions = append(m.actions, "rename "+replaceRandom(from)+" "+replaceRandom(to))
	if m.refusesRename {
		return &protocols.Error{Reason: protocols.Denied, Code: 550}
	}
	m.listing = slices.Clone(m.listing)
	for i, name := range m.listing {
		if plain := strings.TrimSuffix(name, "/"); plain == from {
			m.listing[i] = to + name[len(plain):]
		}
	}
	return nil
}

func replaceRandom(name string) string {
	if before, _, ok := strings.Cut(name, ".gofer-mirror-"); ok {
		return before + ".gofer-mirror-*"
	}
	return name
}

func (m *memoryServer) Put(_ context.Context, u urlcore.URL, up *protocols.Upload) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := u.(urlcore.FTP).FileName()
	m.puts++
	if !up.Unchecked {
		m.checkedPuts++
	}
	if up.Mode != "" {
		m.modes, up.ModeKept = append(m.modes, "put "+name+" "+up.Mode), true
	}
	m.actions = append(m.actions, "put "+name)
	if m.fullAfter > 0 && m.puts > m.fullAfter {
		return m.fullErr
	}
	m.putModes = append(m.putModes, fmt.Sprintf("%s%s before=%d", map[bool]string{
		false: "whole", true: "rest",
	}[up.Resume], map[bool]string{true: " replace"}[up.Replace], up.SizeBefore))
	if m.breaksBefore > 0 {
		m.breaksBefore--
		return &protocols.Error{Reason: protocols.Broken}
	}
	if up.Resume {
		if _, err := up.Body.(io.Seeker).Seek(int64(len(m.files[name])), io.SeekStart); err != nil {
			return err
		}
	} else {
		m.files[name] = nil
	}
	if m.loses() {
		part := make([]byte, 1000)
		n, _ := io.ReadFull(up.Body, part)
		m.files[name] = append(m.files[name], part[:n]...)
		if up.Sent = int64(len(m.files[name])); m.onBreak != nil {
			m.onBreak()
		}
		return &protocols.Error{Reason: protocols.Broken}
	}
	rest, err := io.ReadAll(up.Body)
	if m.truncates > 0 {
		m.truncates--
		rest = rest[:len(rest)/2]
	}
	m.files[name] = append(m.files[name], rest...)
	if name == m.refusesPut {
		return &protocols.Error{Reason: protocols.ServerFailed, Code: 552}
	}
	return err
}

// oneConnectionServer refuses to store more than one file at a time.
type oneConnectionServer struct {
	*memoryServer
	used    sync.Mutex
	refused *atomic.Int32
}

func (o *oneConnectionServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if !o.used.TryLock() {
		o.refused.Add(1)
		return &protocols.Login{Text: "Sorry, the maximum number of clients (1) for this user are already connected."}
	}
	defer o.used.Unlock()
	time.Sleep(time.Second)
	return o.memoryServer.Put(ctx, u, up)
}

// TestOneConnection checks that the refusals of a server that allows one connection do not delay the transfers.
func TestOneConnection(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), "some", 0o644, longAgo)
	}
	synctest.Test(t, func(t *testing.T) {
		m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }}
		o := &oneConnectionServer{memoryServer: m, refused: new(atomic.Int32)}
		start := time.Now()
		_, err := store(t, &upload.Tree{Server: o, Dir: dir, URL: ftpURL(t, "ftp://h/d;type=d")})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, time.Since(start), 10*time.Second)
		fetchtest.Equal(t, o.refused.Load(), 1, "refused")
	})
}

// TestLostConnections checks that requests are tried again after lost connections, and that files are resumed.
func TestLostConnections(t *testing.T) {
	dir := t.TempDir()
	content := make([]byte, 20_000)
	for i := range content {
		content[i] = byte(i >> 4)
	}
	for i := range 20 {
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), string(content[:1000*i]), 0o644, longAgo)
	}
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		m := &memoryServer{files: make(map[string][]byte), loses: func() bool { calls++; return calls%3 != 1 }}
		waited := false
		tr := &upload.Tree{
			Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Parallel: 1,
			Report: func(p upload.Progress) { waited = waited || strings.Contains(p.Waiting, "next try") },
		}
		defer tr.Close()
		fetchtest.NoError(t, tr.Plan(t.Context()))
		fetchtest.NoError(t, tr.Run(t.Context()))
		for i := range 20 {
			if got := m.files[fmt.Sprint(i)]; !bytes.Equal(got, content[:1000*i]) {
				t.Errorf("file %d: got %d octets, want %d, or their content differs", i, len(got), 1000*i)
			}
		}
		fetchtest.Equal(t, waited, true, "the progress says what is waited for")
		p := tr.Progress()
		fetchtest.Equal(t, p.Files, 20)
		fetchtest.Equal(t, p.Waiting, "")
		fetchtest.Equal(t, p.Done, p.Size, "octets")

		// The tries are used up.
		m.loses = func() bool { return m.puts > 25 }
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

// TestHostileListings checks that a removal ends, and does not follow a link that a forged line lists as a directory.
func TestHostileListings(t *testing.T) {
	never := func() bool { return false }
	dir := ftpURL(t, "ftp://ftp.example/d;type=d")
	for _, lists := range [][]string{{"link", "link/"}, {"link/", "link"}, {"link", "link/", "link/"}} {
		r, err := upload.ListRemoval(t.Context(), &memoryServer{loses: never, listing: lists}, dir)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, fmt.Sprint(r.Files, r.Dirs), "1 1", "files and directories of %q", lists)
	}
	_, err := upload.ListRemoval(t.Context(), &memoryServer{loses: never, listing: []string{"x/"}, sameEverywhere: true}, dir)
	fetchtest.Reason(t, err, protocols.TooBig)
}

// TestDelete checks that items that the local directory does not have are removed. Items that differ from a local
// item in their kind, or in the case of their name, are renamed before the transfers.
func TestDelete(t *testing.T) {
	for _, tt := range []struct {
		here, there []string
		want        string
		left        string
		wantRemark  bool // that nothing was removed
		noDelete    bool
	}{
		{[]string{"A"}, []string{"A", "a", "z"}, "rename a .gofer-mirror-*, put A, remove .gofer-mirror-*, remove z", "[]", false, false},
		{[]string{"b"}, []string{"r/", "z"}, "put b, remove r, remove z", "[r: Permission denied by the server (550)]", false, false},
		{nil, []string{"a"}, "", "[]", true, false},
		{nil, []string{}, "", "[]", false, false},
		{[]string{"b"}, []string{"b/", "z"}, "rename b .gofer-mirror-*, put b, remove .gofer-mirror-*, remove z", "[]", false, false},
		{[]string{"s/x"}, []string{"s"}, "rename s .gofer-mirror-*, put x, remove .gofer-mirror-*", "[]", false, false},
		{
			[]string{"b"},
			[]string{"b/"},
			"",
			"[b: the server has an item of another kind with this name; mirror --delete replaces it]", false, true,
		},
	} {
		dir := t.TempDir()
		for _, name := range tt.here {
			fetchtest.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			writeFile(t, filepath.Join(dir, name), "a", 0o644, longAgo)
		}
		m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }, listing: tt.there, refusesRemove: "r"}
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: !tt.noDelete})
		fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), tt.left)
		fetchtest.Equal(t, err != nil, len(tr.LeftOut()) > 0, "an error if an item is left out")
		fetchtest.Equal(t, strings.Join(m.actions, ", "), tt.want)
		fetchtest.Equal(t, slices.Contains(tr.Remarks(), "nothing was removed: the local directory is empty"), tt.wantRemark, "there is a remark")
	}
}

// TestUnmarkedListing checks that listed items are removed, and that the directory is reported, if the server did not mark
// the end of its listing.
func TestUnmarkedListing(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "b"), "a", 0o644, longAgo)
	m := &memoryServer{
		files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"z"},
		listEnd: &protocols.Error{Reason: protocols.EndUnmarked},
	}
	tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
	fetchtest.Equal(t, strings.Join(m.actions, ", "), "put b, remove z")
	fetchtest.ErrorIs(t, err, m.listEnd)
	fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), "[.: The server did not mark the end]")
}

// TestRefusedItem checks that no item is removed after the server refused an item or was full.
func TestRefusedItem(t *testing.T) {
	for _, tt := range []struct {
		m          *memoryServer
		here, want string
	}{
		{&memoryServer{refusesPut: "b"}, "b", "put b"},
		{&memoryServer{refusesMkdir: true, sameEverywhere: true}, "b/x", ""},
		{&memoryServer{refusesPut: "c"}, "b", "put b, remove z"},
	} {
		dir, m := t.TempDir(), tt.m
		writeFile(t, filepath.Join(dir, tt.here), "a", 0o644, longAgo)
		m.files, m.loses, m.listing = make(map[string][]byte), func() bool { return false }, []string{"z"}
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
		fetchtest.Equal(t, strings.Join(m.actions, ", "), tt.want)
		fetchtest.Equal(t, slices.Contains(tr.Remarks(), "nothing was removed: not everything was stored"), err != nil, "there is a remark")
	}
}

// TestFullServer checks that an upload ends at the first file that a full server refuses. The other files are left out and
// counted, unless the server has them. The modes of the stored files are still set, and nothing is removed.
func TestFullServer(t *testing.T) {
	full := func(code int, text string) *protocols.Error {
		return &protocols.Error{Reason: protocols.ServerFailed, Op: "store it", Code: code, Text: text}
	}
	for _, tt := range []struct {
		name string
		err  *protocols.Error
		puts int
		left string
	}{
		{"452", full(452, "Insufficient storage"), 3, "d: not stored: the server is full; s/e: not stored: the server is full"},
		{"552", full(552, "Quota exceeded"), 3, "d: not stored: the server is full; s/e: not stored: the server is full"},
		{"vsftpd", full(451, "Failure writing to local file."), 3, "d: not stored: the server is full; s/e: not stored: the server is full"},
		{"one file is too large", full(552, "File too large"), 5, "d: Could not store it: server error (the server said \"552 File too large\")"},
		{
			"another error", full(553, "Could not create file."), 5,
			"d: Could not store it: server error (the server said \"553 Could not create file.\")",
		},
	} {
		dir := t.TempDir()
		for _, name := range []string{"a", "b", "c", "d", "s/e", "same"} {
			writeFile(t, filepath.Join(dir, name), name, 0o755, longAgo)
		}
		m := &memoryServer{
			files: map[string][]byte{"same": []byte("same")}, loses: func() bool { return false },
			listing: []string{"z", "s/"}, fullAfter: 2, fullErr: tt.err, date: longAgo,
		}
		m.note.Modified, m.note.Mode = longAgo, "rw-------"
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true, Parallel: 1}
		defer tr.Close()
		fetchtest.NoError(t, tr.Plan(t.Context()))
		partial := fetchtest.As[*mirror.PartialError](t, tr.Run(t.Context()))
		var left []string
		for _, l := range partial.LeftOut {
			left = append(left, l.String())
		}
		fetchtest.Equal(t, m.puts, tt.puts, "%s: attempts", tt.name)
		fetchtest.Equal(t, len(left), 3, "%s: items left out (%q)", tt.name, left)
		fetchtest.Equal(t, strings.Contains(strings.Join(left, "; "), tt.left), true, "%s: %q has %q", tt.name, left, tt.left)
		fetchtest.Equal(t, tr.Progress().Files, 2, "%s: files sent", tt.name)
		fetchtest.Equal(t, tr.Progress().Unchanged, 1, "%s: files unchanged", tt.name)
		fetchtest.Equal(t, slices.Contains(m.modes, "chmod b 755"), true, "%s: the mode of b is set (%q)", tt.name, m.modes)
		fetchtest.Equal(t, slices.Contains(m.actions, "remove z"), false, "%s: an item was removed", tt.name)
	}
}

// TestFullServerMakesNoDirectory checks that an upload ends at the first directory that a full server refuses.
func TestFullServerMakesNoDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "d/x", "e/y"} {
		writeFile(t, filepath.Join(dir, name), "some", 0o644, longAgo)
	}
	m := &memoryServer{
		files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"z"}, refusesMkdir: true,
		fullErr: &protocols.Error{Reason: protocols.NotFound, Code: 550, Text: "No space left on device"},
	}
	_, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true})
	fetchtest.Equal(t, len(fetchtest.As[*mirror.PartialError](t, err).LeftOut), 5, "items left out")
	fetchtest.Equal(t, strings.Join(m.actions, ", "), "make d")
}

// TestRenamed checks that an item that the server stored under another name is reported as left out, and
// that Delete does not remove it.
func TestRenamed(t *testing.T) {
	for _, name := range []string{"bell\ax", "tab\t", "d\ax/k"} {
		for _, dry := range []bool{false, true} {
			d := realserver.FTPDaemons()[slices.IndexFunc(
				realserver.FTPDaemons(), func(d realserver.FTPDaemon) bool { return d.Name == "pure-ftpd" },
			)]
			s, dir := startServer(t, d), t.TempDir()
			writeFile(t, filepath.Join(dir, name), "h", 0o644, longAgo)
			writeFile(t, filepath.Join(dir, "plain"), "p", 0o644, longAgo)
			to := filepath.Join(s.home, "renamed")
			fetchtest.NoError(t, os.RemoveAll(to))
			var before map[string]string
			for run := range 3 {
				tr, err := store(t, &upload.Tree{
					Server: s, Dir: dir, URL: ftpURL(t, s.url+"renamed;type=d"), Update: true, Delete: true,
					DryRun: dry && run > 0,
				})
				if run == 0 {
					before = readTree(t, to, false)
					writeFile(t, filepath.Join(to, "old"), "surplus", 0o644, longAgo)
				} else if run == 1 {
					fetchtest.Equal(t, tr.Progress().Removed, map[bool]int{false: 1}[dry], "items removed")
				}
				fetchtest.As[*mirror.PartialError](t, err)
				if dry && run == 2 {
					fetchtest.Equal(t, len(tr.LeftOut()), 1, "items that are not planned to be removed")
				}
			}
			if !dry {
				equalTrees(t, readTree(t, to, false), before)
			}
		}
	}
}

// TestFilteredRemoval checks that items that the filter does not select are kept, also in a surplus directory.
func TestFilteredRemoval(t *testing.T) {
	for glob, want := range map[string]string{
		"none":  "put a, remove keep, remove keep, remove z, remove old, remove z",
		"keep":  "put a, remove z, remove z",
		"old/z": "put a, remove keep, remove keep, remove z",
		"old/":  "put a, remove keep, remove z",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
		m := &memoryServer{
			files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"old/", "keep", "z"},
			oldListing: []string{"keep", "z"},
		}
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true}
		fetchtest.NoError(t, tr.Filter.Add(glob, false))
		_, err := store(t, tr)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(m.actions, ", "), want, "actions without %s", glob)
	}
}

// TestFilteredReplacement checks that a directory with an item that the filter does not select is not replaced.
func TestFilteredReplacement(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "old"), "a", 0o644, longAgo)
	m := &memoryServer{
		files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"old/"},
		oldListing: []string{"keep", "z"},
	}
	tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true}
	fetchtest.NoError(t, tr.Filter.Add("keep", false))
	tr, _ = store(t, tr)
	fetchtest.Equal(t, len(m.actions), 0, "actions (%q)", m.actions)
	fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), "[old: the server has an item of another kind with this name]")
}

// TestLinkedDirectory checks that the content of the target of a link is neither removed nor replaced, even if the
// server lists the link as a directory.
func TestLinkedDirectory(t *testing.T) {
	never := func() bool { return false }
	u := ftpURL(t, "ftp://ftp.example/d;type=d")
	paths := map[string]string{"": "/home", "d": "/home/d", "real": "/home/d/real", "link": "/srv/other", "\xff": "/home/d/\xff\xff"}
	for _, tt := range []struct {
		lists []string
		paths map[string]string
		want  string
	}{
		{[]string{"real/", "link/"}, paths, "1 2"},
		{[]string{"real/", "shown@/", "shown@"}, paths, "1 2"}, // its path is not that of its target
		{[]string{"\xff/"}, paths, "0 2"},
		{[]string{"link/"}, map[string]string{"d": "/home/d"}, "0 2"},
		{[]string{"link/"}, map[string]string{"d": "HOME:[D]", "link": "HOME:[D.LINK]"}, "0 2"},
		{[]string{"a"}, map[string]string{"": "/home", "d": "/srv/d"}, "1 0"},
	} {
		m := &memoryServer{loses: never, listing: tt.lists, paths: tt.paths}
		r, err := upload.ListRemoval(t.Context(), m, u)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, fmt.Sprint(r.Files, r.Dirs), tt.want, "files and directories of %q", tt.lists)
		fetchtest.NoError(t, r.Run(t.Context(), func(_ string, c *protocols.Change) error {
			if at := c.URL.(urlcore.FTP); (tt.paths[at.FileName()] == "/srv/other" || at.FileName() == "shown") && at.Type == 'd' {
				t.Errorf("%s is removed as a directory", at)
			}
			return nil
		}))
	}
	_, err := upload.ListRemoval(t.Context(), refusingFetcher{&memoryServer{
		loses: never, listing: []string{"a"}, paths: paths,
	}, func(u urlcore.URL) error {
		if u.(urlcore.FTP).FileName() == "" {
			return &protocols.Error{Reason: protocols.Denied, Code: 550}
		}
		return nil
	}}, u)
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Denied, "the parent directory is not listed")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "link/a"), "a", 0o644, longAgo)
	writeFile(t, filepath.Join(dir, "b"), "b", 0o644, longAgo)
	for _, lists := range [][]string{{"link/", "z/"}, {"link@/", "z@/"}} {
		m := &memoryServer{files: make(map[string][]byte), loses: never, listing: lists, paths: map[string]string{"d": "/home/d"}}
		if lists[0] == "link/" {
			m.paths = map[string]string{"d": "/home/d", "link": "/srv/other", "z": "/srv/other"}
		}
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: u, Update: true, Delete: true})
		fetchtest.Equal(t, fetchtest.As[*mirror.PartialError](t, err).Verb, "stored or removed")
		fetchtest.Equal(t, len(tr.LeftOut()), 2, "items left out")
		fetchtest.Equal(t, strings.Join(m.actions, ", "), "put b, remove z")
	}
	m := &memoryServer{loses: never, listing: []string{"d@/", "a"}, sameEverywhere: true}
	r := fetchtest.Must(upload.ListRemoval(t.Context(), m, u))(t)
	fetchtest.Equal(t, fmt.Sprint(r.Files, r.Dirs), "1 0", "files and directories of a link")
}

// TestCheckSizes checks that files that the server stored in part are sent again. Files with inexact listed sizes
// are not.
func TestCheckSizes(t *testing.T) {
	for _, tt := range []struct {
		m           *memoryServer
		puts, asked int
	}{
		{&memoryServer{truncates: 2}, 4, 2},
		{&memoryServer{truncates: 2, hidesFiles: true}, 4, 2},
		{&memoryServer{truncates: 2, refusesList: true}, 4, 2},
		{&memoryServer{}, 2, 0},
		{&memoryServer{hidesFiles: true}, 2, 2},
		{&memoryServer{refusesList: true}, 2, 2},
		{&memoryServer{block: 512}, 2, 2},
		{&memoryServer{block: 512, hidesSize: true}, 2, 2},
		{&memoryServer{refusesList: true, hidesSize: true}, 2, 2},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "1234", 0o644, longAgo)
		writeFile(t, filepath.Join(dir, "b"), "5678", 0o644, longAgo)
		m := tt.m
		m.files, m.loses = make(map[string][]byte), func() bool { return false }
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Force: true})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, string(m.files["a"])+string(m.files["b"]), "12345678")
		fetchtest.Equal(t, m.puts, tt.puts, "files that were sent")
		fetchtest.Equal(t, m.checkedPuts, tt.puts-2, "files that were sent with a check")
		fetchtest.Equal(t, m.dateRequests, tt.asked, "files whose sizes were asked for")
		p := tr.Progress()
		fetchtest.Equal(t, fmt.Sprint(p.Files, p.Done), "2 8", "files and octets")
	}
}

// TestModes checks that the modes are set at once, and that wrong modes in a listing are corrected.
func TestModes(t *testing.T) {
	for listed, want := range map[string]string{
		"rw-r--r--": "chmod private 600, put private 600, put public 644",
		"rw-------": "chmod public 644, put private 600, put public 644",
		"":          "put private 600, put public 644",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "private"), "a", 0o600, longAgo)
		writeFile(t, filepath.Join(dir, "public"), "b", 0o644, longAgo)
		m := &memoryServer{
			files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{},
			note: protocols.FileNote{Mode: listed},
		}
		actions := 0
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), DryRun: true, Print: func(string) { actions++ }}
		fetchtest.NoError(t, errors.Join(tr.Plan(t.Context()), tr.Run(t.Context())))
		tr.Close()
		fetchtest.Equal(t, actions, 2, "actions of a dry run")
		fetchtest.Equal(t, m.puts, 0, "files sent by a dry run")
		tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: tr.URL})
		fetchtest.NoError(t, err)
		slices.Sort(m.modes)
		fetchtest.Equal(t, strings.Join(m.modes, ", "), want, "listed as %q", listed)
		fetchtest.Equal(t, tr.Progress().ChangedModes, 0, "changed modes")
	}
}

// TestRefusedDirectory checks that all files and directories are left out for one reason if the directory is refused.
// Dangling links are left out for another reason.
func TestRefusedDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
	writeFile(t, filepath.Join(dir, "sub/b"), "b", 0o644, longAgo)
	fetchtest.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dead")))
	fetchtest.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }, refusesMkdir: true}
	_, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d")})
	partial := fetchtest.As[*mirror.PartialError](t, err)
	fetchtest.Reason(t, partial.Cause, protocols.Denied)
	fetchtest.Contains(t, err.Error(), "6 of 6 items were not stored")
	fetchtest.Equal(
		t, fmt.Sprint(mirror.WithoutCause(partial.LeftOut, err)),
		"[dead: it is a dangling link, or a link to a directory loop: it is a dangling link, or a link to a directory]",
	)
}

// TestDates updates a file whose date at the server is listed in several ways.
func TestDates(t *testing.T) {
	none := protocols.NewError(protocols.NotSupported, "set the date", "no")
	minute := longAgo.Truncate(time.Minute)
	for _, tt := range []struct {
		name   string
		listed protocols.FileNote
		date   time.Time // the answer of the server to a request for the date
		dates  error     // the error of setting the date
		asked  int
		sent   bool
	}{
		{"equal", protocols.FileNote{Modified: longAgo}, longAgo, nil, 0, false},
		{"of another size", protocols.FileNote{Modified: longAgo, Size: 3}, longAgo, nil, 0, true},
		{"earlier", protocols.FileNote{Modified: longAgo.Add(-time.Second - time.Minute)}, longAgo, nil, 0, true},
		{"to the minute, equal", protocols.FileNote{Modified: minute}, longAgo, nil, 1, false},
		{"to the minute, earlier", protocols.FileNote{Modified: minute}, longAgo.Add(-time.Second), nil, 1, true},
		{"to the minute, unknown", protocols.FileNote{Modified: minute}, time.Time{}, nil, 1, true},
		{"another minute", protocols.FileNote{Modified: minute.Add(-time.Minute)}, longAgo, nil, 0, true},
		{"to the day", protocols.FileNote{Modified: longAgo.Truncate(24 * time.Hour), DateOnly: true}, longAgo, nil, 1, false},
		{"another day", protocols.FileNote{Modified: longAgo.AddDate(0, 0, -9), DateOnly: true}, longAgo, nil, 0, true},
		{"of another zone", protocols.FileNote{Modified: minute.Add(2 * time.Hour), Local: true}, longAgo, nil, 1, false},
		{"none", protocols.FileNote{}, longAgo, nil, 1, false},
		{"later", protocols.FileNote{Modified: longAgo.Add(time.Second)}, longAgo, nil, 0, true},
		{"later, and no dates are set", protocols.FileNote{Modified: longAgo.Add(time.Second)}, longAgo, none, 0, false},
		{"later by the answer, and no dates are set", protocols.FileNote{Modified: minute}, longAgo.Add(time.Second), none, 1, false},
		{
			"later, and the date of this file is not set",
			protocols.FileNote{Modified: longAgo.Add(time.Second)},
			longAgo, protocols.NewError(protocols.Denied, "set the date", "no"), 0, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
			if tt.listed.Size == 0 {
				tt.listed.Size = 1
			}
			tt.listed.Mode = "rw-r--r--"
			m := &memoryServer{
				files: make(map[string][]byte), loses: func() bool { return false }, date: tt.date,
				setDateErr: tt.dates, listing: []string{"a"}, note: tt.listed,
			}
			tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true})
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, m.dateRequests, tt.asked, "questions")
			fetchtest.Equal(t, m.puts == 1, tt.sent, "sent")
			p := tr.Progress()
			fetchtest.Equal(t, p.Files+p.Unchanged, 1, "counted")
			fetchtest.Equal(t, p.Files == 1, tt.sent, "counted as sent")
		})
	}
}

// TestLeftOut checks the items that are left out, and the reasons.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
	writeFile(t, filepath.Join(dir, "old"), "old", 0o644, longAgo.AddDate(-1, 0, 0))
	writeFile(t, filepath.Join(dir, "skipped.iso"), "a", 0o644, longAgo)
	writeFile(t, filepath.Join(dir, "d/cr\rlf"), "a", 0o644, longAgo)
	for name, target := range map[string]string{"copy": "a", "dead": "nothing", "dir": "d", "out": "/etc/passwd", "up": "../.."} {
		fetchtest.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }}
	tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Filter: mirror.Filter{ModifiedSince: longAgo}}
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

// TestPlanAfterLogin checks that Plan can be called again after a login, and plans nothing twice.
func TestPlanAfterLogin(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "d/a"), "a", 0o644, longAgo)
	fetchtest.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dead")))
	login := error(new(protocols.Login))
	m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }}
	tr := &upload.Tree{
		Server: refusingFetcher{m, func(urlcore.URL) error { return login }}, Dir: dir,
		URL: ftpURL(t, "ftp://ftp.example/d;type=d"),
	}
	defer tr.Close()
	fetchtest.As[*protocols.Login](t, tr.Plan(t.Context()))
	login = nil
	fetchtest.NoError(t, tr.Plan(t.Context()))
	fetchtest.Equal(t, tr.Progress().TotalFiles, 1, "files")
	fetchtest.Equal(t, tr.MissingDirs(), 2, "directories")
	fetchtest.Equal(t, len(tr.LeftOut()), 1, "items left out")
}

// refusingFetcher is a server that refuses some requests.
type refusingFetcher struct {
	*memoryServer
	refuse func(u urlcore.URL) error
}

func (l refusingFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if err := l.refuse(req.URL); err != nil {
		return nil, err
	}
	return l.memoryServer.Fetch(ctx, req)
}
