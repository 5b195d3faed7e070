package endtoend

import (
	"os"
	"os/signal"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestURLInterrupt interrupts a command that is reading standard input. It checks that the command has
// already answered the first line, and that the signal ends the command.
func TestURLInterrupt(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt) // otherwise gofer may inherit an ignored SIGINT from a shell
	defer signal.Stop(caught)
	cmd := goferCommand(t.Context(), "gofer", "url", "canon")
	in := fetchtest.Must(cmd.StdinPipe())(t)
	out := fetchtest.Must(cmd.StdoutPipe())(t)
	fetchtest.NoError(t, cmd.Start())
	fetchtest.Must(in.Write([]byte("NEWS:a.b\n")))(t)
	buf := make([]byte, 64)
	if n, err := out.Read(buf); string(buf[:n]) != "news:a.b\n" {
		t.Errorf("got %q, %v before the end of standard input", buf[:n], err)
	}
	fetchtest.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err == nil || err.Error() != "signal: interrupt" {
		t.Errorf("gofer url canon ended with %v, want signal: interrupt", err)
	}
}
