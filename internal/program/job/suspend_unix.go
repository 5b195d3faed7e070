//go:build unix

package job

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stopTime = 500 * time.Millisecond // time limit for a process to stop
	// settleTime is how long Suspend waits after SIGCONT, because a signal sent at the same time
	// may end the context. In the background, WaitForeground waits settleTimes times as long
	// before it stops the program again.
	settleTime   = 20 * time.Millisecond
	settleTimes  = 10
	stopAttempts = 3 // maximal number of attempts of a program in the background to stop itself
)

// Suspend stops the process group until the shell resumes it or ctx ends. Without a shell, the
// system ignores the stop signal, and Suspend returns soon. The parameter tty may be nil.
func Suspend(ctx context.Context, tty *os.File) error {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-resumed:
	case <-time.After(stopTime):
	case <-ctx.Done():
	}
	err := WaitForeground(ctx, tty)
	select {
	case <-ctx.Done():
		// Before Bubble Tea restores the terminal, it prepares the terminal and reads its answers.
		// In the background, this must not stop the program again.
		signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
	case <-time.After(settleTime):
	}
	return err
}

// WaitForeground waits until the program is in the foreground of the terminal or ctx ends. In the
// background it stops its process group. Otherwise the system would stop the group at the first
// change of the terminal's modes. Then no signal could end the program, because the program would
// stop again before it handles the signal. If stopAttempts attempts to stop the group have no effect,
// WaitForeground returns errBackground.
func WaitForeground(ctx context.Context, tty *os.File) error {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if _, err := isInForeground(tty); err != nil {
		return nil // only the controlling terminal can stop the program
	}
	for attempts := 0; ; attempts++ {
		for n := 0; n <= settleTimes; n++ {
			// An error means that the shell has ended. Then a signal follows.
			if in, err := isInForeground(tty); in && err == nil {
				return nil
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-resumed:
				n, attempts = 0, 0
			case <-time.After(settleTime):
			}
		}
		if attempts == stopAttempts {
			return errBackground
		}
		if err := syscall.Kill(0, syscall.SIGTTIN); err != nil {
			return err
		}
	}
}

// isInForeground reports whether the program may change the modes of its terminal.
func isInForeground(tty *os.File) (bool, error) {
	if tty == nil {
		return true, nil
	}
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return group == unix.Getpgrp(), err
}
