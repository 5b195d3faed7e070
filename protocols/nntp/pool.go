package nntp

import (
	"context"
	"errors"
	"sync"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// server is what a Client remembers of one server: one idle connection, the
// credentials, and what it has learned about it.
type server struct {
	client *Client
	addr   string

	mu        sync.Mutex
	idle      *session
	timer     *time.Timer
	closed    bool
	noOver    bool // OVER is unknown there
	slowTexts bool // its descriptions take too long
}

// server returns what is known of addr.
func (c *Client) server(addr string) *server {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[addr]
	if s == nil {
		s = &server{client: c, addr: addr, closed: c.closed}
		if c.servers == nil {
			c.servers = make(map[string]*server)
		}
		c.servers[addr] = s
	}
	return s
}

// start sends the first command of a fetch, over the idle connection if there
// is one. A server may have closed that meanwhile: then over a new one. Before
// the command is sent, ready is called, unless it is nil.
func (c *Client) start(ctx context.Context, t target, command string, ready func(*session)) (*session, reply, error) {
	if ready == nil {
		ready = func(*session) {}
	}
	srv := c.server(t.addr)
	if s := srv.take(ctx, t); s != nil {
		ready(s)
		r, err := s.ask(command)
		if err == nil && r.code != 400 {
			return s, r, nil
		}
		s.drop()
		if err != nil && !stale(ctx, err) {
			return nil, r, err
		}
	}
	s, err := srv.connect(ctx, t)
	if err != nil {
		return nil, reply{}, err
	}
	ready(s)
	r, err := s.ask(command)
	if err != nil {
		s.leave(err)
		return nil, r, err
	}
	return s, r, nil
}

// stale reports whether err is that of an idle connection which the server
// has closed.
func stale(ctx context.Context, err error) bool {
	var e *protocols.Error
	return ctx.Err() == nil && errors.As(err, &e) && e.Reason == protocols.Broken
}

// leave ends a session whose command failed with err: if the server only
// refused, politely.
func (s *session) leave(err error) {
	var e *protocols.Error
	var l *protocols.Login
	if s.ctx.Err() == nil && (errors.As(err, &l) || errors.As(err, &e) && e.Code != 0 && e.Code != 400) {
		s.quit()
		return
	}
	s.drop()
}

// take returns the idle connection, now bound to ctx, or nil.
func (s *server) take(ctx context.Context, t target) *session {
	s.mu.Lock()
	ses := s.idle
	s.idle = nil
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	if ses == nil {
		return nil
	}
	if !ses.conn.Rebind(ctx) {
		ses.drop()
		return nil
	}
	ses.ctx, ses.url, ses.group, ses.dropped = ctx, t, "", 0
	return ses
}

// put keeps the connection of a fetch that is done for the next one.
func (s *server) put(ses *session) {
	keep := s.client.idle()
	if ses.in.Buffered() > 0 {
		ses.drop() // the server said more than it was asked for
		return
	}
	if keep < 0 {
		ses.quit()
		return
	}
	if !ses.conn.Rebind(context.Background()) {
		ses.drop()
		return
	}
	ses.ctx = context.Background()
	s.mu.Lock()
	if s.closed || s.idle != nil {
		s.mu.Unlock()
		ses.quit()
		return
	}
	s.idle = ses
	s.timer = time.AfterFunc(keep, func() { s.expire(ses) })
	s.mu.Unlock()
}

func (s *server) expire(ses *session) {
	s.mu.Lock()
	mine := s.idle == ses
	if mine {
		s.idle = nil
	}
	s.mu.Unlock()
	if mine {
		ses.quit()
	}
}

func (s *server) close() {
	s.mu.Lock()
	ses := s.idle
	s.idle, s.closed = nil, true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	if ses != nil {
		ses.quit()
	}
}

func (s *server) account() wire.Account { return wire.Account{Scheme: "nntp", Addr: s.addr} }

func (s *server) login() (wire.Credentials, bool) { return s.client.logins.Kept(s.account()) }

func (s *server) setLogin(user, password string) {
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	s.client.logins.Keep(s.account(), wire.NewCredentials(user, password))
	if idle != nil {
		idle.quit() // it may be logged in as somebody else
	}
}

func (s *server) refused(login wire.Credentials) { s.client.logins.Refuse(s.account(), login) }

// know reads, and learn sets, a fact about the server.
func (s *server) know(fact *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *fact
}

func (s *server) learn(fact *bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*fact = true
}

// lease is the connection of one Resource. Its end (done) and its Close may
// come at once from two goroutines: the first wins.
type lease struct {
	mu  sync.Mutex
	ses *session
}

// done gives the connection back after the last octet of the answer.
func (l *lease) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ses != nil {
		l.ses.server.put(l.ses)
		l.ses = nil
	}
}

// Close ends the transfer at any moment.
func (l *lease) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ses != nil {
		l.ses.drop()
		l.ses = nil
	}
	return nil
}
