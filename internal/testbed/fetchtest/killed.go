package fetchtest

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// Killed runs a program and kills it as soon as when returns true. It returns false if the program
// ended by itself, without an error.
func Killed(t testing.TB, cmd *exec.Cmd, when func() bool) bool {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil && cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("the program says: %s", out.String())
			}
			return err != nil
		case <-time.After(time.Millisecond): // to look again
			if when != nil && when() {
				_ = cmd.Process.Kill()
				when = nil
			}
		}
	}
}
