package download

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols/ftp"
)

// TestResetConnections saves a tree while connections are reset at random octets and new ones are refused
// for some attempts. It checks that all files are complete.
func TestResetConnections(t *testing.T) {
	from := t.TempDir()
	for i := range 30 {
		path := filepath.Join(from, "pub", fmt.Sprint(i%3), fmt.Sprint("sub", i%2), fmt.Sprint("file", i))
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fetchtest.NoError(t, os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintln("line of", i), 100*i)), 0o600))
	}
	want := dirState(t, filepath.Join(from, "pub"))
	s := fetchtest.Must(demo.StartFTP(afero.NewBasePathFs(afero.NewOsFs(), from)))(t)
	defer s.Close()
	save := func(g *fetchtest.FlakyRelay) {
		c := &ftp.Client{Dialer: wire.Dialer{Proxies: g}}
		m := &Manager{Fetcher: c, pause: time.Millisecond}
		dir := filepath.Join(t.TempDir(), "saved")
		it, _ := m.Add(Request{URL: fetchtest.Parse(t, "ftp://"+s.Addr()+"/pub;type=d"), Path: dir, Tree: true})
		st := it.Wait()
		m.Close()
		fetchtest.NoError(t, c.Close())
		if got := dirState(t, dir); st.Err != nil || !slices.Equal(got, want) {
			t.Errorf(
				"download ended with error %v, saved %d items, left out %q; want the %d items of the server", st.Err,
				len(got), leftOutTexts(&st), len(want),
			)
		}
		g.Check()
	}
	whole := fetchtest.NewFlakyRelay(t, 0, 0)
	save(whole)
	for round := range 20 {
		save(fetchtest.NewFlakyRelay(t, 1+round%3, whole.Passed()))
	}
}
