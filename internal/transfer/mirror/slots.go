package mirror

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Slots limits the concurrent transfers of each server and of all servers. The Waiters for a server get slots
// in the order of the calls of Enqueue.
type Slots struct {
	PerServer, Total int // 0: no limit

	mu      sync.Mutex
	running map[string]int // by server
	limits  map[string]connectionLimit
	total   int
	waiting []*Waiter
}

// Waiter waits for a slot.
type Waiter struct {
	server string
	ready  chan struct{}
}

// connectionLimit is the number of connections that a server allowed when it refused one more. The limit
// expires, because other users may have left.
type connectionLimit struct {
	max   int
	until time.Time
}

const limitDuration = time.Minute

// Yield is called by the owner of a slot after the server has refused a connection because it has too many. If
// other slots of the server are in use, their number becomes the limit for a minute, and Yield waits until
// one of them is free. It returns false if no other slot of the server is in use.
func (s *Slots) Yield(ctx context.Context, server string) bool {
	s.mu.Lock()
	others := s.running[server] - 1
	if others > 0 {
		s.limits[server] = connectionLimit{others, time.Now().Add(limitDuration)}
		s.release(server)
	}
	s.mu.Unlock()
	if others > 0 && s.Wait(ctx, s.Enqueue(server)) != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total++ // the caller releases a slot after an error too
		s.running[server]++
	}
	return others > 0
}

// Enqueue adds a Waiter to the queue. The caller must call Wait with it, and Release if Wait succeeds.
func (s *Slots) Enqueue(server string) *Waiter {
	w := &Waiter{server, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, w)
	s.grant()
	return w
}

// Wait waits for a slot. If ctx ends first, it returns the cause of ctx.
func (s *Slots) Wait(ctx context.Context, waiter *Waiter) error {
	select {
	case <-waiter.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, waiter); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.release(waiter.server)
	}
	return context.Cause(ctx)
}

// Release frees a slot of the server.
func (s *Slots) Release(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(server)
}

func (s *Slots) release(server string) {
	s.total--
	if s.running[server]--; s.running[server] == 0 {
		delete(s.running, server)
	}
	s.grant()
}

// grant gives the free slots to waiters. s.mu must be locked.
func (s *Slots) grant() {
	if s.running == nil {
		s.running, s.limits = make(map[string]int), make(map[string]connectionLimit)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *Waiter) bool {
		limit, max := s.limits[w.server], s.PerServer
		if limit.max > 0 && time.Now().Before(limit.until) {
			max = limit.max
		}
		if s.Total > 0 && s.total >= s.Total || max > 0 && s.running[w.server] >= max {
			return false
		}
		s.total++
		s.running[w.server]++
		close(w.ready)
		return true
	})
}
