//go:build unix

package newsrc

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestFullDisk checks that the file stays whole if it cannot be replaced, and that the read article
// is marked in the file later.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".newsrc")
	fetchtest.NoError(t, os.WriteFile(path, []byte(slrnFile), 0o600))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	fetchtest.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	setLimit := func(most syscall.Rlimit) {
		fetchtest.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &most))
	}
	s, none := storeAt(path), before
	none.Cur = 10
	setLimit(none)
	err := mark(s, "gofer.help", 2)
	setLimit(before)
	if err == nil {
		t.Fatal("no error on a full disk")
	}
	if data, _ := os.ReadFile(path); string(data) != slrnFile {
		t.Errorf("the file is %q, want it unchanged", data)
	}
	f := fetchtest.Must(s.File(""))(t)
	if g, _ := f.Group("gofer.help"); g.Read.String() != "1-2,11" {
		t.Errorf("File returns %s, want 1-2,11 with the pending mark", g.Read)
	}
	fetchtest.NoError(t, s.Close())
	if data, _ := os.ReadFile(path); string(data) != strings.Replace(slrnFile, "1,11", "1-2,11", 1) {
		t.Errorf("after Close the file is %q, want the mark in it", data)
	}
}
