//go:build unix

package endtoend

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols/gopher"
)

// Links visited and links that are new are marked, in private mode they are not.
func TestMarks(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	home := t.TempDir()
	u := fetchtest.Parse(t, "gopher://"+world.Gopher.Addr()+"/1")
	// An hour ago all but the library was there.
	l := nav.Open(t.Context(), &gopher.Client{}, u)
	var menu nav.Lines
	for lines, err := l.Next(); err == nil; lines, err = l.Next() {
		menu.AppendLines(&lines)
	}
	var links []uint64
	for i, line := range menu.All(0) {
		if line.Link != nil && !strings.Contains(line.Text, "The library") {
			links = append(links, menu.LinkID(i))
		}
	}
	store := history.OpenStore(filepath.Join(home, ".local", "share", "gofer", "history.sqlite"))
	past := time.Now().Add(-time.Hour)
	fetchtest.NoError(t, store.Visit(t.Context(), u, "", past))
	fetchtest.Must(store.NewLinks(t.Context(), u, links, past))(t)
	fetchtest.NoError(t, store.Close())

	marks := filepath.Join(home, ".config", "gofer", "bookmarks.txt")
	if err := errors.Join(os.MkdirAll(filepath.Dir(marks), 0o700),
		os.WriteFile(marks, []byte(u.String()+" The hole\n"+u.String()+"/phlog Phlogs\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	out, err := command(home, world, "gofer", "dump", "about:new").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "   1 new  The hole") || !strings.Contains(string(out), "Not compared: 1 bookmark,") {
		t.Errorf("%v: gofer dump about:new prints\n%s", err, out)
	}

	tm := open(t, home, world, "--private", u.String())
	if got := tm.wait("The library", "private", "? help"); strings.Contains(got, "+▸") {
		t.Errorf("private mode marks what is new:\n%s", got)
	}
	tm.quit()
	tm = open(t, home, world, u.String())
	tm.wait("+▸ The library", "1 new since the last visit")
	tm.keys(".\r")
	tm.wait("Histories")
	tm.keys("\x7f")
	tm.wait("█▸ The library")
	dim := regexp.MustCompile(`38;5;245[0-9;]*m(\x1b\[[0-9;]*m|\x1b\]8;[^\x07]*\x07)*The library`)
	tm.until(func() bool { return dim.MatchString(tm.output()) }, "does not mark what was visited")
	tm.keys("gabout:new\r")
	tm.wait("1 bookmark compared, nothing new.")
	tm.quit()
}
