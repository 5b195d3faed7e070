package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// signals end what is running.
type signals struct {
	lend    chan int // programs more, or fewer, that have the terminal
	stopped chan struct{}
}

// listenSignals returns a context that ends with the first signal, which is its
// cause, and the function that stops listening.
func listenSignals(ctx context.Context) (s *signals, _ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	received := make(chan os.Signal, 1)
	s = &signals{lend: make(chan int), stopped: make(chan struct{})}
	signal.Notify(received, interrupts()...)
	go func() {
		defer close(s.stopped)
		lent := 0
		handle := func(sig os.Signal) {
			if sig != os.Interrupt || lent == 0 {
				cancel(errors.New(sig.String() + " signal received"))
			}
		}
		for {
			select {
			case sig := <-received:
				handle(sig)
			case n := <-s.lend:
				select {
				case sig := <-received: // it came before
					handle(sig)
				default:
				}
				lent += n
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

// Lend leaves Ctrl-C and Ctrl-\ to a program that has the terminal, in the
// process group of this one, until the function it returns is called.
func (s *signals) Lend() (end func()) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	s.add(1)
	return func() {
		signal.Stop(quit) // waits until all signals are where they belong
		s.add(-1)
	}
}

func (s *signals) add(n int) {
	select {
	case s.lend <- n:
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
