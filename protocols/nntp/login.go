package nntp

import (
	"encoding/base64"
	"errors"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// secure begins TLS by STARTTLS (RFC 4642) unless the connection uses TLS. If the server
// refuses, the session continues in the clear; if the handshake fails, the error is
// *unsecured. For a certificate that the user may trust the error is a question.
func (s *session) secure() error {
	if s.tls() || s.server.noTLS() != nil {
		return nil
	}
	const op = "begin TLS"
	r, err := s.command("STARTTLS")
	switch {
	case protocols.ReasonOf(err) == protocols.Broken:
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
	if protocols.ReasonOf(err) == protocols.Insecure {
		return s.server.disableTLS(err)
	}
	s.reader, s.group = false, "" // section 2.2.2: the server may have reset the group
	return err
}

func (s *session) tls() bool { return s.conn.Security().Protocol != "" }

// tlsError is the error of a server whose TLS handshake failed.
type tlsError struct{ why error }

func (u *tlsError) Error() string { return u.why.Error() }

// disableTLS makes later sessions with the server not try TLS, and records the reason.
func (s *server) disableTLS(why error) error {
	u := &tlsError{why}
	s.unsecured.Store(u)
	return u
}

// noTLS returns why TLS is not tried, or nil.
func (s *server) noTLS() error {
	if u := s.unsecured.Load(); u != nil {
		return u.why
	}
	return nil
}

// logIn secures the connection and sends the kept credentials, in the clear only if the user has
// agreed: by AUTHINFO USER, or by SASL PLAIN if the server does not know AUTHINFO USER (RFC 4643,
// sections 2.3 and 2.4).
func (s *session) logIn() error {
	login, _ := s.server.login()
	s.login = login
	password, _ := login.Password()
	s.conn.Hide(password)
	for _, part := range []struct{ what, value string }{{"user name", login.User}, {"password", password}} {
		if err := wire.Check(part.what, part.value); err != nil {
			s.server.refused(login)
			return err
		}
	}
	if err := s.secure(); err != nil {
		return err
	}
	if err := s.plainPassword(); err != nil {
		return err
	}
	sent := false
	r, err := s.command("AUTHINFO USER " + login.User)
	switch {
	case err == nil && r.code == 381:
		sent = true
		r, err = s.exchange("AUTHINFO PASS " + password)
	case err == nil && (r.isUnknown() || r.code == 502 && !r.isLoggedIn()):
		var plain reply
		if plain, err = s.saslPlain(login.User, password); !plain.isUnknown() && plain.code != 502 {
			sent, r = true, plain
		}
	}
	if err != nil {
		return err
	}
	return s.loginResult(r, login, sent)
}

// plainPassword returns the question whether the password may be sent in the clear, or
// nil.
func (s *session) plainPassword() error {
	if s.tls() {
		return nil
	}
	c := s.server.client
	confirm := wire.Remember(c.Dialer.Memory, &c.plain).Ask(c.Dialer.TLS.Pins, s.url.url, s.server.Addr, s.login.User, c.PlainPasswords,
		"The server has no TLS: whoever is between here and there can read the password, and all that is read.",
		wire.DescribeRefusal(s.server.Addr, s.server.noTLS(), func(text string) string { return c.typed().Mask(s.server.Addr, text) }))
	if confirm == nil {
		return nil
	}
	return confirm
}

// saslPlain logs in by the mechanism PLAIN (RFC 4616), with the initial response unless the command
// line would be too long.
func (s *session) saslPlain(user, password string) (reply, error) {
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

// maxCommand is the longest command line with its end (RFC 3977, section 3.1).
const maxCommand = 512

// loginResult returns the result of a login; sent reports whether the password was sent.
func (s *session) loginResult(r reply, login wire.Credentials, sent bool) error {
	e := r.error("log in to " + s.server.Addr)
	e.Reason = protocols.Denied
	switch {
	case r.code == 281 || r.code == 283 || r.code == 250 || r.code == 502 && !sent && r.isLoggedIn():
		s.authed = true
		return nil
	case r.code == 481 || r.code == 482 || r.code == 452 || r.code == 480 || r.code == 502 && sent:
		s.server.refused(login)
		return s.wantLogin(r, true)
	case r.code == 483:
		e.Err = s.wantTLS()
	}
	return e
}

// isLoggedIn reports whether a 502 says that the login is superfluous.
func (r reply) isLoggedIn() bool {
	return r.code == 502 && strings.Contains(strings.ToLower(r.raw), "already")
}

// wantTLS returns the error for a server that refuses with 483 (RFC 4643, section 2.1).
func (s *session) wantTLS() error {
	if why := s.server.noTLS(); why != nil {
		return errors.New("the server wants TLS, which could not begin; try a nntps: URL")
	}
	return errors.New("it wants a login that is better protected than gofer knows")
}

// wantLogin returns the error that asks the user for credentials.
func (s *session) wantLogin(r reply, failed bool) error {
	login, ok := s.server.login()
	if !ok {
		login = s.server.client.typed().LastRefused(s.server.Account)
	} else if failed {
		s.server.refused(login)
	}
	return &protocols.Login{
		URL: s.url.url, Server: s.server.Addr, User: login.User,
		Text: r.text, Failed: failed, With: s.server.client.typed().With(s.server.Account),
	}
}
