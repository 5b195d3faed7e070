//go:build unix

package endtoend

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// situation is something that gofer does when it is ended or suspended.
type situation struct {
	name  string
	keys  string
	shown string // then
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

// started opens the library and gets into a situation.
func (s situation) start(t *testing.T, tm *terminal) {
	t.Helper()
	tm.wait("3/7")
	tm.keys("j")
	tm.wait("4/7")
	tm.keys(s.keys)
	tm.wait(s.shown)
}

// TestSignalsInAllSituations: whatever is on the screen, a signal ends the
// program, restores the terminal and keeps the tabs.
func TestSignalsInAllSituations(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	signals := []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP}
	for i, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tm := open(t, home, world, world.Start()+"/library")
			s.start(t, tm)
			fetchtest.NoError(t, tm.cmd.Process.Signal(signals[i%len(signals)]))
			tm.ended(5)
			tm.restored()
			if got := records(home); len(got) != 1 {
				t.Errorf("the tabs are not kept: %q", got)
			}
			tm = open(t, home, world, "--restore")
			tm.wait("/library", "4/7")
			if err := tm.cmd.Process.Signal(signals[(i+1)%len(signals)]); err != nil { // restored, and not touched
				t.Fatal(err)
			}
			tm.ended(5)
			tm.restored()
			if got := records(home); len(got) != 1 {
				t.Errorf("the restored tabs are not kept: %q", got)
			}
		})
	}
}

// TestSuspendInAllSituations: Ctrl-Z leaves the terminal to the shell, and fg
// shows what was there.
func TestSuspendInAllSituations(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t.TempDir(), world, "sh", "-c", `set -m; gofer "$0"; echo suspended; fg`, world.Start()+"/library")
			tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulate(80, 24)
			s.start(t, tm)
			tm.keys("\x1a")
			tm.until(func() bool {
				_, after, ok := strings.Cut(tm.output(), "suspended")
				return ok && strings.Contains(after, "\x1b[?1049h")
			}, "does not go on in the foreground")
			tm.wait(s.shown)
			tm.keys("\x07\x07") // leaves a list, and what is asked
			tm.quit()
			tm.restored()
		})
	}
}

// TestSignalWhileAPictureIsShown in the terminal's own graphics.
func TestSignalWhileAPictureIsShown(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	var file bytes.Buffer
	fetchtest.NoError(t, png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 40, 40))))
	world.Gopher.Handle("/test/picture", func(c net.Conn, _ string) { _, _ = c.Write(file.Bytes()) })
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		cmd := command(t.TempDir(), world, "gofer", "gopher://"+world.Gopher.Addr()+"/I/test/picture")
		cmd.Env = append(cmd.Env, "TERM=xterm-kitty", "KITTY_WINDOW_ID=1")
		tm := openCommand(t, cmd)
		tm.wait("40x40")
		fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
		tm.ended(5)
		tm.restored()
	}
}

// TestSignalWhileTheEditorRuns ends the editor too.
func TestSignalWhileTheEditorRuns(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		home := t.TempDir()
		editor := filepath.Join(home, "editor")
		if err := os.WriteFile(editor, []byte("#!/bin/sh\necho editing; exec sleep 1000\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := command(home, world, "gofer", world.Start()+"/library")
		cmd.Env = append(cmd.Env, "EDITOR='"+editor+"'")
		tm := openCommand(t, cmd)
		tm.wait("3/7")
		tm.keys("E")
		tm.wait("editing")
		fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
		tm.ended(5)
		tm.restored()
		if got := records(home); len(got) != 1 {
			t.Errorf("the tabs are not kept: %q", got)
		}
	}
}

// TestSilentTerminal: a terminal that answers no question is used like others.
func TestSilentTerminal(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	for name, env := range map[string]string{"here": "COLORTERM=truecolor", "over SSH": "SSH_TTY=/dev/pts/1", "kitty": "TERM=xterm-kitty"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t.TempDir(), world, "gofer", world.Start()+"/library")
			cmd.Env = append(cmd.Env, env)
			tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
			tm.emulateAnswering(80, 24, io.Discard)
			tm.wait("3/7")
			tm.keys("jj")
			tm.wait("5/7")
			tm.keys("?")
			tm.wait("Basics")
			tm.keys("\x7f")
			tm.wait("5/7")
			tm.quit()
			tm.restored()
		})
	}
}
