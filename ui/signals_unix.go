//go:build unix

package ui

import (
	"os"
	"os/signal"
	"syscall"
	"time"
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
	select {
	case <-s.ctx.Done():
		// Bubble Tea makes the terminal ready before it restores it, which
		// must not stop the program again when it is in the background.
		signal.Ignore(syscall.SIGTTOU)
	case <-time.After(settleTime):
	}
	return nil
}

// notifySize returns the signals after which a terminal may have another size,
// and the function that ends them.
func notifySize() (<-chan os.Signal, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH, syscall.SIGCONT)
	return changed, func() { signal.Stop(changed) }
}
