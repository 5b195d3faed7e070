//go:build unix

package endtoend

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// launch starts cmd in a new terminal. The caller must read the output of the terminal.
func launch(t *testing.T, cmd *exec.Cmd, size *pty.Winsize) *terminal {
	t.Helper()
	blocking, side, err := pty.Open()
	fetchtest.NoError(t, err)
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(blocking.Fd()))
	syscall.CloseOnExec(fd)
	syscall.ForkLock.RUnlock()
	fetchtest.NoError(t, err)
	_ = blocking.Close()
	fetchtest.NoError(t, syscall.SetNonblock(fd, true))
	tty := os.NewFile(uintptr(fd), "pty") // Close interrupts a Read
	fetchtest.NoError(t, pty.Setsize(side, size))
	tm := &terminal{t: t, cmd: cmd, tty: tty, programTTY: side, done: make(chan error, 1)}
	tm.modesBefore = tm.readModes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	fetchtest.NoError(t, cmd.Start())
	go func() { tm.done <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = side.Close()
		_ = tty.Close()
	})
	return tm
}
