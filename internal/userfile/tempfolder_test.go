//go:build unix

package userfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// TestRemoveStaleFolders checks that the old folders of a killed program are removed, and neither the folders of a running
// program nor new folders nor other files, nor what links lead to.
func TestRemoveStaleFolders(t *testing.T) {
	const prefix = ".x[-"
	dir := filepath.Join(t.TempDir(), "a[*")
	fetchtest.NoError(t, os.Mkdir(dir, 0o700))
	used := fetchtest.Must(NewTempFolder(dir, prefix))(t)
	hourAgo := time.Now().Add(-time.Hour)
	wanted := map[string]bool{
		prefix + "1": false, prefix + "3": true, prefix: true, prefix + "1x": true, ".other-1": true, prefix + "5": true, filepath.Base(used.Path): true,
	}
	for name := range wanted {
		fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, name, "a"), 0o700))
		fetchtest.NoError(t, os.Symlink(filepath.Join(dir, prefix), filepath.Join(dir, name, "b")))
		fetchtest.NoError(t, os.Chtimes(filepath.Join(dir, name), hourAgo, hourAgo))
	}
	fetchtest.NoError(t, os.Chtimes(filepath.Join(dir, prefix+"3"), time.Time{}, time.Now()))    // new
	fetchtest.NoError(t, os.Chmod(filepath.Join(dir, prefix+"5"), 0o777))                        // others may write to it
	fetchtest.NoError(t, os.Symlink(filepath.Join(dir, prefix), filepath.Join(dir, prefix+"4"))) // not followed
	RemoveStaleFolders(dir, prefix)
	for name, want := range wanted {
		if _, err := os.Stat(filepath.Join(dir, name, "a")); (err == nil) != want {
			t.Errorf("after RemoveStaleFolders, Stat(%s) = %v; want it there: %v", name, err, want)
		}
	}
	fetchtest.NoError(t, used.Remove())
	if _, err := os.Stat(used.Path); err == nil {
		t.Errorf("Remove did not remove %s", used.Path)
	}
}
