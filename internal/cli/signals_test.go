//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
)

// signalReader is a Reader that sends a signal to the process and then blocks until the end of the test.
type signalReader struct {
	t   *testing.T
	sig syscall.Signal
}

func (r signalReader) Read([]byte) (int, error) {
	fetchtest.NoError(r.t, syscall.Kill(os.Getpid(), r.sig))
	<-r.t.Context().Done()
	return 0, io.EOF
}

// TestSignalWhileReading checks that a signal ends commands that read standard input, and that no
// bookmarks are written.
func TestSignalWhileReading(t *testing.T) {
	for _, args := range [][]string{{"bookmarks", "import", "-"}, {"dump", "-"}, {"-"}, {"post", "news:misc.test"}} {
		for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGQUIT: exitQuit} {
			home := t.TempDir()
			var out strings.Builder
			p := testProgram(home, new(app.Setup))
			p.In, p.Out, p.Err = signalReader{t, sig}, &out, &out
			fetchtest.Equal(t, p.Run(t.Context(), args), want, "%q, %v: the code", args, sig)
			if found, err := filepath.Glob(filepath.Join(home, ".config", "gofer", "bookmarks.txt")); len(found) > 0 || err != nil {
				t.Errorf("gofer %q wrote %q after %v, %v; want no file", args, found, sig, err)
			}
			if !strings.Contains(out.String(), sig.String()+" signal received") {
				t.Errorf("gofer %q printed %q after %v, want the name of the signal", args, out.String(), sig)
			}
		}
	}
}

// TestLend checks that Ctrl-C has no effect while another program has the terminal, even if it is
// delivered late.
func TestLend(t *testing.T) {
	s, ctx, stop := listenSignals(t.Context())
	defer stop()
	for range 100 {
		end := s.Lend()
		fetchtest.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		end()
	}
	if ctx.Err() != nil {
		t.Fatal("a signal for another program ended gofer")
	}
	for deadline := time.Now().Add(30 * time.Second); ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		fetchtest.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		if time.Now().After(deadline) {
			t.Fatal("no signal ended gofer within 30 s after the other program")
		}
	}
}
