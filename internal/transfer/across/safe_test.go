package across_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/urlcore"
)

// TestAliases copies and moves a directory onto itself by other names: a link to it, another spelling of its path, another server of
// the same folder. Nothing is lost, nor damaged.
func TestAliases(t *testing.T) {
	s, places := startPlaces(t)
	big := noise(1 << 20)
	tree := map[string]string{"f": big, "d/x": "precious", "empty/": ""}
	want := maps.Clone(tree)
	want["d/"] = ""
	for _, from := range []string{"file", "ftp", "sftp"} {
		for _, to := range []string{from, "file of the folder", "link", "spelling"} {
			for _, move := range []bool{false, true} {
				for _, backward := range []bool{false, true} {
					name := from + to + map[bool]string{true: "-move"}[move] + map[bool]string{true: "-backward"}[backward]
					t.Run(name, func(t *testing.T) {
						a := places[from].newSide(t, strings.ReplaceAll(name, " ", ""))
						b := a
						switch to {
						case "file of the folder":
							b.url = places["file"].at(t, a.path).url
						case "link":
							link := strings.ReplaceAll(name, " ", "") + "-link"
							b = places[from].newSide(t, link)
							fetchtest.NoError(t, os.Remove(b.path))
							fetchtest.NoError(t, os.Symlink(a.path, b.path))
						case "spelling":
							if from != "file" {
								return
							}
							b.url = fetchtest.Must(urlcore.Parse("file://" + a.path + "/d/../"))(t).(across.Directory)
						}
						real := a.path
						write(t, real, tree)
						if backward {
							a, b = b, a
						}
						c := &across.Copy{Existing: across.Replace, Move: move}
						_ = run(t, s, a, b, c)
						wantFiles(t, real, want)
					})
				}
			}
		}
	}
}

// at returns the directory of a path of this machine.
func (place) at(t *testing.T, path string) side {
	t.Helper()
	return side{path, fetchtest.Must(urlcore.Parse("file://" + path + "/"))(t).(across.Directory)}
}

// TestLinkAtTheTarget checks that a file is not stored where a link of its name leads, which may be the file itself.
func TestLinkAtTheTarget(t *testing.T) {
	s, places := startPlaces(t)
	for _, from := range []string{"file", "ftp", "sftp"} {
		for _, move := range []bool{false, true} {
			name := from + map[bool]string{true: "-move"}[move]
			a, b := places[from].newSide(t, name+"-a"), places[from].newSide(t, name+"-b")
			write(t, a.path, map[string]string{"f": "precious"})
			fetchtest.NoError(t, os.Symlink(filepath.Join(a.path, "f"), filepath.Join(b.path, "f")))
			c := &across.Copy{Existing: across.Replace, Move: move}
			_ = run(t, s, a, b, c)
			content, err := os.ReadFile(filepath.Join(b.path, "f"))
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, string(content), "precious", "%s: the file at the target", name)
		}
	}
}

// TestReplaceLast checks that a replaced file has its old content until the new one is complete.
func TestReplaceLast(t *testing.T) {
	s, places := startPlaces(t)
	for to, target := range places {
		from, b := local(t), target.newSide(t, "replaced")
		write(t, from.path, map[string]string{"f": "content"})
		write(t, b.path, map[string]string{"f": "old"})
		c := &across.Copy{Existing: across.Replace}
		if err := run(t, brokenServer{s, nil}, from, b, c); err == nil {
			t.Errorf("%s: no error of a broken document", to)
		}
		wantFiles(t, b.path, map[string]string{"f": "old"})
	}
}

// hooked calls functions before it fetches a document, and after it has stored one.
type hooked struct {
	across.Server
	fetched, stored func(u urlcore.URL)
	refusesModes    bool
	change          func(c *protocols.Change) error
	list            func(u urlcore.URL) error
}

func (h hooked) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if h.list != nil {
		if err := h.list(req.URL); err != nil {
			return nil, err
		}
	}
	if h.fetched != nil && !strings.HasSuffix(req.URL.String(), "/") {
		h.fetched(req.URL)
	}
	return h.Server.Fetch(ctx, req)
}

func (h hooked) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	err := h.Server.Put(ctx, u, up)
	if h.stored != nil {
		h.stored(u)
	}
	up.ModeKept = up.ModeKept && !h.refusesModes
	return err
}

func (h hooked) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	if h.change != nil {
		if err := h.change(c); err != nil {
			return nil, err
		}
	}
	return h.Server.Change(ctx, c)
}

// TestChangedSource checks that a move does not remove a file that was changed after it was read.
func TestChangedSource(t *testing.T) {
	s, places := startPlaces(t)
	for from, source := range places {
		a, b := source.newSide(t, "changed-"+from), local(t)
		write(t, a.path, map[string]string{"f": "content"})
		h := hooked{Server: s, stored: func(urlcore.URL) {
			fetchtest.NoError(t, os.WriteFile(filepath.Join(a.path, "f"), []byte("CONTENT"), 0o666))
		}}
		if source.dir == places["file"].dir { // otherwise it would be renamed
			write(t, b.path, map[string]string{"f": "old"})
		}
		c := &across.Copy{Move: true, Existing: across.Replace}
		err := run(t, h, a, b, c)
		fetchtest.Equal(t, leftOutPaths(c), "f", "%s: left out (%v)", from, err)
		wantFiles(t, a.path, map[string]string{"f": "CONTENT"})
	}
}

// shortServer sends documents without their size, and only the beginning of them.
type shortServer struct{ across.Server }

func (s shortServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := s.Server.Fetch(ctx, req)
	if err == nil && res.Body != nil {
		res.Size, res.Body = -1, strings.NewReader("co")
	}
	return res, err
}

// TestShortSource checks that a document that ends before the size in the list neither replaces a file nor is moved.
func TestShortSource(t *testing.T) {
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"f": "content"})
	write(t, to.path, map[string]string{"f": "old"})
	c := &across.Copy{Move: true, Existing: across.Replace}
	if err := run(t, shortServer{protocols.Registry{"file": new(file.Client)}}, from, to, c); err == nil {
		t.Error("no error")
	}
	wantFiles(t, from.path, map[string]string{"f": "content"})
	wantFiles(t, to.path, map[string]string{"f": "old"})
}

// TestGrownFile checks that a file that was changed since the page was listed is copied as it is now, and that one that is gone is named.
func TestGrownFile(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"f": "content", "gone": "x"})
	c := &across.Copy{Server: s, From: from.url, To: to.url, Items: linesOf(t, s, from.url)}
	write(t, from.path, map[string]string{"f": "content and more"})
	fetchtest.NoError(t, os.Remove(filepath.Join(from.path, "gone")))
	fetchtest.NoError(t, c.Plan(t.Context()))
	_ = c.Run(t.Context(), nil)
	fetchtest.Equal(t, leftOutPaths(c), "gone", "left out")
	wantFiles(t, to.path, map[string]string{"f": "content and more"})
}

// TestStopMove checks that a stop ends a move by renaming before the next item.
func TestStopMove(t *testing.T) {
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"a": "1", "b": "2"})
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	s := hooked{Server: protocols.Registry{"file": new(file.Client)}, change: func(*protocols.Change) error { stop(stopped); return nil }}
	c := &across.Copy{Server: s, From: from.url, To: to.url, Items: linesOf(t, s, from.url), Move: true}
	fetchtest.NoError(t, c.Plan(ctx))
	fetchtest.Equal(t, c.Run(ctx, nil), stopped)
	wantFiles(t, from.path, map[string]string{"b": "2"})
	fetchtest.Equal(t, len(c.Renamed()), 1, "renamed items")
}

// TestQuestionInLateWalk checks that another Run copies a whole tree, if a question has stopped the first one while it listed the tree
// that could not be renamed.
func TestQuestionInLateWalk(t *testing.T) {
	from, to := local(t), local(t)
	tree := map[string]string{"d/a": "1", "d/sub/b": "2", "d/z": "3"}
	write(t, from.path, tree)
	asked := false
	s := hooked{
		Server: protocols.Registry{"file": new(file.Client)},
		change: func(c *protocols.Change) error {
			if c.Kind == protocols.Rename {
				return protocols.NewError(protocols.NotSupported, "rename", "another file system")
			}
			return nil
		},
		list: func(u urlcore.URL) error {
			if strings.HasSuffix(u.String(), "/d/sub/") && !asked {
				asked = true
				return &protocols.Confirm{Question: "Go on"}
			}
			return nil
		},
	}
	c := &across.Copy{Server: s, From: from.url, To: to.url, Items: linesOf(t, s, from.url), Move: true}
	fetchtest.NoError(t, c.Plan(t.Context()))
	if err := c.Run(t.Context(), nil); protocols.QuestionOf(err) == nil {
		t.Fatalf("got %v, want the question", err)
	}
	fetchtest.NoError(t, c.Run(t.Context(), nil))
	wantFiles(t, from.path, map[string]string{})
	tree["d/"], tree["d/sub/"] = "", ""
	wantFiles(t, to.path, tree)
	p := c.Progress()
	fetchtest.Equal(t, [3]int{p.Files, p.TotalFiles, p.Whole}, [3]int{3, 3, 0}, "files that were moved, and items to rename")
}

// TestEndlessTree checks that a tree with too many levels is left out, and the items beside it are copied.
func TestEndlessTree(t *testing.T) {
	from, to := local(t), local(t)
	write(t, from.path, map[string]string{"a": "1", "loop/x": "2", "z": "3"})
	inner := protocols.Registry{"file": new(file.Client)}
	c := &across.Copy{Server: loopServer{inner}, From: from.url, To: to.url, Items: linesOf(t, inner, from.url)}
	fetchtest.NoError(t, c.Plan(t.Context()))
	fetchtest.Equal(t, c.Progress().TotalFiles, 2, "files to copy")
	_ = c.Run(t.Context(), nil)
	fetchtest.Equal(t, leftOutPaths(c), "loop", "left out")
	wantFiles(t, to.path, map[string]string{"a": "1", "z": "3"})
}

// loopServer has a directory in each directory named loop.
type loopServer struct{ across.Server }

func (s loopServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	at := strings.Index(req.URL.String(), "/loop/")
	if at < 0 {
		return s.Server.Fetch(ctx, req)
	}
	child, err := req.URL.(across.Directory).Child("loop")
	if err != nil {
		return nil, err
	}
	u := child.(urlcore.File)
	u.Path += "/"
	line := protocols.Line{Kind: protocols.Directory, Link: u, Note: &protocols.FileNote{Size: -1}}
	lines := func(yield func(protocols.Line, error) bool) { yield(line, nil) }
	return &protocols.Resource{Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory}, Lines: lines}, nil
}

// TestUndoOfForeignItems checks that an undo removes and moves nothing if one of the new items is not as it was made.
func TestUndoOfForeignItems(t *testing.T) {
	s, places := startPlaces(t)
	for to, target := range places {
		for _, tt := range []struct {
			name   string
			change func(dir string) error
		}{
			{"same size", func(dir string) error { return os.WriteFile(filepath.Join(dir, "d/x"), []byte("MINE"), 0o666) }},
			{"new item", func(dir string) error { return os.WriteFile(filepath.Join(dir, "d/new"), nil, 0o666) }},
		} {
			a, b := local(t), target.newSide(t, strings.ReplaceAll("undo-"+to+tt.name, " ", "-"))
			write(t, a.path, map[string]string{"a": "here", "d/x": "here"})
			c := new(across.Copy)
			fetchtest.NoError(t, run(t, s, a, b, c))
			fetchtest.NoError(t, tt.change(b.path))
			want := read(t, b.path)
			fetchtest.Equal(t, c.Undo(t.Context()), across.ErrChanged, "%s, %s", to, tt.name)
			wantFiles(t, b.path, want)
		}
		a, b := target.newSide(t, "undo-move-a-"+to), target.newSide(t, "undo-move-b-"+to)
		write(t, a.path, map[string]string{"a": "here", "d/x": "here"})
		c := &across.Copy{Move: true}
		fetchtest.NoError(t, run(t, s, a, b, c))
		fetchtest.NoError(t, c.Undo(t.Context()))
		wantFiles(t, a.path, map[string]string{"a": "here", "d/": "", "d/x": "here"})
		c = &across.Copy{Move: true}
		fetchtest.NoError(t, run(t, s, a, b, c))
		fetchtest.NoError(t, os.WriteFile(filepath.Join(b.path, "a"), []byte("MINE!"), 0o666))
		fetchtest.Equal(t, c.Undo(t.Context()), across.ErrChanged, "%s, moved", to)
		wantFiles(t, a.path, map[string]string{})
	}
}
