//go:build unix

package endtoend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history"
)

// At the screen of a public terminal no key leads out.
func TestRestrictedScreen(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	home := t.TempDir()
	hole := "gopher://" + world.Gopher.Addr()
	tm := open(t, home, world, "--restrict", hole+"/1/library")
	tm.wait("Histories")
	tm.keys("dDSoEJ|\x1b|\x1a") // what any of them would ask takes the rest
	tm.keys("gfile:///etc/passwd\r")
	tm.wait("not allowed at this terminal")
	tm.quit()
	if _, err := os.Stat(home + "/Downloads"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Nothing of what was read at a public terminal is left on its disk, unless that was
// asked for.
func TestRestrictedKeepsNothing(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	for _, tt := range []struct {
		flags []string
		want  bool // that there is a history
	}{
		{[]string{"--restrict"}, false},
		{[]string{"--restrict", "--private=false"}, true},
	} {
		home := t.TempDir()
		tm := open(t, home, world, append(tt.flags, hole+"/1/library")...)
		tm.wait("Histories")
		tm.keys("Pea\r\r\r\r") // what a would ask takes the rest
		tm.keys("gnews:\r")
		tm.wait("All groups")
		tm.keys("gnntp://" + world.NewsServer() + "/gofer.help\r")
		tm.wait("gofer.help/11")
		tm.keys("m")
		tm.wait("gofer.help/9")
		tm.quit()
		var left []string
		_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && !d.IsDir() && d.Name() != "history.sqlite" {
				left = append(left, strings.TrimPrefix(path, home))
			}
			return nil
		})
		store := history.OpenStore(home + "/.local/share/gofer/history.sqlite")
		visits, _, err := store.Since(t.Context(), time.Time{})
		if err = errors.Join(err, store.Close()); err != nil {
			t.Fatal(err)
		}
		for _, v := range visits {
			left = append(left, v.URL.String())
		}
		if (len(left) > 0) != tt.want {
			t.Errorf("%q: left are %q", tt.flags, left)
		}
	}
}
