package download

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestReadAhead lists a directory with six directories over one to three connections. It checks that all
// connections are used, and that the order of the items does not depend on which listing arrives first.
func TestReadAhead(t *testing.T) {
	for _, connections := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			root := ftpItem(t, nil, "d", 'd')
			var now, most atomic.Int32
			f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				n := now.Add(1)
				defer now.Add(-1)
				most.Store(max(most.Load(), n))
				time.Sleep(time.Minute)
				var lines []protocols.Line
				for i := range 6 {
					name, note := fmt.Sprint(i), &protocols.FileNote{Size: 0}
					if req.URL == root {
						lines = append(lines, protocols.Line{Kind: protocols.Directory, Text: name, Link: ftpItem(t, []string{"d"}, name, 'd'), Note: note})
					} else if i < 2 {
						time.Sleep(time.Duration(6-i) * time.Second)
						lines = append(lines, protocols.Line{Kind: protocols.Binary, Text: name, Link: ftpItem(t, req.URL.(urlcore.FTP).CWDs(), name, 0), Note: note})
					}
				}
				return listing(req.URL, protocols.LayoutDirectory, lines...), nil
			})
			m := &Manager{Fetcher: f, PerServer: connections}
			defer m.Close()
			it, _ := m.Add(Request{URL: root, Path: filepath.Join(t.TempDir(), "d"), Tree: true, CountOnly: true})
			s := it.Wait()
			fetchtest.NoError(t, s.Err)
			fetchtest.Equal(t, int(most.Load()), connections, "concurrent connections")
			var paths []string
			for _, f := range it.tree.Files {
				paths = append(paths, f.Path)
			}
			fetchtest.EqualSlices(t, paths, []string{"0/0", "0/1", "1/0", "1/1", "2/0", "2/1", "3/0", "3/1", "4/0", "4/1", "5/0", "5/1"}, "saved files")
		})
	}
}
