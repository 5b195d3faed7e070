package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

type signals struct {
	received chan os.Signal
	stacks   chan []byte // receives the stacks of all goroutines at the first SIGQUIT

	lendMu      sync.Mutex
	lendCount   int       // the number of programs that have the terminal
	lendChanged time.Time // the time of the last change of lendCount

	mu    sync.Mutex
	reset func() // resets the screen; nil without a screen
}

// errQuit is the cause of a context that SIGQUIT ended.
var errQuit = errors.New(syscall.SIGQUIT.String() + " signal received")

// signalError is the cause of a context that a signal other than SIGQUIT ended.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return e.String() + " signal received" }

// unfinishedError reports that a signal ended a command before it changed anything.
type unfinishedError struct{ error }

func (e unfinishedError) Unwrap() error { return e.error }

// runUntilSignal runs task. It returns when task returns or a signal ends ctx. After a signal task continues in
// the background, so task must not change the user's data.
func runUntilSignal(ctx context.Context, task func() error) error {
	var err error
	select {
	case <-startTask(func() { err = task() }):
		return err
	case <-ctx.Done():
		return unfinishedError{context.Cause(ctx)}
	}
}

// listenSignals returns a context that the first signal for gofer ends. The cause of the context names the signal.
func listenSignals(ctx context.Context) (s *signals, _ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s = &signals{received: make(chan os.Signal, 4), stacks: make(chan []byte, 1)}
	signal.Notify(s.received, endSignals()...)
	done := make(chan struct{})
	stopped := startTask(func() {
		for {
			select {
			case sig := <-s.received:
				s.handleSignal(sig, cancel)
			case <-done:
				return
			}
		}
	})
	return s, ctx, func() {
		signal.Stop(s.received)
		cancel(nil)
		close(done)
		<-stopped
	}
}

func (s *signals) handleSignal(sig os.Signal, cancel context.CancelCauseFunc) {
	switch {
	case sig == syscall.SIGQUIT:
		stacks := make([]byte, maxStacks)
		select {
		case s.stacks <- stacks[:runtime.Stack(stacks, true)]: // the stacks have addresses and numbers, but no text of the user
		default:
		}
		cancel(errQuit)
	case sig != os.Interrupt || s.isForGofer():
		cancel(signalError{sig})
	}
}

// lateSignalTime is the time after the end of another program in which an interrupt for that program may still
// arrive. Ctrl-C on gofer's own screen is not a signal, because the terminal is in raw mode.
const lateSignalTime = time.Second

// Lend makes gofer ignore Ctrl-C while another program has the terminal. The returned function ends this.
func (s *signals) Lend() (end func()) {
	s.addLent(1)
	return func() { s.addLent(-1) }
}

func (s *signals) addLent(n int) {
	s.lendMu.Lock()
	defer s.lendMu.Unlock()
	s.lendCount, s.lendChanged = s.lendCount+n, time.Now()
}

func (s *signals) isForGofer() bool {
	s.lendMu.Lock()
	defer s.lendMu.Unlock()
	return s.lendCount == 0 && time.Since(s.lendChanged) > lateSignalTime
}

// endSignals returns the signals that end the program. Under nohup, SIGHUP is not one of them.
func endSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// isTerminalGone reports whether a screen that ended because of cause has lost its terminal: it was closed, or a signal
// says so.
func isTerminalGone(cause error) bool {
	s, ok := errors.AsType[signalError](cause)
	return ok && isHangup(s.Signal) || !ok && !errors.Is(cause, errQuit)
}

// endOnHangup makes SIGHUP end the program even under nohup, because a screen needs its terminal.
func (s *signals) endOnHangup() { signal.Notify(s.received, syscall.SIGHUP) }
