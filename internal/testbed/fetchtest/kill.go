package fetchtest

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// RunAndKill runs a program and kills it as soon as shouldKill returns true. It returns false if
// the program exited by itself without an error. If the program exits with an error the test ends.
func RunAndKill(t testing.TB, cmd *exec.Cmd, shouldKill func() bool) bool {
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
				t.Fatalf("%v: %v\n%s", cmd, err, out.String())
			}
			return err != nil
		case <-time.After(time.Millisecond): // before the next call of shouldKill
			if shouldKill != nil && shouldKill() {
				_ = cmd.Process.Kill()
				shouldKill = nil
			}
		}
	}
}
