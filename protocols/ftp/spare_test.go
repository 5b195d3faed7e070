package ftp

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// age makes the idle sessions of c so old that their connections may have been lost, and lets c wait for nothing.
func age(t *testing.T, c *Client, f *fake) {
	t.Helper()
	_, r, err := requestFor(protocols.Request{URL: parse(t, f.url(""))})
	fetchtest.NoError(t, err)
	idle := c.idle.TakeAll(context.Background(), r.key(c.chooseCredentials(t.Context(), r.requestedURL, r)))
	fetchtest.Equal(t, len(idle), 1, "idle sessions")
	for _, s := range idle {
		s.idleSince = time.Now().Add(-longIdle)
		c.idle.PutSpare(s.key, s)
	}
	c.spareWait = 1
}

// TestSpare uses an idle connection that does not answer soon. If it never answers, or another one answers first, the other
// one is used; if the server refuses another one, it is waited for.
func TestSpare(t *testing.T) {
	for _, tt := range []struct {
		name, greeting string
		answers        bool // after the second connection was made
	}{
		{"dead", "220 fake like vsftpd", false},
		{"slow", "421 too many!", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{data: map[string]string{"MLSD": "type=file; a\r\n"}, replies: map[string]string{"1 greeting": tt.greeting}}
			after := make(chan struct{})
			if f = startFake(t, f); tt.answers {
				f.delay = map[string]chan struct{}{"CWD b": after}
			} else {
				f.setReply("0 CWD b", "...")
			}
			c := newClient(t)
			fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url("a/"))}))
			age(t, c, f)
			go func() {
				for f.connections() < 2 {
					runtime.Gosched()
				}
				close(after)
			}()
			fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url("a/b/"))}))
			fetchtest.Equal(t, f.connections(), 2, "connections")
			fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url("a/b/"))}))
			fetchtest.Equal(t, f.connections(), 2, "connections after another fetch")
		})
	}
}

// TestNoSpare removes a file over an idle connection that is slow. The command is sent once.
func TestNoSpare(t *testing.T) {
	f := startFake(t, &fake{data: map[string]string{"MLSD": "type=file; a\r\n"}})
	after := make(chan struct{})
	f.delay = map[string]chan struct{}{"DELE a": after}
	c := newClient(t)
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url("d/"))}))
	age(t, c, f)
	f.setReply("DELE", "250 done")
	removed := make(chan error)
	go func() {
		_, err := c.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: parse(t, f.url("d/a"))})
		removed <- err
	}()
	for !slices.Contains(f.commands(), "DELE a") {
		runtime.Gosched()
	}
	close(after)
	fetchtest.NoError(t, <-removed)
	fetchtest.Equal(t, f.connections(), 1, "connections")
}
