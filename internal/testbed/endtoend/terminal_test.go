//go:build unix

package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// hostWorld starts the embedded world with the faults in it.
func hostWorld(t *testing.T) *loopback.World {
	t.Helper()
	world := fetchtest.Started(loopback.StartWorld())(t)
	faults(world.Gopher)
	return world
}

// modes are the settings of the terminal's line, of which raw mode is one.
func (tm *terminal) modes() *term.State {
	tm.t.Helper()
	state, err := term.GetState(tm.side.Fd())
	if err != nil {
		tm.t.Fatal(err)
	}
	return state
}

// restored checks that the terminal is as it was before the program, which has
// ended or is suspended.
func (tm *terminal) restored() {
	tm.t.Helper()
	tm.until(func() bool { return reflect.DeepEqual(tm.modes(), tm.before) }, "leaves the terminal in raw mode")
	tm.until(func() bool { return tm.lastOf("\x1b[?1049l", "\x1b[?1049h") }, "does not leave the alternate screen")
	tm.until(func() bool { return tm.lastOf("\x1b[?25h", "\x1b[?25l") }, "does not show the cursor")
}

// until waits until done is true; else gofer does what fault says.
func (tm *terminal) until(done func() bool, fault string) {
	tm.t.Helper()
	if !eventually(done) {
		out := tm.output()
		tm.t.Fatalf("gofer %s; its output ends in %q", fault, out[max(0, len(out)-200):])
	}
}

// lastOf reports whether the program has written seq, and not other after it.
func (tm *terminal) lastOf(seq, other string) bool {
	out := tm.output()
	return strings.LastIndex(out, seq) > strings.LastIndex(out, other)
}

// A signal ends the program, whatever it does, and gives the terminal back.
func TestSignals(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	signals := []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP}
	for i := range 12 { // each signal twice at each page
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			url, shown := hole+"/1", "Press Enter on a line"
			if i%2 == 1 {
				url, shown = hole+"/0/test/silent", "Esc stops"
			}
			tm := open(t, t.TempDir(), world, url)
			tm.wait(shown)
			fetchtest.NoError(t, tm.cmd.Process.Signal(signals[i%len(signals)]))
			tm.ended(5)
			tm.restored()
		})
	}
}

// When the terminal is closed the program ends, also if its signal is ignored.
func TestHangUp(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	for name, shell := range map[string]string{
		"SIGHUP":  `exec gofer "$0"`,
		"ignored": `trap "" HUP; exec gofer "$0"`,
	} {
		t.Run(name, func(t *testing.T) {
			tm := launch(t, command(t.TempDir(), world, "sh", "-c", shell, url), &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulate(80, 24)
			tm.wait("Press Enter on a line")
			fetchtest.NoError(t, tm.tty.Close())
			tm.ended(5)
		})
	}
}

// SIGHUP ends a screen however the program was started, and spares what nohup has
// started without one.
func TestHangUpIgnored(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	start := func(shown string, args ...string) *terminal {
		tm := openCommand(t, command(t.TempDir(), world, "sh", append([]string{"-c", `trap "" HUP; exec gofer "$@"`, "sh"}, args...)...))
		tm.wait(shown)
		fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGHUP))
		return tm
	}
	tm := start("Press Enter on a line", hole+"/1")
	tm.ended(5)
	tm.restored()
	tm = start("Here it still goes well.", "dump", hole+"/0/test/stalls")
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGTERM))
	tm.ended(5)
	tm.wait("gofer: terminated signal received")
}

// What is being written when a signal comes is written all the same.
func TestSignalKeepsVisit(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	home := t.TempDir()
	tm := open(t, home, world, url)
	tm.wait("Press Enter on a line")
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGHUP))
	tm.ended(5)
	out, err := command(home, world, "gofer", "dump", "about:history").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(world.Gopher.Addr())) {
		t.Errorf("%v: the visit is not in the history:\n%s", err, out)
	}
}

// stalled is gofer in a terminal that has stopped reading in the middle of a
// page.
func stalled(t *testing.T, world *loopback.World) *terminal {
	t.Helper()
	url := "gopher://" + world.Gopher.Addr() + "/0/test/wide"
	tm := launch(t, command(t.TempDir(), world, "gofer", url), &pty.Winsize{Rows: 150, Cols: 400})
	buf := make([]byte, 512)
	for !bytes.Contains(tm.written, []byte("wide wide")) {
		n := fetchtest.Must(tm.tty.Read(buf))(t)
		tm.written = append(tm.written, buf[:n]...)
	}
	return tm
}

// A terminal that does not read does not keep the program from ending.
func TestStalledTerminal(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	check := func(t *testing.T, tm *terminal, code int) {
		tm.ended(code)
		if !reflect.DeepEqual(tm.modes(), tm.before) {
			t.Error("the terminal is left in raw mode")
		}
	}
	t.Run("key", func(t *testing.T) {
		tm := stalled(t, world)
		tm.keys("q")
		check(t, tm, 0)
	})
	t.Run("signal", func(t *testing.T) {
		tm := stalled(t, world)
		fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGTERM))
		check(t, tm, 5)
	})
	t.Run("reads again", func(t *testing.T) {
		tm := stalled(t, world)
		tm.keys("\x1b[F")
		tm.emulate(400, 150)
		tm.wait("the end")
		tm.quit()
		tm.restored()
	})
}

// A terminal of any size costs a bounded amount of memory.
func TestHugeTerminal(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	tm := launch(t, command(t.TempDir(), world, "gofer", url), &pty.Winsize{Rows: 65535, Cols: 65535})
	tm.emulate(1000, 500)
	tm.wait("Press Enter on a line")
	if got, most := tm.memory(), 600_000; got > most {
		t.Errorf("gofer has taken %d kB of memory, want less than %d", got, most)
	}
	tm.quit()
	tm.restored()
}

// memory returns the most memory, in kB, that the program has had resident; 0
// where the system does not tell.
func (tm *terminal) memory() int {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(tm.cmd.Process.Pid) + "/status")
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "kB")
	kb, _ := strconv.Atoi(strings.TrimSpace(rest))
	return kb
}

// The terminal wraps no lines by itself as long as the program has it.
func TestAutowrap(t *testing.T) {
	t.Parallel()
	const enter, leave, off, on = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?7l", "\x1b[?7h"
	world := hostWorld(t)
	tm := open(t, t.TempDir(), world, "gopher://"+world.Gopher.Addr()+"/1")
	tm.wait("Press Enter on a line")
	tm.keys("\x1a")
	tm.restored()
	tm.until(func() bool { return tm.lastOf(enter, leave) }, "does not go on where there is no shell to resume it")
	tm.quit()
	tm.restored()
	modes := regexp.MustCompile(`\x1b\[\?(?:7|1049)[hl]`).FindAllString(tm.output(), -1)
	got := strings.Join(slices.Compact(modes), "") // the renderer may turn it off again
	if want := strings.Repeat(enter+off+leave+on, 2); got != want {
		t.Errorf("modes: got %q, want %q", got, want)
	}
}

// A suspended program ends by a signal, in the background, where it must not
// wait for the terminal.
func TestSignalToSuspended(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	const shell = `set -m; gofer "$0"; kill %1; kill -CONT %1; wait`
	tm := launch(t, command(t.TempDir(), world, "sh", "-c", shell, url), &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	tm.wait("Press Enter on a line")
	tm.keys("\x1a")
	tm.wait("gofer: terminated signal received")
	tm.restored()
}

// A program that was started in the background, or put there, ends by a signal
// too, and goes on in the foreground: it waits for that before it changes the
// modes of the terminal.
func TestBackground(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	const stopped = `until jobs >j; grep -q Stopped j; do sleep 0.01; done; `
	for name, script := range map[string]string{
		"started, ended":              `set -m; gofer "$0" & ` + stopped + `kill %1; kill -CONT %1; wait`,
		"started, hung up":            `set -m; gofer "$0" & ` + stopped + `kill -HUP %1; kill -CONT %1; wait`,
		"started, to foreground":      `set -m; gofer "$0" & ` + stopped + `fg %1`,
		"put, ended":                  `set -m; gofer "$0"; bg %1; ` + stopped + `kill %1; kill -CONT %1; wait`,
		"put, resumed, ended":         `set -m; gofer "$0"; bg %1; ` + stopped + `kill -CONT %1; ` + stopped + `kill %1; kill -CONT %1; wait`,
		"put, back in foreground":     `set -m; gofer "$0"; bg %1; ` + stopped + `fg %1`,
		"started without job control": `gofer "$0" </dev/tty & wait $!`,
	} {
		for _, shell := range []string{"sh", "bash"} {
			t.Run(name+" by "+shell, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(shell); err != nil {
					t.Skip(err)
				}
				tm := launch(t, command(t.TempDir(), world, shell, "-c", script, url), &pty.Winsize{Rows: 24, Cols: 80})
				tm.emulate(80, 24)
				started := strings.HasPrefix(name, "started")
				if !started {
					tm.wait("Press Enter on a line")
					tm.keys("\x1a")
					tm.restored()
				}
				switch {
				case strings.HasSuffix(name, "ended"):
					tm.wait("gofer: terminated signal received")
				case strings.HasSuffix(name, "hung up"):
					tm.wait("gofer: hangup signal received")
				default:
					tm.until(func() bool { return tm.lastOf("\x1b[?1049h", "\x1b[?1049l") }, "does not go on in the foreground")
					tm.wait("Press Enter on a line")
					tm.quit()
					started = false
				}
				if !started {
					tm.restored()
				} else if got := tm.output(); strings.Contains(got, "\x1b") {
					t.Errorf("gofer draws in the background: %q", got)
				}
			})
		}
	}
}

// Keys come from the terminal when something else is on standard input.
func TestKeysWithoutStdin(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	tm := launch(t, command(t.TempDir(), world, "sh", "-c", `exec gofer "$0" </dev/null`, url), &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	tm.wait("Press Enter on a line")
	tm.quit()
	tm.restored()
}
