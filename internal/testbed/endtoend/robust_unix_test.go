//go:build unix

package endtoend

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// situation is a state of gofer in which a signal arrives.
type situation struct {
	name  string
	keys  string
	shown string // text on the screen in this situation
}

var situations = []situation{
	{"page", "", "4/7"},
	{"pane", "p", "URLs"},
	{"list", ":tab", "Actions"},
	{"prompt", "/words", "Find: words"},
	{"bar", "gabout", "about"},
	{"filter", "&url", "Filter: url"},
	{"tabs", "tt", "3"},
	{"question", "x", "library"},
}

// enter waits for the library and enters the situation.
func (s situation) enter(t *testing.T, tm *terminal) {
	t.Helper()
	tm.wait("3/7")
	tm.typeKeys("j")
	tm.wait("4/7")
	tm.typeKeys(s.keys)
	tm.wait(s.shown)
}

// TestSignalInSituations checks that a signal ends the program in all situations. The program must
// restore the terminal and save the tabs.
func TestSignalInSituations(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	signals := []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP}
	for i, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tm := startGofer(t, home, world, world.StartURL()+"/library")
			s.enter(t, tm)
			fetchtest.NoError(t, tm.cmd.Process.Signal(signals[i%len(signals)]))
			tm.waitExit(5)
			tm.checkRestored()
			if got := findSessionFiles(home); len(got) != 1 {
				t.Errorf("the tabs are not kept: %q", got)
			}
			tm = startGofer(t, home, world, "--restore")
			tm.wait("/library", "4/7")
			if err := tm.cmd.Process.Signal(signals[(i+1)%len(signals)]); err != nil { // restored tabs are stored even before a key is pressed
				t.Fatal(err)
			}
			tm.waitExit(5)
			tm.checkRestored()
			if got := findSessionFiles(home); len(got) != 1 {
				t.Errorf("the restored tabs are not kept: %q", got)
			}
		})
	}
}

// TestSuspendInSituations checks that Ctrl-Z returns to the shell in all situations, and that fg then
// shows the same screen.
func TestSuspendInSituations(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			cmd := newCommand(t.TempDir(), world, "sh", "-c", `set -m; gofer "$0"; echo suspended; fg`, world.StartURL()+"/library")
			tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulate(80, 24)
			s.enter(t, tm)
			tm.typeKeys("\x1a")
			tm.waitUntil(func() bool {
				_, after, ok := strings.Cut(tm.output(), "suspended")
				return ok && strings.Contains(after, "\x1b[?1049h")
			}, "does not go on in the foreground")
			tm.wait(s.shown)
			tm.typeKeys("\x07\x07") // closes lists and prompts
			tm.quit()
			tm.checkRestored()
		})
	}
}

// TestSilentTerminal checks that gofer works in a terminal that answers no queries.
func TestSilentTerminal(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	for name, env := range map[string]string{"here": "COLORTERM=truecolor", "over SSH": "SSH_TTY=/dev/pts/1", "kitty": "TERM=xterm-kitty"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := newCommand(t.TempDir(), world, "gofer", world.StartURL()+"/library")
			cmd.Env = append(cmd.Env, env)
			tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulateAnswering(80, 24, io.Discard)
			tm.wait("3/7")
			tm.typeKeys("jj")
			tm.wait("5/7")
			tm.typeKeys("?")
			tm.wait("Basics")
			tm.typeKeys("\x7f")
			tm.wait("5/7")
			tm.quit()
			tm.checkRestored()
		})
	}
}
