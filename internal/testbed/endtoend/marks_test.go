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
	"gofer/protocols"
	"gofer/protocols/gopher"
)

// TestMarks checks that visited and new links are marked, except in private mode.
func TestMarks(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	home := t.TempDir()
	u := fetchtest.Parse(t, "gopher://"+world.Gopher.Addr()+"/1")
	// The history has a visit of an hour ago, when the menu did not contain the library.
	l := nav.Open(t.Context(), &gopher.Client{}, protocols.Request{URL: u})
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
	out, err := newCommand(home, world, "gofer", "dump", "about:new").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "   1 new  The hole") || !strings.Contains(string(out), "Not compared: 1 bookmark,") {
		t.Errorf("%v: gofer dump about:new prints\n%s", err, out)
	}

	tm := startGofer(t, home, world, "--private", u.String())
	if got := tm.wait("The library", "private", "? help"); strings.Contains(got, "+▸") {
		t.Errorf("private mode marks what is new:\n%s", got)
	}
	tm.quit()
	tm = startGofer(t, home, world, u.String())
	tm.wait("+▸ The library", "1 new since the last visit")
	tm.typeKeys(".\r")
	tm.wait("Histories")
	tm.typeKeys("\x7f")
	tm.wait("█▸ The library")
	dim := regexp.MustCompile(`38;5;245[0-9;]*m(\x1b\[[0-9;]*m|\x1b\]8;[^\x07]*\x07)*The library`)
	tm.waitUntil(func() bool { return dim.MatchString(tm.output()) }, "does not mark what was visited")
	tm.typeKeys("gabout:new\r")
	tm.wait("1 bookmark compared, nothing new.")
	tm.quit()
}
