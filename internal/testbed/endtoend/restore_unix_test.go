//go:build unix

package endtoend

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// records are those of the tabs of a user's gofers.
func records(home string) []string {
	paths, _ := filepath.Glob(filepath.Join(home, ".local/state/gofer/sessions/*.json"))
	return paths
}

// TestRestoreAfterALoss: the tabs of a program that was killed, or lost its
// terminal, are offered with their positions, whoever asks first; those of one
// that runs are not.
func TestRestoreAfterALoss(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	library := world.Start() + "/library"
	for name, sig := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "hangup": syscall.SIGHUP, "term": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tm := open(t, home, world, library)
			tm.wait("3/7")
			tm.keys("tjt]")
			tm.wait("2 history", "3•urls")
			tm.keys("[")
			tm.wait("4/7")
			if sig == syscall.SIGKILL { // nothing can be done then
				tm.until(func() bool { return len(records(home)) == 1 }, "does not save the tabs")
			}
			other := open(t, home, world, "--restore")
			other.wait("there are no tabs of an earlier session")
			other.keys("q")
			<-other.done

			_ = tm.cmd.Process.Signal(sig)
			<-tm.done
			tm = open(t, home, world)
			screen := tm.wait("Restore 3 tabs of the last session, which was lost")
			if !strings.Contains(screen, "(press Alt-U)") {
				t.Errorf("no key is named:\n%s", screen)
			}
			tm.keys("\r")
			tm.wait(library, "1 library", "2 history", "4/7")
			tm.keys("q")
			<-tm.done
			tm = open(t, home, world, "--restore")
			tm.wait(library, "2 history", "4/7")
			tm.keys("WWW") // all of them
			<-tm.done
			if left := records(home); len(left) != 1 {
				t.Errorf("%v is kept after the end", left)
			}
		})
	}
}

// TestDemoKeepsNoTabs: its servers end with it.
func TestDemoKeepsNoTabs(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	home := t.TempDir()
	tm := open(t, home, world, "demo")
	tm.wait("The tour")
	tm.keys("tq")
	<-tm.done
	tm = open(t, home, world)
	tm.wait("Take the tour")
	tm.keys("\r")
	tm.wait("begin here")
	tm.keys("t\r")
	tm.wait("2•Welcome")
	tm.wait("The tour")
	tm.keys("q")
	<-tm.done
	if left := records(home); len(left) > 0 {
		t.Errorf("%v is kept", left)
	}
}
