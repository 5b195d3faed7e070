package ui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspension is what runs in place of the program while it is suspended.
// [tea.Suspend] waits for fg even where there is no shell that has it, and no
// signal ends it.
type suspension struct{ ctx context.Context }

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

// SetStdin implements [tea.ExecCommand], as do the next two: there is nothing
// to set.
func (suspension) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (suspension) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (suspension) SetStderr(io.Writer) {}
