package nntp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// server records what the client has learned about a server.
type server struct {
	wire.Account
	client           *Client
	noOver           atomic.Bool // the server does not know OVER
	noListGroup      atomic.Bool // the server does not know LISTGROUP
	slowDescriptions atomic.Bool // the descriptions take too long
	deflates         ability     // the server compresses
	groups           sync.Map    // group name -> *protocols.GroupNote with the status and the description
	tlsErr           atomic.Pointer[tlsError]
	hasGreeted       atomic.Bool // the server has sent a greeting
	needsModeReader  atomic.Bool // the server needs MODE READER before other commands
	isReader         atomic.Bool // the capabilities of the server do not ask for MODE READER
	noCapabilities   atomic.Bool // the server does not know CAPABILITIES
	takesEarly       ability     // the server answers commands that were sent before its greeting
	takesBatches     ability     // the server answers all commands of one write
	memory           memory      // what is kept of the above for later runs
}

// server returns the server of t.
func (c *Client) server(t target) *server {
	account := wire.Account{Scheme: "nntp", Addr: t.addr}
	if t.secure {
		account.Scheme = "nntps"
	}
	s, _ := c.servers.LoadOrStore(account, &server{Account: account, client: c})
	return s.(*server)
}

// startCommand opens a session and sends the first command of a fetch.
func (c *Client) startCommand(ctx context.Context, t target, command string) (*session, reply, error) {
	return c.openSession(ctx, t, []string{command}, func(s *session) (reply, error) { return s.runCommand(command) })
}

// openSession calls the function ask with an idle session. If there is no idle session, or the server
// has closed the connection, it calls ask with a new session, over which the commands were sent already. They
// are the ones that ask sends to a new session.
func (c *Client) openSession(ctx context.Context, t target, commands []string, ask func(*session) (reply, error)) (s *session, r reply, err error) {
	srv := c.server(t)
	for range 3 {
		login, _ := srv.login()
		err = c.idle.Do(ctx, srv.key(login, c.Dialer.IdentityKey(ctx, srv.Addr)), func() (*session, error) { return srv.connect(ctx, t, commands...) }, func(ses *session) (err error) {
			s, ses.target, ses.skippedOctets = ses, t, 0
			if r, err = ask(s); err == nil && r.code == 400 {
				err = r.error("read from " + t.addr)
			}
			if err != nil {
				s.endSession(err)
			}
			return err
		}, isDead)
		if _, ok := errors.AsType[*tlsError](err); !ok && !errors.Is(err, errTogether) {
			break
		} // else the next attempt does not use TLS, or sends the commands one by one
	}
	if err != nil {
		return nil, r, err
	}
	return s, r, nil
}

// Greet connects to a server and reads its greeting (RFC 3977, section 5.1). A server that asks a [protocols.Question], such
// as for a login, has answered.
func (c *Client) Greet(ctx context.Context, server urlcore.URL) error {
	t, err := c.parseTarget(server)
	if err != nil {
		return err
	}
	s, err := c.server(t).connect(ctx, t)
	if protocols.QuestionOf(err) != nil {
		return nil
	}
	if err == nil {
		s.Quit()
	}
	return err
}

// isDead reports whether err means that the server has closed an idle connection (RFC
// 3977, section 3.2.1: 400).
func isDead(err error) bool {
	var e *protocols.Error
	return errors.As(err, &e) && (e.Reason == protocols.Broken || e.Code == 400)
}

// endSession ends a session after a command failed with err. It sends QUIT if the server refused the
// command, or if err is a [protocols.Question].
func (s *session) endSession(err error) {
	var e *protocols.Error
	if s.ctx.Err() == nil && (protocols.QuestionOf(err) != nil || errors.As(err, &e) && e.Code != 0 && e.Code != 400) {
		s.Quit()
		return
	}
	s.Drop()
}

// Bind ties the session to ctx. It returns false if the server has sent octets after the last
// answer, if an answer is unread, or if the previous context has ended.
func (s *session) Bind(ctx context.Context) bool {
	s.ctx, s.isNew = ctx, false
	s.conn.RequireQuickReply()
	return s.in.Buffered() == 0 && len(s.unanswered) == 0 && s.conn.Rebind(ctx)
}

// keep keeps the connection for the next fetch.
func (s *session) keep() {
	if s.skipAnswers() != nil {
		s.Drop()
		return
	}
	s.server.save()
	s.server.client.idle.Put(s.server.key(s.login, s.identity), s, s.server.client.IdleTimeout)
}

// lease returns a lease of s for one Resource.
func (s *session) lease() *wire.Lease { return &wire.Lease{Keep: s.keep, Drop: s.Drop} }

func (c *Client) rememberedLogins() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

func (s *server) login() (wire.Credentials, bool) { return s.client.rememberedLogins().Get(s.Account) }

func (s *server) key(login wire.Credentials, identity string) wire.Key {
	return wire.Key{Scheme: s.Scheme, Addr: s.Addr, Login: login, Identity: identity}
}

func (s *server) refuse(login wire.Credentials) {
	s.client.rememberedLogins().RecordRefusal(s.Account, login)
}
