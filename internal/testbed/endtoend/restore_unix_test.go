//go:build unix

package endtoend

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// records are those of the tabs of a user's gofers.
func records(home string) []string { return recordsIn(home, "gofer") }

func recordsIn(home, folder string) []string {
	paths, _ := filepath.Glob(filepath.Join(home, ".local/state", folder, "sessions/*.json"))
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
			tm.wait("2 Histories", "3•How URLs work")
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
			tm.wait(library, "1 library", "2 Histories", "4/7")
			tm.keys("q")
			<-tm.done
			tm = open(t, home, world, "--restore")
			tm.wait(library, "2 Histories", "4/7")
			tm.keys("WWW") // all of them
			<-tm.done
			if left := records(home); len(left) != 1 {
				t.Errorf("%v is kept after the end", left)
			}
		})
	}
}

// TestDemoKeepsItsOwn checks that gofer demo has the same URLs each time, also in two
// programs at once, and keeps its tabs, bookmarks, visits and unread articles apart from
// those of the user.
func TestDemoKeepsItsOwn(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	home := t.TempDir()
	tm := open(t, home, world, "demo")
	tm.wait("gopher://demo.gofer.test/1", "The tour")
	if last := lastLine(tm.wait("The tour", "? help")); !strings.Contains(last, "gopher://demo.gofer.test/1/tour") {
		t.Errorf("the last row is %q", last)
	}
	other := open(t, home, world, "demo")
	other.wait("The tour")
	other.bar("gopher://demo.gofer.test/1/library")
	other.wait("gopher://demo.gofer.test/1/library", "Histories")
	other.quit()
	tm.bar("gopher://demo.gofer.test/1/library")
	tm.wait("gopher://demo.gofer.test/1/library", "Histories")
	tm.keys("a\r")
	tm.wait("bookmarked")
	tm.bar("ftp://demo.gofer.test/pub/texts")
	tm.wait("usenet.txt", "ftp://demo.gofer.test/pub/texts/ftp.txt")
	tm.bar("nntp://demo.gofer.test/gofer.announce")
	tm.wait("Welcome to the demonstration groups")
	tm.keys("C")
	tm.wait("caught up with gofer.announce")
	tm.keys("t")
	tm.wait("2•Welcome")
	tm.until(func() bool { return len(recordsIn(home, "gofer-demo")) == 2 }, "does not save the tabs")
	_ = tm.cmd.Process.Kill()
	<-tm.done

	tm = open(t, home, world, "demo")
	tm.wait("Alt-U opens 2 tabs of a lost session", "? help")
	tm.bar("about:bookmarks")
	tm.wait("gopher://demo.gofer.test/1/library")
	tm.bar("about:history")
	tm.wait("texts  (demo.gofer.test)")
	tm.bar("news:gofer.announce")
	tm.wait("Welcome to the demonstration groups", " 4/4 ") // the newest, because none is unread
	tm.quit()

	for _, name := range []string{".local/share/gofer", ".local/state/gofer", ".config/gofer", ".newsrc"} {
		if _, err := os.Stat(filepath.Join(home, name)); !os.IsNotExist(err) {
			t.Errorf("the demo keeps something in %s: %v", name, err)
		}
	}
}

// TestDemoOfAnother checks that the world of about:demo has its name only while it runs,
// and that nothing of it is kept.
func TestDemoOfAnother(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	home := t.TempDir()
	cmd := command(home, world, "gofer")
	cmd.Env = append(cmd.Env, "all_proxy=http://127.0.0.1:1") // is asked for all names
	tm := openCommand(t, cmd)
	tm.wait("Take the tour")
	tm.bar("gopher://demo.gofer.test/1")
	tm.wait("Connection refused", "over the proxy")
	tm.bar("about:demo")
	tm.wait("begin here")
	tm.keys("t\r")
	tm.wait("2•Welcome")
	tm.wait("The tour")
	tm.quit()
	if left := records(home); len(left) > 0 {
		t.Errorf("%v is kept", left)
	}
	if out := fetchtest.Must(command(home, world, "gofer", "history").Output())(t); len(out) > 0 {
		t.Errorf("visits are kept: %s", out)
	}
}

// TestDemoWithoutFiles checks the demo of users who keep nothing.
func TestDemoWithoutFiles(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	for name, args := range map[string][]string{
		"private": {"demo", "--private"}, "restricted": {"demo", "--restrict"}, "read-only home": {"demo"}, "plain": {"demo", "--plain", "--private"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := command(home, world, "gofer", args...)
			if name == "read-only home" {
				cmd.Env = append(cmd.Env, "HOME=/proc/1/none")
			}
			tm := launch(t, cmd, &pty.Winsize{Rows: 40, Cols: 80})
			tm.emulate(80, 40)
			if name == "plain" {
				tm.wait("gofer>")
				tm.keys("ftp://demo.gofer.test/pub/texts\r")
				tm.wait("usenet.txt")
				tm.keys("q\r")
				tm.ended(0)
			} else {
				tm.wait("The tour", "gopher://demo.gofer.test/1")
				tm.bar("ftp://demo.gofer.test/pub/texts")
				tm.wait("usenet.txt", "ftp://demo.gofer.test/pub/texts/ftp.txt")
				tm.quit()
			}
			err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() && bytes.Contains(fetchtest.Must(os.ReadFile(path))(t), []byte("usenet.txt")) {
					t.Errorf("%s has a page of the demo", path)
				}
				return err
			})
			fetchtest.NoError(t, err)
		})
	}
}
