package cli

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestNewTree checks that directories are stored on FTP and SFTP servers, that an error says what to do elsewhere, and that no file is
// stored on this machine.
func TestNewTree(t *testing.T) {
	for _, u := range []string{"ftp://h/d", "ftps://h/d", "sftp://h/d/"} {
		tree, err := newTree("dir", fetchtest.Parse(t, u))
		if err != nil || tree.URL.Kind() != "directory" || tree.URL.Path != "d" {
			t.Errorf("newTree(%s) = %v, %v", u, tree, err)
		}
	}
	if _, err := newTree("dir", fetchtest.Parse(t, "file:///d")); err == nil || !strings.Contains(err.Error(), "FTP and SFTP") || !strings.Contains(err.Error(), "use cp") {
		t.Errorf("newTree() of a directory of this machine: %v", err)
	}
	for _, u := range []string{"file:///d/", "file:///d/y"} {
		if files, _, err := planUploads([]string{"-"}, u, false); err == nil || !strings.Contains(err.Error(), "use cp") {
			t.Errorf("planUploads() to %s: got %v, %v, want what to do", u, files, err)
		}
	}
}
