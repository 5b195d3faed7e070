//go:build !windows

package download

import (
	"path/filepath"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestLockWithInheritedFile unlocks a file that is open in two descriptors, as while a program is being started.
func TestLockWithInheritedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.part.info")
	lock := fetchtest.Must(openLocked(path))(t)
	child := fetchtest.Must(syscall.Dup(int(lock.Fd())))(t)
	defer syscall.Close(child)
	fetchtest.NoError(t, lock.Close())
	again := fetchtest.Must(openLocked(path))(t)
	fetchtest.NoError(t, again.Close())
}
