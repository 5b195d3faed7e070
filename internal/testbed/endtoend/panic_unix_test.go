//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPanic checks that gofer restores the terminal after a panic and names the report. It also checks
// that the next start can restore the tabs.
func TestPanic(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	home := t.TempDir()
	tm := startCommand(t, newCommand(home, world, "gofer-memo", "memo://h/desk/lamp"))
	tm.waitPage("memo://h/desk/lamp", "Memos at h")
	tm.openURL("memo://h/panic")
	tm.wait("Internal error", "report in")
	tm.typeKeys("\x7f")
	tm.wait("Switch it off.")
	tm.openURL("memo://h/faulty")
	tm.waitPage("memo://h/faulty", "Memos at h")
	tm.typeKeys("u")
	tm.waitExit(5)
	tm.checkRestored()
	reports, err := filepath.Glob(filepath.Join(home, ".local/state/gofer/crash-*.txt"))
	if len(reports) != 2 || err != nil {
		t.Fatalf("%v, %v; want two reports", reports, err)
	}
	last := reports[0]
	if first, _ := os.ReadFile(last); !strings.Contains(string(first), "panic: went up") {
		last = reports[1]
	}
	data, err := os.ReadFile(last)
	if err != nil || !strings.Contains(string(data), "panic: went up") ||
		!strings.Contains(string(data), "scheme_test.go") ||
		!strings.Contains(string(data), "screen 80x24\nTERM=xterm-256color\n") {
		t.Errorf("%v: the report is\n%s", err, data)
	}
	if fi, err := os.Stat(last); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want a file for the user alone", fi, err)
	}
	tm.waitUntil(func() bool {
		out := strings.ReplaceAll(tm.output(), "\r\n", "\n")
		return strings.HasSuffix(out, "gofer: internal error: went up; the report is in "+last+"; gofer --restore opens the tabs again\n")
	}, "does not say where the report is")
	tm = startCommand(t, newCommand(home, world, "gofer-memo"))
	tm.wait("Restore the tab of the last session, which was lost")
	tm.typeKeys("\r")
	tm.wait("Switch it off.")
	tm.quit()
}
