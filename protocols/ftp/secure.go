package ftp

import (
	"crypto/tls"
	"errors"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// tlsFailure is the error of a connection that ended because TLS could not begin.
type tlsFailure struct{ err error }

func (u *tlsFailure) Error() string { return u.err.Error() }

func (u *tlsFailure) Unwrap() error { return u.err }

// dialControl opens the control connection.
func (s *session) dialControl(r *request) error {
	s.dialer.TLS.Sessions = tls.NewLRUClientSessionCache(1)                                  // reused by the data connections
	s.dialer.TLS.Unverified = s.key.Login.IsAnonymous() && !r.url.Secure && r.identity == "" // an unverified certificate is better than no TLS
	if r.url.Secure {
		s.dialer.TLS.PlainName = "ftp"
	}
	conn, err := s.dialer.Dial(s.ctx, r.addr)
	if err != nil {
		return err
	}
	conn.RecordLines()
	conn.MarksEnds = true
	s.conn, s.ctrl = conn, newControl(conn)
	s.hidePassword()
	return nil
}

// hidePassword masks the password of s.key in later lines of transcripts.
func (s *session) hidePassword() {
	password, _ := s.key.Login.Password()
	s.conn.Hide(password)
}

const authTLS = "AUTH TLS"

// beginTLS begins TLS by AUTH TLS (RFC 4217, section 4). If the server refuses the command,
// the session continues in the clear and tlsErr is set. If the connection is lost or the
// handshake fails, the error is a *tlsFailure. If the user may decide to trust the
// certificate, the error is a *[protocols.Confirm]. A server that requires another identity of the user has TLS, so that the
// session is not continued in the clear.
func (s *session) beginTLS(r *request) error {
	if s.tlsErr != nil || s.hasTLS() {
		return nil
	}
	answer, err := s.ctrl.roundTrip(authTLS)
	switch {
	case errors.Is(err, errOutOfStep):
		return err
	case err != nil:
		if err = s.convertError("begin TLS", err); protocols.ReasonOf(err) == protocols.Broken {
			return &tlsFailure{err}
		}
		return err
	case answer.code == 421:
		return s.newRefusalError("begin TLS", answer)
	case answer.code != 234:
		s.tlsErr = s.newRefusalError("begin TLS", answer)
		s.server.learn(func(h *habits) { h.NoTLS = answer.code >= 500 })
		return nil
	}
	err = s.startTLS(r)
	if _, refused := errors.AsType[*wire.IdentityError](err); protocols.ReasonOf(err) == protocols.Insecure && !refused {
		return &tlsFailure{err}
	}
	return err
}

// startTLS performs the handshake of the control connection. If the server asks for another key exchange than the
// first one offered, which takes one more round trip (RFC 8446, section 4.1.4), the next handshakes offer only this one.
func (s *session) startTLS(r *request) error {
	chosen := s.dialer.TLS.Curve != 0
	err := s.dialer.StartTLS(s.conn, r.addr, s.ctrl.in.Buffered())
	switch {
	case chosen && protocols.ReasonOf(err) == protocols.Insecure:
		s.server.learn(func(h *habits) { h.Curve = 0 })
		return &protocols.Error{Reason: protocols.Broken, Op: "begin TLS", Err: errStaleHabit}
	case err != nil:
		return err
	}
	curve, retried := s.conn.KeyExchange()
	if retried {
		s.dialer.TLS.Curve = curve
	}
	s.server.learn(func(h *habits) {
		if h.NoTLS = false; retried {
			h.Curve = curve
		}
	})
	return nil
}

func (s *session) hasTLS() bool { return s.conn != nil && s.conn.Security().Protocol != "" }

// protectData makes data connections use TLS if the control connection does (RFC 4217,
// section 9). A refusal is an error only for an ftps URL.
func (s *session) protectData(r *request) error {
	const op = "protect data connections"
	if !s.hasTLS() {
		return nil
	}
	if _, err := s.runCommand(op, "PBSZ 0"); endsSession(err) {
		return err
	}
	_, err := s.runCommand(op, "PROT P")
	switch {
	case err == nil:
		s.protectsData = true
	case endsSession(err):
		return err
	case r.url.Secure:
		var e *protocols.Error
		errors.As(err, &e)
		e.Reason = protocols.Insecure
		return e
	}
	return nil
}

// wantsTLS reports whether a reply refuses a command because the session has no TLS (RFC
// 4217, section 4.2; vsftpd replies with 530, ProFTPD with 522).
func (s *session) wantsTLS(answer reply) bool {
	if s.hasTLS() || answer.code/100 != 5 {
		return false
	}
	switch answer.code {
	case 521, 522, 533, 534:
		return true
	}
	words := strings.ToLower(replyText(answer))
	return strings.Contains(words, "encrypt") || strings.Contains(words, "tls") || strings.Contains(words, "ssl")
}

// newTLSRequiredError returns the error of the operation op. The parameter answer is the reply that
// refused the operation, because the session has no TLS.
func (s *session) newTLSRequiredError(op string, answer reply) error {
	e := s.newRefusalError(op, answer)
	if s.skippedTLS {
		s.server.learn(func(h *habits) { h.NoTLS = false })
		e.Err = errStaleHabit
		return e
	}
	e.Reason, e.Err = protocols.Insecure, errors.New("the server requires TLS, which could not begin: "+s.maskErrorText(s.tlsErr.Error()))
	return e
}

// checkPlainLogin returns an error if the password must not be sent in the clear: the server requires
// TLS, or the user has not agreed. The parameter answer is the reply to USER.
func (s *session) checkPlainLogin(c *Client, r *request, answer reply) error {
	switch {
	case s.hasTLS():
		return nil
	case s.wantsTLS(answer):
		return s.newTLSRequiredError(logInOp, answer)
	case answer.code != 331 || s.key.Login.IsAnonymous():
		return nil
	}
	if confirm := wire.Remember(c.Dialer.Memory, &c.consents).Ask(s.dialer.TLS.Pins, r.requestedURL, r.addr, s.key.Login.User, c.PlainPasswords,
		"The server offers no TLS: anyone on the network can read the password and all data.",
		wire.DescribeRefusal(r.addr, s.tlsErr, s.maskErrorText)); confirm != nil {
		return confirm
	}
	return nil
}
