package mirror

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Slots bounds the concurrent transfers, of each server and of all. Waiters get a slot in
// the order of asking.
type Slots struct {
	PerServer, All int // 0: no bound

	mu      sync.Mutex
	running map[string]int // by server
	limits  map[string]connectionLimit
	n       int
	waiting []*Waiter
}

// Waiter waits for a slot.
type Waiter struct {
	server string
	ready  chan struct{}
}

// connectionLimit is the number of connections that a server has been seen to allow. It ends after a
// while, because other users may have left.
type connectionLimit struct {
	most  int
	until time.Time
}

const limitLife = time.Minute

// Yield is called by the owner of a slot if the server has refused its connection as one too many. If
// the server has other slots, it gets no more than these for a while, and Yield waits until the owner
// can have one of them. It returns false if there are none.
func (s *Slots) Yield(ctx context.Context, server string) bool {
	s.mu.Lock()
	others := s.running[server] - 1
	if others > 0 {
		s.limits[server] = connectionLimit{others, time.Now().Add(limitLife)}
		s.free(server)
	}
	s.mu.Unlock()
	if others > 0 && s.Wait(ctx, s.Ask(server)) != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n++ // for Release
		s.running[server]++
	}
	return others > 0
}

// Ask enters a Waiter; Wait must be called for it, and Release if Wait succeeds.
func (s *Slots) Ask(server string) *Waiter {
	w := &Waiter{server, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, w)
	s.grant()
	return w
}

// Wait waits for a slot, or returns the cause of the end of ctx.
func (s *Slots) Wait(ctx context.Context, w *Waiter) error {
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.free(w.server)
	}
	return context.Cause(ctx)
}

// Release gives a slot back.
func (s *Slots) Release(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free(server)
}

func (s *Slots) free(server string) {
	s.n--
	if s.running[server]--; s.running[server] == 0 {
		delete(s.running, server)
	}
	s.grant()
}

// grant gives slots to waiters.
func (s *Slots) grant() {
	if s.running == nil {
		s.running, s.limits = make(map[string]int), make(map[string]connectionLimit)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *Waiter) bool {
		limit, most := s.limits[w.server], s.PerServer
		if limit.most > 0 && time.Now().Before(limit.until) {
			most = limit.most
		}
		if s.All > 0 && s.n >= s.All || most > 0 && s.running[w.server] >= most {
			return false
		}
		s.n++
		s.running[w.server]++
		close(w.ready)
		return true
	})
}
