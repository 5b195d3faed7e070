package ftp

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// watchedContext calls watch at the first call of Done.
type watchedContext struct {
	context.Context
	watch func()
}

func (w watchedContext) Done() <-chan struct{} {
	w.watch()
	return w.Context.Done()
}

// TestLeftListingKeepsSession leaves a directory whose items were received, but not the final reply, or not the links. The
// next fetch must wait for the reply and use the same connection.
func TestLeftListingKeepsSession(t *testing.T) {
	for _, command := range []string{"", statAll} {
		t.Run(command, func(t *testing.T) {
			after := make(chan struct{})
			f := &fake{data: map[string]string{"MLSD": "type=file; a\r\n", "RETR": "the file"}}
			if f.finalAfter = after; command != "" {
				f.finalAfter, f.delay = nil, map[string]chan struct{}{command: after}
				f.replies = map[string]string{"FEAT": "211-\r\n MLST UNIX.groupname*;\r\n211 End", "STAT": "212 none"}
			}
			leaveListing(t, startFake(t, f), after)
		})
	}
}

// leaveListing leaves a listing while its last reply is awaited. The reply arrives after the channel reply is closed.
func leaveListing(t *testing.T, f *fake, reply chan struct{}) {
	c := newClient(t)
	ctx, leave := context.WithCancelCause(t.Context())
	res := fetchtest.Must(c.Fetch(ctx, protocols.Request{URL: parse(t, f.url("d/"))}))(t)
	ended := make(chan error)
	go func() {
		var end error
		for _, err := range res.Lines {
			end = err
		}
		ended <- end
	}()
	isEnding := func() bool {
		c.endings.mu.Lock()
		defer c.endings.mu.Unlock()
		return len(c.endings.until) > 0
	}
	for !isEnding() || f.delay != nil && !slices.Contains(f.commands(), statAll) {
		runtime.Gosched()
	}
	leave(errors.New("stopped"))
	next := watchedContext{t.Context(), sync.OnceFunc(func() { close(reply) })}
	fetchtest.NoError(t, fetchtest.Drain(next, c, protocols.Request{URL: parse(t, f.url("x"))}))
	if err := <-ended; err == nil && f.delay == nil {
		t.Error("the left listing has no error")
	}
	fetchtest.NoError(t, res.Close())
	fetchtest.Equal(t, f.connections(), 1, "connections")
}
