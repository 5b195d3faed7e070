//go:build unix

package program

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestDetachedFiles checks that a detached command does not inherit a file that this program has inherited, with a small
// or a large number.
func TestDetachedFiles(t *testing.T) {
	for _, large := range []bool{false, true} {
		fd := fetchtest.Must(syscall.Dup(1))(t) // without the flag FD_CLOEXEC, as an inherited file
		for large && fd < alwaysKept {
			defer syscall.Close(fd)
			fd = fetchtest.Must(syscall.Dup(1))(t)
		}
		defer syscall.Close(fd)
		if _, err := os.Stat(fmt.Sprintf("/dev/fd/%d", fd)); err != nil {
			t.Skip("this system does not list open files")
		}
		cmd := exec.Command("sh", "-c", fmt.Sprintf("test ! -e /dev/fd/%d", fd))
		Detach(cmd)
		fetchtest.NoError(t, cmd.Run(), "the command has the file %d", fd)
	}
}
