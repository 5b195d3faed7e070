package wire

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"gofer/protocols"
)

const (
	maxIdle = 8 // the maximal number of idle connections to all servers
	// DefaultKeep is how long an idle connection is kept.
	DefaultKeep = time.Minute
	spareKeep   = 5 * time.Second // how long a further idle connection of the same [Key] is kept
)

// Session is a connection that a [Pool] keeps. One goroutine uses it at a time.
type Session interface {
	// Bind ties the session to another context. It returns false if the session is unusable.
	Bind(ctx context.Context) bool
	// Quit sends the command that ends the session and closes the connection.
	Quit()
	// Drop closes the connection without a command.
	Drop()
}

// Key identifies the fetches that can use an idle session.
type Key struct {
	Scheme, Addr string
	Login        Credentials // the credentials of the session
	Identity     string      // the identity that the session may have sent, see [Dialer.IdentityKey]
}

// Pool keeps idle sessions, safe for concurrent use. The zero value is ready.
type Pool[S Session] struct {
	mu     sync.Mutex
	idle   map[Key][]*idleSession[S]
	n      int
	closed bool
}

type idleSession[S Session] struct {
	session S
	until   time.Time // the end of the idle time by the wall clock: the machine may sleep
	timer   *time.Timer
}

// Do calls fn with the idle session of key, bound to ctx. If there is none, Do calls fn with a
// session from the function open. If fn fails and isDead returns true for its error, the idle
// session was dead, and Do calls fn again with a new session. An isDead of nil stands for errors with
// the reason Broken. fn owns the session. Do calls nothing if ctx has ended.
func (p *Pool[S]) Do(ctx context.Context, key Key, open func() (S, error), fn func(S) error, isDead func(error) bool) error {
	if isDead == nil {
		isDead = func(err error) bool { return protocols.ReasonOf(err) == protocols.Broken }
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // else an idle session might answer although ctx has ended
	}
	if s, ok := p.take(ctx, key); ok {
		if err := fn(s); err == nil || ctx.Err() != nil || !isDead(err) {
			return err
		}
	}
	s, err := open()
	if err != nil {
		return err
	}
	return fn(s)
}

// TakeAll returns the idle sessions of key, bound to ctx. The caller owns them.
func (p *Pool[S]) TakeAll(ctx context.Context, key Key) (all []S) {
	for p.Has(key) {
		if s, ok := p.take(ctx, key); ok {
			all = append(all, s)
		}
	}
	return all
}

func (p *Pool[S]) take(ctx context.Context, key Key) (s S, ok bool) {
	p.mu.Lock()
	idle := p.idle[key]
	if len(idle) == 0 {
		p.mu.Unlock()
		return s, false
	}
	kept := idle[len(idle)-1]
	p.remove(key, kept)
	p.mu.Unlock()
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

// remove removes the idle session s from the pool. It returns false if the pool does not have s.
func (p *Pool[S]) remove(key Key, s *idleSession[S]) bool {
	idle := p.idle[key]
	i := slices.Index(idle, s)
	if i < 0 {
		return false
	}
	p.n--
	if len(idle) == 1 {
		delete(p.idle, key)
	} else {
		p.idle[key] = slices.Delete(idle, i, i+1)
	}
	return true
}

// Put keeps the session s, which is no longer used, for the time d, or for [DefaultKeep] if d is 0. It
// closes the session if it is unusable, if d is negative, if the pool has an idle session of key, or if
// the pool is full or closed.
func (p *Pool[S]) Put(key Key, s S, d time.Duration) { p.put(key, s, d, false) }

// PutSpare is like [Pool.Put], but if the pool has an idle session of key already, PutSpare keeps the
// session s for a few seconds. Several fetches that run at the same time need several sessions.
func (p *Pool[S]) PutSpare(key Key, s S) { p.put(key, s, 0, true) }

func (p *Pool[S]) put(key Key, s S, d time.Duration, spare bool) {
	d = cmp.Or(d, DefaultKeep)
	if !s.Bind(context.Background()) {
		s.Drop()
		return
	}
	p.mu.Lock()
	found := len(p.idle[key]) > 0
	if d < 0 || p.closed || found && !spare || p.n >= maxIdle {
		p.mu.Unlock()
		s.Quit()
		return
	}
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = make(map[Key][]*idleSession[S])
	}
	if found {
		d = spareKeep
	}
	kept := &idleSession[S]{session: s, until: time.Now().Round(0).Add(d)}
	kept.timer = time.AfterFunc(d, func() {
		p.mu.Lock()
		current := p.remove(key, kept)
		p.mu.Unlock()
		if current {
			s.Quit()
		}
	})
	p.idle[key] = append(p.idle[key], kept)
	p.n++
}

// Has reports whether there is an idle session of key.
func (p *Pool[S]) Has(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle[key]) > 0
}

// Len returns the number of idle sessions.
func (p *Pool[S]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// Close closes the idle sessions. Sessions in use continue and are closed by Put.
func (p *Pool[S]) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.n, p.closed = nil, 0, true
	p.mu.Unlock()
	for _, sessions := range idle {
		for _, kept := range sessions {
			kept.timer.Stop()
			kept.session.Quit()
		}
	}
}

// Lease lends a session to one Resource. Done and Close may be called by two goroutines at once:
// only the first call has an effect. The zero value has no session.
type Lease struct {
	Keep, Drop func() // methods of the session
	once       sync.Once
}

// Done is called after the last octet of the answer and keeps the session.
func (l *Lease) Done() { l.end(l.Keep) }

// Close drops the session unless Done was called.
func (l *Lease) Close() error {
	l.end(l.Drop)
	return nil
}

func (l *Lease) end(method func()) {
	if method != nil {
		l.once.Do(method)
	}
}
