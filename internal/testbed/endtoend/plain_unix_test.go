//go:build unix

package endtoend

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestPlain uses --plain in a dumb terminal, as a user of a screen reader does.
func TestPlain(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	home := t.TempDir()
	cmd := newCommand(home, world, "gofer", "--plain", hole+"/1")
	cmd.Env[slices.Index(cmd.Env, "TERM=xterm-256color")] = "TERM=dumb"
	tm := launch(t, cmd, &pty.Winsize{Rows: 20, Cols: 80})
	tm.emulate(80, 20)
	waitOutput := func(text string) {
		t.Helper()
		tm.waitUntil(func() bool { return strings.HasSuffix(tm.output(), text) }, "does not write "+text)
	}

	waitOutput("-- more -- ")
	tm.typeKeys(" ") // without Enter
	waitOutput("~~~~~\r\ngofer> ")
	if !strings.Contains(tm.output(), "\nWelcome. This is a Gopher hole inside\r\n") {
		t.Error("texts of a menu have a margin")
	}
	tm.typeKeys("nonsense\x7f\x7f\x7f\x17é\x7f3\r")
	waitOutput("To the front door, menu\r\ngofer> ")
	tm.typeKeys("y 7\r")
	waitOutput(hole + "/1/\r\ngofer> ")
	tm.typeKeys("b\r") // shows the end of the previous page
	waitOutput("~~~~~\r\ngofer> ")

	tm.typeKeys("g " + hole + "/0/test/silent\r")
	waitOutput("Opening " + hole + "/0/test/silent\r\n")
	tm.typeKeys("\x03") // stops the load
	waitOutput("Stopped.\r\ngofer> ")
	tm.typeKeys(hole + "/1/test/stalls\r")
	waitOutput("-- more -- ")
	for _, key := range []string{" ", "\r", " "} {
		tm.typeKeys(key)
	}
	tm.waitUntil(func() bool { return strings.Count(tm.output(), "Here it still goes well.") == 40 }, "does not write what has come")
	tm.typeKeys("\x03")
	waitOutput("gofer> ")
	tm.typeKeys("\x1b[A\x15g\r") // Up is ignored, Ctrl-U clears the line
	tm.waitUntil(func() bool { return strings.Contains(tm.output(), "Type g and a URL") }, "does not go on")
	tm.typeKeys("\x03")
	tm.waitExit(0)
	tm.waitUntil(func() bool { return reflect.DeepEqual(tm.readModes(), tm.modesBefore) }, "leaves the terminal in raw mode")
	if out := tm.output(); strings.Contains(out, "\x1b") {
		t.Errorf("gofer wrote escape sequences: %q", out)
	}
	out, err := newCommand(home, world, "gofer", "dump", "about:history").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "stalls  ("+world.Gopher.Addr()) {
		t.Errorf("%v: the history has no visit:\n%s", err, out)
	}
}

// TestPlainMail writes a mail line by line, and sends it after a question.
func TestPlainMail(t *testing.T) {
	t.Parallel()
	home, world := t.TempDir(), startWorld(t)
	cmd := newCommand(home, world, "gofer", "--plain", "about:home")
	folder := filepath.Join(home, ".config", "gofer")
	sent, script := filepath.Join(home, "sent"), filepath.Join(home, "sendmail")
	if err := errors.Join(
		os.MkdirAll(folder, 0o700),
		os.WriteFile(script, []byte("#!/bin/sh\ncat >'"+sent+"'\n"), 0o700),
		os.WriteFile(filepath.Join(folder, "config.toml"), []byte("[mail]\nsendmail = \"'"+script+"'\"\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	tm := launch(t, cmd, &pty.Winsize{Rows: 60, Cols: 80}) // the home page fits
	tm.emulate(80, 60)
	answer := func(after, typed string) {
		t.Helper()
		tm.waitUntil(func() bool { return strings.HasSuffix(tm.output(), after) }, "does not write "+after)
		tm.typeKeys(typed + "\r")
	}
	answer("gofer> ", "mailto:joe@example.org?subject=Hi")
	answer("To [joe@example.org]: ", "")
	answer("Subject [Hi]: ", "Gophers")
	answer("(end with a dot on a line by itself):\r\n", "Hello,")
	answer("Hello,\r\n", "there.")
	answer("there.\r\n", ".")
	answer(`Send this to "joe@example.org" by sendmail? (y/N) `, "y")
	answer("Sent.\r\ngofer> ", "q")
	tm.waitExit(0)
	got, err := os.ReadFile(sent)
	if text := string(got); err != nil || !strings.Contains(text, "To: <joe@example.org>\nSubject: Gophers\n") ||
		!strings.HasSuffix(text, "\n\nHello,\nthere.\n") {
		t.Errorf("sent %q, %v", got, err)
	}
}
