//go:build unix

package endtoend

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// launch starts cmd in a terminal of its own, which nobody reads.
func launch(t *testing.T, cmd *exec.Cmd, size *pty.Winsize) *terminal {
	t.Helper()
	blocking, side, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(blocking.Fd()))
	syscall.CloseOnExec(fd)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	_ = blocking.Close()
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	tty := os.NewFile(uintptr(fd), "pty") // its Close ends a Read
	if err := pty.Setsize(side, size); err != nil {
		t.Fatal(err)
	}
	tm := &terminal{t: t, cmd: cmd, tty: tty, side: side, done: make(chan error, 1)}
	tm.before = tm.modes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { tm.done <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = side.Close()
		_ = tty.Close()
	})
	return tm
}
