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

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// startWorld starts the servers of the demo, with faults added.
func startWorld(t *testing.T) *demo.World {
	t.Helper()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	addFaults(world.Gopher)
	return world
}

// readModes returns the modes of the terminal line, such as raw mode.
func (tm *terminal) readModes() *term.State {
	tm.t.Helper()
	state, err := term.GetState(tm.programTTY.Fd())
	if err != nil {
		tm.t.Fatal(err)
	}
	return state
}

// checkRestored checks that the terminal has the modes from before the start of the program. The
// program has exited or is suspended.
func (tm *terminal) checkRestored() {
	tm.t.Helper()
	tm.waitUntil(func() bool { return reflect.DeepEqual(tm.readModes(), tm.modesBefore) }, "leaves the terminal in raw mode")
	tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?1049l", "\x1b[?1049h") }, "does not leave the alternate screen")
	tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?25h", "\x1b[?25l") }, "does not show the cursor")
	tm.waitUntil(func() bool { return !tm.wroteLast("\x1b[22;2t", "\x1b[23;2t") }, "does not restore the title of the window")
}

// wroteLast reports whether the program wrote the sequence seq, and did not write the sequence
// other after seq.
func (tm *terminal) wroteLast(seq, other string) bool {
	out := tm.output()
	return strings.LastIndex(out, seq) > strings.LastIndex(out, other)
}

// TestSignals checks that a signal ends the program, and that the program restores the terminal. The
// page may be loaded or loading.
func TestSignals(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	signals := []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP}
	for i := range 12 { // each signal twice with each page
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			url, shown := hole+"/1", "Press Enter on a line"
			if i%2 == 1 {
				url, shown = hole+"/0/test/silent", "Esc stops"
			}
			tm := startGofer(t, t.TempDir(), world, url)
			tm.wait(shown)
			fetchtest.NoError(t, tm.cmd.Process.Signal(signals[i%len(signals)]))
			tm.waitExit(5)
			tm.checkRestored()
		})
	}
}

// TestHangUp checks that closing the terminal ends the program, even if the program ignores SIGHUP.
func TestHangUp(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	for name, shell := range map[string]string{
		"SIGHUP":  `exec gofer "$0"`,
		"ignored": `trap "" HUP; exec gofer "$0"`,
	} {
		t.Run(name, func(t *testing.T) {
			tm := launch(t, newCommand(t.TempDir(), world, "sh", "-c", shell, url), &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulate(80, 24)
			tm.wait("Press Enter on a line")
			fetchtest.NoError(t, tm.tty.Close())
			tm.waitExit(5)
		})
	}
}

// TestHangUpIgnored starts programs that ignore SIGHUP, as nohup does. It checks that SIGHUP still ends
// a program with a screen, but not a program without a screen.
func TestHangUpIgnored(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	start := func(shown string, args ...string) *terminal {
		tm := startCommand(t, newCommand(t.TempDir(), world, "sh", append([]string{"-c", `trap "" HUP; exec gofer "$@"`, "sh"}, args...)...))
		tm.wait(shown)
		fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGHUP))
		return tm
	}
	tm := start("Press Enter on a line", hole+"/1")
	tm.waitExit(5)
	tm.checkRestored()
	tm = start("Here it still goes well.", "dump", hole+"/0/test/stalls")
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGTERM))
	tm.waitExit(5)
	tm.wait("gofer: terminated signal received")
}

// startStalled starts gofer in a terminal that stops reading in the middle of a page.
func startStalled(t *testing.T, world *demo.World) *terminal {
	t.Helper()
	url := "gopher://" + world.Gopher.Addr() + "/0/test/wide"
	tm := launch(t, newCommand(t.TempDir(), world, "gofer", url), &pty.Winsize{Rows: 150, Cols: 400})
	buf := make([]byte, 512)
	for !bytes.Contains(tm.written, []byte("wide wide")) {
		n := fetchtest.Must(tm.tty.Read(buf))(t)
		tm.written = append(tm.written, buf[:n]...)
	}
	return tm
}

// TestStalledTerminal checks that the program can end while the terminal reads no output.
func TestStalledTerminal(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	check := func(t *testing.T, tm *terminal, code int) {
		tm.waitExit(code)
		if !reflect.DeepEqual(tm.readModes(), tm.modesBefore) {
			t.Error("the terminal is left in raw mode")
		}
	}
	t.Run("key", func(t *testing.T) {
		tm := startStalled(t, world)
		tm.typeKeys("q")
		check(t, tm, 0)
	})
	t.Run("signal", func(t *testing.T) {
		tm := startStalled(t, world)
		fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGTERM))
		check(t, tm, 5)
	})
	t.Run("reads again", func(t *testing.T) {
		tm := startStalled(t, world)
		tm.typeKeys("\x1b[F")
		tm.emulate(400, 150)
		tm.wait("the end")
		tm.quit()
		tm.checkRestored()
	})
}

// TestHugeTerminal checks that a huge terminal does not make gofer use much memory.
func TestHugeTerminal(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	tm := launch(t, newCommand(t.TempDir(), world, "gofer", url), &pty.Winsize{Rows: 65535, Cols: 65535})
	tm.emulate(1000, 500)
	tm.wait("Press Enter on a line")
	if got, most := tm.readMaxMemory(), 600_000; got > most {
		t.Errorf("gofer has taken %d kB of memory, want at most %d", got, most)
	}
	tm.quit()
	tm.checkRestored()
}

// readMaxMemory returns the maximum resident memory of the program in kB, or 0 if the system does not
// report it.
func (tm *terminal) readMaxMemory() int {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(tm.cmd.Process.Pid) + "/status")
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "kB")
	kb, _ := strconv.Atoi(strings.TrimSpace(rest))
	return kb
}

// TestAutowrap checks that automatic wrapping of lines is off while the program uses the terminal, and
// on at all other times.
func TestAutowrap(t *testing.T) {
	t.Parallel()
	const enter, leave, off, on = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?7l", "\x1b[?7h"
	world := startWorld(t)
	tm := startGofer(t, t.TempDir(), world, "gopher://"+world.Gopher.Addr()+"/1")
	tm.wait("Press Enter on a line")
	tm.typeKeys("\x1a")
	tm.checkRestored()
	tm.waitUntil(func() bool { return tm.wroteLast(enter, leave) }, "does not go on where there is no shell to resume it")
	tm.quit()
	tm.checkRestored()
	modes := regexp.MustCompile(`\x1b\[\?(?:7|1049)[hl]`).FindAllString(tm.output(), -1)
	got := strings.Join(slices.Compact(modes), "") // the renderer may turn a mode off twice
	if want := strings.Repeat(enter+off+leave+on, 2); got != want {
		t.Errorf("modes: got %q, want %q", got, want)
	}
}

// TestSignalToSuspended checks that a signal ends a suspended program. Such a program is in the
// background, so it must not wait for the terminal.
func TestSignalToSuspended(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	const shell = `set -m; gofer "$0"; kill %1; kill -CONT %1; wait`
	tm := launch(t, newCommand(t.TempDir(), world, "sh", "-c", shell, url), &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	tm.wait("Press Enter on a line")
	tm.typeKeys("\x1a")
	tm.wait("gofer: terminated signal received")
	tm.checkRestored()
}

// TestBackground starts gofer in the background, or moves it there. It checks that gofer does not
// change the modes of the terminal there, that a signal ends it, and that it continues in the
// foreground.
func TestBackground(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
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
				tm := launch(t, newCommand(t.TempDir(), world, shell, "-c", script, url), &pty.Winsize{Rows: 24, Cols: 80})
				tm.emulate(80, 24)
				started := strings.HasPrefix(name, "started")
				if !started {
					tm.wait("Press Enter on a line")
					tm.typeKeys("\x1a")
					tm.checkRestored()
				}
				switch {
				case strings.HasSuffix(name, "ended"):
					tm.wait("gofer: terminated signal received")
				case strings.HasSuffix(name, "hung up"):
					tm.wait("gofer: hangup signal received")
				default:
					tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?1049h", "\x1b[?1049l") }, "does not go on in the foreground")
					tm.wait("Press Enter on a line")
					tm.quit()
					started = false
				}
				if !started {
					tm.checkRestored()
				} else if got := tm.output(); strings.Contains(got, "\x1b") {
					t.Errorf("gofer draws in the background: %q", got)
				}
			})
		}
	}
}

// TestKeysWithoutStdin checks that gofer reads keys from the terminal if standard input is not the
// terminal.
func TestKeysWithoutStdin(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	tm := launch(t, newCommand(t.TempDir(), world, "sh", "-c", `exec gofer "$0" </dev/null`, url), &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	tm.wait("Press Enter on a line")
	tm.quit()
	tm.checkRestored()
}

// TestSignalKeepsVisit checks that a visit is recorded even if a signal ends the program.
func TestSignalKeepsVisit(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	url := "gopher://" + world.Gopher.Addr() + "/1"
	home := t.TempDir()
	tm := startGofer(t, home, world, url)
	tm.wait("Press Enter on a line")
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGHUP))
	tm.waitExit(5)
	out, err := newCommand(home, world, "gofer", "dump", "about:history").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(world.Gopher.Addr())) {
		t.Errorf("%v: the visit is not in the history:\n%s", err, out)
	}
}
