//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// terminal is a pseudo-terminal. out receives the output of the program.
type terminal struct {
	t           *testing.T
	master, tty *os.File
	out         chan string
	seen        string
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	tm := &terminal{t: t, master: master, tty: tty, out: make(chan string, 100)}
	go func() {
		defer close(tm.out)
		for b := make([]byte, 4096); ; {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			tm.out <- string(b[:n])
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = master.Close()
	})
	return tm
}

// waitFor waits until the output of the program contains want, and returns the output up to the end of want.
func (tm *terminal) waitFor(want string) string {
	tm.t.Helper()
	deadline := time.After(time.Minute)
	for !strings.Contains(tm.seen, want) {
		select {
		case s := <-tm.out:
			tm.seen += s
		case <-deadline:
			tm.t.Fatalf("the program wrote %q, want %q", tm.seen, want)
		}
	}
	before, after, _ := strings.Cut(tm.seen, want)
	tm.seen = after
	return before + want
}

// waitExit waits for the end of the program and returns its exit code.
func (tm *terminal) waitExit(done <-chan int) int {
	tm.t.Helper()
	select {
	case code := <-done:
		return code
	case <-time.After(time.Minute):
		tm.t.Fatalf("the program did not end within a minute; its output is %q", tm.seen)
		return 0
	}
}

func (tm *terminal) enter(text string) {
	tm.t.Helper()
	if _, err := tm.master.WriteString(text + "\n"); err != nil {
		tm.t.Fatal(err)
	}
}

// TestAskLogin checks that user and password are asked for, and asked for again if they are wrong.
// The password is not echoed.
func TestAskLogin(t *testing.T) {
	tm := newTerminal(t)
	l := &loginServer{user: "joe", password: "sesame"}
	p := loginProgram(t, l, "", 0)
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	done := make(chan int, 1)
	file := filepath.Join(t.TempDir(), "a.txt")
	go func() { done <- p.Run(t.Context(), []string{"get", "-o", file, "ftp://locked.example/a.txt"}) }()
	tm.waitFor("530 Who␛ are you?")
	tm.waitFor("User for locked.example:21: ")
	tm.enter("joe")
	tm.waitFor("Password for joe at locked.example:21: ")
	tm.enter("wrong-one")
	tm.waitFor("User for ")
	if strings.Contains(tm.seen, "wrong-one") {
		t.Errorf("the terminal shows the password: %q", tm.seen)
	}
	tm.enter("joe")
	tm.waitFor("Password for joe")
	tm.enter("x\x15sesä\x7fame")
	fetchtest.Equal(t, tm.waitExit(done), 0, "exit")
	fetchtest.ReturnsText(t, "open\n")(os.ReadFile(file))
}

// TestLoginInterrupted checks that an interrupt ends the prompt and restores the echo.
func TestLoginInterrupted(t *testing.T) {
	tm := newTerminal(t)
	p := loginProgram(t, &loginServer{user: "joe", password: "sesame"}, "", 0)
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() { done <- p.Run(ctx, []string{"dump", "ftp://joe@locked.example/a.txt"}) }()
	tm.waitFor("Password for joe at locked.example:21: ")
	cancel()
	if code := tm.waitExit(done); code == 0 {
		t.Error("the exit code after an interrupt is 0")
	}
	tm.enter("echo?") // ends the pending read
	tm.waitFor("echo?")
}
