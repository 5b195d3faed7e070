package across_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
)

// TestModes checks that a copy gives nobody more permissions than the source does, nor more than a file had that it replaces, and that
// directories keep their dates.
func TestModes(t *testing.T) {
	s, places := startPlaces(t)
	files := map[string]string{"private": "x", "read-only": "x", "replaced": "new", "closed/private": "x", "fixed/x": "x", "fixed/sub/x": "x"}
	want := map[string]fs.FileMode{"private": 0o600, "read-only": 0o444, "replaced": 0o600, "closed": 0o700, "closed/private": 0o640, "fixed": 0o555, "fixed/sub": 0o750}
	for to, target := range places {
		a, b := local(t), target.newSide(t, "modes")
		write(t, a.path, files)
		write(t, b.path, map[string]string{"replaced": "old"})
		fetchtest.NoError(t, os.Chmod(filepath.Join(b.path, "replaced"), 0o600))
		for path, mode := range want {
			if path != "replaced" {
				fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, path), mode))
			}
		}
		for _, dir := range []string{"closed", "fixed/sub", "fixed"} {
			fetchtest.NoError(t, os.Chtimes(filepath.Join(a.path, dir), longAgo, longAgo))
		}
		c := &across.Copy{Existing: across.Replace}
		fetchtest.NoError(t, run(t, s, a, b, c))
		for path, mode := range want {
			info := fetchtest.Must(os.Stat(filepath.Join(b.path, path)))(t)
			if to != "ftp" && to != "ftp2" || path != "replaced" { // its list has no modes
				fetchtest.Equal(t, info.Mode().Perm(), mode, "%s: mode of %s", to, path)
			}
			if info.IsDir() {
				fetchtest.Equal(t, info.ModTime().UTC(), longAgo, "%s: date of %s", to, path)
			}
		}
		_ = os.Chmod(filepath.Join(a.path, "fixed"), 0o755)
		_ = os.Chmod(filepath.Join(b.path, "fixed"), 0o755)
	}
}

// TestRefusedModes checks that private files are counted if the target refuses their modes.
func TestRefusedModes(t *testing.T) {
	s, _ := startPlaces(t)
	a, b := local(t), local(t)
	write(t, a.path, map[string]string{"private": "x", "public": "x", "group": "x"})
	fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, "private"), 0o600))
	fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, "group"), 0o640))
	fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, "public"), 0o644))
	for refuses, want := range map[bool]int{true: 2, false: 0} {
		c := &across.Copy{Existing: across.Replace}
		fetchtest.NoError(t, run(t, hooked{Server: s, refusesModes: refuses}, a, b, c))
		fetchtest.Equal(t, c.Progress().Exposed, want, "refuses: %t", refuses)
	}
}
