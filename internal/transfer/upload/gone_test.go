package upload_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// goneServer is a memoryServer that fails from a request on, for a while.
type goneServer struct {
	*memoryServer
	request, requests int
	err               error
	until             time.Time
}

func (g *goneServer) fail() error {
	if g.requests++; g.requests >= g.request && time.Now().Before(g.until) {
		return g.err
	}
	return nil
}

func (g *goneServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if err := g.fail(); err != nil {
		return nil, err
	}
	return g.memoryServer.Fetch(ctx, req)
}

func (g *goneServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if err := g.fail(); err != nil {
		return err
	}
	return g.memoryServer.Put(ctx, u, up)
}

func (g *goneServer) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	if err := g.fail(); err != nil {
		return nil, err
	}
	return g.memoryServer.Change(ctx, c)
}

// TestServerGone stores five files on a server that fails from each of the requests on. If it is gone for good, the upload
// ends soon, and at once if the server was never reached, and names the files that were not stored.
func TestServerGone(t *testing.T) {
	const forever = 1000 * time.Hour
	dir := t.TempDir()
	for i := range 5 {
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), "some", 0o644, longAgo)
	}
	for _, tt := range []struct {
		reason protocols.Reason
		away   time.Duration
		tries  int
		first  time.Duration // the duration if the first request fails
		later  time.Duration
		stored bool // all files are stored, unless the first request fails
	}{
		{protocols.Refused, forever, 0, 0, 91 * time.Second, false},
		{protocols.Refused, time.Minute, 0, 0, 91 * time.Second, true},
		{protocols.Unreachable, time.Hour, 0, 0, 2 * time.Hour, true},
		{protocols.Refused, forever, 3, 3 * time.Second, 3 * time.Second, false},
		{protocols.Refused, 5 * time.Minute, 40, 10 * time.Minute, 10 * time.Minute, true},
	} {
		for request := 1; request <= 7; request++ {
			synctest.Test(t, func(t *testing.T) {
				m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"z"}}
				g := &goneServer{m, request, 0, &protocols.Error{Reason: tt.reason}, time.Now().Add(tt.away)}
				tr := &upload.Tree{Server: g, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Parallel: 1, Retry: mirror.Retry{Tries: tt.tries}}
				defer tr.Close()
				begun := time.Now()
				err := tr.Plan(t.Context())
				if err == nil {
					err = tr.Run(t.Context())
				}
				passed, want := time.Since(begun), tt.later
				if request == 1 {
					want = tt.first
				}
				if passed > want {
					t.Errorf("%v from request %d on: the upload ended after %v, want %v", tt.reason, request, passed, want)
				}
				if tt.stored && want > 0 {
					fetchtest.NoError(t, err)
					return
				}
				fetchtest.Reason(t, err, tt.reason)
				if request > 1 && request <= 6 {
					left := fetchtest.As[*mirror.PartialError](t, err).LeftOut
					fetchtest.Equal(t, len(left)+tr.Progress().Files, 5, "files left out and stored")
				}
			})
		}
	}
}
