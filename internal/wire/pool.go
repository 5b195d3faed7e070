package wire

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	maxIdle = 8 // connections kept, of all servers together
	// DefaultKeep is how long an idle connection is kept.
	DefaultKeep = time.Minute
)

// Session is a connection that a [Pool] keeps. One goroutine uses it at a time.
type Session interface {
	// Bind ties the session to another context. It returns false if it is useless.
	Bind(ctx context.Context) bool
	// Quit says goodbye and closes the session.
	Quit()
	// Drop closes the session without a word.
	Drop()
}

// Key says for which fetches an idle session is good.
type Key struct {
	Scheme, Addr string
	Login        Credentials // that it was opened with
}

// Pool keeps idle sessions, one a [Key], safe for concurrent use. The zero value is
// ready.
type Pool[S Session] struct {
	mu     sync.Mutex
	idle   map[Key]idleSession[S]
	closed bool
}

type idleSession[S Session] struct {
	session S
	until   time.Time // by the wall clock: the machine may sleep
	timer   *time.Timer
}

// Do calls use with the idle session of key, bound to ctx, or with one from open, also
// if isDead says by the error of use that the idle one was dead. Use owns its session. A
// fetch that has ended before takes none.
func (p *Pool[S]) Do(ctx context.Context, key Key, open func() (S, error), use func(S) error, isDead func(error) bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // an idle session might answer before it ends with ctx
	}
	if s, ok := p.take(ctx, key); ok {
		if err := use(s); err == nil || ctx.Err() != nil || !isDead(err) {
			return err
		}
	}
	s, err := open()
	if err != nil {
		return err
	}
	return use(s)
}

func (p *Pool[S]) take(ctx context.Context, key Key) (s S, ok bool) {
	p.mu.Lock()
	kept, ok := p.idle[key]
	delete(p.idle, key)
	p.mu.Unlock()
	if !ok {
		return s, false
	}
	if kept.timer.Stop(); time.Now().Round(0).After(kept.until) {
		kept.session.Quit()
		return s, false
	}
	if !kept.session.Bind(ctx) {
		kept.session.Drop()
		return s, false
	}
	return kept.session, true
}

// Put keeps an unused session for keep, or [DefaultKeep] if that is 0. It closes the
// session if keep is negative or there are enough others.
func (p *Pool[S]) Put(key Key, s S, keep time.Duration) {
	keep = cmp.Or(keep, DefaultKeep)
	if !s.Bind(context.Background()) {
		s.Drop()
		return
	}
	p.mu.Lock()
	_, taken := p.idle[key]
	if keep < 0 || p.closed || taken || len(p.idle) >= maxIdle {
		p.mu.Unlock()
		s.Quit()
		return
	}
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = make(map[Key]idleSession[S])
	}
	var timer *time.Timer
	timer = time.AfterFunc(keep, func() {
		p.mu.Lock()
		current := p.idle[key].timer == timer
		if current {
			delete(p.idle, key)
		}
		p.mu.Unlock()
		if current {
			s.Quit()
		}
	})
	p.idle[key] = idleSession[S]{s, time.Now().Round(0).Add(keep), timer}
}

// Len returns how many sessions are kept.
func (p *Pool[S]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Close closes the idle sessions. Those in use go on and are not kept later.
func (p *Pool[S]) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, kept := range idle {
		kept.timer.Stop()
		kept.session.Quit()
	}
}

// Lease is the session that one Resource reads from. Done and Close may be called from
// two goroutines at once: the first wins. The zero value has no session.
type Lease struct {
	Keep, Drop func() // of the session
	once       sync.Once
}

// Done keeps the session after the last octet of the answer.
func (l *Lease) Done() { l.end(l.Keep) }

// Close ends the transfer at any moment.
func (l *Lease) Close() error {
	l.end(l.Drop)
	return nil
}

func (l *Lease) end(how func()) {
	if how != nil {
		l.once.Do(how)
	}
}
