//go:build unix

package cli

import (
	"os"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// Ctrl-C while another program has the terminal is nothing to gofer, however
// late it is noticed.
func TestLend(t *testing.T) {
	s, ctx, stop := listenSignals(t.Context())
	defer stop()
	for range 100 {
		end := s.Lend()
		fetchtest.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		end()
	}
	if ctx.Err() != nil {
		t.Fatal("it ends by a signal that was for another program")
	}
	for deadline := time.Now().Add(30 * time.Second); ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		fetchtest.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		if time.Now().After(deadline) {
			t.Fatal("it does not end by a signal")
		}
	}
}
