package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"

	"gofer/protocols"
)

// Identities chooses the identities of the user for connections. It is safe for concurrent use.
type Identities interface {
	// Choose returns the identity that the user has accepted for path at addr ("host:port"), or nil. The path is "" if the
	// scheme has no paths.
	Choose(addr, path string) (*Identity, error)
}

// Identity is a certificate of the user with its key, by which a server knows the user (RFC 8446, section 4.4.2).
type Identity struct {
	Name        string // clean, as the user gave it
	Fingerprint string // "SHA-256 " and hexadecimal digits
	Certificate tls.Certificate
	// Unsent is the error of the handshake if the server asks for the identity, in place of sending it. It is nil if the
	// identity may be sent.
	Unsent error
}

// IdentityError is the cause of an error of a server that demands an identity of the user, or another one.
type IdentityError struct {
	Addr, Path string
	Sent       string // the name of the identity that was sent, or ""
	Detail     string // what else is known, clean, or ""
}

func (e *IdentityError) Error() string {
	text := "the server requires a client certificate: choose an identity for it"
	if e.Sent != "" {
		text = "the server does not accept the identity " + e.Sent + ": choose another one for it, or ask who runs the server"
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

// IdentityFor returns the identity of the user for a connection to addr, or nil. Work without the user sends one only where it
// may log in, see [protocols.MayLogIn].
func (d Dialer) IdentityFor(ctx context.Context, addr string) (*Identity, error) {
	if d.TLS.Identities == nil || !protocols.MayLogIn(ctx, d.TLS.Scheme, addr) {
		return nil, nil
	}
	return d.TLS.Identities.Choose(addr, d.TLS.Path)
}

// IdentityKey returns what distinguishes sessions with addr by the identity that they have sent, for [Key]. It is "" without
// one. Connecting reports an error of the choice.
func (d Dialer) IdentityKey(ctx context.Context, addr string) string {
	if id, err := d.IdentityFor(ctx, addr); err == nil && id != nil {
		return id.Fingerprint
	}
	return ""
}

// offer is an identity offered in one handshake. Only a server that asks gets it.
type offer struct {
	*Identity  // nil: there is none
	addr, path string
	asked      bool // the server asks for an identity
	sent       bool
	known      bool // the session to resume was made with the identity
}

// certificate implements GetClientCertificate of [tls.Config]. An identity that does not fit the request is sent anyway: the
// user chose it for the server, which then says why it does not fit.
func (o *offer) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	o.asked = true
	switch {
	case o.Identity == nil:
		return new(tls.Certificate), nil
	case o.Unsent != nil:
		return nil, o.Unsent
	}
	o.sent = true
	return &o.Certificate, nil
}

// name returns the name of the identity that the server knows the user by, or "".
func (o *offer) name(resumed bool) string {
	if o.sent || resumed && o.known {
		return o.Name
	}
	return ""
}

// sessions returns a view of a cache that keeps the sessions with an identity apart from all others, because a server knows
// the user in a resumed session without another certificate (RFC 8446, section 2.2).
func (o *offer) sessions(cache tls.ClientSessionCache) tls.ClientSessionCache {
	if cache == nil {
		return nil
	}
	return &offeredSessions{cache, o}
}

type offeredSessions struct {
	cache tls.ClientSessionCache
	offer *offer
}

// Get returns a session made with the identity, or else one that was made with the identity at hand for a server that did not
// ask. Without an identity, it returns a session made without one.
func (s *offeredSessions) Get(key string) (*tls.ClientSessionState, bool) {
	if s.offer.Identity == nil {
		return s.cache.Get(key)
	}
	if state, ok := s.cache.Get("known " + s.offer.Fingerprint + " " + key); ok {
		s.offer.known = true
		return state, true
	}
	return s.cache.Get("unasked " + s.offer.Fingerprint + " " + key)
}

func (s *offeredSessions) Put(key string, state *tls.ClientSessionState) {
	switch o := s.offer; {
	case o.Identity != nil && (o.sent || o.known):
		key = "known " + o.Fingerprint + " " + key
	case o.Identity != nil:
		key = "unasked " + o.Fingerprint + " " + key
	}
	s.cache.Put(key, state)
}

// describeAlert returns the error for err, an alert of the server about the certificate of the user (RFC 8446, section 6.2), or nil.
// Old servers answer "handshake failure" if they get none.
func (o *offer) describeAlert(err error) error {
	op, ok := errors.AsType[*net.OpError](err)
	if o == nil || !ok || op.Op != "remote error" {
		return nil
	}
	words := plainWords(op.Err)
	if !strings.Contains(words, "certificate") && (!o.asked || words != "handshake failure") {
		return nil
	}
	e := &IdentityError{Addr: o.addr, Path: o.path, Detail: words}
	if o.sent || o.known {
		e.Sent = o.Name
	}
	return insecureError(o.addr, e)
}
