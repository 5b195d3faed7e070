package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// treeServer lists directories by URL, and records the stored and removed items.
type treeServer struct {
	*changesProgram
	protocols.Identifier // not used
	lists                map[string][]protocols.Line

	mu   sync.Mutex
	puts []string
}

func (s *treeServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if req.Facts {
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: -1}, Closer: io.NopCloser(nil)}, nil
	}
	s.mu.Lock()
	lines, ok := s.lists[req.URL.String()]
	s.mu.Unlock()
	if !ok {
		return nil, protocols.NewError(protocols.NotFound, "list", "there is none")
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory},
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		},
	}, nil
}

func (s *treeServer) Put(_ context.Context, u urlcore.URL, up *protocols.Upload) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts = append(s.puts, fmt.Sprint(u, " resume=", up.Resume))
	dir, _ := u.(urlcore.FTP).Up()
	s.lists[dir.String()] = append(s.lists[dir.String()], protocols.Line{
		Kind: protocols.Other, Link: u, Note: &protocols.FileNote{Size: up.Size, Mode: "rw-r--r--"},
	})
	return nil
}

func (s *treeServer) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes.Change(ctx, c)
}

// newTreeServer returns a server with the directory d. This directory has a file, a link to a
// directory, and a directory with a file.
func newTreeServer(t *testing.T) *treeServer {
	s := &treeServer{changesProgram: newChangesProgram(t)}
	s.changes.Server = s
	line := func(kind protocols.Kind, path, target string) protocols.Line {
		u := fetchtest.Parse(t, "ftp://ftp.example.org/pub/"+path)
		return protocols.Line{Kind: kind, Text: u.(urlcore.FTP).FileName(), Link: u, Note: &protocols.FileNote{Target: target, Mode: "rwxr-x---"}}
	}
	s.lists = map[string][]protocols.Line{
		"ftp://ftp.example.org/pub;type=d": {line(protocols.Directory, "d;type=d", "")},
		"ftp://ftp.example.org/pub/d;type=d": {
			line(protocols.Text, "d/a.txt", ""), line(protocols.Other, "d/link", "/etc"),
			line(protocols.Directory, "d/e;type=d", ""),
		},
		"ftp://ftp.example.org/pub/d/e;type=d": {line(protocols.Text, "d/e/b.txt", "")},
	}
	s.Program = roomtest.New(
		2, protocols.Head{URL: fetchtest.Parse(t, "ftp://ftp.example.org/pub/"), Layout: protocols.LayoutDirectory},
		line(protocols.Directory, "d;type=d", ""),
	)
	return s
}

// removedPaths returns the paths of the removed items.
func (s *treeServer) removedPaths() string {
	var paths []string
	for _, c := range s.changed {
		if c.Kind == protocols.Remove {
			paths = append(paths, strings.TrimPrefix(c.URL.(urlcore.FTP).Path, "pub/"))
		}
	}
	return strings.Join(paths, " ")
}

func TestRemoveTree(t *testing.T) {
	const question = `Remove "d" with 3 files and 1 directory inside from ftp.example.org?`
	s := newTreeServer(t)
	s.Run(s.changes.Remove())
	fetchtest.Equal(t, s.Question(), question)
	s.RunActions("no")
	fetchtest.Equal(t, s.removedPaths(), "")
	s.Run(s.changes.Remove())
	s.RunActions("yes")
	fetchtest.Equal(t, s.removedPaths(), "d/a.txt d/link d/e/b.txt d/e d")
	fetchtest.EqualSlices(t, s.Notices, []string{"removed d"}, "notices")

	s = newTreeServer(t)
	s.Run(s.changes.Remove())
	s.err = &protocols.Error{Op: "remove a.txt", Code: 550, Text: "denied"}
	s.RunActions("yes")
	fetchtest.Equal(t, s.removedPaths(), "d/a.txt")
	fetchtest.Contains(t, s.Notices[0], `not removed: 0 of 5 items removed, then "d/a.txt"`)

	s = newTreeServer(t)
	cut := protocols.Line{Kind: protocols.Failure, Text: "Output truncated to 2 matches"}
	s.lists["ftp://ftp.example.org/pub/d/e;type=d"] = append(s.lists["ftp://ftp.example.org/pub/d/e;type=d"], cut)
	s.Run(s.changes.Remove())
	fetchtest.Equal(t, s.Question(), strings.Replace(question, "with", "with at least", 1))
	s.RunActions("no")
	s.lists["ftp://ftp.example.org/pub/d;type=d"] = []protocols.Line{cut}
	s.Run(s.changes.Remove())
	fetchtest.Equal(t, s.Question(), `Remove "d" with unlisted items inside from ftp.example.org?`)
	s.RunActions("no")
	s.lists["ftp://ftp.example.org/pub/d;type=d"] = nil
	s.Run(s.changes.Remove())
	fetchtest.Equal(t, s.Question(), `Remove "d" from ftp.example.org?`)
}

// TestRemoveTaggedTrees checks that there is one question with the total counts. After a yes, a failure in
// one tagged item must not keep the others from being removed.
func TestRemoveTaggedTrees(t *testing.T) {
	s := newTreeServer(t)
	p := s.Tab().Session.Page()
	p.Lines.Append(protocols.Line{Kind: protocols.Directory, Text: "f", Link: fetchtest.Parse(t, "ftp://ftp.example.org/pub/f;type=d")},
		protocols.Line{
			Kind: protocols.Text, Text: "g", Link: fetchtest.Parse(t, "ftp://ftp.example.org/pub/g"),
			Note: &protocols.FileNote{Size: 10},
		})
	s.Tab().TagAll()
	s.Run(s.changes.Remove())
	fetchtest.Equal(
		t, s.Question(),
		"Remove 3 tagged items (10 B, 2 of unknown size) with 3 files and 1 directory inside from ftp.example.org?",
		"one cannot be listed",
	)
	s.RunActions("no")
	s.lists["ftp://ftp.example.org/pub/f;type=d"] = nil
	s.Run(s.changes.Remove())
	fetchtest.Equal(
		t, s.Question(),
		"Remove 3 tagged items (10 B, 2 of unknown size) with 3 files and 1 directory inside from ftp.example.org?",
	)
	s.err = &protocols.Error{Op: "remove a.txt", Code: 550, Text: "denied"}
	s.RunActions("yes")
	fetchtest.Equal(t, s.removedPaths(), "d/a.txt f g")
	fetchtest.Contains(t, s.Notices[1], `removed 2 of 3 tagged items; 1 failed: d (0 of 5 items removed, then "d/a.txt"`)
	fetchtest.Equal(t, p.Tags.Count, 1, "tagged")
	s.Run(s.changes.Remove())
	fetchtest.Equal(t, s.Question(), `Remove "d" with 3 files and 1 directory inside from ftp.example.org?`)
	s.RunActions("yes")
	fetchtest.Equal(t, s.removedPaths(), "d/a.txt f g d/a.txt d/link d/e/b.txt d/e d")
	fetchtest.Equal(t, p.Tags.Count, 0, "tagged")
}

func TestUploadTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, name := range []string{"a", "s/b"} {
		fetchtest.NoError(
			t,
			errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644)),
		)
	}
	fetchtest.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dead")))
	s := newTreeServer(t)
	upload := func(question string) {
		s.Run(s.changes.UploadFile())
		s.Type(dir)
		s.RunActions("done")
		fetchtest.Equal(t, s.Question(), question)
	}
	const all = `Upload "new" with 2 files (4 B) and 2 new directories but 1 item left out to "ftp://ftp.example.org/pub/"?`
	upload(all)
	s.RunActions("no")
	fetchtest.Equal(t, len(s.puts)+len(s.changed), 0, "sent")
	upload(all)
	s.RunActions("yes")
	fetchtest.Equal(t, len(s.puts), 2, "files")
	fetchtest.Contains(
		t, strings.Join(s.Notices, ""),
		"uploaded in part: new: 2 files sent; 1 left out: dead (it is a dangling link, or a link to a directory)",
	)

	// A shorter file is replaced after a question that counts the file.
	file := protocols.Line{
		Kind: protocols.Text, Link: fetchtest.Parse(t, "ftp://ftp.example.org/pub/new/a"),
		Note: &protocols.FileNote{Size: 0},
	}
	s.lists["ftp://ftp.example.org/pub/new;type=d"], s.puts = []protocols.Line{file}, nil
	upload(`Upload "new" with 2 files (4 B; replaces 1 file) and 1 new directory but 1 item left out to "ftp://ftp.example.org/pub/"?`)
	s.RunActions("yes")
	slices.Sort(s.puts)
	fetchtest.Equal(
		t, strings.Join(s.puts, ", "),
		"ftp://ftp.example.org/pub/new/a resume=false, ftp://ftp.example.org/pub/new/s/b resume=false",
	)

	// A newer file is replaced only after another question.
	for _, answer := range []string{"no", "cancel", "yes"} {
		file.Note = &protocols.FileNote{Size: 0, Modified: time.Now().Add(time.Hour)}
		s.lists["ftp://ftp.example.org/pub/new;type=d"], s.puts, s.Notices = []protocols.Line{file}, nil, nil
		delete(s.lists, "ftp://ftp.example.org/pub/new/s;type=d")
		upload(`Upload "new" with 2 files (4 B; replaces 1 file, 1 newer on the server) and 1 new directory but 1 item left out to "ftp://ftp.example.org/pub/"?`)
		s.RunActions("yes")
		fetchtest.Equal(t, s.Question(), "Also replace 1 file that is newer on the server (no: leave it out)?")
		fetchtest.Equal(t, len(s.puts), 0, "files sent before the answer")
		s.RunActions(answer)
		fetchtest.Equal(t, slices.Contains(s.puts, "ftp://ftp.example.org/pub/new/a resume=false"), answer == "yes", answer)
		fetchtest.Equal(t, strings.Contains(s.Notices[0], "a (it is newer on the server)"), answer != "yes", answer)
	}
}

func TestChmod(t *testing.T) {
	s := newTreeServer(t)
	s.Run(s.changes.Chmod())
	s.Type("")
	s.RunActions("done")
	fetchtest.Equal(t, len(s.changed), 0, "the mode is the same")
	s.Run(s.changes.Chmod())
	s.Type("o+x,g-x")
	s.RunActions("done")
	fetchtest.Equal(t, s.changed[0].Mode, "741")
	fetchtest.EqualSlices(t, s.Notices, []string{"changed the mode of d"}, "notices")
	s.Run(s.changes.Chmod())
	s.Type("rwx")
	s.RunActions("done")
	fetchtest.Contains(t, s.Notices[1], "not changed: a mode is octal digits")
}
