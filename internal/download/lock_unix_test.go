//go:build !windows

package download

import (
	"path/filepath"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestLockWhileAProgramStarts has the open file of a lock in two descriptors, as while a
// program is being started.
func TestLockWhileAProgramStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.part.info")
	lock := fetchtest.Must(openLocked(path))(t)
	child := fetchtest.Must(syscall.Dup(int(lock.Fd())))(t)
	defer syscall.Close(child)
	fetchtest.NoError(t, lock.Close())
	again := fetchtest.Must(openLocked(path))(t)
	fetchtest.NoError(t, again.Close())
}
