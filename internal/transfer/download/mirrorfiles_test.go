package download

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestMirrorDamaged checks that a document is fetched again if the size of its file has changed, and that a
// .part file of the user is kept.
func TestMirrorDamaged(t *testing.T) {
	var asked []string
	text := "the whole text"
	fail := false
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if g := u.(urlcore.Gopher); g.Type != '1' {
			if asked = append(asked, g.Selector); fail {
				return nil, &protocols.Error{Reason: protocols.Broken, Op: "fetch"}
			}
			return document(u, text), nil
		}
		return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "a")}, protocols.Line{
			Text: "b", Link: gopherAt('0', "b"),
		}), nil
	})
	dir := filepath.Join(t.TempDir(), "saved")
	save := func() (Status, []string) {
		asked = nil
		return saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, withContinue)
	}
	file := filepath.Join(dir, "a")
	cut := func() { fetchtest.NoError(t, os.WriteFile(file, []byte("the wh"), 0o600)) }
	checkContent := func(want string) {
		t.Helper()
		fetchtest.ReturnsText(t, want, "content of the file")(os.ReadFile(file))
	}
	s, _ := save()
	fetchtest.NoError(t, s.Err)
	cut()
	fail = true
	s, paths := save()
	fetchtest.EqualSlices(t, paths, []string{"a", "b", gophermap}, "files after the error %v", s.Err)
	checkContent("the wh")
	fail, text = false, "another text, which is longer"
	for _, want := range []string{"a", ""} { // the second time, the file has the new size
		s, _ = save()
		fetchtest.NoError(t, s.Err)
		fetchtest.Equal(t, strings.Join(asked, " "), want, "requested documents")
		checkContent(text)
	}
	cut()
	fetchtest.NoError(t, os.WriteFile(file+partSuffix, []byte("mine"), 0o600))
	s, _ = save()
	fetchtest.NoError(t, s.Err)
	fetchtest.ReturnsText(t, "mine", "file of the user")(os.ReadFile(file + partSuffix))
	checkContent(text)
}

// TestMirrorKeepsUserFile checks that a file of the user with the name of an unfinished gophermap is kept.
func TestMirrorKeepsUserFile(t *testing.T) {
	text := "a"
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if u == gopherAt('1', "") {
			return listing(u, protocols.LayoutMenu, protocols.Line{Text: text, Link: gopherAt('0', "a")}), nil
		}
		return document(u, "x"), nil
	})
	dir := filepath.Join(t.TempDir(), "saved")
	fetchtest.NoError(t, os.Mkdir(dir, 0o700))
	own := filepath.Join(dir, gophermap+partSuffix)
	fetchtest.NoError(t, os.WriteFile(own, []byte("mine"), 0o600))
	for _, text = range []string{"a", "b"} {
		s, paths := saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, withContinue)
		fetchtest.NoError(t, s.Err)
		fetchtest.EqualSlices(t, paths, []string{"a", gophermap, gophermap + partSuffix}, "saved files")
		fetchtest.ReturnsText(t, "mine", "file of the user")(os.ReadFile(own))
	}
}

// TestReadIndexError checks that errors of reading an index do not call the index damaged.
func TestReadIndexError(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, indexName)
	checkError := func(want string) {
		t.Helper()
		_, err := readIndex(t.Context(), dir, "gopher://h/1", newNames("linux"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "damaged") {
			t.Errorf("readIndex: got the error %v, want %q", err, want)
		}
	}
	fetchtest.NoError(t, os.Mkdir(name, 0o700))
	checkError("not a regular file")
	fetchtest.NoError(t, os.Remove(name))
	fetchtest.NoError(t, os.WriteFile(name, nil, 0o600))
	fetchtest.NoError(t, os.Truncate(name, maxMenuOctets+1))
	checkError("too large")
}

// TestCancelKeepsEarlierFiles checks that canceling a tree, before or while it is saved, keeps the directories, files
// and unfinished files that existed before.
func TestCancelKeepsEarlierFiles(t *testing.T) {
	f := &ftpTree{
		t:     t,
		items: map[string]treeItem{"a": {text: "a"}, "new": {dir: true}, "new/b": {text: "b"}, "sub": {dir: true}, "sub/z": {text: "z"}},
	}
	for _, counts := range []bool{true, false} {
		t.Run(fmt.Sprint("counts ", counts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "m")
				fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "sub/empty"), 0o700))
				writeFiles(t, dir, "x.part=some", fmt.Sprintf("x.part.info={\"url\":%q,\"size\":9}\n", f.url("x", 0)), "sub/mine=mine", "a=a")
				before := dirState(t, dir)
				serve := f.fetcher()
				m := &Manager{Fetcher: fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
					if strings.HasSuffix(req.URL.String(), "/z") {
						return fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "some").Fetch(ctx, req)
					}
					return serve.Fetch(ctx, req)
				})}
				defer m.Close()
				it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: dir, Tree: true, Continue: true, CountOnly: counts})
				synctest.Wait()
				if it.Status().Files != 2 && !counts {
					t.Errorf("saved %d files before Cancel, want 2", it.Status().Files)
				}
				fetchtest.Equal(t, it.CreatedFiles(), map[bool]int{false: 1}[counts], "CreatedFiles")
				it.Cancel()
				it.Wait()
				fetchtest.EqualSlices(t, dirState(t, dir), before, "files and directories")
			})
		})
	}
}

// TestRecordOfCompleteFile checks that an update accepts a complete file whose record was not removed.
func TestRecordOfCompleteFile(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "whole"}}}
	dir := t.TempDir()
	writeFiles(t, dir, "a=whole", fmt.Sprintf("a.part.info={\"url\":%q,\"size\":5,\"whole\":true}\n", f.url("a", 0)))
	s := f.update(dir, UpdateOptions{})
	fetchtest.NoError(t, s.Err)
	fetchtest.EqualSlices(t, leftOutTexts(&s), nil, "items left out")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"a=whole"}, "files and directories")
}
