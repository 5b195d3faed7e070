package wire

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"gofer/protocols"
)

// TLS says which servers are trusted. The zero value trusts those whose
// certificate is signed by an issuer that the system knows.
type TLS struct {
	Roots *x509.CertPool // the issuers; nil: those of the system
	// Pins are for certificates of other issuers, and self-signed ones: the
	// first of a server is trusted from then on. nil: they are refused.
	Pins Pins
	// Sessions lets a connection resume the session of an earlier one to the
	// same host, as FTP servers want of data connections. nil: none does.
	Sessions tls.ClientSessionCache
}

// Pins remembers the certificates of servers, by "host:port". It is safe for
// concurrent use.
type Pins interface {
	// Pin returns the fingerprint that was remembered.
	Pin(addr string) (fingerprint string, ok bool)
	// Remember is called when a server has proved to have the certificate.
	Remember(addr, fingerprint string)
}

// DialTLS is [Dialer.Dial], and the TLS handshake within the same time limit.
// A server that cannot be trusted is an *[protocols.Error] with reason
// Insecure.
func (d Dialer) DialTLS(ctx context.Context, addr string) (*Conn, error) {
	return d.dial(ctx, "tcp", addr, func(dialCtx context.Context, c *Conn) error {
		return d.handshake(dialCtx, c, addr)
	})
}

// StartTLS secures a connection to the server at addr, which has agreed to it
// (STARTTLS, AUTH TLS). Unread is how many octets the caller has read ahead:
// they came in the clear, perhaps from somebody else, and are refused. After
// an error the connection is closed.
func (d Dialer) StartTLS(c *Conn, addr string, unread int) error {
	limit := or(d.Connect, DefaultConnect)
	c.progress.Enter(protocols.Connecting, addr, limit)
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	var err error
	if unread > 0 {
		err = insecure(addr, errors.New("the server sent something before TLS began"))
	} else {
		err = d.handshake(ctx, c, addr)
	}
	if err != nil {
		_ = c.Close()
		return err
	}
	c.progress.Enter(protocols.Waiting, addr, c.firstByte)
	return nil
}

func insecure(addr string, err error) *protocols.Error {
	return &protocols.Error{Reason: protocols.Insecure, Op: "set up TLS with " + addr, Err: err}
}

// handshake puts TLS on c, until ctx ends.
func (d Dialer) handshake(ctx context.Context, c *Conn, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return insecure(addr, err)
	}
	host, _, _ = strings.Cut(host, "%") // the zone of an IPv6 address
	first := ""                         // the fingerprint to remember
	secure := tls.Client(c.raw, &tls.Config{
		ServerName:         host,
		ClientSessionCache: d.TLS.Sessions,
		InsecureSkipVerify: true, // verify does it, and knows pins
		VerifyConnection: func(state tls.ConnectionState) (err error) {
			if first, err = d.TLS.verify(addr, host, state); err != nil {
				return insecure(addr, err)
			}
			return nil
		},
	})
	_ = c.raw.SetDeadline(time.Time{})
	if err := secure.HandshakeContext(ctx); err != nil {
		return c.tlsError(ctx, addr, err)
	}
	if first != "" {
		d.TLS.Pins.Remember(addr, first)
	}
	c.Conn = secure
	return nil
}

// verify checks the certificate of a server. It returns the fingerprint that is
// to be remembered, if any.
func (t TLS) verify(addr, host string, state tls.ConnectionState) (first string, err error) {
	if len(state.PeerCertificates) == 0 {
		return "", errors.New("the server has no certificate")
	}
	leaf := state.PeerCertificates[0]
	options := x509.VerifyOptions{Roots: t.Roots, Intermediates: x509.NewCertPool(), DNSName: host}
	for _, c := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(c)
	}
	_, err = leaf.Verify(options)
	var noRoots x509.SystemRootsError
	if errors.As(err, &noRoots) {
		options.Roots = x509.NewCertPool()
		_, err = leaf.Verify(options)
	}
	if err == nil {
		return "", nil
	}
	sum := sha256.Sum256(leaf.Raw)
	fingerprint := "SHA-256 " + hex.EncodeToString(sum[:])
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		return "", invalid(err, leaf, host)
	}
	if t.Pins == nil {
		return "", fmt.Errorf("no issuer that this system knows has signed the server's certificate (fingerprint %s)", fingerprint)
	}
	switch pin, ok := t.Pins.Pin(addr); {
	case !ok:
		return fingerprint, nil
	case pin != fingerprint:
		return "", fmt.Errorf("the server's certificate is not the one of the first visit: its fingerprint was %s and is now %s. "+
			"Ask who runs the server whether it has a new one. If so, remove the old one of %s; if not, somebody else answers in its place", pin, fingerprint, addr)
	}
	return "", nil
}

// invalid says what is wrong with a certificate, whoever signed it.
func invalid(err error, leaf *x509.Certificate, host string) error {
	var wrong x509.HostnameError
	var bad x509.CertificateInvalidError
	switch {
	case errors.As(err, &wrong):
		names := slices.Clone(leaf.DNSNames)
		for _, ip := range leaf.IPAddresses {
			names = append(names, ip.String())
		}
		return fmt.Errorf("the server's certificate is for %.200q, not for %s", names, host)
	case errors.As(err, &bad) && bad.Reason == x509.Expired && time.Now().Before(leaf.NotBefore):
		return fmt.Errorf("the server's certificate is not valid before %s: is the clock of this machine right?", leaf.NotBefore.UTC().Format(time.DateTime))
	case errors.As(err, &bad) && bad.Reason == x509.Expired:
		return fmt.Errorf("the server's certificate expired on %s: tell who runs the server", leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return fmt.Errorf("the server's certificate is not valid: %.200q", err.Error())
}

// tlsError is the error of a handshake.
func (c *Conn) tlsError(ctx context.Context, addr string, err error) error {
	var e *protocols.Error
	var op *net.OpError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &e):
		return e
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case ctx.Err() != nil:
		return &protocols.Error{Reason: protocols.ConnectTimeout, Op: "set up TLS with " + addr}
	case errors.As(err, &header):
		return insecure(addr, errors.New("the server answers without TLS: try the URL without it, or another port"))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return insecure(addr, errors.New("the server closed the connection: it may have no TLS at this port"))
	case errors.As(err, &op) && op.Op != "remote error" && op.Op != "local error":
		return &protocols.Error{Reason: protocols.Broken, Op: "set up TLS with " + addr, Err: plain(err)}
	}
	return insecure(addr, plain(err))
}
