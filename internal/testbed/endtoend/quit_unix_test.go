//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// quitStatus is the exit status of a program that SIGQUIT ended.
const quitStatus = 131

// signalQuit sends SIGQUIT and checks that the program ends with its terminal restored and
// a report of all goroutines, of which a row on the screen tells.
func (tm *terminal) signalQuit(home string) (report string) {
	tm.t.Helper()
	if err := tm.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		tm.t.Fatal(err)
	}
	tm.ended(quitStatus)
	tm.until(func() bool { return reflect.DeepEqual(tm.modes(), tm.before) }, "leaves the terminal in raw mode")
	reports := fetchtest.Must(filepath.Glob(filepath.Join(home, ".local/state/gofer/crash-*.txt")))(tm.t)
	if len(reports) != 1 {
		tm.t.Fatalf("there are the reports %q, want one; the output is %q", reports, tm.output())
	}
	data := string(fetchtest.Must(os.ReadFile(reports[0]))(tm.t))
	if strings.Count(data, "\ngoroutine ") < 2 || !strings.Contains(data, "\nSIGQUIT\n") {
		tm.t.Errorf("the report is\n%s", data)
	}
	if strings.Contains(data, "Zm9v") {
		tm.t.Errorf("the report has the password:\n%s", data)
	}
	return reports[0]
}

// quitShown checks what the program has written in the end.
func (tm *terminal) quitShown(report string) {
	tm.t.Helper()
	tm.until(func() bool {
		// Answers of the terminal that come later are echoed behind it.
		return strings.Contains(tm.output(), "gofer: quit signal received; the report is in "+report+"\r\n")
	}, "does not name the report "+report)
	for _, mode := range []string{"1049", "2004", "1003", "1006"} {
		if tm.lastOf("\x1b[?"+mode+"h", "\x1b[?"+mode+"l") {
			tm.t.Errorf("mode %s is left on", mode)
		}
	}
	if got := tm.output(); strings.Contains(got, "goroutine ") {
		tm.t.Errorf("goroutines are printed: %q", got)
	}
}

// TestQuit: SIGQUIT ends the program, whatever it does, and leaves a report.
func TestQuit(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nstty raw -echo; trap '' TERM; echo editing; while :; do sleep 0.1; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, program string
		args          []string
		begin         func(tm *terminal)
	}{
		{"page", "gofer", []string{hole + "/1"}, func(tm *terminal) { tm.wait("Press Enter on a line") }},
		{"password", "gofer", []string{"ftp://joe:Zm9v@" + world.FTP.Addr() + "/"}, func(tm *terminal) { tm.wait("in the clear? (y/N)") }},
		{"loading", "gofer", []string{hole + "/0/test/silent"}, func(tm *terminal) { tm.wait("Esc stops") }},
		{"editor", "gofer", []string{hole + "/1"}, func(tm *terminal) {
			tm.wait("Press Enter on a line")
			tm.keys("E")
			tm.wait("editing")
		}},
		{"session", "gofer", []string{"telnet://" + world.Telnet.Addr() + "/"}, func(tm *terminal) {
			tm.wait("(y/N)")
			tm.keys("y")
			tm.wait("Welcome to the telnet session")
			tm.keys("mess\r")
			tm.until(func() bool { return tm.lastOf("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
		}},
		{"line by line", "gofer", []string{"--plain", hole + "/1/library"}, func(tm *terminal) {
			tm.until(func() bool { return strings.HasSuffix(tm.output(), "gofer> ") }, "does not begin")
		}},
		{"no screen", "gofer", []string{"dump", hole + "/0/test/stalls"}, func(tm *terminal) { tm.wait("Here it still goes well.") }},
		{"hung", "gofer-memo", []string{"memo://h/stuck"}, func(tm *terminal) {
			tm.here("memo://h/stuck", "Memos at h")
			tm.keys("u")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := command(home, world, tt.program, tt.args...)
			cmd.Env = append(cmd.Env, "EDITOR='"+editor+"'")
			tm := openCommand(t, cmd)
			tt.begin(tm)
			tm.quitShown(tm.signalQuit(home))
		})
	}
	t.Run("stalled terminal", func(t *testing.T) {
		t.Parallel()
		tm := stalled(t, world)
		home := tm.cmd.Dir
		tm.signalQuit(home)
	})
}

// TestQuitAtOnce: SIGQUIT comes while the terminal is made ready.
func TestQuitAtOnce(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	for range 10 {
		home := t.TempDir()
		tm := launch(t, command(home, world, "gofer", "gopher://"+world.Gopher.Addr()+"/1"), &pty.Winsize{Rows: 24, Cols: 80})
		tm.emulate(80, 24)
		tm.until(func() bool { return !reflect.DeepEqual(tm.modes(), tm.before) }, "does not begin")
		tm.quitShown(tm.signalQuit(home))
	}
}
