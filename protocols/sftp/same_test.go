package sftp_test

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestSameItem checks that two files are not known to be different if a link may hide that they are one. The server of pkg/sftp
// resolves no links for REALPATH; TestSshd has a server that does.
func TestSameItem(t *testing.T) {
	s := startServer(t, nil)
	s.write(t, "a/f", "same")
	s.write(t, "b/f", "same")
	fetchtest.NoError(t, os.Symlink("a", filepath.Join(s.dir, "link")))
	fetchtest.NoError(t, os.Symlink("a/f", filepath.Join(s.dir, "file")))
	c := s.newKnownClient(t)
	for path, want := range map[string][2]bool{ // same and known
		"a/f":      {true, true},
		"b/../a/f": {true, true},
		"b/f":      {false, true},
		"link/f":   {false, false},
		"file":     {false, false},
		"none":     {false, false},
	} {
		same, known, err := c.SameItem(t.Context(), fetchtest.Parse(t, s.url("/a/f")), fetchtest.Parse(t, s.url("/"+path)))
		if got := [2]bool{same, known}; got != want || err != nil {
			t.Errorf("SameItem() of a/f and %s = %v, %v; want %v", path, got, err, want)
		}
	}
}
