package ftp

import (
	"context"
	"errors"
	"runtime"
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

// TestLeftListingKeepsSession leaves a directory whose items were received, but not the final reply. The next fetch must
// wait for the reply and use the same connection.
func TestLeftListingKeepsSession(t *testing.T) {
	final := make(chan struct{})
	f := startFake(t, &fake{finalAfter: final, data: map[string]string{"MLSD": "type=file; a\r\n", "RETR": "the file"}})
	c := newClient(t)
	req := protocols.Request{URL: parse(t, f.url("d/"))}
	ctx, leave := context.WithCancelCause(t.Context())
	res := fetchtest.Must(c.Fetch(ctx, req))(t)
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
	for !isEnding() {
		runtime.Gosched()
	}
	leave(errors.New("stopped"))
	next := watchedContext{t.Context(), sync.OnceFunc(func() { close(final) })}
	fetchtest.NoError(t, fetchtest.Drain(next, c, protocols.Request{URL: parse(t, f.url("x"))}))
	if err := <-ended; err == nil {
		t.Error("the left listing has no error")
	}
	fetchtest.NoError(t, res.Close())
	fetchtest.Equal(t, f.connections(), 1, "connections")
}
