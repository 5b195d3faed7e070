//go:build unix

package endtoend

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// openTelnet opens a menu in gofer and follows its telnet item. The result menu is the screen that
// shows the menu.
func openTelnet(t *testing.T, world *demo.World) (tm *terminal, menu string) {
	t.Helper()
	tm = startGofer(t, t.TempDir(), world, "gopher://"+world.Gopher.Addr()+"/1/types")
	tm.wait("One of every item type")
	tm.waitPage("gopher://"+world.Gopher.Addr()+"/1/types", "")
	menu = tm.moveTo("j", "telnet://demo@"+world.Telnet.Addr())
	tm.typeKeys("\r")
	tm.wait("Open a telnet session with "+world.Telnet.Addr()+"? (y/N)", "User      demo (not sent")
	tm.answer("y")
	tm.wait("Welcome to the telnet session")
	return tm, menu
}

// checkModesReset checks that gofer has reset the modes that the session set.
func (tm *terminal) checkModesReset() {
	tm.t.Helper()
	for _, mode := range []string{"?1l", "?1003l", "?1006l"} {
		on := strings.Replace(mode, "l", "h", 1) // Bubble Tea does not set any of these modes
		tm.waitUntil(func() bool { return tm.wroteLast("\x1b["+mode, "\x1b["+on) }, "leaves the mode "+on)
	}
	tm.waitUntil(func() bool { return tm.wroteLast("\x1b(B", "\x1b(0") }, "leaves the line drawing characters")
}

func TestTelnet(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	tm, menu := openTelnet(t, world)

	t.Log("type and size of the terminal")
	for asked := 1; ; asked++ { // the type may arrive after the command
		tm.typeKeys("size\r")
		tm.waitUntil(func() bool { return strings.Count(tm.output(), "Your terminal is") == asked }, "does not answer")
		if strings.Contains(tm.output(), "Your terminal is xterm-256color, 80 by 24.") || asked == 10 {
			break
		}
	}
	tm.wait("Your terminal is xterm-256color, 80 by 24.")
	fetchtest.NoError(t, pty.Setsize(tm.tty, &pty.Winsize{Rows: 30, Cols: 90}))
	tm.wait("[the terminal is 90 by 30 now]")
	fetchtest.NoError(t, pty.Setsize(tm.tty, &pty.Winsize{Rows: 24, Cols: 80}))
	tm.wait("[the terminal is 80 by 24 now]")

	t.Log("keys that are the session's")
	tm.typeKeys("\x1a")
	tm.wait("^Z")
	tm.typeKeys("\x03")
	tm.wait("^C")
	tm.typeKeys("\x15q\r")
	tm.wait("You said: q\n>") // the prompt follows the answer

	t.Log("the menu")
	before := tm.waitForFrame()
	tm.typeKeys("\x1d")
	tm.wait("telnet "+world.Telnet.Addr(), "keys sent at once, remote echo, type, size", "u  type the user demo")
	tm.typeKeys("\x1b[A") // not a key of the menu
	tm.typeKeys("\r")
	tm.waitScreen(before)
	for key, want := range map[string]string{"b": "[break]", "i": "[interrupt process]", "a": "[are you there]", "o": "[abort output]"} {
		tm.typeKeys("\x1d" + key)
		tm.wait(want)
	}
	tm.typeKeys("\x1du")
	tm.wait("You said: demo")

	t.Log("the terminal spoiled, and back on the page")
	tm.typeKeys("mess\r")
	tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
	tm.typeKeys("\x1d")
	tm.wait("c  close session")
	tm.typeKeys("c")
	tm.wait("session closed")
	tm.checkModesReset()
	tm.typeKeys("\x1b")
	tm.waitScreen(menu)

	t.Log("again, without a question, and the host ends it")
	tm.typeKeys("\r")
	tm.waitUntil(func() bool { return strings.Count(tm.output(), "Welcome to the telnet session") == 2 }, "does not open the session again")
	tm.typeKeys("bye\r")
	tm.wait("[the server closed the session. Press Enter.]")
	tm.typeKeys("q") // gofer does not get this key
	tm.typeKeys("\r")
	tm.wait("the server closed the session", "One of every item type")
	tm.typeKeys("\x1b")
	tm.waitScreen(menu)
	tm.quit()
	tm.checkRestored()
	if strings.Contains(tm.output(), "panic") {
		t.Errorf("the output mentions a panic: %q", tm.output())
	}
}

// TestTelnetAlone opens a telnet URL of the command line. There is no page to return to.
func TestTelnetAlone(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	tm := startGofer(t, t.TempDir(), world, "telnet://demo:secret@"+world.Telnet.Addr()+"/")
	tm.wait("(y/N)", "Password  **** (not sent")
	tm.answer("n")
	tm.waitUntil(func() bool { return !strings.Contains(tm.screen(), "(y/N)") }, "still asks")
	tm.typeKeys("r")
	tm.wait("(y/N)")
	tm.answer("y")
	tm.wait("Welcome to the telnet session")
	tm.typeKeys("\x1d")
	tm.wait("p  type the password of the URL")
	tm.typeKeys("p")
	tm.wait("You said: secret")
	tm.typeKeys("\x1dc")
	tm.wait("Session ended", "Connect again")
	tm.typeKeys("r")
	tm.wait("Welcome to the telnet session")
	tm.typeKeys("\x1dc")
	tm.wait("Session ended")
	tm.quit()
	tm.checkRestored()
}

// TestTelnetSignals checks that a signal ends the session and the program, and restores the
// terminal.
func TestTelnetSignals(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, os.Interrupt} {
		for _, menu := range []bool{false, true} {
			t.Run(sig.String(), func(t *testing.T) {
				t.Parallel()
				tm, _ := openTelnet(t, world)
				tm.typeKeys("mess\r")
				tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
				if menu {
					tm.typeKeys("\x1d")
					tm.wait("c  close session")
				}
				fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
				tm.waitExit(5)
				tm.checkRestored()
				tm.checkModesReset()
			})
		}
	}
}
