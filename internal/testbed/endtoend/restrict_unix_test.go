//go:build unix

package endtoend

import (
	"os"
	"testing"
)

// TestRestrictedScreen checks that no key of a public terminal leaves restricted mode.
func TestRestrictedScreen(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	home := t.TempDir()
	hole := "gopher://" + world.Gopher.Addr()
	tm := startGofer(t, home, world, "--restrict", hole+"/1/library")
	tm.wait("Histories")
	tm.typeKeys("dDSoEJ|\x1b|\x1a") // if a key opened a prompt, the prompt would take the next keys
	tm.typeKeys("gfile:///etc/passwd\r")
	tm.wait("Not allowed here", "files of this machine are not shown")
	tm.quit()
	if _, err := os.Stat(home + "/Downloads"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestRestrictedKeepsNothing checks that nothing read at a public terminal is left on its disk.
func TestRestrictedKeepsNothing(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	for _, flags := range [][]string{{"--restrict"}, {"--restrict", "--private=false"}} {
		home := t.TempDir()
		tm := startGofer(t, home, world, append(flags, hole+"/1/library")...)
		tm.wait("Histories")
		tm.typeKeys("Pea\r\r\r\r") // a prompt for a bookmark would take the following keys
		tm.typeKeys("gnews:\r")
		tm.wait("All groups")
		tm.typeKeys("gnntp://" + world.NewsServer() + "/gofer.help\r")
		tm.wait("gofer.help/1 ")
		tm.typeKeys("m")
		tm.wait("2/11")
		tm.quit()
		if err := checkFiles(home); err != nil {
			t.Errorf("%q: %v", flags, err)
		}
	}
}
