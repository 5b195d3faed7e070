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
	quit     chan []byte // the stacks of all goroutines at the first SIGQUIT

	lendMu  sync.Mutex
	lent    int       // how many programs have the terminal
	changed time.Time // when that was another number

	mu    sync.Mutex
	reset func() // resets the screen; nil: there is none
}

// errQuit is the cause of an end by SIGQUIT.
var errQuit = errors.New(syscall.SIGQUIT.String() + " signal received")

// signalError is the cause of an end by another signal.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return e.String() + " signal received" }

// unfinishedError says that a signal ended a command before it had changed anything.
type unfinishedError struct{ error }

func (e unfinishedError) Unwrap() error { return e.error }

// untilSignal runs do, which changes nothing, until it returns or a signal ends ctx.
func untilSignal(ctx context.Context, do func() error) error {
	var err error
	select {
	case <-background(func() { err = do() }):
		return err
	case <-ctx.Done():
		return unfinishedError{context.Cause(ctx)}
	}
}

// listenSignals returns a context that ends with the first signal, its cause.
func listenSignals(ctx context.Context) (s *signals, _ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s = &signals{received: make(chan os.Signal, 4), quit: make(chan []byte, 1)}
	signal.Notify(s.received, interrupts()...)
	done := make(chan struct{})
	stopped := background(func() {
		for {
			select {
			case sig := <-s.received:
				s.handle(sig, cancel)
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

func (s *signals) handle(sig os.Signal, cancel context.CancelCauseFunc) {
	switch {
	case sig == syscall.SIGQUIT:
		stacks := make([]byte, maxGoroutines)
		select {
		case s.quit <- stacks[:runtime.Stack(stacks, true)]: // addresses and numbers, no text
		default:
		}
		cancel(errQuit)
	case sig != os.Interrupt || s.ours():
		cancel(signalError{sig})
	}
}

// lateTime is how long after the end of a program a signal that was for it may
// be delivered. The keyboard sends gofer itself none: the terminal is in raw mode.
const lateTime = time.Second

// Lend leaves Ctrl-C to another program until end is called.
func (s *signals) Lend() (end func()) {
	s.add(1)
	return func() { s.add(-1) }
}

func (s *signals) add(n int) {
	s.lendMu.Lock()
	defer s.lendMu.Unlock()
	s.lent, s.changed = s.lent+n, time.Now()
}

func (s *signals) ours() bool {
	s.lendMu.Lock()
	defer s.lendMu.Unlock()
	return s.lent == 0 && time.Since(s.changed) > lateTime
}

// interrupts are the signals that end the program. Under nohup, SIGHUP does not.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// endWithTerminal has SIGHUP end the program even under nohup: a screen is useless then.
func (s *signals) endWithTerminal() { signal.Notify(s.received, syscall.SIGHUP) }
