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

// terminal is a pseudo-terminal: what the program writes to it comes from out.
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

// wait waits until the program has written text, and returns all up to its end.
func (tm *terminal) wait(text string) string {
	tm.t.Helper()
	deadline := time.After(time.Minute)
	for !strings.Contains(tm.seen, text) {
		select {
		case s := <-tm.out:
			tm.seen += s
		case <-deadline:
			tm.t.Fatalf("it never wrote %q: %q", text, tm.seen)
		}
	}
	before, after, _ := strings.Cut(tm.seen, text)
	tm.seen = after
	return before + text
}

// code is the exit code of a program that has to end.
func (tm *terminal) code(done <-chan int) int {
	tm.t.Helper()
	select {
	case code := <-done:
		return code
	case <-time.After(time.Minute):
		tm.t.Fatal("it does not end")
		return 0
	}
}

func (tm *terminal) enter(text string) {
	tm.t.Helper()
	if _, err := tm.master.WriteString(text + "\n"); err != nil {
		tm.t.Fatal(err)
	}
}

// TestLoginOnTheTerminal: a user and a password are asked for, the password without
// an echo, and asked for again when they are wrong.
func TestLoginOnTheTerminal(t *testing.T) {
	tm := newTerminal(t)
	l := &locked{user: "joe", password: "sesame"}
	p := lockedProgram(t, l, "", 0)
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	done := make(chan int, 1)
	file := filepath.Join(t.TempDir(), "a.txt")
	go func() { done <- p.Run(t.Context(), []string{"get", "-o", file, "ftp://locked.example/a.txt"}) }()
	tm.wait("530 Who␛ are you?")
	tm.wait("User for locked.example:21: ")
	tm.enter("joe")
	tm.wait("Password for joe at locked.example:21: ")
	tm.enter("wrong-one")
	tm.wait("User for ")
	if strings.Contains(tm.seen, "wrong-one") {
		t.Error("the password was shown")
	}
	tm.enter("joe")
	tm.wait("Password for joe")
	tm.enter("x\x15sesä\x7fame")
	fetchtest.Equal(t, tm.code(done), 0, "exit")
	fetchtest.GivesText(t, "open\n")(os.ReadFile(file))
}

// TestLoginGivenUp: an interrupt ends the question, and the terminal echoes again.
func TestLoginGivenUp(t *testing.T) {
	tm := newTerminal(t)
	p := lockedProgram(t, &locked{user: "joe", password: "sesame"}, "", 0)
	p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() { done <- p.Run(ctx, []string{"dump", "ftp://joe@locked.example/a.txt"}) }()
	tm.wait("Password for joe at locked.example:21: ")
	cancel()
	if code := tm.code(done); code == 0 {
		t.Error("it has succeeded")
	}
	tm.enter("echo?") // ends the read that is left
	tm.wait("echo?")
}
