package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// TLS configures the trust in servers. The zero value trusts the issuers that the system trusts.
type TLS struct {
	Roots      *x509.CertPool         // the trusted issuers; nil: the system's
	Pins       Pins                   // the certificates that the user trusts; nil: never ask
	FirstUse   bool                   // trust the first certificate of a server without a question, as in Gemini
	Unverified bool                   // accept any certificate, for servers that would otherwise be used without TLS
	Sessions   tls.ClientSessionCache // resumes TLS sessions with a host, which FTP servers require; nil: never
	Curve      tls.CurveID            // the only key exchange offered; 0: those of crypto/tls
	Protocols  string                 // the protocols offered (RFC 7301), the best first, separated by blanks
	PlainName  string                 // the scheme of the same protocol without TLS, which errors advise; "" for none
	Ends       Ends                   // the servers whose connections may end without close_notify; nil: none
	Identities Identities             // the identities of the user; nil: none
	Scheme     string                 // the scheme of the connections, for the rules about identities
	Path       string                 // the path that is asked for, which limits the identities; "" for schemes without paths
}

// Ends selects the servers whose connections may end without the alert close_notify (RFC 8446, section 6.1). See
// [Conn.Read].
type Ends interface {
	// TrustsEnd reports whether the connections to addr ("host:port") may end without the alert.
	TrustsEnd(addr string) bool
}

// Pins stores the agreed certificates by "host:port". It is safe for concurrent use.
type Pins interface {
	// Pin returns the fingerprint of the agreed certificate.
	Pin(addr string) (fingerprint string, ok bool)
	// Agree sets the fingerprint that Pin returns. It does no I/O.
	Agree(addr, fingerprint string)
	// Remember stores an agreed certificate after a successful handshake.
	Remember(addr, fingerprint string)
}

// DialTLS is like [Dialer.Dial], followed by the TLS handshake within the same time limit. If the
// server is not trusted, the error is an *[protocols.Error] with reason Insecure. If Pins is set
// and the user may trust the server, the error is a *[protocols.Confirm].
func (d Dialer) DialTLS(ctx context.Context, addr string) (*Conn, error) {
	return d.dial(ctx, "tcp", addr, func(dialCtx context.Context, c *Conn) error {
		return d.handshake(dialCtx, c, addr)
	})
}

// StartTLS secures a connection to the server at addr, which has agreed to use TLS (STARTTLS, AUTH
// TLS). The parameter unread is the number of octets that were received but not read. StartTLS
// fails if there are any: they came in the clear, perhaps from an attacker. After an error the
// connection is closed.
func (d Dialer) StartTLS(c *Conn, addr string, unread int) error {
	if unread > 0 {
		_ = c.Close()
		return insecureError(addr, errors.New("the server sent data before TLS began"))
	}
	d.postponeTLS(c, addr, orDefault(d.Connect, DefaultConnect))
	return c.startTLS()
}

// StartTLSOnUse starts TLS at the first read, write or Handshake of c, or earlier by
// [Conn.BeginHandshake]. The server of an FTP data connection begins TLS after its reply on the
// control connection (RFC 4217, section 10).
func (d Dialer) StartTLSOnUse(c *Conn, addr string) {
	d.postponeTLS(c, addr, orDefault(d.Connect, DefaultConnect)+c.firstByte) // the server may first search for the file
}

func (d Dialer) postponeTLS(c *Conn, addr string, limit time.Duration) {
	negotiate := sync.OnceValues(func() (*secured, error) {
		c.progress.Enter(protocols.Connecting, addr, limit)
		ctx, cancel := context.WithTimeout(c.ctx, limit)
		defer cancel()
		return d.negotiate(ctx, c, addr)
	})
	c.beginTLS = func() { _, _ = negotiate() }
	c.startTLS = sync.OnceValue(func() error {
		s, err := negotiate()
		if err != nil {
			_ = c.Close()
			return err
		}
		c.use(s)
		c.progress.Enter(protocols.Waiting, addr, c.firstByte)
		return nil
	})
}

// BeginHandshake begins the TLS handshake that [Dialer.StartTLSOnUse] postponed, without waiting for the server. The
// first read, write or Handshake of c waits for its end.
func (c *Conn) BeginHandshake() {
	if c.beginTLS != nil {
		go c.beginTLS() // ends when c is closed
	}
}

func insecureError(addr string, err error) *protocols.Error {
	return &protocols.Error{Reason: protocols.Insecure, Op: "set up TLS with " + addr, Err: err}
}

// handshake performs the TLS handshake of c, which fails when ctx ends.
func (d Dialer) handshake(ctx context.Context, c *Conn, addr string) error {
	s, err := d.negotiate(ctx, c, addr)
	if err == nil {
		c.use(s)
	}
	return err
}

// secured is what a handshake makes of a connection.
type secured struct {
	*tls.Conn
	end       *endRecorder
	trustsEnd bool
	security  protocols.Security
	offer     *offer
}

// use makes c use TLS.
func (c *Conn) use(s *secured) {
	c.Conn, c.end, c.trustsEnd, c.security, c.offer = s.Conn, s.end, s.trustsEnd, s.security, s.offer
}

// KeyExchange returns the key exchange of TLS, or 0 if it is unknown. The result retried reports whether the server had to
// ask for it in another round trip (RFC 8446, section 4.1.4).
func (c *Conn) KeyExchange() (curve tls.CurveID, retried bool) {
	secure, ok := c.Conn.(*tls.Conn)
	if !ok {
		return 0, false
	}
	state := secure.ConnectionState()
	return state.CurveID, state.HelloRetryRequest
}

// negotiate performs the TLS handshake over c. It does not change c, so that c can be closed at the same time.
func (d Dialer) negotiate(ctx context.Context, c *Conn, addr string) (*secured, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, insecureError(addr, err)
	}
	host, _, _ = strings.Cut(host, "%") // without the zone of an IPv6 address
	identity, err := d.IdentityFor(ctx, addr)
	if err != nil {
		return nil, err
	}
	offered := &offer{Identity: identity, addr: addr, path: d.TLS.Path}
	var id peer
	end := &endRecorder{Conn: c.raw}
	var curves []tls.CurveID
	if d.TLS.Curve != 0 {
		curves = append(curves, d.TLS.Curve)
	}
	secure := tls.Client(end, &tls.Config{
		ServerName:           host,
		ClientSessionCache:   offered.sessions(d.TLS.Sessions),
		CurvePreferences:     curves,
		NextProtos:           strings.Fields(d.TLS.Protocols),
		GetClientCertificate: offered.certificate,
		InsecureSkipVerify:   true, // verify checks the certificate and the pins
		VerifyConnection: func(state tls.ConnectionState) (err error) {
			id, err = d.TLS.verify(addr, host, state)
			return err
		},
	})
	_ = c.raw.SetDeadline(time.Time{})
	if err := secure.HandshakeContext(ctx); err != nil {
		if asked := offered.describeAlert(err); asked != nil && ctx.Err() == nil {
			return nil, asked
		}
		return nil, c.tlsError(ctx, addr, err, d.TLS.advice(addr))
	}
	if id.trust == protocols.Pinned {
		d.TLS.Pins.Remember(addr, id.fingerprint)
	}
	state := secure.ConnectionState()
	return &secured{
		Conn: secure, end: end, trustsEnd: d.TLS.Ends != nil && d.TLS.Ends.TrustsEnd(addr), offer: offered,
		security: protocols.Security{
			Protocol: tls.VersionName(state.Version), Trust: id.trust, Fingerprint: id.fingerprint,
			Identity: offered.name(state.DidResume), AsksIdentity: offered.asked,
		},
	}, nil
}

// advice returns what to try if the server at addr may have no TLS.
func (t TLS) advice(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	switch {
	case t.PlainName != "":
		return "try a URL with " + t.PlainName + ":, or another port than " + port
	case t.FirstUse: // Gemini is never without TLS
		return "try another port than " + port
	}
	return "try the URL without TLS, or another port than " + port
}

func (c *Conn) tlsError(ctx context.Context, addr string, err error, advice string) error {
	var e *protocols.Error
	var op *net.OpError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &e), protocols.QuestionOf(err) != nil:
		return err
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case ctx.Err() != nil:
		return &protocols.Error{Reason: protocols.ConnectTimeout, Op: "set up TLS with " + addr}
	case errors.As(err, &header):
		return insecureError(addr, errors.New("the server answers without TLS: "+advice))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return insecureError(addr, errors.New("the server closed the connection: it may have no TLS at this port: "+advice))
	case errors.As(err, &op) && op.Op != "remote error" && op.Op != "local error":
		return &protocols.Error{Reason: protocols.Broken, Op: "set up TLS with " + addr, Err: trimAddresses(err)}
	}
	if op != nil && op.Op == "remote error" {
		return insecureError(addr, describeAlert(trimAddresses(err)))
	}
	return insecureError(addr, describeTLS(trimAddresses(err), advice))
}

// tlsFaults are the words for errors of crypto/tls and for alerts of servers (RFC 8446, section 6.2). The first row whose
// text is in the error applies.
var tlsFaults = [...]struct{ text, words string }{
	{"handshake failure", "the server accepts none of the versions and ciphers of TLS that gofer has"},
	{"insufficient security", "the server accepts none of the versions and ciphers of TLS that gofer has"},
	{"protocol version", "the server has no version of TLS that is secure, 1.2 or 1.3"},
	{"unrecognized name", "the server does not know the host name of the URL"},
	{"unsupported type of public key", "the key of the server's certificate is of a kind that gofer does not support"},
	{"invalid signature by the server certificate", "the server does not prove that the certificate is its own"},
	{"access denied", "the server denies access"},
	{"no application protocol", "the server does not offer the protocol of the URL"},
	{"internal error", "the server reports an error of its own"},
	{"parse certificate", "the certificate of the server is malformed"},
}

// describeAlert returns an alert of a server in words (RFC 8446, section 6.2).
func describeAlert(err error) error {
	if known := findTLSFault(err); known != nil {
		return known
	}
	return errors.New("the server ended the handshake: " + plainWords(err))
}

// describeTLS returns err, an error of a handshake, in words. The parameter advice is what to try if the server may have no
// TLS.
func describeTLS(err error, advice string) error {
	if known := findTLSFault(err); known != nil {
		return known
	}
	switch text, words := err.Error(), plainWords(err); {
	case strings.Contains(words, "certificate"):
		return errors.New("the certificate of the server cannot be used (" + words + "): ask who runs the server")
	case strings.Contains(text, "tls: "), strings.Contains(text, "x509: "):
		return errors.New("the server does not follow TLS (" + words + "): " + advice)
	}
	return err
}

// findTLSFault returns the error with the words of tlsFaults for err, or nil.
func findTLSFault(err error) error {
	text := err.Error()
	for _, f := range tlsFaults {
		if strings.Contains(text, f.text) {
			return errors.New(f.words)
		}
	}
	return nil
}

// plainWords returns the text of an error of crypto/tls or crypto/x509 without the names of packages.
func plainWords(err error) string {
	return clean.Short(regexp.MustCompile(`\b(remote error|local error|tls|x509|asn1|crypto/\w+): `).ReplaceAllString(err.Error(), ""))
}
