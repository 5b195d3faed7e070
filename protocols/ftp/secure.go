package ftp

import (
	"crypto/tls"
	"errors"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// unsecured reports why there is no TLS at a server.
type unsecured struct{ why error }

func (u *unsecured) Error() string { return u.why.Error() }

// dialControl opens the control connection, with TLS for a ftps URL.
func (s *session) dialControl(r *request) error {
	s.dialer.TLS.Sessions = tls.NewLRUClientSessionCache(1)            // for the data connections
	s.dialer.TLS.Unverified = s.key.Login.Anonymous() && !r.url.Secure // else it would be in the clear
	dial := s.dialer.Dial
	if r.url.Secure {
		dial = s.dialer.DialTLS
	}
	conn, err := dial(s.ctx, r.addr)
	if err != nil {
		return err
	}
	conn.Uncounted = true
	password, _ := s.key.Login.Password()
	conn.Hide(password)
	s.conn, s.ctrl = conn, newControl(conn)
	s.shim = &shim{control: s.ctrl, s: s}
	return nil
}

// secure begins TLS by AUTH TLS (RFC 4217, section 4). If the server refuses, the session
// continues in the clear; if the server ends it, the error is *unsecured. A certificate
// that the user may trust is a question.
func (s *session) secure(r *request) error {
	if s.unsecured != nil || s.tls() {
		return nil
	}
	answer, err := s.ctrl.command("AUTH TLS")
	switch {
	case err != nil:
		if err = s.fail("begin TLS", err); protocols.ReasonOf(err) == protocols.Broken {
			return &unsecured{err}
		}
		return err
	case answer.code == 421:
		return s.refusal("begin TLS", answer)
	case answer.code != 234:
		s.unsecured = s.refusal("begin TLS", answer)
		return nil
	}
	err = s.dialer.StartTLS(s.conn, r.addr, s.ctrl.in.Buffered())
	if protocols.ReasonOf(err) == protocols.Insecure {
		return &unsecured{err}
	}
	return err
}

func (s *session) tls() bool { return s.conn != nil && s.conn.Security().Protocol != "" }

// protect makes data connections use TLS if the control connection does (RFC 4217,
// section 9). The server may refuse it, except for a ftps URL.
func (s *session) protect(r *request) error {
	const op = "protect data connections"
	if !s.tls() {
		return nil
	}
	if _, err := s.command(op, "PBSZ 0"); ends(err) {
		return err
	}
	_, err := s.command(op, "PROT P")
	switch {
	case err == nil:
		s.protected = true
	case ends(err):
		return err
	case r.url.Secure:
		var e *protocols.Error
		errors.As(err, &e)
		e.Reason = protocols.Insecure
		return e
	}
	return nil
}

// wantsTLS reports whether a server refuses because the session is in the clear
// (RFC 4217, section 2; vsftpd and proftpd say 530 and 522).
func (s *session) wantsTLS(answer reply) bool {
	if s.tls() || answer.code/100 != 5 {
		return false
	}
	switch answer.code {
	case 521, 522, 533, 534:
		return true
	}
	said := strings.ToLower(text(answer))
	return strings.Contains(said, "encrypt") || strings.Contains(said, "tls") || strings.Contains(said, "ssl")
}

// noTLS returns the error of a session in the clear at a server that wants TLS.
func (s *session) noTLS(op string, answer reply) error {
	e := s.refusal(op, answer)
	e.Reason, e.Err = protocols.Insecure, errors.New("the server wants TLS, which could not begin: "+s.shown(s.unsecured.Error()))
	return e
}

// clearLogin returns the error that ends a login in the clear after USER: the server
// wants TLS, or the user has not agreed to send the password.
func (s *session) clearLogin(c *Client, r *request, answer reply) error {
	switch {
	case s.tls():
		return nil
	case s.wantsTLS(answer):
		return s.noTLS("log in", answer)
	case answer.code != 331 || s.key.Login.Anonymous():
		return nil
	}
	if confirm := wire.Remember(c.Dialer.Memory, &c.plain).Ask(s.dialer.TLS.Pins, r.asked, r.addr, s.key.Login.User, c.PlainPasswords,
		"The server has no TLS: whoever is between here and there can read the password, and all that is transferred.",
		wire.DescribeRefusal(r.addr, s.unsecured, s.shown)); confirm != nil {
		return confirm
	}
	return nil
}

// noteUnsecured records err if the server ended the connection because of TLS. It
// returns false for any other err, and for a ftps URL.
func (c *Client) noteUnsecured(key wire.Key, r *request, err error) bool {
	u, ok := errors.AsType[*unsecured](err)
	if !ok || r.url.Secure {
		return false
	}
	c.broken.Store(key, u.why)
	return true
}
