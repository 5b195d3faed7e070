package followed

import (
	"errors"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestOutage checks that an outage of the network of this machine does not count against the pages, and that a server that is
// down does.
func TestOutage(t *testing.T) {
	down := &protocols.Error{Reason: protocols.Unreachable, Op: "connect", Err: errors.New("network is unreachable")}
	for _, tt := range []struct {
		name         string
		reached      string // a page that is read
		failed       []string
		isDown       bool // as other requests have found
		disconnected bool
	}{
		{name: "an outage", failed: []string{"gopher://b.example/1", "gopher://b.example/1/x", "gopher://c.example/1"}, disconnected: true},
		{name: "a server down", failed: []string{"gopher://b.example/1", "gopher://b.example/1/x"}},
		{name: "servers down", failed: []string{"gopher://b.example/1", "gopher://c.example/1"}, reached: "gopher://a.example/1"},
		{name: "own server", failed: []string{"gopher://b.example/1", "gopher://c.example/1"}, reached: "gopher://127.0.0.1/1", disconnected: true},
		{name: "own file", failed: []string{"gopher://b.example/1", "gopher://c.example/1"}, reached: "file:///a", disconnected: true},
		{name: "known outage", failed: []string{"gopher://b.example/1"}, isDown: true},
	} {
		w := newWorld(t)
		for _, page := range tt.failed {
			w.fail(page, down)
		}
		if tt.reached != "" {
			w.list(tt.reached, protocols.LayoutMenu)
		}
		o := w.options()
		o.IsDown = func() bool { return tt.isDown }
		fetchtest.Must(Refresh(t.Context(), o))(t)
		sources := fetchtest.Must(w.store.Sources(t.Context()))(t)
		fetchtest.Equal(t, IsDisconnected(sources), tt.disconnected, "%s: disconnected", tt.name)
		for _, src := range sources {
			want := 1
			if tt.disconnected || tt.isDown || src.Failure == "" {
				want = 0
			}
			fetchtest.Equal(t, src.Failures, want, "%s: failures of %s", tt.name, src.URL)
			if src.Failure != "" {
				fetchtest.Equal(t, Reason(&src), "host unreachable", "%s: reason", tt.name)
			}
		}
		w.now = w.now.Add(16 * time.Minute)
		later := len(tt.failed)
		if tt.disconnected || tt.isDown {
			later = 0
		}
		fetchtest.Equal(t, fetchtest.Must(Refresh(t.Context(), o))(t).Later, later, "%s: left for later", tt.name)
	}
}
