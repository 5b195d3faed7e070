//go:build unix

package endtoend

import (
	"path/filepath"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestNewTab checks that gofer --new-tab opens its URL in a running gofer of the same desktop, and otherwise itself.
func TestNewTab(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	home, url := t.TempDir(), world.StartURL()+"/library"
	start := func(desktop string, args ...string) *terminal {
		cmd := newCommand(home, world, "gofer", args...)
		cmd.Env = append(cmd.Env, "DISPLAY="+desktop)
		return startCommand(t, cmd)
	}
	tm := start(":1", "--new-tab", world.StartURL())
	tm.wait("Press Enter on a line")
	tm.waitUntil(func() bool {
		sockets, _ := filepath.Glob(filepath.Join(home, ".local/state/gofer/sessions/*.sock"))
		return len(sockets) == 1
	}, "has no socket")
	other := start(":1", "--new-tab", "--", url) // as gofer.desktop does
	other.waitExit(0)
	other.wait("opened in a tab of the gofer that is running")
	tm.wait("Histories", "2 library", "opened by another program")
	for desktop, args := range map[string][]string{":2": {"--new-tab", url}, ":1": {"--new-tab", "--private", url}} {
		other = start(desktop, args...)
		other.wait("Histories", "How URLs work")
		other.quit()
	}
	tm.typeKeys("P")
	tm.wait("private")
	other = start(":1", "--new-tab", url)
	other.wait("Histories", "How URLs work")
	other.quit()
}
