package nntp

import (
	"context"
	"errors"
	"sync/atomic"

	"gofer/internal/wire"
	"gofer/protocols"
)

// server is what a Client remembers of one server.
type server struct {
	wire.Account
	client    *Client
	noOver    atomic.Bool // OVER is unknown there
	slowTexts atomic.Bool // its descriptions take too long
	unsecured atomic.Pointer[unsecured]
}

// server returns what is known of the server of t.
func (c *Client) server(t target) *server {
	who := wire.Account{Scheme: "nntp", Addr: t.addr}
	if t.secure {
		who.Scheme = "nntps"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[who]
	if s == nil {
		s = &server{Account: who, client: c}
		if c.servers == nil {
			c.servers = make(map[wire.Account]*server)
		}
		c.servers[who] = s
	}
	return s
}

// start sends the first command of a fetch; before that ready is called, unless
// it is nil.
func (c *Client) start(ctx context.Context, t target, command string, ready func(*session)) (*session, reply, error) {
	return c.begin(ctx, t, func(s *session) (reply, error) {
		if ready != nil {
			ready(s)
		}
		return s.ask(command)
	})
}

// begin asks for what a fetch begins with, over the idle connection if there is
// one. A server may have closed that meanwhile: then over a new one.
func (c *Client) begin(ctx context.Context, t target, ask func(*session) (reply, error)) (s *session, r reply, err error) {
	srv := c.server(t)
	for range 2 {
		login, _ := srv.login()
		err = c.idle.Do(ctx, srv.key(login), func() (*session, error) { return srv.connect(ctx, t) }, func(ses *session) (err error) {
			s, ses.url, ses.dropped = ses, t, 0
			if r, err = ask(s); err == nil && r.code == 400 {
				err = r.error("read from " + t.addr)
			}
			if err != nil {
				s.leave(err)
			}
			return err
		}, isDead)
		if _, ok := errors.AsType[*unsecured](err); !ok { // else once more, without TLS
			break
		}
	}
	if err != nil {
		return nil, r, err
	}
	return s, r, nil
}

// isDead reports whether err is that of an idle connection which the server
// has closed (RFC 3977, section 3.2.1: 400).
func isDead(err error) bool {
	var e *protocols.Error
	return errors.As(err, &e) && (e.Reason == protocols.Broken || e.Code == 400)
}

// leave ends a session whose command failed with err: if the server only
// refused, politely.
func (s *session) leave(err error) {
	var e *protocols.Error
	if s.ctx.Err() == nil && (protocols.QuestionOf(err) != nil || errors.As(err, &e) && e.Code != 0 && e.Code != 400) {
		s.Quit()
		return
	}
	s.Drop()
}

// Bind makes s end with ctx, unless the server has said more than it was asked
// for.
func (s *session) Bind(ctx context.Context) bool {
	s.ctx = ctx
	s.conn.ProveAlive()
	return s.in.Buffered() == 0 && len(s.unread) == 0 && s.conn.Rebind(ctx)
}

// put keeps the connection of a fetch that is done for the next one.
func (s *session) put() {
	s.server.client.idle.Put(s.server.key(s.login), s, s.server.client.Idle)
}

// lease is s for the reading of one Resource.
func (s *session) lease() *wire.Lease { return &wire.Lease{Keep: s.put, Drop: s.Drop} }

func (s *server) login() (wire.Credentials, bool) { return s.client.logins.Kept(s.Account) }

func (s *server) key(login wire.Credentials) wire.Key {
	return wire.Key{Scheme: s.Scheme, Addr: s.Addr, Login: login}
}

func (s *server) refused(login wire.Credentials) { s.client.logins.Refuse(s.Account, login) }
