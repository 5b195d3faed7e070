//go:build !windows

package download

import (
	"path/filepath"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestLockWithInheritedFile checks that Close unlocks a file that another descriptor keeps open, as while a program
// is being started.
func TestLockWithInheritedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.part.info")
	lock := fetchtest.Must(openLocked(path))(t)
	child := fetchtest.Must(syscall.Dup(int(lock.Fd())))(t)
	defer syscall.Close(child)
	fetchtest.NoError(t, lock.Close())
	again := fetchtest.Must(openLocked(path))(t)
	fetchtest.NoError(t, again.Close())
}
