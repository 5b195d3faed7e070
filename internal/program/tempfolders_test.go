//go:build unix

package program

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// TestRemoveStaleFolders checks that the next run of gofer removes the old folders of a killed run. It
// must remove neither the folders of a running gofer nor new folders nor other files.
func TestRemoveStaleFolders(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	running := new(TempFolders)
	used := fetchtest.Must(running.Create())(t)
	hourAgo := time.Now().Add(-time.Hour)
	left, young, other := filepath.Join(tmp, folderPrefix+"1"), filepath.Join(tmp, folderPrefix+"2"), filepath.Join(tmp, "gofer-other")
	for _, dir := range []string{left, young, other} {
		fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "a"), 0o700))
	}
	fetchtest.NoError(t, os.Symlink(other, filepath.Join(tmp, folderPrefix+"3")))
	archive, youngArchive := filepath.Join(tmp, "gofer-archive-1"), filepath.Join(tmp, "gofer-archive-2")
	for _, path := range []string{archive, youngArchive} {
		fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	for _, dir := range []string{left, used, other, archive} {
		fetchtest.NoError(t, os.Chtimes(dir, hourAgo, hourAgo))
	}
	RemoveStaleFolders()
	for dir, want := range map[string]bool{left: false, used: true, young: true, other: true, archive: false, youngArchive: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("after RemoveStaleFolders, Stat(%s) = %v; want it there: %v", dir, err, want)
		}
	}
	running.Remove()
	if _, err := os.Stat(used); err == nil {
		t.Errorf("Remove did not remove %s", used)
	}
}
