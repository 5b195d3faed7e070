package across_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

var longAgo = time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC)

// write makes files, and the directories above them, which all users may change. A path that ends in a slash is a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		at := filepath.Join(dir, path)
		parent := at
		if !strings.HasSuffix(path, "/") {
			parent = filepath.Dir(at)
		}
		fetchtest.NoError(t, os.MkdirAll(parent, 0o755))
		for ; parent != filepath.Dir(dir); parent = filepath.Dir(parent) {
			fetchtest.NoError(t, os.Chmod(parent, 0o777))
		}
		if strings.HasSuffix(path, "/") {
			continue
		}
		fetchtest.NoError(t, os.WriteFile(at, []byte(content), 0o644))
		fetchtest.NoError(t, os.Chtimes(at, longAgo, longAgo))
	}
}

// read returns the content of all files below dir, and the directories with a slash.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	fetchtest.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		if d.IsDir() {
			files[name+"/"] = ""
			return nil
		}
		b, err := os.ReadFile(path)
		files[name] = string(b)
		return err
	}))
	return files
}

func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if got := read(t, dir); !maps.Equal(got, want) {
		t.Errorf("%s: got %.300q, want %.300q", filepath.Base(dir), got, want)
	}
}

// side is a directory with its path on this machine and its URL.
type side struct {
	path string
	url  across.Directory
}

func local(t *testing.T) side {
	t.Helper()
	path := t.TempDir()
	return side{path, fetchtest.Must(urlcore.Parse("file://" + path + "/"))(t).(across.Directory)}
}

// sides returns functions that make an empty directory on this machine and on a real FTP server, and a server for both.
func sides(t *testing.T) (across.Server, map[string]func(name string) side) {
	t.Helper()
	d := realserver.FTPDaemons()[0]
	s := d.Start(t)
	c := &ftp.Client{PlainPasswords: true}
	t.Cleanup(func() { _ = c.Close() })
	remote := func(name string) side {
		path := filepath.Join(s.Home, "notes", name)
		fetchtest.NoError(t, os.RemoveAll(path))
		fetchtest.NoError(t, os.MkdirAll(path, 0o777))
		fetchtest.NoError(t, os.Chmod(path, 0o777))
		u := fetchtest.Must(urlcore.Parse("ftp://" + s.User + ":" + s.Password + "@" + s.Addr + "/notes/" + name + ";type=d"))(t)
		return side{path, u.(across.Directory)}
	}
	return protocols.Registry{"ftp": c, "file": new(file.Client)}, map[string]func(string) side{"file": func(string) side { return local(t) }, "ftp": remote}
}

// linesOf returns the items of a directory that have one of the names, or all items.
func linesOf(t *testing.T, s across.Server, u urlcore.URL, names ...string) (lines []protocols.Line) {
	t.Helper()
	_, all, err := transfer.ReadAll(t.Context(), s, protocols.Request{URL: u, Hidden: true})
	fetchtest.NoError(t, err)
	for _, l := range all {
		if len(names) == 0 || slices.Contains(names, l.Text) {
			lines = append(lines, l)
		}
	}
	return lines
}

// run plans and runs a copy of the items of a directory that have one of the names, or of all items.
func run(t *testing.T, s across.Server, from, to side, c *across.Copy, names ...string) error {
	t.Helper()
	c.Server, c.From, c.To, c.Items = s, from.url, to.url, linesOf(t, s, from.url, names...)
	if err := c.Plan(t.Context()); err != nil {
		return err
	}
	return c.Run(t.Context(), nil)
}

// TestCopyInEveryPairing copies and then moves a tree between directories of this machine and of a real server.
func TestCopyInEveryPairing(t *testing.T) {
	s, make := sides(t)
	tree := map[string]string{"a.txt": "one", "empty": "", "sub/b.bin": "\x00\r\n\xff", "sub/deep/c": strings.Repeat("long ", 100_000), "none/": "", ".hidden": "dot"}
	want := maps.Clone(tree)
	want["sub/"], want["sub/deep/"] = "", ""
	for from := range make {
		for to := range make {
			t.Run(from+" to "+to, func(t *testing.T) {
				a, b, c := make[from](from+to+"a"), make[to](from+to+"b"), make[to](from+to+"c")
				write(t, a.path, tree)
				cp := new(across.Copy)
				fetchtest.NoError(t, run(t, s, a, b, cp))
				wantFiles(t, b.path, want)
				wantFiles(t, a.path, want)
				fetchtest.Equal(t, len(cp.Done()), 5, "items that are done")
				info := fetchtest.Must(os.Stat(filepath.Join(b.path, "a.txt")))(t)
				fetchtest.Equal(t, info.ModTime().UTC(), longAgo, "date")

				cp = &across.Copy{Move: true}
				fetchtest.NoError(t, run(t, s, a, c, cp))
				wantFiles(t, c.path, want)
				wantFiles(t, a.path, map[string]string{})
				if renames := from == to; (len(cp.Renamed()) > 0) != renames {
					t.Errorf("renamed %d items, want some: %v", len(cp.Renamed()), renames)
				}
			})
		}
	}
}

// TestExistingFiles checks what happens to the files that the target has, in a copy and in a move.
func TestExistingFiles(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	for _, tt := range []struct {
		name     string
		existing across.Existing
		want     map[string]string
	}{
		{"skip", across.Skip, map[string]string{"older": "there", "newer": "there", "d/": "", "d/x": "there", "d/y": "here", "z": "here"}},
		{"replace", across.Replace, map[string]string{"older": "here", "newer": "here", "d/": "", "d/x": "here", "d/y": "here", "z": "here"}},
		{"newer", across.Newer, map[string]string{"older": "here", "newer": "there", "d/": "", "d/x": "there", "d/y": "here", "z": "here"}},
	} {
		for _, move := range []bool{false, true} {
			from, to := local(t), local(t)
			write(t, from.path, map[string]string{"older": "here", "newer": "here", "d/x": "here", "d/y": "here", "z": "here"})
			write(t, to.path, map[string]string{"older": "there", "newer": "there", "d/x": "there"})
			fetchtest.NoError(t, os.Chtimes(filepath.Join(to.path, "older"), longAgo, longAgo.Add(-time.Hour)))
			fetchtest.NoError(t, os.Chtimes(filepath.Join(to.path, "newer"), longAgo, longAgo.Add(time.Hour)))
			c := &across.Copy{Server: s, From: from.url, To: to.url, Items: linesOf(t, s, from.url), Move: move}
			fetchtest.NoError(t, c.Plan(t.Context()))
			p := c.Progress()
			fetchtest.Equal(t, [2]int{p.Existing, p.Newer}, [2]int{3, 1}, "existing files, and newer ones")
			c.Existing = tt.existing
			fetchtest.NoError(t, c.Run(t.Context(), nil))
			wantFiles(t, to.path, tt.want)
			left := maps.Clone(map[string]string{})
			for name, content := range tt.want {
				if move && content == "there" {
					left[name] = "here"
				}
			}
			if _, kept := left["d/x"]; kept {
				left["d/"] = ""
			}
			if move {
				wantFiles(t, from.path, left)
			}
		}
	}
}

// TestUndo checks that the undo of a copy removes what is new, keeps what was changed since, and is not there after a file was
// replaced.
func TestUndo(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"a": "here", "d/x": "here", "e/y": "here"})
	write(t, to.path, map[string]string{"e/": "", "z": "there"})
	c := new(across.Copy)
	fetchtest.NoError(t, run(t, s, from, to, c))
	fetchtest.Equal(t, c.CanUndo(), true, "nothing was replaced")
	fetchtest.NoError(t, c.Undo(t.Context()))
	wantFiles(t, to.path, map[string]string{"e/": "", "z": "there"})

	fetchtest.NoError(t, run(t, s, from, to, c, "a"))
	write(t, to.path, map[string]string{"a": "changed"})
	fetchtest.Equal(t, c.Undo(t.Context()), across.ErrChanged)
	wantFiles(t, to.path, map[string]string{"a": "changed", "e/": "", "z": "there"})

	c = &across.Copy{Existing: across.Replace}
	fetchtest.NoError(t, run(t, s, from, to, c))
	fetchtest.Equal(t, c.CanUndo(), false, "a file was replaced")
}

// TestLeftOut checks which items are not copied, and that nothing is replaced that came to exist after the question.
func TestLeftOut(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"a": "here", "dir": "a file", "late": "here", "tree/x": "x", "same/y": "y", "linked/z": "z"})
	write(t, to.path, map[string]string{"dir/": ""})
	elsewhere := local(t)
	fetchtest.NoError(t, os.Symlink(elsewhere.path, filepath.Join(to.path, "linked")))
	fetchtest.NoError(t, os.Symlink(".", filepath.Join(from.path, "up")))
	fetchtest.NoError(t, os.Symlink("a", filepath.Join(from.path, "link")))
	c := &across.Copy{Server: s, From: from.url, To: to.url, Items: linesOf(t, s, from.url)}
	fetchtest.NoError(t, c.Plan(t.Context()))
	write(t, to.path, map[string]string{"late": "there", "tree": "a file now"})
	err := c.Run(t.Context(), nil)
	partial, ok := errors.AsType[*mirror.PartialError](err)
	if !ok {
		t.Fatalf("got %v, want a partial error", err)
	}
	reasons := make(map[string]string)
	for _, l := range partial.LeftOut {
		reasons[l.Path] = l.Err.Error()
	}
	for path, want := range map[string]string{"dir": "another kind", "late": "exists at the target", "up": "link to a directory", "tree": "exists", "tree/x": "its directory was left out", "linked": "a link of this name"} {
		if !strings.Contains(reasons[path], want) {
			t.Errorf("%s: left out because %q, want %q", path, reasons[path], want)
		}
	}
	wantFiles(t, elsewhere.path, map[string]string{})
	fetchtest.NoError(t, os.Remove(filepath.Join(to.path, "linked")))
	wantFiles(t, to.path, map[string]string{"a": "here", "link": "here", "dir/": "", "late": "there", "tree": "a file now", "same/": "", "same/y": "y"})

	// A directory is not copied into itself, and a file not onto itself.
	inside := side{filepath.Join(from.path, "same"), fetchtest.Must(urlcore.Parse(from.url.String() + "same/"))(t).(across.Directory)}
	if err := run(t, s, from, inside, new(across.Copy), "same"); err == nil {
		t.Error("a directory was copied into itself")
	}
	if err := run(t, s, from, from, &across.Copy{Existing: across.Replace}, "a"); err == nil {
		t.Error("a file was copied onto itself")
	}
	wantFiles(t, inside.path, map[string]string{"y": "y"})
}

// brokenServer breaks off documents in the middle, or refuses to store files.
type brokenServer struct {
	across.Server
	refuse error
}

func (b brokenServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := b.Server.Fetch(ctx, req)
	if err == nil && res.Body != nil && b.refuse == nil {
		res.Body = io.MultiReader(io.LimitReader(res.Body, 2), errReader{})
	}
	return res, err
}

func (b brokenServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if b.refuse != nil {
		return b.refuse
	}
	return b.Server.Put(ctx, u, up)
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the disk has a bad sector") }

// TestBrokenCopies checks that a document that breaks off leaves no file, and replaces and moves nothing, and that the reason is
// that of the side that failed.
func TestBrokenCopies(t *testing.T) {
	reg := protocols.Registry{"file": new(file.Client)}
	for _, tt := range []struct {
		refuse error
		want   string
	}{{nil, "bad sector"}, {protocols.LocalError("store", errors.New("no space left on device")), "no space left"}} {
		from, to := local(t), local(t)
		write(t, from.path, map[string]string{"a": "content", "b": "content"})
		write(t, to.path, map[string]string{"b": "old"})
		for _, name := range []string{"a", "b"} {
			c := &across.Copy{Existing: across.Replace}
			err := run(t, brokenServer{reg, tt.refuse}, from, to, c, name)
			if err == nil || !strings.Contains(c.LeftOut()[0].Err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %q", name, c.LeftOut(), tt.want)
			}
		}
		wantFiles(t, to.path, map[string]string{"b": "old"})
		wantFiles(t, from.path, map[string]string{"a": "content", "b": "content"})
	}
}

// cutServer loses the connection of the first n uploads after two octets, which stay at the target.
type cutServer struct {
	across.Server
	n int
}

func (s *cutServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if s.n--; s.n < 0 {
		return s.Server.Put(ctx, u, up)
	}
	part := protocols.Upload{Body: io.LimitReader(up.Body, 2), Size: 2, Replace: up.Replace}
	if err := s.Server.Put(ctx, u, &part); err != nil {
		return err
	}
	up.Sent, up.Part = 2, u
	return &protocols.Error{Reason: protocols.Broken, Op: "store", Err: errors.New("the line was cut")}
}

// TestLostConnection checks that a file is sent again after a lost connection. If that does not help, the part is left for another Run, and
// Discard removes it.
func TestLostConnection(t *testing.T) {
	for _, tt := range []struct {
		cuts int
		want map[string]string
	}{{2, map[string]string{"a": "content", "b": "content"}}, {100, map[string]string{}}} {
		synctest.Test(t, func(t *testing.T) {
			from, to := local(t), local(t)
			write(t, from.path, map[string]string{"a": "content", "b": "content"})
			c := new(across.Copy)
			err := run(t, &cutServer{protocols.Registry{"file": new(file.Client)}, tt.cuts}, from, to, c)
			fetchtest.Equal(t, err == nil, len(tt.want) > 0, "%v", err)
			if err != nil {
				wantFiles(t, to.path, map[string]string{"a": "co"})
				fetchtest.NoError(t, c.Discard(t.Context()))
				fetchtest.Equal(t, c.Discarded(), "a", "file whose part was removed")
			}
			wantFiles(t, to.path, tt.want)
		})
	}
}

// TestCompare checks the differences of items by the listings, and by content.
func TestCompare(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	a, b := local(t), local(t)
	write(t, a.path, map[string]string{"equal": "1", "size": "12", "new": "1", "later": "1", "earlier": "1", "d/": "", "kind": "1", "content": "1"})
	write(t, b.path, map[string]string{"equal": "1", "size": "1", "later": "1", "earlier": "1", "d/": "", "kind/": "", "other": "1", "content": "2"})
	fetchtest.NoError(t, os.Chtimes(filepath.Join(a.path, "later"), longAgo, longAgo.Add(time.Hour)))
	fetchtest.NoError(t, os.Chtimes(filepath.Join(b.path, "earlier"), longAgo, longAgo.Add(time.Hour)))
	items, others := linesOf(t, s, a.url), linesOf(t, s, b.url)
	got := make(map[string]across.Difference)
	for i, d := range across.Compare(items, others) {
		got[items[i].Text] = d
	}
	want := map[string]across.Difference{
		"equal": across.Equal, "size": across.Changed, "new": across.New, "later": across.Later, "earlier": across.Earlier, "d": across.Unknown, "kind": across.Changed, "content": across.Equal,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for name, want := range map[string]bool{"equal": true, "content": false} {
		line := func(lines []protocols.Line) protocols.Line {
			return lines[slices.IndexFunc(lines, func(l protocols.Line) bool { return l.Text == name })]
		}
		octets := 0
		same, err := across.SameContent(t.Context(), s, line(items), line(others), func(n int) { octets += n })
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, same, want, "%s has the same content", name)
		fetchtest.Equal(t, octets, 2, "octets read")
	}
}
