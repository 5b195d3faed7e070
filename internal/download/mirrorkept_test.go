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

// TestMirrorDamaged fetches a document again if its file does not have the size that it was saved
// with. It does not touch an unfinished file of the user.
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
		return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "a")}, protocols.Line{Text: "b", Link: gopherAt('0', "b")}), nil
	})
	dir := filepath.Join(t.TempDir(), "saved")
	save := func() (Status, []string) {
		asked = nil
		return tree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, continued)
	}
	file := filepath.Join(dir, "a")
	cut := func() { fetchtest.NoError(t, os.WriteFile(file, []byte("the wh"), 0o600)) }
	content := func(want string) { t.Helper(); fetchtest.GivesText(t, want, "the file")(os.ReadFile(file)) }
	s, _ := save()
	fetchtest.NoError(t, s.Err)
	cut()
	fail = true
	s, paths := save()
	fetchtest.EqualSlices(t, paths, []string{"a", "b", gophermap}, "files after a failure", s.Err)
	content("the wh")
	fail, text = false, "another text, which is longer"
	for _, want := range []string{"a", ""} { // afterwards it has the new size
		s, _ = save()
		fetchtest.NoError(t, s.Err)
		fetchtest.Equal(t, strings.Join(asked, " "), want, "asked for")
		content(text)
	}
	cut()
	fetchtest.NoError(t, os.WriteFile(file+partSuffix, []byte("mine"), 0o600))
	s, _ = save()
	fetchtest.Equal(t, len(s.LeftOut), 1, "left out", s.Err)
	fetchtest.GivesText(t, "mine", "the file of the user")(os.ReadFile(file + partSuffix))
	content("the wh")
}

// TestMirrorOwnPart leaves a file of the user that has the name of an unfinished gophermap.
func TestMirrorOwnPart(t *testing.T) {
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
		s, paths := tree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, continued)
		fetchtest.NoError(t, s.Err)
		fetchtest.EqualSlices(t, paths, []string{"a", gophermap, gophermap + partSuffix})
		fetchtest.GivesText(t, "mine", "the file of the user")(os.ReadFile(own))
	}
}

// TestReadIndexFails says that an index is damaged only if its content is.
func TestReadIndexFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, indexName)
	read := func(want string) {
		t.Helper()
		_, err := readIndex(t.Context(), dir, "gopher://h/1", newNames("linux"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "damaged") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fetchtest.NoError(t, os.Mkdir(name, 0o700))
	read("no file")
	fetchtest.NoError(t, os.Remove(name))
	fetchtest.NoError(t, os.WriteFile(name, nil, 0o600))
	fetchtest.NoError(t, os.Truncate(name, maxMenuOctets+1))
	read("too large")
}

// TestCancelKeeps: a tree that is cancelled before or while it is saved leaves empty directories, files and
// unfinished files that were there before.
func TestCancelKeeps(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "new": {dir: true}, "new/b": {text: "b"}, "sub": {dir: true}, "sub/z": {text: "z"}}}
	for _, counts := range []bool{true, false} {
		t.Run(fmt.Sprint("counts ", counts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "m")
				fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "sub/empty"), 0o700))
				put(t, dir, "x.part=some", fmt.Sprintf("x.part.info={\"url\":%q,\"size\":9}\n", f.url("x", 0)), "sub/mine=mine", "a=a")
				before := state(t, dir)
				serve := f.serve()
				m := &Manager{Fetcher: fetchtest.Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
					if strings.HasSuffix(u.String(), "/z") {
						return fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "some").Fetch(ctx, u)
					}
					return serve.Fetch(ctx, u)
				})}
				defer m.Close()
				it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: dir, Tree: true, Continue: true, Count: counts})
				synctest.Wait()
				if it.Status().Files != 2 && !counts {
					t.Errorf("%d files, want 2", it.Status().Files)
				}
				fetchtest.Equal(t, it.CreatedFiles(), map[bool]int{false: 1}[counts], "files that are removed")
				it.Cancel()
				it.Wait()
				fetchtest.EqualSlices(t, state(t, dir), before)
			})
		})
	}
}

// TestRecordOfWholeFile: a program that was killed before it removed the record of a whole file does not
// keep the next update from taking the file as it is.
func TestRecordOfWholeFile(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "whole"}}}
	dir := t.TempDir()
	put(t, dir, "a=whole", fmt.Sprintf("a.part.info={\"url\":%q,\"size\":5,\"whole\":true}\n", f.url("a", 0)))
	s := f.update(dir, Mirror{})
	fetchtest.NoError(t, s.Err)
	fetchtest.EqualSlices(t, leftOut(&s), nil)
	fetchtest.EqualSlices(t, state(t, dir), []string{"a=whole"})
}
