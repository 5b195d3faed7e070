//go:build linux

package endtoend

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestFramePacing checks that gofer writes only a few frames ahead of the terminal over SSH, where
// writes do not wait for the terminal. When the terminal reads again, one frame must update it.
func TestFramePacing(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	cmd := newCommand(t.TempDir(), world, "gofer", world.StartURL()+"/library")
	cmd.Env = append(cmd.Env, "SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22")
	tm := startCommand(t, cmd)
	tm.wait("3/7")
	tm.typeKeys("j")
	tm.wait("4/7")

	tm.mu.Lock() // stops the terminal from reading
	before := len(tm.written)
	const keys = 40
	var err error
	tm.typeKeys(strings.Repeat("jk", keys/2) + "j")
	for unread := 1; unread > 0; {
		if unread, err = unix.IoctlGetInt(int(tm.programTTY.Fd()), unix.TIOCINQ); err != nil {
			tm.mu.Unlock()
			t.Fatal(err)
		}
	}
	tm.mu.Unlock()
	tm.wait("5/7")
	tm.typeKeys("q")
	if err := <-tm.done; err != nil {
		t.Error(err)
	}
	if n := strings.Count(tm.output()[before:], "\x1b[c"); n == 0 || n > 6 {
		t.Errorf("%d frames for %d keys, want 1 to 6", n, keys)
	}
}
