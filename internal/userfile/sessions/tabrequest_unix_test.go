//go:build unix

package sessions

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// listen makes s receive requests until the end of the test or until stop is called. It answers them with opens, and sends
// their URLs to the returned channel.
func (s *Store) listen(t *testing.T, opens bool) (requested <-chan urlcore.URL, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	urls, ended := make(chan urlcore.URL, 9), make(chan struct{})
	l := fetchtest.Must(s.Listen(ctx))(t)
	go func() {
		defer close(ended)
		l.Serve(ctx, func(r *TabRequest) {
			fetchtest.Equal(t, r.Desktop, ":0", "the desktop")
			urls <- r.URL
			go r.Answer(opens)
		})
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return urls, stop
}

// TestOpenTab checks which of several running programs opens a tab, also if their folder has a long path.
func TestOpenTab(t *testing.T) {
	for _, dir := range []string{"s", strings.Repeat("long/", 30)} {
		if len(dir) > maxSocketPath && runtime.GOOS != "linux" {
			continue
		}
		dir = filepath.Join(t.TempDir(), dir)
		u := mustParse(a)
		ask := func() bool { return OpenTab(t.Context(), dir, u, ":0") }
		fetchtest.Equal(t, ask(), false, "no program runs")
		older, private, killed := Open(dir), Open(dir), Open(dir)
		save(t, older, record(false, b))
		save(t, killed, record(false, b))
		age(t, dir)
		opened, stopOlder := older.listen(t, true)
		refused, stopPrivate := private.listen(t, false)
		fetchtest.Equal(t, ask(), true, "the newer program refuses")
		fetchtest.Equal(t, <-refused, u, "first the newer program was asked for")
		fetchtest.Equal(t, <-opened, u, "then the older program was asked for")

		_, stopKilled := killed.listen(t, true)
		stale := killed.path + socketSuffix
		fetchtest.NoError(t, os.Rename(stale, stale+"-"))
		stopKilled()
		killed.kill()
		fetchtest.NoError(t, os.Rename(stale+"-", stale))
		later := Open(dir)
		_, stopLater := later.listen(t, true)
		if _, err := os.Lstat(stale); err == nil {
			t.Error("the socket of a killed program is still there")
		}
		fetchtest.NoError(t, os.Chmod(dir, 0o777))
		fetchtest.Equal(t, ask(), false, "a folder into which others can write")
		stopOlder()
		stopPrivate()
		stopLater()
		for _, s := range []*Store{older, private, later} {
			fetchtest.NoError(t, s.End(Record{Quit: true}))
		}
		if left := sockets(dir); len(left) > 0 {
			t.Errorf("sockets at the end: %v", left)
		}
	}
}

// TestBadTabRequests checks that a program goes on after requests that are none, and that its folder is closed to others.
func TestBadTabRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	fetchtest.NoError(t, os.Mkdir(dir, 0o755))
	s := Open(dir)
	opened, _ := s.listen(t, true)
	info := fetchtest.Must(os.Stat(dir))(t)
	fetchtest.Equal(t, info.Mode().Perm(), 0o700, "the mode of the folder")
	for _, request := range []string{"", "\n", "x\n", `{"url":"gopher://h/1%0D"}` + "\n", strings.Repeat("x", maxTabRequest+9) + "\n"} {
		c := fetchtest.Must(net.Dial("unix", s.path+socketSuffix))(t)
		_, _ = c.Write([]byte(request))
		_ = c.Close()
	}
	fetchtest.Equal(t, OpenTab(t.Context(), dir, mustParse(a), ":0"), true, "after bad requests")
	fetchtest.Equal(t, <-opened, mustParse(a), "the first request")
}
