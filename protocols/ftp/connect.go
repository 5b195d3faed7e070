package ftp

import (
	"context"
	"errors"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// open connects and logs in. If the server refuses credentials with the octet FF, open sends them again
// without doubling the octet, like [session.retryRawIAC]. It uses a new connection, because many servers
// close the old connection.
func (c *Client) open(ctx context.Context, r *request, cred wire.Credentials) (*session, error) {
	s, err := c.connect(ctx, r, cred, false)
	var l *protocols.Login
	if password, known := cred.Password(); errors.As(err, &l) && known && strings.Contains(cred.User+password, "\xff") {
		if s, err := c.connect(ctx, r, cred, true); err == nil {
			return s, nil
		}
	}
	return s, err
}

// connect connects and logs in. If TLS cannot begin, it connects again without TLS. A login that waited for an answer of
// the user is continued over its connection.
func (c *Client) connect(ctx context.Context, r *request, cred wire.Credentials, rawIAC bool) (ready *session, err error) {
	if !cred.IsAnonymous() {
		c.rememberedLogins().Try(r.addr, cred)
	}
	err = c.asking.Do(ctx, askingKey(r, cred),
		func() (*session, error) { return c.begin(ctx, r, cred, rawIAC, nil) },
		func(s *session) error {
			ready = s
			return c.logInOrKeep(s, r, cred)
		}, isDead)
	if err != nil {
		return nil, err
	}
	ready.server.use()
	ready.server.save(c.Habits, r.addr)
	if _, known := cred.Password(); known && r.url.HasUser {
		c.rememberedLogins().Keep(accountOf(r), cred) // the URLs of the links have no password
	}
	return ready, nil
}

// askingKey returns the key of sessions whose login waits for the user, who may still have to type the password.
func askingKey(r *request, cred wire.Credentials) wire.Key {
	return r.key(wire.Credentials{User: cred.User})
}

// logInOrKeep logs in. If the user must first be asked something, it keeps s for the answer: the next login of this
// user continues where this one has stopped.
func (c *Client) logInOrKeep(s *session, r *request, cred wire.Credentials) error {
	s.key = r.key(cred)
	s.hidePassword()
	err := s.logIn(c, r)
	switch {
	case err == nil:
		if s.withoutTLS {
			s.server.learn(func(h *habits) { h.NoTLS = true })
		}
	case protocols.QuestionOf(err) != nil && s.userReply.code != 0 && s.ctx.Err() == nil:
		c.asking.Put(askingKey(r, cred), s, 0)
	default:
		s.Drop()
	}
	return err
}

// begin connects and begins TLS. If TLS cannot begin, it connects again without TLS. The parameter tlsErr is the
// reason why TLS is not to be tried, or nil.
func (c *Client) begin(ctx context.Context, r *request, cred wire.Credentials, rawIAC bool, tlsErr error) (*session, error) {
	s := &session{
		dialer: c.Dialer, logins: c.rememberedLogins(), askPort: c.AskPort, key: r.key(cred), active: c.PreferActive,
		tlsErr: tlsErr, withoutTLS: tlsErr != nil,
	}
	s.Bind(ctx)
	err := s.start(c, r, rawIAC)
	if err == nil {
		return s, nil
	}
	s.Drop()
	u, failed := errors.AsType[*tlsFailure](err)
	if ctx.Err() != nil || tlsErr != nil || !failed || r.url.Secure {
		return nil, err
	}
	again, againErr := c.begin(ctx, r, cred, rawIAC, u.err)
	if protocols.ReasonOf(againErr).Is(protocols.NotConnected) { // the server was there, so the first connection was lost
		againErr = &protocols.Error{Reason: protocols.Broken, Op: "begin TLS", Err: err}
	}
	return again, againErr
}

// start connects and secures the connection.
func (s *session) start(c *Client, r *request, rawIAC bool) (err error) {
	s.server = c.serverAt(r.addr)
	awaitHabits := s.server.load(s.ctx, c.Habits, r.addr)
	if err := s.dialControl(r); err != nil {
		return err
	}
	awaitHabits()
	s.ctrl.server, s.ctrl.rawIAC = s.server, rawIAC
	s.useHabits()
	if r.url.Secure {
		if err := s.startTLS(r); err != nil {
			return err
		}
	}
	if err := s.sendBeforeGreeting(r); err != nil {
		return err
	}
	if err := s.readGreeting(); err != nil {
		return s.ctrl.judgeGreeting(err)
	}
	s.server.meet(replyText(s.greeting))
	if !s.ctrl.isNext(s.userCommand()) { // else the login was sent with the extensions of before, even if the greeting is another
		s.useExtensions()
	}
	return s.beginTLS(r)
}

// maxDelays is the number of greetings announcing a delay after which the server counts as unavailable.
const maxDelays = 10

// readGreeting reads the greeting. It skips greetings that announce a delay (RFC 959, section 5.4).
func (s *session) readGreeting() (err error) {
	op := "open a session with " + s.key.Addr
	for delays := 0; s.greeting.code/100 <= 1 && delays <= maxDelays; delays++ {
		if s.greeting, err = s.ctrl.nextReply(); err != nil {
			return s.convertError(op, err)
		}
	}
	if s.greeting.code/100 == 2 {
		return nil
	}
	refusal := s.newRefusalError(op, s.greeting)
	if s.greeting.code/100 == 1 {
		refusal.Reason, refusal.Err = protocols.ServerFailed, protocols.ErrUnavailable
	}
	return refusal
}
