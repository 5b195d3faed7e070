package wire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// chosen are wire.Identities in memory, by the path that is asked for.
type chosen map[string]*wire.Identity

func (c chosen) Choose(_, path string) (*wire.Identity, error) { return c[path], nil }

func newIdentity(t *testing.T, name string) *wire.Identity {
	t.Helper()
	return &wire.Identity{Name: name, Fingerprint: name, Certificate: (*issuer)(nil).sign(t, certificate(name, time.Hour))}
}

// startAsking starts a server as startTLS does, which asks for a certificate. It sends the common name of each client to the
// channel, also in a resumed session, or "".
func startAsking(t *testing.T, auth tls.ClientAuthType, version uint16) (addr string, names <-chan string) {
	t.Helper()
	seen := make(chan string, 10)
	return startTLS(t, &tls.Config{
		Certificates: []tls.Certificate{(*issuer)(nil).sign(t, certificate("server", time.Hour))}, ClientAuth: auth, MaxVersion: version,
		VerifyConnection: func(s tls.ConnectionState) error {
			name := ""
			if len(s.PeerCertificates) > 0 {
				name = s.PeerCertificates[0].Subject.CommonName
			}
			seen <- name
			return nil
		},
	}), seen
}

// TestIdentitySessions checks that a session made with an identity is resumed only for requests with it, and that the resumed
// session still says who the server knows.
func TestIdentitySessions(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		addr, names := startAsking(t, tls.RequestClientCert, version)
		d := acceptAny
		d.TLS.Sessions = tls.NewLRUClientSessionCache(0)
		d.TLS.Identities = chosen{"/alice": newIdentity(t, "alice"), "/bob": newIdentity(t, "bob")}
		for _, path := range []string{"/alice", "/", "/bob", "/alice", "/", "/bob"} {
			d.TLS.Path = path
			c := fetchtest.Must(d.DialTLS(t.Context(), addr))(t)
			fetchtest.Must(exchangeLine(c))(t)
			want := strings.TrimPrefix(path, "/")
			fetchtest.Equal(t, <-names, want, "%x: whom the server knows at %s", version, path)
			fetchtest.Equal(t, c.Security().Identity, want, "%x: the identity sent at %s", version, path)
		}
	}
}

// TestUnaskedIdentity checks that a server that does not ask gets no identity, and that its sessions are resumed.
func TestUnaskedIdentity(t *testing.T) {
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	resumed := make(chan bool, 2)
	addr := startTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}, VerifyConnection: func(s tls.ConnectionState) error {
		resumed <- s.DidResume
		return nil
	}})
	d := acceptAny
	d.TLS.Sessions, d.TLS.Identities = tls.NewLRUClientSessionCache(0), chosen{"": newIdentity(t, "alice")}
	for _, again := range []bool{false, true} {
		c := fetchtest.Must(d.DialTLS(t.Context(), addr))(t)
		fetchtest.Must(exchangeLine(c))(t)
		if s := c.Security(); s.Identity != "" || s.AsksIdentity || <-resumed != again {
			t.Errorf("got %+v; want no identity, resumed %v", s, again)
		}
	}
}

// TestRequiredIdentity checks the errors of servers that require an identity: in the handshake, or in TLS 1.3 after it.
func TestRequiredIdentity(t *testing.T) {
	unsent := newIdentity(t, "expired")
	unsent.Unsent = &protocols.Confirm{Question: "Send it"}
	unattended := protocols.Unattended(t.Context(), nil)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for name, tt := range map[string]struct {
			ctx  context.Context
			auth tls.ClientAuthType
			id   *wire.Identity
			want string // the name in the IdentityError; "-": there is none
		}{
			"none":            {t.Context(), tls.RequireAnyClientCert, nil, ""},
			"sent":            {t.Context(), tls.RequireAnyClientCert, newIdentity(t, "alice"), "-"},
			"not accepted":    {t.Context(), tls.RequireAndVerifyClientCert, newIdentity(t, "alice"), "alice"},
			"without a user":  {unattended, tls.RequireAnyClientCert, newIdentity(t, "alice"), ""},
			"must be asked":   {t.Context(), tls.RequestClientCert, unsent, "-"},
			"optional, none":  {t.Context(), tls.RequestClientCert, nil, "-"},
			"optional, other": {unattended, tls.RequestClientCert, newIdentity(t, "alice"), "-"},
		} {
			addr, _ := startAsking(t, tt.auth, version)
			d := acceptAny
			d.TLS.Identities = chosen{"": tt.id}
			c, err := d.DialTLS(tt.ctx, addr)
			if err == nil {
				_, err = exchangeLine(c)
			}
			refused, ok := errors.AsType[*wire.IdentityError](err)
			switch {
			case name == "must be asked":
				fetchtest.As[*protocols.Confirm](t, err)
			case tt.want == "-" && err != nil, tt.want != "-" && (!ok || refused.Sent != tt.want || refused.Addr != addr):
				t.Errorf("%x, %s: got %v, want an IdentityError about %q", version, name, err, tt.want)
			}
		}
	}
}

// TestResetAfterAlert checks that the alert of a server that wants an identity is the cause of an error, not the reset after it.
func TestResetAfterAlert(t *testing.T) {
	l := fetchtest.CloseAtEnd(net.Listen("tcp", "127.0.0.1:0"))(t)
	config := &tls.Config{Certificates: []tls.Certificate{(*issuer)(nil).sign(t, certificate("server", time.Hour))}, ClientAuth: tls.RequireAnyClientCert}
	reset := make(chan struct{})
	go func() {
		defer close(reset)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_ = tls.Server(conn, config).Handshake()
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}()
	c := fetchtest.CloseAtEnd(acceptAny.DialTLS(t.Context(), l.Addr().String()))(t)
	err := c.Handshake()
	<-reset
	if err == nil {
		_, err = c.Write([]byte("x"))
	}
	if _, ok := errors.AsType[*wire.IdentityError](err); !ok {
		t.Errorf("got %v, want an IdentityError", err)
	}
}
