package download

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// outageServer is a server with ten files in each of the directories d and d/sub. It breaks the connection of one
// request, and then refuses connections for some time.
type outageServer struct {
	t        *testing.T
	request  int
	duration time.Duration
	mu       sync.Mutex
	requests int
	until    time.Time
}

func (o *outageServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	u := req.URL
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.requests++; o.requests == o.request {
		o.until = time.Now().Add(o.duration)
		if protocols.KindOf(u) != protocols.Directory {
			return fetchtest.File(new(atomic.Int32), "", &protocols.Error{Reason: protocols.Broken}, "s").Fetch(ctx, req)
		}
		return nil, &protocols.Error{Reason: protocols.Broken}
	}
	if time.Now().Before(o.until) {
		return nil, &protocols.Error{Reason: protocols.Refused}
	}
	f := u.(urlcore.FTP)
	if protocols.KindOf(u) != protocols.Directory {
		return document(u, "some"), nil
	}
	dirs := append(f.CWDs(), f.Name())
	var lines []protocols.Line
	for i := range 10 {
		lines = append(lines, protocols.Line{
			Kind: protocols.Binary, Link: ftpItem(o.t, dirs, fmt.Sprint(i), 0), Note: &protocols.FileNote{Size: 4},
		})
	}
	if len(dirs) == 1 {
		lines = append(lines, protocols.Line{Kind: protocols.Directory, Link: ftpItem(o.t, dirs, "sub", 'd')})
	}
	return listing(u, protocols.LayoutDirectory, lines...), nil
}

// TestOutageStatus checks the Wait in the Status during an outage, and that Pause ends the wait at once.
func TestOutageStatus(t *testing.T) {
	for request, files := range map[int]int{1: 0, 2: 0, 8: 5} {
		synctest.Test(t, func(t *testing.T) {
			m := &Manager{Fetcher: &outageServer{t: t, request: request, duration: 20 * time.Minute}, Tries: 50}
			defer m.Close()
			it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Path: filepath.Join(t.TempDir(), "saved"), Tree: true})
			time.Sleep(4500 * time.Millisecond)
			s := it.Status()
			fetchtest.Equal(t, s.Wait.String(), "connection refused, next try in 4 s (4 of 50)", "outage at request %d: Wait", request)
			it.Pause()
			synctest.Wait()
			s = it.Status()
			fetchtest.Equal(t, s.State, Paused, "state after Pause")
			fetchtest.Equal(t, s.Wait, mirror.Wait{}, "Wait after Pause")
			if s.Files < files {
				t.Errorf("outage at request %d: saved %d files before Pause, want at least %d", request, s.Files, files)
			}
			it.Resume()
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			if s = it.Status(); s.State != Saved || s.Files != 20 {
				t.Errorf("outage at request %d: state %d, %d files, error %v; want Saved (%d), 20 files", request, s.State, s.Files, s.Err, Saved)
			}
		})
	}
}
