//go:build linux

package endtoend

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// TestFramesUnderWay: over SSH, where a write does not wait for the terminal,
// hardly anything is written before the terminal has drawn it. When it reads
// again, one frame brings it up to date.
func TestFramesUnderWay(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	cmd := command(t.TempDir(), world, "gofer", world.Start()+"/library")
	cmd.Env = append(cmd.Env, "SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22")
	tm := openCommand(t, cmd)
	tm.wait("3/7")
	tm.keys("j")
	tm.wait("4/7")

	tm.mu.Lock() // the terminal reads no more
	before := len(tm.written)
	const keys = 40
	var err error
	tm.keys(strings.Repeat("jk", keys/2) + "j")
	for unread := 1; unread > 0; {
		if unread, err = unix.IoctlGetInt(int(tm.side.Fd()), unix.TIOCINQ); err != nil {
			tm.mu.Unlock()
			t.Fatal(err)
		}
	}
	tm.mu.Unlock()
	tm.wait("5/7")
	tm.keys("q")
	if err := <-tm.done; err != nil {
		t.Error(err)
	}
	if n := strings.Count(tm.output()[before:], "\x1b[c"); n == 0 || n > 6 {
		t.Errorf("%d frames for %d keys, want 1 to 6", n, keys)
	}
}
