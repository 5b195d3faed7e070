//go:build unix

package job

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const pollTime = 10 * time.Millisecond // interval between two checks of the job's processes

// group is the process group of a job.
type group struct {
	tty     *os.File // the controlling terminal, or nil
	restore func()   // restores the terminal modes from before the job
	id      int      // the ID of the process group; 0 before the first program has started
}

func newGroup() *group {
	tty, _ := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	return &group{tty: tty, restore: SaveModes(tty)}
}

// close gives the terminal back to this program and restores the modes of the terminal.
func (g *group) close() {
	g.passTerminal(g.id, unix.Getpgrp())
	if front, err := isInForeground(g.tty); front && err == nil {
		g.restore()
	}
	g.forgetTerminal()
}

func (g *group) forgetTerminal() {
	if g.tty != nil {
		_ = g.tty.Close()
		g.tty, g.restore = nil, func() {}
	}
}

// start starts a program of the job. With the first program, the job gets the terminal.
func (g *group) start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	if a := cmd.SysProcAttr; a.Setsid {
		g.forgetTerminal()
	} else {
		a.Setpgid, a.Pgid = true, g.id
		if front, err := isInForeground(g.tty); g.id == 0 && g.tty != nil && front && err == nil {
			a.Foreground, a.Ctty = true, int(g.tty.Fd())
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if g.id == 0 {
		g.id = cmd.Process.Pid
	}
	return nil
}

// waitFor waits until a program of the job has ended. It calls wait4, because os/exec does not
// report that a process has stopped.
func (g *group) waitFor(ctx context.Context, cmd *exec.Cmd) error {
	var failed error
	var status syscall.WaitStatus
	for pid := cmd.Process.Pid; ; {
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			failed = os.NewSyscallError("wait4", err)
			break
		}
		if !status.Stopped() {
			break
		}
		if err := g.suspend(ctx, status.StopSignal()); err != nil && failed == nil && ctx.Err() == nil {
			failed = err
			g.terminate()
		}
	}
	_ = cmd.Process.Release() // wait4 has waited for the process
	_ = cmd.Wait()            // waits for the goroutines that copy input and output of the process
	switch {
	case failed != nil:
		return failed
	case status.Signaled():
		return &ExitError{Status: "signal: " + status.Signal().String(), Interrupted: status.Signal() == syscall.SIGINT}
	case status.ExitStatus() != 0:
		code := status.ExitStatus()
		return &ExitError{Status: "exit status " + strconv.Itoa(code), Interrupted: code == 128+int(syscall.SIGINT)}
	}
	return nil
}

// suspend stops this program after sig has stopped the job, and then resumes the job. If sig reports
// that the job needs the terminal, and this program has the terminal, suspend only resumes the job.
func (g *group) suspend(ctx context.Context, sig syscall.Signal) error {
	if g.tty == nil || ctx.Err() != nil {
		return nil
	}
	own := unix.Getpgrp()
	g.passTerminal(g.id, own)
	front, err := isInForeground(g.tty)
	if needsTerminal := sig == syscall.SIGTTIN || sig == syscall.SIGTTOU; !needsTerminal || !front || err != nil {
		if err := Suspend(ctx, g.tty); err != nil {
			return err
		}
	}
	g.passTerminal(own, g.id)
	return syscall.Kill(-g.id, syscall.SIGCONT)
}

// passTerminal gives the terminal to the process group next if the group current is in the
// foreground or if the foreground group has ended. Otherwise it does nothing.
func (g *group) passTerminal(current, next int) {
	if g.tty == nil {
		return
	}
	group, err := unix.IoctlGetInt(int(g.tty.Fd()), unix.TIOCGPGRP)
	if err != nil || group == next || group != current && syscall.Kill(-group, 0) == nil {
		return
	}
	signal.Ignore(syscall.SIGTTOU) // permanently, because signal.Reset does not undo it
	_ = unix.IoctlSetPointerInt(int(g.tty.Fd()), unix.TIOCSPGRP, next)
}

func (g *group) terminate() {
	if g.id == 0 {
		return
	}
	_ = syscall.Kill(-g.id, syscall.SIGTERM)
	_ = syscall.Kill(-g.id, syscall.SIGCONT)
	for range endTime / pollTime {
		if syscall.Kill(-g.id, 0) != nil {
			return
		}
		time.Sleep(pollTime)
	}
	_ = syscall.Kill(-g.id, syscall.SIGKILL)
}
