package nntp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"gofer/internal/wire"
	"gofer/protocols"
)

// server holds the facts known about a server.
type server struct {
	wire.Account
	client    *Client
	noOver    atomic.Bool // the server does not know OVER
	slowTexts atomic.Bool // the descriptions take too long
	noDeflate atomic.Bool // the server does not compress
	groups    sync.Map    // *protocols.GroupNote by name: the status and the description
	unsecured atomic.Pointer[tlsError]
}

// server returns the server of t.
func (c *Client) server(t target) *server {
	who := wire.Account{Scheme: "nntp", Addr: t.addr}
	if t.secure {
		who.Scheme = "nntps"
	}
	s, _ := c.servers.LoadOrStore(who, &server{Account: who, client: c})
	return s.(*server)
}

// start sends the first command of a fetch.
func (c *Client) start(ctx context.Context, t target, command string) (*session, reply, error) {
	return c.begin(ctx, t, func(s *session) (reply, error) { return s.ask(command) })
}

// begin calls ask with the idle connection, or with a new one if there is none or the
// server has closed it.
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
		if _, ok := errors.AsType[*tlsError](err); !ok { // else try again without TLS
			break
		}
	}
	if err != nil {
		return nil, r, err
	}
	return s, r, nil
}

// isDead reports whether err means that the server has closed an idle connection (RFC
// 3977, section 3.2.1: 400).
func isDead(err error) bool {
	var e *protocols.Error
	return errors.As(err, &e) && (e.Reason == protocols.Broken || e.Code == 400)
}

// leave ends a session after a command failed with err. It sends QUIT if the server refused the
// command.
func (s *session) leave(err error) {
	var e *protocols.Error
	if s.ctx.Err() == nil && (protocols.QuestionOf(err) != nil || errors.As(err, &e) && e.Code != 0 && e.Code != 400) {
		s.Quit()
		return
	}
	s.Drop()
}

// Bind ties the session to ctx. It returns false if the server has sent octets after the last
// answer.
func (s *session) Bind(ctx context.Context) bool {
	s.ctx = ctx
	s.conn.RequireQuickReply()
	return s.in.Buffered() == 0 && len(s.unread) == 0 && s.conn.Rebind(ctx)
}

// put keeps the connection for the next fetch.
func (s *session) put() {
	if s.compressed && s.skip() != nil {
		s.Drop()
		return
	}
	s.server.client.idle.Put(s.server.key(s.login), s, s.server.client.Idle)
}

// lease lends s to one Resource.
func (s *session) lease() *wire.Lease { return &wire.Lease{Keep: s.put, Drop: s.Drop} }

func (c *Client) typed() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

func (s *server) login() (wire.Credentials, bool) { return s.client.typed().Get(s.Account) }

func (s *server) key(login wire.Credentials) wire.Key {
	return wire.Key{Scheme: s.Scheme, Addr: s.Addr, Login: login}
}

func (s *server) refused(login wire.Credentials) { s.client.typed().Refuse(s.Account, login) }
