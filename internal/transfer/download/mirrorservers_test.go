package download

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/protocols/nfs"
	"gofer/urlcore"
)

// TestUpdateFromServers mirrors a directory of real FTP servers several times, and changes files there in between. It
// checks that only changed files are fetched, and that the copy has the octets, dates and modes of the server.
func TestUpdateFromServers(t *testing.T) {
	t.Parallel()
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			updateFromServer(t, d)
		})
	}
}

func updateFromServer(t *testing.T, d realserver.FTPDaemon) {
	s := d.Start(t)
	at := filepath.Join(s.Home, "mirrored")
	removeAll := func() { fetchtest.NoError(t, os.RemoveAll(at)) }
	removeAll()
	t.Cleanup(removeAll)
	recent := time.Now().Add(-48 * time.Hour).Truncate(time.Minute).Add(7 * time.Second)
	long := time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC)
	write := func(name, text string, mode os.FileMode, date time.Time) {
		path := filepath.Join(at, name)
		fetchtest.NoError(t, errors.Join(
			os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode),
			os.Chtimes(path, date, date), s.ChownToAccount(filepath.Dir(path)), s.ChownToAccount(path)))
	}
	write("private", "a", 0o600, recent)
	write("program", "b", 0o755, long)
	write("sub/fixed", "c", 0o444, recent)
	write("sub/deep/old", "d", 0o644, long)
	write("sub/deep/whole.minute", "e", 0o644, recent.Truncate(time.Minute))
	write("not.iso", "f", 0o644, long)
	write("left/out", "g", 0o644, long)
	write("kept", "h", 0o644, long)
	write("sub/gone", "i", 0o644, long)
	for name, target := range map[string]string{"inside": "sub/fixed", "sub/deep/up": "../../program", "outside": "../hello.txt"} {
		fetchtest.NoError(t, errors.Join(os.Symlink(target, filepath.Join(at, name)), s.ChownToAccount(filepath.Join(at, name))))
	}

	c := &ftp.Client{PlainPasswords: true}
	defer c.Close()
	var mu sync.Mutex
	var asked []string // files that were fetched
	table := protocols.Registry{"ftp": c}
	fetcher := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if protocols.KindOf(req.URL) != protocols.Directory && !req.Facts {
			mu.Lock()
			asked = append(asked, req.URL.(urlcore.FTP).Name())
			mu.Unlock()
		}
		return table.Fetch(ctx, req)
	})
	u := fetchtest.Must(urlcore.Parse("ftp://" + s.User + ":" + s.Password + "@" + s.Addr + "/mirrored;type=d"))(t)
	dir := filepath.Join(t.TempDir(), "m")
	whole := []string{
		"inside -> sub/fixed", "kept=h", "outside=This is the home of " + s.User + ".\n", "private=a", "program=b",
		"sub/", "sub/deep/", "sub/deep/old=d",
		"sub/deep/up -> ../../program", "sub/deep/whole.minute=e", "sub/fixed=c", "sub/gone=i",
	}
	replaceItems := func(pairs ...string) { // old and new items
		whole = slices.Clone(whole)
		for i := 0; i < len(pairs); i += 2 {
			whole[slices.Index(whole, pairs[i])] = pairs[i+1]
		}
	}
	for _, step := range []struct {
		name    string
		change  func()
		remove  bool
		fetched []string
		want    Changes
	}{
		{
			"new", func() {}, false,
			[]string{"fixed", "gone", "kept", "old", "outside", "private", "program", "whole.minute"},
			Changes{New: 10, Octets: 7 + int64(len("This is the home of .\n")+len(s.User))},
		},
		{"unchanged", func() {}, true, nil, Changes{Unchanged: 10}},
		{"a second later", func() {
			write("private", "A", 0o600, recent.Add(time.Second))
			write("program", "B", 0o755, long.Add(-time.Second))
			replaceItems("private=a", "private=A", "program=b", "program=B")
		}, false, []string{"private", "program"}, Changes{Changed: 2, Unchanged: 8, Octets: 2}},
		{"grown", func() {
			write("sub/fixed", "cc", 0o444, recent)
			replaceItems("sub/fixed=c", "sub/fixed=cc")
		}, false, []string{"fixed"}, Changes{Changed: 1, Unchanged: 9, Octets: 2}},
		{"other modes", func() {
			write("sub/fixed", "cc", 0o600, recent)
			write("kept", "h", 0o755, long)
		}, false, nil, Changes{Unchanged: 10}},
		{"gone, and kept", func() { fetchtest.NoError(t, os.Remove(filepath.Join(at, "sub/gone"))) }, false, nil, Changes{Unchanged: 9}},
		{"gone, and removed", func() { replaceItems("sub/gone=i", "") }, true, nil, Changes{Unchanged: 9, Removed: 1}},
		{"a directory gone", func() {
			fetchtest.NoError(t, os.RemoveAll(filepath.Join(at, "sub/deep")))
			replaceItems("sub/deep/", "", "sub/deep/old=d", "", "sub/deep/up -> ../../program", "", "sub/deep/whole.minute=e", "")
		}, true, nil, Changes{Unchanged: 6, Removed: 4}},
	} {
		step.change()
		asked = nil
		m := UpdateOptions{Delete: step.remove}
		fetchtest.NoError(t, errors.Join(m.Filter.Add("*.iso", false), m.Filter.Add("left/", false)))
		manager := &Manager{Fetcher: fetcher}
		it, _ := manager.Add(Request{URL: u, Path: dir, Tree: true, Mirror: &m})
		st := it.Wait()
		manager.Close()
		fetchtest.NoError(t, st.Err)
		slices.Sort(asked)
		fetchtest.EqualSlices(t, asked, step.fetched, "%s: fetched files", step.name)
		fetchtest.Equal(t, st.Changes, step.want, "%s: Changes", step.name)
		fetchtest.EqualSlices(
			t, dirState(t, dir), slices.DeleteFunc(slices.Clone(whole), func(s string) bool { return s == "" }),
			"%s: files and directories", step.name,
		)
		fetchtest.Equal(
			t,
			slices.Contains(st.Notes, `saved as a copy: "outside": it is a link to ../hello.txt, which is not the relative path of an item in the directory`),
			step.name == "new", "%s: note about a copy in %q", step.name, st.Notes,
		)
		for _, name := range []string{"private", "program", "sub/fixed", "sub/deep/old", "sub/deep/whole.minute", "kept"} {
			info, err := os.Stat(filepath.Join(at, name))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			got := fetchtest.Must(os.Stat(filepath.Join(dir, name)))(t)
			fetchtest.Equal(t, got.Mode(), info.Mode(), "%s: mode of %s", step.name, name)
			fetchtest.Equal(t, got.ModTime().UTC(), info.ModTime().UTC(), "%s: date of %s", step.name, name)
		}
	}
}

// TestUpdateFromNFS mirrors a directory of an NFS server before and after changes. A listing does not have the size of the target
// of a link.
func TestUpdateFromNFS(t *testing.T) {
	root := afero.NewMemMapFs()
	write := func(name, text string, date time.Time) {
		fetchtest.NoError(t, errors.Join(afero.WriteFile(root, name, []byte(text), 0o640), root.Chtimes(name, date, date)))
	}
	write("/m/a", "a", noon)
	write("/m/sub/b\xfc", "b", noon)
	write("/far", "far", noon)
	s := fetchtest.CloseAtEnd(demo.StartNFS(root, map[string]string{"/m/inside": "sub/../a", "/m/link": "sub/b\xfc", "/m/sub/up": "../a", "/m/outside": "../far"}))(t)
	c := new(nfs.Client)
	defer c.Close()
	dir := filepath.Join(t.TempDir(), "m")
	update := func(want Changes, state ...string) {
		t.Helper()
		manager := &Manager{Fetcher: protocols.Registry{"nfs": c}}
		it, _ := manager.Add(Request{URL: fetchtest.Parse(t, s.URL()+"m/"), Path: dir, Tree: true, Mirror: &UpdateOptions{}})
		st := it.Wait()
		manager.Close()
		fetchtest.NoError(t, st.Err)
		fetchtest.Equal(t, st.Changes, want, "Changes")
		fetchtest.EqualSlices(t, dirState(t, dir), state, "files and directories")
	}
	whole := []string{".gofer-mirror.json={\n\t\"names\": {\n\t\t\"sub/bü\": \"b%FC\"\n\t}\n}\n", "a=a", "inside=a", "link -> sub/bü", "outside=far", "sub/", "sub/bü=b", "sub/up -> ../a"}
	update(Changes{New: 6, Octets: 6}, whole...)
	update(Changes{Unchanged: 6}, whole...)
	write("/far", "FAR", noon.Add(time.Second))
	whole[4] = "outside=FAR"
	update(Changes{Changed: 1, Unchanged: 5, Octets: 3}, whole...)
}
