//go:build unix

package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A reader with a screen reader, at a terminal that can do nothing.
func TestPlain(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	home := t.TempDir()
	cmd := command(home, world, "gofer", "--plain", hole+"/1")
	cmd.Env[slices.Index(cmd.Env, "TERM=xterm-256color")] = "TERM=dumb"
	tm := launch(t, cmd, &pty.Winsize{Rows: 20, Cols: 80})
	tm.emulate(80, 20)
	last := func(text string) {
		t.Helper()
		tm.until(func() bool { return strings.HasSuffix(tm.output(), text) }, "does not write "+text)
	}

	last("-- more -- ")
	tm.keys(" ") // Space is enough
	last("-- more -- ")
	tm.keys("\r")
	last("Large things: how it feels when there is much\r\ngofer> ")
	tm.keys("nonsense\x7f\x7f\x7f\x17é\x7f3\r")
	last("To the front door\r\ngofer> ")
	tm.keys("y 7\r")
	last(hole + "/1/\r\ngofer> ")
	tm.keys("b\r") // at what was read last
	last("Large things: how it feels when there is much\r\ngofer> ")

	tm.keys("g " + hole + "/0/test/silent\r")
	last("Opening " + hole + "/0/test/silent\r\n")
	tm.keys("\x03") // stops it
	last("Stopped.\r\ngofer> ")
	tm.keys(hole + "/1/test/stalls\r")
	last("-- more -- ")
	for range 3 {
		tm.keys(" ")
	}
	tm.until(func() bool { return strings.Count(tm.output(), "Here it still goes well.") == 40 }, "does not write what has come")
	tm.keys("\x03")
	last("gofer> ")
	tm.keys("\x1b[A\x15g\r") // Up is unknown, Ctrl-U erases
	tm.until(func() bool { return strings.Contains(tm.output(), "g takes a URL") }, "does not go on")
	tm.keys("\x03")
	tm.ended(0)
	tm.until(func() bool { return reflect.DeepEqual(tm.modes(), tm.before) }, "leaves the terminal in raw mode")
	if out := tm.output(); strings.Contains(out, "\x1b") {
		t.Errorf("it writes escape sequences: %q", out)
	}
	out, err := command(home, world, "gofer", "dump", "about:history").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "stalls  ("+world.Gopher.Addr()) {
		t.Errorf("%v: the history has no visit:\n%s", err, out)
	}
}
