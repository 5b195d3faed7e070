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
