//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// findSessionFiles returns the files with the tabs that gofer has saved, one for each run of gofer.
func findSessionFiles(home string) []string { return findSessionFilesIn(home, "gofer") }

func findSessionFilesIn(home, folder string) []string {
	paths, _ := filepath.Glob(filepath.Join(home, ".local/state", folder, "sessions/*.json"))
	return paths
}

// TestRestoreLostSession checks that the next start offers the tabs of a program that was killed or
// lost its terminal. Restored tabs must have their old positions. The tabs of a running program must
// not be offered.
func TestRestoreLostSession(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	library := world.StartURL() + "/library"
	for name, sig := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "hangup": syscall.SIGHUP, "term": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tm := startGofer(t, home, world, library)
			tm.wait("3/7")
			tm.typeKeys("tjt]")
			tm.wait("2 Histories", "3•How URLs work")
			tm.typeKeys("[")
			tm.wait("4/7")
			if sig == syscall.SIGKILL { // a killed program cannot save
				tm.waitUntil(func() bool { return len(findSessionFiles(home)) == 1 }, "does not save the tabs")
			}
			other := startGofer(t, home, world, "--restore")
			other.wait("no tabs of the last session")
			other.typeKeys("q")
			<-other.done

			_ = tm.cmd.Process.Signal(sig)
			<-tm.done
			tm = startGofer(t, home, world)
			screen := tm.wait("Restore 3 tabs of the last session, which was lost")
			if !strings.Contains(screen, "(press Alt-u)") {
				t.Errorf("no key is named:\n%s", screen)
			}
			tm.typeKeys("\r")
			tm.wait(library, "1 library", "2 Histories", "4/7")
			tm.typeKeys("q")
			<-tm.done
			tm = startGofer(t, home, world, "--restore")
			tm.wait(library, "2 Histories", "4/7")
			tm.typeKeys("WWW") // closes all tabs
			<-tm.done
			if left := findSessionFiles(home); len(left) != 1 {
				t.Errorf("got the session files %v after the end, want one", left)
			}
		})
	}
}

// TestDemoFiles checks that gofer demo has the same URLs each time, even in two programs at once,
// and that its tabs, bookmarks, visits and unread articles are separate from the user's.
func TestDemoFiles(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	home := t.TempDir()
	tm := startGofer(t, home, world, "demo")
	tm.wait("gopher://demo.gofer.test/1", "The tour")
	if last := lastLine(tm.wait("The tour", "? help")); !strings.Contains(last, "gopher://demo.gofer.test/1/tour") {
		t.Errorf("the last row is %q", last)
	}
	other := startGofer(t, home, world, "demo")
	other.wait("The tour")
	other.openURL("gopher://demo.gofer.test/1/library")
	other.wait("gopher://demo.gofer.test/1/library", "Histories")
	other.quit()
	tm.openURL("gopher://demo.gofer.test/1/library")
	tm.wait("gopher://demo.gofer.test/1/library", "Histories")
	tm.typeKeys("a\r")
	tm.wait("bookmarked")
	tm.openURL("ftp://demo.gofer.test/pub/texts")
	tm.wait("usenet.txt", "ftp://demo.gofer.test/pub/texts/ftp.txt")
	tm.openURL("nntp://demo.gofer.test/gofer.announce")
	tm.wait("Welcome to the demonstration groups")
	tm.typeKeys("C")
	tm.wait("caught up with gofer.announce")
	tm.typeKeys("t")
	tm.wait("2•Welcome")
	tm.waitUntil(func() bool { return len(findSessionFilesIn(home, "gofer-demo")) == 2 }, "does not save the tabs")
	_ = tm.cmd.Process.Kill()
	<-tm.done

	tm = startGofer(t, home, world, "demo")
	tm.wait("Alt-u opens 2 tabs of the last session", "? help")
	tm.openURL("about:bookmarks")
	tm.wait("gopher://demo.gofer.test/1/library")
	tm.openURL("about:history")
	tm.wait("texts  (demo.gofer.test)")
	tm.openURL("news:gofer.announce")
	tm.wait("Welcome to the demonstration groups", " 4/4 ") // the newest article, because none is unread
	tm.quit()

	for _, name := range []string{".local/share/gofer", ".local/state/gofer", ".config/gofer", ".newsrc"} {
		if _, err := os.Stat(filepath.Join(home, name)); !os.IsNotExist(err) {
			t.Errorf("the demo keeps something in %s: %v", name, err)
		}
	}
}

// TestAboutDemo checks that the host of the demo exists only while about:demo is running, and that
// gofer stores nothing of the demo.
func TestAboutDemo(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	home := t.TempDir()
	cmd := newCommand(home, world, "gofer")
	cmd.Env = append(cmd.Env, "all_proxy=http://127.0.0.1:1") // a proxy that would be asked for every host name
	tm := startCommand(t, cmd)
	tm.wait("Take the tour")
	tm.openURL("gopher://demo.gofer.test/1")
	tm.wait("Connection refused", "through the proxy")
	tm.openURL("about:demo")
	tm.wait("begin here")
	tm.typeKeys("t\r")
	tm.wait("2•Welcome")
	tm.wait("The tour")
	tm.openURL("about:tour")
	tm.waitPage("gopher://demo.gofer.test/1/tour", "", "one task in each of three worlds")
	tm.quit()
	if left := findSessionFiles(home); len(left) > 0 {
		t.Errorf("%v is kept", left)
	}
	if out := fetchtest.Must(newCommand(home, world, "gofer", "history").Output())(t); len(out) > 0 {
		t.Errorf("visits are kept: %s", out)
	}
}
