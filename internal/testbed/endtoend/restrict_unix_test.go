//go:build unix

package endtoend

import (
	"os"
	"testing"
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
	tm.wait("Not allowed here", "files of this machine are not shown")
	tm.quit()
	if _, err := os.Stat(home + "/Downloads"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Nothing of what was read at a public terminal is left on its disk.
func TestRestrictedKeepsNothing(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	for _, flags := range [][]string{{"--restrict"}, {"--restrict", "--private=false"}} {
		home := t.TempDir()
		tm := open(t, home, world, append(flags, hole+"/1/library")...)
		tm.wait("Histories")
		tm.keys("Pea\r\r\r\r") // what a would ask takes the rest
		tm.keys("gnews:\r")
		tm.wait("All groups")
		tm.keys("gnntp://" + world.NewsServer() + "/gofer.help\r")
		tm.wait("gofer.help/1 ")
		tm.keys("m")
		tm.wait("2/11")
		tm.quit()
		if err := checkFiles(home); err != nil {
			t.Errorf("%q: %v", flags, err)
		}
	}
}
