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

// quitStatus is the exit status after SIGQUIT.
const quitStatus = 131

// sendQuit sends SIGQUIT and waits for the exit. It checks that the terminal is restored. The report
// must contain all goroutines, but no passwords.
func (tm *terminal) sendQuit(home string) (report string) {
	tm.t.Helper()
	if err := tm.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		tm.t.Fatal(err)
	}
	tm.waitExit(quitStatus)
	tm.waitUntil(func() bool { return reflect.DeepEqual(tm.readModes(), tm.modesBefore) }, "leaves the terminal in raw mode")
	reports := fetchtest.Must(filepath.Glob(filepath.Join(home, ".local/state/gofer/crash-*.txt")))(tm.t)
	if len(reports) != 1 {
		tm.t.Fatalf("there are the reports %q, want one; the output is %q", reports, tm.output())
	}
	data := string(fetchtest.Must(os.ReadFile(reports[0]))(tm.t))
	if strings.Count(data, "\ngoroutine ") < 2 || !strings.Contains(data, "\nSIGQUIT\n") {
		tm.t.Errorf("the report is\n%s\nwant SIGQUIT and two or more goroutines in it", data)
	}
	if strings.Contains(data, "Zm9v") {
		tm.t.Errorf("the report has the password:\n%s", data)
	}
	return reports[0]
}

// checkQuitReport checks that the program printed the name of the report and reset all modes.
func (tm *terminal) checkQuitReport(report string) {
	tm.t.Helper()
	tm.waitUntil(func() bool {
		// Late answers of the terminal may be echoed after the message.
		return strings.Contains(tm.output(), "gofer: quit signal received; the report is in "+report+"\r\n")
	}, "does not name the report "+report)
	for _, mode := range []string{"1049", "2004", "1003", "1006"} {
		if tm.wroteLast("\x1b[?"+mode+"h", "\x1b[?"+mode+"l") {
			tm.t.Errorf("mode %s is left on", mode)
		}
	}
	if got := tm.output(); strings.Contains(got, "goroutine ") {
		tm.t.Errorf("goroutines are printed: %q", got)
	}
}

// TestQuit checks that SIGQUIT ends the program and writes a report, whatever the program is
// doing.
func TestQuit(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(
		editor, []byte("#!/bin/sh\nstty raw -echo; trap '' TERM; echo editing; while :; do sleep 0.1; done\n"), 0o700,
	); err != nil {
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
			tm.typeKeys("E")
			tm.wait("editing")
		}},
		{"session", "gofer", []string{"telnet://" + world.Telnet.Addr() + "/"}, func(tm *terminal) {
			tm.wait("(y/N)")
			tm.answer("y")
			tm.wait("Welcome to the telnet session")
			tm.typeKeys("mess\r")
			tm.waitUntil(func() bool { return tm.wroteLast("\x1b[?1003h", "\x1b[?1003l") }, "does not pass on what the host sends")
		}},
		{"line by line", "gofer", []string{"--plain", hole + "/1/library"}, func(tm *terminal) {
			tm.waitUntil(func() bool { return strings.HasSuffix(tm.output(), "gofer> ") }, "does not begin")
		}},
		{"no screen", "gofer", []string{"dump", hole + "/0/test/stalls"}, func(tm *terminal) { tm.wait("Here it still goes well.") }},
		{"hung", "gofer-memo", []string{"memo://h/stuck"}, func(tm *terminal) {
			tm.waitPage("memo://h/stuck", "Memos at h")
			tm.typeKeys("u")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := newCommand(home, world, tt.program, tt.args...)
			cmd.Env = append(cmd.Env, "EDITOR='"+editor+"'")
			tm := startCommand(t, cmd)
			tt.begin(tm)
			tm.checkQuitReport(tm.sendQuit(home))
		})
	}
	t.Run("stalled terminal", func(t *testing.T) {
		t.Parallel()
		tm := startStalled(t, world)
		home := tm.cmd.Dir
		tm.sendQuit(home)
	})
}

// TestQuitDuringStart sends SIGQUIT while gofer sets up the terminal.
func TestQuitDuringStart(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	for range 10 {
		home := t.TempDir()
		tm := launch(t, newCommand(home, world, "gofer", "gopher://"+world.Gopher.Addr()+"/1"), &pty.Winsize{Rows: 24, Cols: 80})
		tm.emulate(80, 24)
		tm.waitUntil(func() bool { return !reflect.DeepEqual(tm.readModes(), tm.modesBefore) }, "does not begin")
		tm.checkQuitReport(tm.sendQuit(home))
	}
}
