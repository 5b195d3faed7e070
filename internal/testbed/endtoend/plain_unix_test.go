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
	"testing/fstest"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
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
	last("~~~~~\r\ngofer> ")
	if !strings.Contains(tm.output(), "\nWelcome. This is a Gopher hole inside\r\n") {
		t.Error("texts of a menu have a margin")
	}
	tm.keys("nonsense\x7f\x7f\x7f\x17é\x7f3\r")
	last("To the front door, menu\r\ngofer> ")
	tm.keys("y 7\r")
	last(hole + "/1/\r\ngofer> ")
	tm.keys("b\r") // at what was read last
	last("~~~~~\r\ngofer> ")

	tm.keys("g " + hole + "/0/test/silent\r")
	last("Opening " + hole + "/0/test/silent\r\n")
	tm.keys("\x03") // stops it
	last("Stopped.\r\ngofer> ")
	tm.keys(hole + "/1/test/stalls\r")
	last("-- more -- ")
	for _, key := range []string{" ", "\r", " "} {
		tm.keys(key)
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

// Mail is written line by line, shown whole, and sent after a yes.
func TestPlainMail(t *testing.T) {
	t.Parallel()
	home, world := t.TempDir(), hostWorld(t)
	cmd := command(home, world, "gofer", "--plain", "about:home")
	folder := filepath.Join(home, ".config", "gofer")
	sent, script := filepath.Join(home, "sent"), filepath.Join(home, "sendmail")
	if err := errors.Join(
		os.MkdirAll(folder, 0o700),
		os.WriteFile(script, []byte("#!/bin/sh\ncat >'"+sent+"'\n"), 0o700),
		os.WriteFile(filepath.Join(folder, "config.toml"), []byte("[mail]\nsendmail = \"'"+script+"'\"\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	tm := launch(t, cmd, &pty.Winsize{Rows: 20, Cols: 80})
	tm.emulate(80, 20)
	answer := func(after, typed string) {
		t.Helper()
		tm.until(func() bool { return strings.HasSuffix(tm.output(), after) }, "does not write "+after)
		tm.keys(typed + "\r")
	}
	answer("-- more -- ", "mailto:joe@example.org?subject=Hi")
	answer("To [joe@example.org]: ", "")
	answer("Subject [Hi]: ", "Gophers")
	answer("(end with a line that is only a dot):\r\n", "Hello,")
	answer("Hello,\r\n", "there.")
	answer("there.\r\n", ".")
	answer(`Send this to "joe@example.org" by sendmail? (y/N) `, "y")
	answer("Sent.\r\n-- more -- ", "q")
	tm.ended(0)
	got, err := os.ReadFile(sent)
	if text := string(got); err != nil || !strings.Contains(text, "To: <joe@example.org>\nSubject: Gophers\n") || !strings.HasSuffix(text, "\n\nHello,\nthere.\n") {
		t.Errorf("sent %q, %v", got, err)
	}
}

// An article that was read has its mark in the newsrc file, but in private mode.
func TestPlainMarksArticles(t *testing.T) {
	t.Parallel()
	server := fetchtest.Started(loopback.StartNNTP(fstest.MapFS{
		"news/g.one/1.eml": {Data: []byte("Newsgroups: g.one\nSubject: First\nMessage-ID: <1@x>\n\nWords\n")},
		"news/g.one/2.eml": {Data: []byte("Newsgroups: g.one\nSubject: Second\nMessage-ID: <2@x>\nXref: x g.one:2 g.two:7\n\nWords\n")},
	}, nil))(t)
	for _, tt := range []struct{ option, want string }{
		{"--plain", "g.one! 1-2\ng.two! 7\n"},
		{"--private", ""},
	} {
		home := t.TempDir()
		cmd := command(home, hostWorld(t), "gofer", "--plain", tt.option, server.URL("g.one/1"))
		tm := launch(t, cmd, &pty.Winsize{Rows: 100, Cols: 80})
		tm.emulate(80, 100)
		shown := func(n int) {
			t.Helper()
			tm.until(func() bool {
				return strings.Count(tm.output(), "Words") == n && strings.HasSuffix(tm.output(), "gofer> ")
			}, "does not show it")
		}
		shown(1)
		tm.keys("news://" + server.Addr() + "/2@x\r")
		shown(2)
		tm.keys("q\r")
		tm.ended(0)
		var got string
		read, err := filepath.Glob(filepath.Join(home, ".newsrc*"))
		for _, file := range read {
			data := fetchtest.Must(os.ReadFile(file))(t)
			got += string(data)
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, want %q, %v", tt.option, got, tt.want, err)
		}
	}
}
