package download

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestMirrorAfterKill updates a directory after an earlier mirror was killed there. It checks that an old item that
// was moved aside is reported, in the plan and in the run. The old item must be removed only with Delete, and only
// after another item has its place. Unfinished files of gofer must be removed.
func TestMirrorAfterKill(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "sub": {dir: true}, "sub/b": {text: "b"}}}
	record := ".part.info={\"url\":\"" + f.url("sub/b", 0).String() + "\",\"size\":9}\n"
	aside := []string{"sub/", "sub/.gofer-mirror-1/", "sub/.gofer-mirror-1/b/", "sub/.gofer-mirror-1/b/x=mine"}
	replaced := append(slices.Clone(aside), "sub/b=b")
	parts := []string{"sub/", "sub/.gofer-part-1/", "sub/.gofer-part-1/b.part=some", "sub/.gofer-part-1/b" + record, "sub/b.part=mine"}
	left := []string{"sub/.gofer-mirror-1/b: " + errMovedAside.Error()}
	const note = `left by an interrupted mirror: "sub/.gofer-mirror-1/b"`
	for _, tt := range []struct {
		name       string
		local      []string // local items
		delete     bool
		except     string
		want, left []string
		note       bool
	}{
		{"moved, not replaced", aside, false, "", replaced, left, false},
		{"moved, not replaced, with Delete", aside, true, "", replaced, left, false},
		{"replaced", replaced, false, "", replaced, nil, true},
		{"replaced, with Delete", replaced, true, "", []string{"sub/", "sub/b=b"}, nil, true},
		{"replaced, and not selected", replaced, true, "sub/b/", replaced, nil, true},
		{
			"a directory of the user",
			[]string{"sub/", "sub/.gofer-mirror-old/", "sub/.gofer-part-1/", "sub/.gofer-part-1/x.part=", "sub/b=b"},
			false, "",
			[]string{"sub/", "sub/.gofer-mirror-old/", "sub/.gofer-part-1/", "sub/.gofer-part-1/x.part=", "sub/b=b"},
			nil, false,
		},
		{"unfinished files", parts, false, "", []string{"sub/", "sub/b=b", "sub/b.part=mine"}, nil, false},
		{"unfinished files, with Delete", parts, true, "*.part", []string{"sub/", "sub/b=b", "sub/b.part=mine"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, item := range tt.local {
				if name, ok := strings.CutSuffix(item, "/"); ok {
					fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
				} else {
					writeFiles(t, dir, item)
				}
			}
			m := UpdateOptions{Delete: tt.delete}
			if tt.except != "" {
				fetchtest.NoError(t, m.Filter.Add(tt.except, false))
			}
			removed := 0
			dry := m
			dry.Plan = func(action string) {
				if strings.HasPrefix(action, "remove") {
					removed++
				}
			}
			planned, s := f.update(dir, dry), f.update(dir, m)
			fetchtest.EqualSlices(t, dirState(t, dir), append([]string{"a=a"}, tt.want...), "files and directories")
			fetchtest.EqualSlices(t, leftOutTexts(&planned), tt.left, "items left out by the plan")
			fetchtest.EqualSlices(t, leftOutTexts(&s), tt.left, "items left out")
			fetchtest.Equal(t, s.Changes.Removed, removed, "removed items (notes %q)", s.Notes)
			fetchtest.Equal(t, slices.Contains(s.Notes, note), tt.note, "notes %q contain %q", s.Notes, note)
		})
	}
}

// TestDirectoryKeptUntilFetched checks that a directory stays at its path while its replacement is fetched.
func TestDirectoryKeptUntilFetched(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"f": {text: "file"}}}
	dir, serve := t.TempDir(), f.fetcher()
	fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "f"), 0o700))
	writeFiles(t, dir, "f/x=x")
	stayed := false
	m := &Manager{Fetcher: fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		stayed = exists(filepath.Join(dir, "f", "x"))
		return serve.Fetch(ctx, req)
	})}
	defer m.Close()
	it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: dir, Tree: true, Mirror: &UpdateOptions{Delete: true}})
	s := it.Wait()
	fetchtest.NoError(t, s.Err)
	fetchtest.Equal(t, stayed, true, "directory exists during the fetch")
	fetchtest.Equal(t, s.Changes.Removed, 2, "removed items")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"f=file"}, "files and directories")
}

// newSaver returns a treeSaver that has made the directory x in dir. Its update has the option Delete.
func newSaver(t *testing.T) (s *treeSaver, dir string) {
	t.Helper()
	dir = t.TempDir()
	it := &Item{m: &Manager{}, tree: &Tree{}, status: Status{Request: Request{Mirror: &UpdateOptions{Delete: true}}}}
	fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o700))
	return &treeSaver{item: it, root: dir, knownDirs: map[string]bool{"x": true}}, dir
}

// TestReplaceTakenPath checks that an old item is not moved back if another program has taken its path.
func TestReplaceTakenPath(t *testing.T) {
	for _, old := range []string{"x/b/y=mine", "x/b=mine"} {
		s, dir := newSaver(t)
		if strings.HasPrefix(old, "x/b/") {
			fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "x", "b"), 0o700))
		}
		writeFiles(t, dir, old)
		failed := errors.New("failed")
		err := s.replaceLocal("x/b", []string{"x/b"}, func() error {
			writeFiles(t, dir, "x/b=other")
			return failed
		})
		fetchtest.Equal(t, errors.Is(err, failed), true, "replaceLocal returns the error of put (%v)", err)
		got := dirState(t, dir)
		fetchtest.Equal(t, slices.Contains(got, "x/b=other"), true, "item of the other program is kept (%q)", got)
		fetchtest.Equal(t, slices.ContainsFunc(got, func(item string) bool {
			return strings.HasPrefix(item, "x/.gofer-mirror-") && strings.HasSuffix(item, strings.TrimPrefix(old, "x"))
		}), true, "old item is kept (%q)", got)
	}
}

// TestNameTaken checks that mkdir returns a skippable error if a file has the name of the directory, as on a
// system that ignores case.
func TestNameTaken(t *testing.T) {
	s, dir := newSaver(t)
	writeFiles(t, dir, "x/a=A")
	err := s.mkdir("x/a")
	fetchtest.Equal(t, errors.Is(err, errNameTaken) && isSkippable(err), true, "mkdir returns a skippable errNameTaken (%v)", err)
}

// TestCreatedLinks checks that the number of created files includes links.
func TestCreatedLinks(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "b": {listed: protocols.FileNote{Target: "a"}}}}
	m := &Manager{Fetcher: f.fetcher()}
	defer m.Close()
	it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: filepath.Join(t.TempDir(), "m"), Tree: true, Mirror: &UpdateOptions{}})
	fetchtest.NoError(t, it.Wait().Err)
	fetchtest.Equal(t, it.CreatedFiles(), 2, "CreatedFiles")
}
