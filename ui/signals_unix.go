//go:build unix

package ui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// stopTime is how long a process may take to stop.
	stopTime = 500 * time.Millisecond
	// settleTime is how long a signal that came with the one to resume may
	// take to end the context.
	settleTime = 20 * time.Millisecond
)

// Run stops the process group until the shell resumes it. It returns soon if
// there is no shell, for the system ignores the signal then.
func (s suspension) Run() error {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-resumed:
	case <-time.After(stopTime):
	case <-s.ctx.Done():
	}
	waitForeground(s.ctx, os.Stdin)
	select {
	case <-s.ctx.Done():
		// Bubble Tea makes the terminal ready before it restores it, which
		// must not stop the program again when it is in the background.
		signal.Ignore(syscall.SIGTTOU)
	case <-time.After(settleTime):
	}
	return nil
}

// waitForeground stops the process group as long as it is in the background of
// the terminal, as the system would at the first change of its modes: but then
// no signal could end the program. It returns when ctx ends, or when nobody
// stops and resumes it.
func waitForeground(ctx context.Context, tty *os.File) {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	for ctx.Err() == nil {
		group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
		if err != nil || group == unix.Getpgrp() || syscall.Kill(0, syscall.SIGTTIN) != nil {
			return
		}
		select {
		case <-resumed:
		case <-time.After(stopTime):
			return
		}
		select { // a signal may have come with the one to resume
		case <-ctx.Done():
		case <-time.After(settleTime):
		}
	}
}

// notifySize returns the signals after which a terminal may have another size,
// and the function that ends them.
func notifySize() (<-chan os.Signal, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH, syscall.SIGCONT)
	return changed, func() { signal.Stop(changed) }
}
