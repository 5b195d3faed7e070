//go:build unix

package endtoend

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// TestKioskDisconnect checks that gofer ends when the client disconnects, whatever gofer is doing.
func TestKioskDisconnect(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := startWorld(t)
	hole := "gopher://" + world.Gopher.Addr()
	for name, do := range map[string]func(*visitor){
		"at a page":   func(v *visitor) { v.checkAlive("at a page") },
		"in the bar":  func(v *visitor) { v.typeKeys("gx") },
		"waiting":     func(v *visitor) { v.openURL(hole + "/0/test/silent"); v.wait("Esc stops") },
		"half a page": func(v *visitor) { v.openURL(hole + "/0/test/stalls"); v.wait("Here it still goes well") },
	} {
		v := k.visit(t, 80, 24, "", nil)
		v.wait("gofer is a browser for")
		k.waitGoferCount(t, 1)
		do(v)
		began := time.Now()
		_ = v.client.Close()
		k.waitGoferCount(t, 0)
		t.Logf("%s: gofer ended %v after its connection, which ought to be less than 1 s", name, time.Since(began).Round(time.Millisecond))
	}
}

// maxPrivate is the maximum private memory of a session in kB.
const maxPrivate = 12 << 10

// TestKioskMemory checks the private memory of each of 20 simultaneous sessions.
func TestKioskMemory(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := startWorld(t)
	const visitors = 20
	for range visitors {
		v := k.visit(t, 80, 24, "", k.localeEnv())
		v.wait("gofer is a browser for")
		for _, page := range []string{"/1/library", "/0/library/urls/gopher.txt", "/1/types"} {
			v.openURL("gopher://" + world.Gopher.Addr() + page)
		}
		v.wait("One of every item type")
	}
	most, all := 0, 0
	for _, id := range k.waitGoferCount(t, visitors) {
		text, err := readStatus(id, "RssAnon")
		kb, atoiErr := strconv.Atoi(strings.TrimSuffix(text, " kB"))
		fetchtest.NoError(t, errors.Join(err, atoiErr))
		most, all = max(most, kb), all+kb
	}
	t.Logf("private memory of %d sessions: %d kB each, at most %d kB", visitors, all/visitors, most)
	if most > maxPrivate {
		t.Errorf("a session has %d kB of private memory, want at most %d", most, maxPrivate)
	}
}
