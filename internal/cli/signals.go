package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// signals end what is running.
type signals struct {
	received chan os.Signal
	quit     chan []byte   // the stacks of all goroutines at the first SIGQUIT
	lend     chan int      // programs more, or fewer, that have the terminal
	counted  chan struct{} // answers each of lend
	stopped  chan struct{}

	mu    sync.Mutex
	reset func() // resets the screen; nil: there is none
}

// errQuit is the cause of an end by SIGQUIT.
var errQuit = errors.New(syscall.SIGQUIT.String() + " signal received")

// listenSignals returns a context that ends with the first signal, which is its
// cause, and the function that stops listening.
func listenSignals(ctx context.Context) (s *signals, _ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s = &signals{
		received: make(chan os.Signal, 4), quit: make(chan []byte, 1),
		lend: make(chan int), counted: make(chan struct{}), stopped: make(chan struct{}),
	}
	signal.Notify(s.received, interrupts()...)
	done := make(chan struct{})
	go func() {
		defer close(s.stopped)
		lent, ended := 0, time.Time{}
		handle := func(sig os.Signal) {
			switch {
			case sig == syscall.SIGQUIT:
				select {
				case s.quit <- goroutines():
				default:
				}
				cancel(errQuit)
			case sig != os.Interrupt || lent == 0 && time.Since(ended) > lateTime:
				cancel(errors.New(sig.String() + " signal received"))
			}
		}
		for {
			select {
			case sig := <-s.received:
				handle(sig)
			case n := <-s.lend:
				lent += n
				ended = time.Now()
				s.counted <- struct{}{}
			case <-done:
				return
			}
		}
	}()
	return s, ctx, func() {
		signal.Stop(s.received)
		cancel(nil)
		close(done)
		<-s.stopped
	}
}

// lateTime is how long after the end of a program a signal that was for it may
// be delivered. The keyboard sends gofer itself none: the terminal is in raw mode.
const lateTime = time.Second

// Lend leaves Ctrl-C to a program that has the terminal until the function it
// returns is called.
func (s *signals) Lend() (end func()) {
	s.add(1)
	return func() { s.add(-1) }
}

func (s *signals) add(n int) {
	select {
	case s.lend <- n:
		<-s.counted
	case <-s.stopped:
	}
}

// interrupts are the signals that end what is running. Who starts gofer with
// nohup wants it to survive the terminal.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// endWithTerminal has SIGHUP end the program even if it was started with the signal
// ignored: a screen is nothing without its terminal.
func (s *signals) endWithTerminal() { signal.Notify(s.received, syscall.SIGHUP) }
