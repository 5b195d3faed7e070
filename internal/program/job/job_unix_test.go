//go:build unix

package job

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestRun(t *testing.T) {
	sh := func(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }
	for _, tt := range []struct {
		name   string
		cmds   []*exec.Cmd
		out    string
		failed string
	}{
		{"one", []*exec.Cmd{sh("echo a")}, "a\n", ""},
		{"a pipeline", []*exec.Cmd{sh("echo a; echo b"), sh("read x; cat")}, "b\n", ""},
		{"the first one fails", []*exec.Cmd{sh("exit 3"), sh("cat; echo end")}, "end\n", ""},
		{"the last one fails", []*exec.Cmd{sh("echo a"), sh("exit 3")}, "", "exit status 3"},
		{"the last one reads nothing", []*exec.Cmd{sh("while echo y; do :; done"), sh("echo end")}, "end\n", ""},
		{"killed", []*exec.Cmd{sh("kill -KILL $$")}, "", "signal: killed"},
		{"not there", []*exec.Cmd{sh("cat"), exec.Command("/no/such/program")}, "", "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			tt.cmds[len(tt.cmds)-1].Stdout = &out
			err := Run(t.Context(), tt.cmds...)
			if out.String() != tt.out || (err == nil) != (tt.failed == "") || err != nil && !strings.Contains(err.Error(), tt.failed) {
				t.Errorf("Run = %v with the output %q; want the error %q, output %q", err, out.String(), tt.failed, tt.out)
			}
		})
	}
}

// TestRunEnds checks that Run returns the cause of its context and leaves no process that keeps
// the output open.
func TestRunEnds(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := &cancelWriter{cancel: func() { cancel(cause) }}
	cmd := exec.Command("/bin/sh", "-c", "(trap '' TERM; echo began; while :; do sleep 0.1; done); echo end")
	cmd.Stdout = r
	if err := Run(ctx, cmd); !errors.Is(err, cause) || r.written != "began\n" {
		t.Errorf("Run = %v with the output %q; want %v, %q", err, r.written, cause, "began\n")
	}
	fetchtest.ErrorIs(t, Run(ctx, cmd), cause, "Run after the end of its context")
}

// cancelWriter is a Writer that cancels a context at the first write.
type cancelWriter struct {
	written string
	cancel  func()
}

func (b *cancelWriter) Write(p []byte) (int, error) {
	b.written += string(p)
	b.cancel()
	return len(p), nil
}
