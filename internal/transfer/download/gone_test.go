package download

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// TestServerGone saves a tree of 2 directories and 20 files 23 times. Each time, all requests from another one on fail.
// The download must end soon, and name the files that were not saved. It must end at once if the server was never
// reached, like the download of a single document.
func TestServerGone(t *testing.T) {
	for name, tt := range map[string]struct {
		reason protocols.Reason
		tries  int
		atOnce bool          // end at the first request
		within time.Duration // after the first failure
	}{
		"refused":              {protocols.Refused, 0, true, 91 * time.Second},
		"lost":                 {protocols.Broken, 0, false, 3 * time.Minute},
		"refused, three tries": {protocols.Refused, 3, false, 3 * time.Second},
		"forty tries":          {protocols.Refused, 40, false, 20 * time.Minute},
	} {
		for request := 1; request <= 22; request++ {
			synctest.Test(t, func(t *testing.T) {
				server, n, begun := &outageServer{t: t}, atomic.Int32{}, time.Now()
				f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
					if int(n.Add(1)) >= request {
						return nil, &protocols.Error{Reason: tt.reason, Op: "connect"}
					}
					return server.Fetch(ctx, req)
				})
				s, paths := saveTree(t, &Manager{Fetcher: f, Tries: tt.tries}, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "saved"))
				passed := time.Since(begun)
				fetchtest.Reason(t, s.Err, tt.reason)
				if passed > tt.within || tt.atOnce && request == 1 && passed > 0 {
					t.Errorf("%s from request %d on: the download ended after %v, want %v", name, request, passed, tt.within)
				}
				if request <= 2 { // the directories were not listed
					return
				}
				fetchtest.Equal(t, len(paths)+
					len(fetchtest.As[*mirror.PartialError](t, s.Err).LeftOut), 20, "%s from request %d on: files saved and left out", name, request)
			})
		}
	}
}

// TestServerRestarts checks that a tree is saved whole if the server refuses connections for a while, or if the network is
// away for long.
func TestServerRestarts(t *testing.T) {
	for reason, away := range map[protocols.Reason]time.Duration{
		protocols.Refused:        time.Minute,
		protocols.Unreachable:    time.Hour,
		protocols.ConnectTimeout: time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			server, n, begun := &outageServer{t: t}, atomic.Int32{}, time.Now()
			f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				if n.Add(1) > 9 && time.Since(begun) < away {
					return nil, &protocols.Error{Reason: reason}
				}
				return server.Fetch(ctx, req)
			})
			s, paths := saveTree(t, &Manager{Fetcher: f}, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "saved"))
			fetchtest.NoError(t, s.Err, "%v", reason)
			fetchtest.Equal(t, len(paths), 20, "saved files after %v", reason)
		})
	}
}
