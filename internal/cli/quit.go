package cli

import (
	"fmt"
	"time"

	"gofer/internal/cli/crash"
	"gofer/internal/program/job"
	"gofer/internal/userfile/config"
)

const (
	// quitTime is how long the program may take to end after SIGQUIT, and
	// restoreTime how long the terminal may take to be restored when it has not.
	quitTime      = 3 * time.Second
	restoreTime   = 500 * time.Millisecond
	maxGoroutines = 256 << 10 // bounds the dump of the goroutines, in octets
)

// setReset sets the function that resets the screen if the program hangs, or nil.
func (s *signals) setReset(reset func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset = reset
}

// resetScreen waits no longer than restoreTime: the terminal may read nothing.
func (s *signals) resetScreen() {
	select {
	case <-background(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reset != nil {
			s.reset()
		}
	}):
	case <-time.After(restoreTime):
	}
}

// untilEnd runs the command line, after SIGQUIT for quitTime. Then it writes a report.
func (p *Program) untilEnd(run func() error) error {
	tty, ok := terminalFile(p.In)
	if !ok {
		tty, _ = terminalFile(p.Out)
	}
	restoreLine := job.KeepModes(tty)
	var err error
	ended := background(func() { err = run() })
	var stacks []byte
	select {
	case <-ended:
		select {
		case stacks = <-p.signals.quit:
		default:
			return err
		}
	case stacks = <-p.signals.quit:
		select {
		case <-ended:
		case <-time.After(quitTime):
			restoreLine()
			p.signals.resetScreen()
		}
	}
	r := crash.Report{Version: p.Version, Stack: stacks, Getenv: p.Getenv, Time: time.Now()}
	r.Width, r.Height = p.terminalSize()
	path, failed := r.Write(config.FindDirs(p.Getenv).State)
	if failed != nil {
		return fmt.Errorf("%w; no report was written: %w", errQuit, failed)
	}
	return fmt.Errorf("%w; the report is in %s", errQuit, path)
}
