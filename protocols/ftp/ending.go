package ftp

import (
	"context"
	"errors"
	"sync"
	"time"

	"gofer/internal/wire"
)

// endingTime is the time limit for the final reply of a listing that nobody waits for any more, and for the wait for such a
// session. The reply takes one round trip, a new connection with its login at least three.
const endingTime = 500 * time.Millisecond

var errLeft = errors.New("the fetch has ended")

// binding ties a session to the context of a fetch.
type binding struct {
	fetch  context.Context         // the context of the fetch
	cancel context.CancelCauseFunc // ends the connections
	stop   func() bool             // unties the session

	mu     sync.Mutex
	ending bool // all octets of a listing were received, so that only its final reply is missing
	left   bool // the fetch has ended meanwhile
	limit  *time.Timer
}

// bind returns a context with the values of ctx. It ends when ctx does, but not while a listing is ending.
func bind(ctx context.Context) (context.Context, *binding) {
	b := &binding{fetch: ctx}
	bound, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	b.cancel = cancel
	b.stop = context.AfterFunc(ctx, func() { b.leave(context.Cause(ctx)) })
	return bound, b
}

// release unties the session. It returns false if the fetch has ended, and the session with it.
func (b *binding) release() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stop() || b.left
}

// leave ends the fetch.
func (b *binding) leave(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.left:
	case !b.ending:
		b.cancel(cause)
	default:
		b.left = true
		b.limit = time.AfterFunc(endingTime, func() { b.cancel(cause) })
	}
}

// beginEnd is called when only the final reply of a listing is missing, and finishEnd when it was received. The result left
// reports whether the fetch has ended meanwhile.
func (b *binding) beginEnd() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ending = true
}

func (b *binding) finishEnd() (left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ending = false
	if b.limit != nil {
		b.limit.Stop()
	}
	b.left = b.left || b.fetch.Err() != nil // leave may be about to run
	return b.left
}

// endings are the sessions that soon will be idle, because their listings are ending. The zero value is ready.
type endings struct {
	mu    sync.Mutex
	until map[wire.Key]chan struct{} // closed at the end
}

// begin records that a session with this key is ending. The function end must be called when it is idle or closed.
func (e *endings) begin(key wire.Key) (end func()) {
	done := make(chan struct{})
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.until == nil {
		e.until = make(map[wire.Key]chan struct{})
	}
	e.until[key] = done
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if close(done); e.until[key] == done {
			delete(e.until, key)
		}
	}
}

// wait waits until the session of key that is ending, if any, has ended, but not longer than endingTime.
func (e *endings) wait(ctx context.Context, key wire.Key) {
	e.mu.Lock()
	done, ok := e.until[key]
	e.mu.Unlock()
	if !ok {
		return
	}
	limit := time.NewTimer(endingTime)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// awaitReply calls read, which reads the last reply about a listing. If the fetch ends before the reply arrives, as when the
// user goes on at the first rows, the session is nevertheless kept: the next fetch waits for it, and need not log in.
func (t *transfer) awaitReply(read func() (reply, error)) (reply, error) {
	end := t.c.endings.begin(t.s.key)
	defer end()
	t.s.bound.beginEnd()
	answer, err := read()
	if !t.s.bound.finishEnd() {
		return answer, err
	}
	t.end.Do(func() {})
	kept, copied := t.s, *t.s // another fetch may use the session from now on
	t.s = &copied
	if err == nil && answer.code != 421 {
		t.c.keepSession(kept)
	} else {
		kept.Drop()
	}
	return answer, errLeft
}
