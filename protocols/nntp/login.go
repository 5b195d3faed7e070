package nntp

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// beginTLS begins TLS by STARTTLS (RFC 4642). It does nothing if the connection uses TLS, or if TLS has
// failed before. If the server refuses STARTTLS, beginTLS returns nil, and the session continues in the
// clear. If the connection is lost or the handshake fails, the error is a *tlsError. If the user may
// decide to trust the certificate, the error is a *[protocols.Confirm].
func (s *session) beginTLS() error {
	if s.hasTLS() || s.server.tlsFailure() != nil {
		return nil
	}
	const op = "begin TLS"
	r, err := s.exchangeAsReader(startTLS)
	switch {
	case protocols.ReasonOf(err) == protocols.Broken && !errors.Is(err, errTogether):
		return s.server.disableTLS(err)
	case err != nil:
		return err
	case r.code == 400:
		return r.error(op)
	case r.code != 382:
		_ = s.server.disableTLS(r.error(op))
		return nil
	}
	err = s.server.client.Dialer.StartTLS(s.conn, s.server.Addr, s.in.Buffered())
	if _, refused := errors.AsType[*wire.IdentityError](err); protocols.ReasonOf(err) == protocols.Insecure && !refused { // a server that requires an identity has TLS
		return s.server.disableTLS(err)
	}
	s.modeReaderSent, s.group = false, "" // RFC 4642, section 2.2.2: the server may have reset the group
	return err
}

func (s *session) hasTLS() bool { return s.conn.Security().Protocol != "" }

// tlsError is the error of a refused STARTTLS or a failed TLS handshake.
type tlsError struct{ err error }

func (u *tlsError) Error() string { return u.err.Error() }

// disableTLS records why TLS failed, so that later sessions with the server do not try TLS.
func (s *server) disableTLS(why error) error {
	u := &tlsError{why}
	s.tlsErr.Store(u)
	return u
}

// tlsFailure returns the error with which TLS failed, or nil.
func (s *server) tlsFailure() error {
	if u := s.tlsErr.Load(); u != nil {
		return u.err
	}
	return nil
}

// logIn begins TLS and sends the remembered credentials by AUTHINFO USER (RFC 4643, section 2.3). If the
// server does not support AUTHINFO USER, logIn uses SASL PLAIN (section 2.4). Without TLS, it sends the
// credentials only if the user has agreed, and the password only after the server has asked for it. With TLS,
// it sends them and the given commands, which follow the login, in one write.
func (s *session) logIn(next []string) error {
	login, _ := s.server.login()
	s.login = login
	password, _ := login.Password()
	s.conn.Hide(password)
	if err := checkLogin(login); err != nil {
		s.server.refuse(login)
		return err
	}
	if err := s.beginTLS(); err != nil {
		return err
	}
	if err := s.checkPlainPassword(); err != nil {
		return err
	}
	sent := false
	if s.hasTLS() {
		s.queue(s.withLogin(next)...)
	}
	r, err := s.exchangeAsReader("AUTHINFO USER " + login.User)
	switch {
	case err == nil && r.code == 381:
		sent = true
		r, err = s.exchange("AUTHINFO PASS " + password)
	case err == nil && (r.isUnknown() || r.code == 502 && !r.isLoggedIn()):
		var plain reply
		if plain, err = s.logInBySASL(login.User, password); !plain.isUnknown() && plain.code != 502 {
			sent, r = true, plain
		}
	}
	if err != nil {
		return err
	}
	return s.loginResult(r, login, sent)
}

// checkLogin returns an error if the credentials cannot be sent.
func checkLogin(login wire.Credentials) error {
	password, _ := login.Password()
	if err := wire.Check("user name", login.User); err != nil {
		return err
	}
	return wire.Check("password", password)
}

// withLogin returns the commands after those that log in.
func (s *session) withLogin(next []string) []string {
	password, _ := s.login.Password()
	commands := []string{"AUTHINFO USER " + s.login.User, "AUTHINFO PASS " + password}
	if slices.Contains(next, post) { // after a refused login, the answer to POST might ask for an article
		return commands
	}
	return append(commands, next...)
}

// checkPlainPassword returns the question whether the password may be sent in the clear. It returns nil
// if the question is not needed.
func (s *session) checkPlainPassword() error {
	if s.hasTLS() {
		return nil
	}
	c := s.server.client
	confirm := wire.Remember(c.Dialer.Memory, &c.consents).Ask(c.Dialer.TLS.Pins, s.target.url, s.server.Addr, s.login.User, c.PlainPasswords,
		"The server offers no TLS: anyone on the network can read the password and all data.",
		wire.DescribeRefusal(s.server.Addr, s.server.tlsFailure(), func(text string) string { return c.rememberedLogins().Mask(s.server.Addr, text) }))
	if confirm == nil {
		return nil
	}
	return confirm
}

// logInBySASL logs in by the mechanism PLAIN (RFC 4616). The command includes the initial response unless
// the command line would be too long.
func (s *session) logInBySASL(user, password string) (reply, error) {
	const command = "AUTHINFO SASL PLAIN"
	message := base64.StdEncoding.EncodeToString([]byte("\x00" + user + "\x00" + password))
	first := command
	if len(command)+1+len(message)+2 <= maxCommand {
		first += " " + message
	}
	r, err := s.exchange(first)
	if err == nil && r.code == 383 {
		r, err = s.exchange(message)
	}
	return r, err
}

// maxCommand is the maximal length of a command line, including the line end (RFC 3977, section 3.1).
const maxCommand = 512

// loginResult returns nil if r accepts the login, else an error. The parameter sent reports whether the
// password was sent.
func (s *session) loginResult(r reply, login wire.Credentials, sent bool) error {
	e := r.error("log in to " + s.server.Addr)
	e.Reason = protocols.Denied
	switch {
	case r.code == 281 || r.code == 283 || r.code == 250 || r.code == 502 && !sent && r.isLoggedIn():
		s.loggedIn = true
		return nil
	case r.code == 481 || r.code == 482 || r.code == 452 || r.code == 480 || r.code == 502 && sent:
		s.server.refuse(login)
		return s.loginError(r, true)
	case r.code == 483:
		e.Err = s.tlsRequiredError()
	}
	return e
}

// isLoggedIn reports whether r is a 502 because the session is already logged in.
func (r reply) isLoggedIn() bool {
	return r.code == 502 && strings.Contains(strings.ToLower(r.raw), "already")
}

// tlsRequiredError returns the error for a reply 483 (RFC 3977, section 3.2.1).
func (s *session) tlsRequiredError() error {
	if why := s.server.tlsFailure(); why != nil {
		return errors.New("the server requires TLS, which could not begin; try an nntps: URL")
	}
	return errors.New("the server requires a protection of the connection that gofer does not support")
}

// loginError returns the error that asks the user for credentials.
func (s *session) loginError(r reply, failed bool) error {
	login, ok := s.server.login()
	if !ok {
		login = s.server.client.rememberedLogins().LastRefused(s.server.Account)
	} else if failed {
		s.server.refuse(login)
	}
	return &protocols.Login{
		URL: s.target.url, Server: s.server.Addr, User: login.User,
		Text: r.text, Failed: failed, With: s.server.client.rememberedLogins().KeepFunc(s.server.Account),
	}
}
