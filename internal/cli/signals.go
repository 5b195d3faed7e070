package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals end what is running. The zero value does not listen yet.
type signals struct {
	lent atomic.Int32 // programs that have the terminal
}

// listen returns a context that ends with the first signal, which is its cause,
// and the function that stops listening.
func (s *signals) listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	received, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(received, interrupts()...)
	go func() {
		defer close(stopped)
		for {
			select {
			case sig := <-received:
				if sig != os.Interrupt || s.lent.Load() == 0 {
					cancel(errors.New(sig.String() + " signal received"))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		cancel(nil)
		<-stopped
	}
}

// lend leaves Ctrl-C and Ctrl-\ to a program that has the terminal, in the
// process group of this one, until the function it returns is called.
func (s *signals) lend() (end func()) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	s.lent.Add(1)
	return func() {
		s.lent.Add(-1)
		signal.Stop(quit)
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
