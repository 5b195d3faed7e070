package upload_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/upload"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// TestRoundTrips counts the round trips of a small file in a tree: STOR with the data connection, and the end of the data.
// The date and the mode of the file before are sent before STOR.
func TestRoundTrips(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, trips := startServer(t, d), fetchtest.NewRoundTrips(t)
			c := &ftp.Client{PlainPasswords: true, Dialer: wire.Dialer{Proxies: trips}}
			defer c.Close()
			s.Registry = protocols.Registry{"ftp": c}
			count := func(files int) int {
				dir := t.TempDir()
				for i := range files {
					writeFile(t, filepath.Join(dir, fmt.Sprint(i)), "some", 0o640, longAgo)
				}
				to := fmt.Sprintf("trips%d-%d", files, time.Now().UnixNano())
				got := trips.Count(func() {
					tr := &upload.Tree{Server: s, Dir: dir, URL: ftpURL(t, s.url+to+";type=d"), Parallel: 1}
					defer tr.Close()
					fetchtest.NoError(t, tr.Plan(t.Context()))
					fetchtest.NoError(t, tr.Run(t.Context()))
				})
				equalTrees(t, withoutRoot(readTree(t, filepath.Join(s.home, to), false)), withoutRoot(readTree(t, dir, false)))
				return got
			}
			count(1)
			few := count(2)
			// A reply that is under way when the next file begins may count once more, so the number is not exact. Each file
			// whose date had a round trip of its own would add one.
			if got := count(12) - few; got > 10*2+5 {
				t.Errorf("got %d round trips for ten files more, want about 2 for each", got)
			}
		})
	}
}

// withoutRoot returns items, the result of readTree, without the directory itself.
func withoutRoot(items map[string]string) map[string]string {
	delete(items, "")
	return items
}
