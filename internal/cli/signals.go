package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signals end what is running.
type signals struct {
	lend    chan int      // programs more, or fewer, that have the terminal
	counted chan struct{} // answers each of lend
	stopped chan struct{}
}

// listenSignals returns a context that ends with the first signal, which is its
// cause, and the function that stops listening.
func listenSignals(ctx context.Context) (s *signals, _ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	received := make(chan os.Signal, 1)
	s = &signals{lend: make(chan int), counted: make(chan struct{}), stopped: make(chan struct{})}
	signal.Notify(received, interrupts()...)
	go func() {
		defer close(s.stopped)
		lent, ended := 0, time.Time{}
		handle := func(sig os.Signal) {
			if sig != os.Interrupt || lent == 0 && time.Since(ended) > lateTime {
				cancel(errors.New(sig.String() + " signal received"))
			}
		}
		for {
			select {
			case sig := <-received:
				handle(sig)
			case n := <-s.lend:
				lent += n
				ended = time.Now()
				s.counted <- struct{}{}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s, ctx, func() {
		signal.Stop(received)
		cancel(nil)
		<-s.stopped
	}
}

// lateTime is how late after the end of a program a signal that was for it may
// be delivered. The keyboard sends gofer itself none: the terminal is in raw mode.
const lateTime = time.Second

// Lend leaves Ctrl-C and Ctrl-\ to a program that has the terminal, in the
// process group of this one, until the function it returns is called.
func (s *signals) Lend() (end func()) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	s.add(1)
	return func() {
		signal.Stop(quit)
		s.add(-1)
	}
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
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
