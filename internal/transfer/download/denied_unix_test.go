//go:build !windows

package download

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// runAsUser makes dir the working directory, because ordinary users may have no access to the parents of dir. If
// root runs the test, runAsUser gives everything in dir to an ordinary user, and the test continues as this user:
// root could write everywhere.
func runAsUser(t *testing.T, dir string) {
	t.Helper()
	t.Chdir(dir)
	if os.Geteuid() > 0 {
		return
	}
	const nobody = 65534
	fetchtest.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, -1)
	}))
	fetchtest.NoError(t, syscall.Seteuid(nobody))
	t.Cleanup(func() { fetchtest.NoError(t, syscall.Seteuid(0)) })
}

// TestUpdateDenied checks that an update leaves out items in local directories that are not writable.
func TestUpdateDenied(t *testing.T) {
	denied := protocols.LocalError("save it", syscall.EACCES)
	fetchtest.Equal(t, isSkippable(denied), true, "isSkippable(%v)", denied)
	fetchtest.Equal(t, isSkippable(protocols.LocalError("save it", syscall.ENOSPC)), false, "isSkippable of a full disk")
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "locked/b": {text: "b"}, "locked": {dir: true}, "locked/d": {dir: true}}}
	dir := t.TempDir()
	fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "locked"), 0o700))
	runAsUser(t, dir)
	fetchtest.NoError(t, os.Chmod("locked", 0o500))
	defer os.Chmod("locked", 0o700)
	want := []string{
		"locked/b: Could not save locked/b: permission denied", "locked/d: Could not create locked/d: permission denied",
	}
	s := f.update(".", UpdateOptions{Delete: true})
	got := leftOutTexts(&s)
	slices.Sort(got)
	fetchtest.EqualSlices(t, got, want, "items left out")
	fetchtest.Equal(t, s.Changes.Octets > 0, true, "other files are saved")
}

// TestUpdateNotRemoved checks that items that cannot be removed are reported in a PartialError.
func TestUpdateNotRemoved(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}}}
	dir := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "d/e"), 0o700))
	writeFiles(t, dir, "a=a", "d/e/f=", "gone=")
	runAsUser(t, dir)
	fetchtest.NoError(t, os.Chmod("d/e", 0o500))
	defer os.Chmod("d/e", 0o700)
	s := f.update(".", UpdateOptions{Delete: true})
	fetchtest.EqualSlices(t, leftOutTexts(&s), []string{
		"d/e/f: Could not remove d/e/f: permission denied", "d/e: Could not remove d/e: directory not empty",
		"d: Could not remove d: directory not empty",
	}, "items left out")
	fetchtest.Equal(t, len(fetchtest.As[*mirror.PartialError](t, s.Err).LeftOut), 3, "left out")
	fetchtest.Equal(t, s.Changes.Removed, 1, "removed")
	fetchtest.EqualSlices(t, dirState(t, "."), []string{"a=a", "d/", "d/e/", "d/e/f="}, "files and directories")
}
