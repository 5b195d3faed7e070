package download

import (
	"context"
	"slices"
	"sync"
)

// slots bounds the concurrent transfers, of each server and of all. Waiters get a slot in
// the order of asking.
type slots struct {
	perServer, all int

	mu      sync.Mutex
	running map[string]int // by server
	n       int
	waiting []*waiter
}

type waiter struct {
	server string
	ready  chan struct{}
}

// ask enters a waiter; wait must be called for it, and release if wait succeeds.
func (s *slots) ask(server string) *waiter {
	w := &waiter{server, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, w)
	s.grant()
	return w
}

func (s *slots) wait(ctx context.Context, w *waiter) error {
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

func (s *slots) release(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free(server)
}

func (s *slots) free(server string) {
	s.n--
	if s.running[server]--; s.running[server] == 0 {
		delete(s.running, server)
	}
	s.grant()
}

// grant gives slots to waiters.
func (s *slots) grant() {
	if s.running == nil {
		s.running = make(map[string]int)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool {
		if s.n >= s.all || s.running[w.server] >= s.perServer {
			return false
		}
		s.n++
		s.running[w.server]++
		close(w.ready)
		return true
	})
}
