package mirror

import (
	"context"
	"slices"
	"sync"
)

// Slots bounds the concurrent transfers, of each server and of all. Waiters get a slot in
// the order of asking.
type Slots struct {
	PerServer, All int

	mu      sync.Mutex
	running map[string]int // by server
	n       int
	waiting []*Waiter
}

// Waiter waits for a slot.
type Waiter struct {
	server string
	ready  chan struct{}
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
		s.running = make(map[string]int)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *Waiter) bool {
		if s.n >= s.All || s.running[w.server] >= s.PerServer {
			return false
		}
		s.n++
		s.running[w.server]++
		close(w.ready)
		return true
	})
}
