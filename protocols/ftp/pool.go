package ftp

import (
	"time"

	"gofer/internal/wire"
)

const (
	maxIdle     = 8                // connections kept, of all servers together
	maxIdleTime = 60 * time.Second // that one is kept
)

// poolKey says for which fetches a kept connection is good.
type poolKey struct {
	addr string
	cred wire.Credentials
}

// take returns a kept connection that seems alive, or nil.
func (c *Client) take(key poolKey) *session {
	c.mu.Lock()
	s := c.idle[key]
	delete(c.idle, key)
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	s.timer.Stop()
	// By the wall clock: the machine may have slept.
	if s.ctrl.unasked() || time.Now().Round(0).Sub(s.since) > maxIdleTime {
		s.quit()
		return nil
	}
	return s
}

// put keeps s for the next fetch, or closes it. Nothing may be under way on it.
func (c *Client) put(s *session) {
	if !s.stop() {
		s.abort(nil)
		return
	}
	key := poolKey{s.addr, s.cred}
	s.since = time.Now().Round(0)
	s.ctrl.progress, s.progress = nil, nil
	c.mu.Lock()
	if c.closed || c.idle[key] != nil || len(c.idle) >= maxIdle {
		c.mu.Unlock()
		s.quit()
		return
	}
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = make(map[poolKey]*session)
	}
	s.timer = time.AfterFunc(maxIdleTime, func() {
		c.mu.Lock()
		mine := c.idle[key] == s
		if mine {
			delete(c.idle, key)
		}
		c.mu.Unlock()
		if mine {
			s.quit()
		}
	})
	c.idle[key] = s
}
