package cli

import (
	"fmt"
	"time"

	"gofer/internal/cli/crash"
	"gofer/internal/program/job"
	"gofer/internal/userfile/config"
)

const (
	// quitTime is the time limit for a regular exit after SIGQUIT. restoreTime is the time limit for restoring
	// the terminal after that.
	quitTime    = 3 * time.Second
	restoreTime = 500 * time.Millisecond
	maxStacks   = 256 << 10 // bounds the stacks of all goroutines, in octets
)

// setReset sets the function that resets the screen if the program hangs. The function may be nil.
func (s *signals) setReset(reset func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset = reset
}

// resetScreen resets the screen. It waits at most restoreTime, because the terminal may hang.
func (s *signals) resetScreen() {
	select {
	case <-startTask(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reset != nil {
			s.reset()
		}
	}):
	case <-time.After(restoreTime):
	}
}

// runReportingQuit calls run, which runs the command line. After SIGQUIT it waits at most quitTime for the end of
// run, and writes a report.
func (p *Program) runReportingQuit(run func() error) error {
	tty, ok := terminalFile(p.In)
	if !ok {
		tty, _ = terminalFile(p.Out)
	}
	restoreModes := job.SaveModes(tty)
	var err error
	ended := startTask(func() { err = run() })
	var stacks []byte
	select {
	case <-ended:
		select {
		case stacks = <-p.signals.stacks:
		default:
			return err
		}
	case stacks = <-p.signals.stacks:
		select {
		case <-ended:
		case <-time.After(quitTime):
			restoreModes()
			p.signals.resetScreen()
		}
	}
	r := crash.Report{Version: p.Version, Stack: stacks, Getenv: p.Getenv, Time: time.Now()}
	r.Width, r.Height = p.terminalSize()
	path, writeErr := r.Write(config.FindFolders(p.Getenv).State)
	if writeErr != nil {
		return fmt.Errorf("%w; no report was written: %w", errQuit, writeErr)
	}
	return fmt.Errorf("%w; the report is in %s", errQuit, path)
}
