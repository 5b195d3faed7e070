//go:build unix

package endtoend

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// session opens gofer on a menu, puts the cursor on its telnet item and follows
// it; menu is the screen before.
func session(t *testing.T, world *loopback.World) (tm *terminal, menu string) {
	t.Helper()
	tm = open(t, t.TempDir(), world, "gopher://"+world.Gopher.Addr()+"/1/types")
	tm.wait("One of every item type")
	tm.here("gopher://"+world.Gopher.Addr()+"/1/types", "")
	menu = tm.to("j", "telnet://demo@"+world.Telnet.Addr())
	tm.keys("\r")
	tm.wait("Open a telnet session with "+world.Telnet.Addr()+"? (y/N)", "User      demo (not sent")
	tm.keys("y")
	tm.wait("Welcome to the telnet session")
	return tm, menu
}

// ordered checks that the terminal is in no mode in which the session has put
// it.
func (tm *terminal) ordered() {
	tm.t.Helper()
	for _, mode := range []string{"?1l", "?1003l", "?1006l"} {
		on := strings.Replace(mode, "l", "h", 1) // Bubble Tea itself sets none of these
		tm.until(func() bool { return tm.lastOf("\x1b["+mode, "\x1b["+on) }, "leaves the mode "+on)
	}
	tm.until(func() bool { return tm.lastOf("\x1b(B", "\x1b(0") }, "leaves the line drawing characters")
}

func TestTelnet(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	tm, menu := session(t, world)

	t.Log("type and size of the terminal")
	for asked := 1; ; asked++ { // the type may come after the question
		tm.keys("size\r")
		tm.until(func() bool { return strings.Count(tm.output(), "Your terminal is") == asked }, "does not answer")
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
	tm.keys("\x1a")
	tm.wait("^Z")
	tm.keys("\x03")
	tm.wait("^C")
	tm.keys("\x15q\r")
	tm.wait("You said: q\n>") // the host sends its prompt after the answer

	t.Log("the menu")
	before := tm.whole()
	tm.keys("\x1d")
	tm.wait("telnet "+world.Telnet.Addr(), "keys sent at once, remote echo, type, size", "u  type the user demo")
	tm.keys("\x1b[A") // no key of the menu
	tm.keys("\r")
	tm.settled(before)
	for key, want := range map[string]string{"b": "[break]", "i": "[interrupt process]", "a": "[are you there]", "o": "[abort output]"} {
		tm.keys("\x1d" + key)
		tm.wait(want)
	}
	tm.keys("\x1du")
	tm.wait("You said: demo")

	t.Log("the terminal spoiled, and back on the page")
	tm.keys("mess\r")
	tm.until(func() bool { return tm.lastOf("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
	tm.keys("\x1d")
	tm.wait("c  close session")
	tm.keys("c")
	tm.wait("session closed")
	tm.ordered()
	tm.keys("\x1b")
	tm.settled(menu)

	t.Log("again, without a question, and the host ends it")
	tm.keys("\r")
	tm.until(func() bool { return strings.Count(tm.output(), "Welcome to the telnet session") == 2 }, "does not open the session again")
	tm.keys("bye\r")
	tm.wait("[the host closed the session. Press Enter.]")
	tm.keys("q") // no command of gofer's
	tm.keys("\r")
	tm.wait("the host closed the session", "One of every item type")
	tm.keys("\x1b")
	tm.settled(menu)
	tm.quit()
	tm.restored()
	if strings.Contains(tm.output(), "panic") {
		t.Error("gofer failed")
	}
}

// A URL of the command line has no page to come back to.
func TestTelnetAlone(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	tm := open(t, t.TempDir(), world, "telnet://demo:secret@"+world.Telnet.Addr()+"/")
	tm.wait("(y/N)", "Password  **** (not sent")
	tm.keys("n")
	tm.until(func() bool { return !strings.Contains(tm.screen(), "(y/N)") }, "asks on")
	tm.keys("r")
	tm.wait("(y/N)")
	tm.keys("y")
	tm.wait("Welcome to the telnet session")
	tm.keys("\x1d")
	tm.wait("p  type the password of the URL")
	tm.keys("p")
	tm.wait("You said: secret")
	tm.keys("\x1dc")
	tm.wait("Session ended", "Connect again")
	tm.keys("r")
	tm.wait("Welcome to the telnet session")
	tm.keys("\x1dc")
	tm.wait("Session ended")
	tm.quit()
	tm.restored()
}

// A signal ends a session, and the program, and the terminal is as it was.
func TestTelnetSignals(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, os.Interrupt} {
		for _, menu := range []bool{false, true} {
			t.Run(sig.String(), func(t *testing.T) {
				t.Parallel()
				tm, _ := session(t, world)
				tm.keys("mess\r")
				tm.until(func() bool { return tm.lastOf("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
				if menu {
					tm.keys("\x1d")
					tm.wait("c  close session")
				}
				fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
				tm.ended(5)
				tm.restored()
				tm.ordered()
			})
		}
	}
}
