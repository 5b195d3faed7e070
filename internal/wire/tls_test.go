package wire_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// issuer signs certificates.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	template := certificate("issuer", time.Hour)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	made := (*issuer)(nil).sign(t, template)
	return &issuer{made.Leaf, made.PrivateKey.(*ecdsa.PrivateKey)}
}

// certificate returns a template for 127.0.0.1 that expires after the duration valid.
func certificate(name string, valid time.Duration) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(valid), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// sign signs a certificate for a new key. If i is nil, the certificate is self-signed.
func (i *issuer) sign(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key := fetchtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	parent, signer := template, key
	if i != nil {
		parent, signer = i.cert, i.key
	}
	der := fetchtest.Must(x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer))(t)
	leaf := fetchtest.Must(x509.ParseCertificate(der))(t)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// pins are wire.Pins in memory.
type pins struct {
	mu         sync.Mutex
	m          map[string]string
	remembered []string // addresses of the remembered pins
}

func (p *pins) Pin(addr string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.m[addr]
	return s, ok
}

func (p *pins) Agree(addr, fingerprint string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[addr] = fingerprint
}

func (p *pins) Remember(addr, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remembered = append(p.remembered, addr)
}

// startTLS starts a server that sends hello over TLS and repeats a line.
func startTLS(t *testing.T, config *tls.Config) (addr string) {
	t.Helper()
	return fetchtest.Serve(t, func(plain net.Conn) {
		c := tls.Server(plain, config)
		defer c.Close()
		_, _ = io.WriteString(c, "hello\n")
		if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, line)
		}
	})
}

// exchangeLine sends a line over c and returns all that the server of [startTLS] sends.
func exchangeLine(c *wire.Conn) (string, error) {
	defer c.Close()
	if _, err := io.WriteString(c, "line\n"); err != nil {
		return "", err
	}
	b, err := io.ReadAll(c)
	return string(b), err
}

func TestTLS(t *testing.T) {
	ca := newIssuer(t)
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	good := ca.sign(t, certificate("good", time.Hour))
	selfSigned := (*issuer)(nil).sign(t, certificate("self", time.Hour))
	wrongHost := certificate("wrong", time.Hour)
	wrongHost.IPAddresses, wrongHost.DNSNames = nil, []string{"other.example", "\x1b[31m.example"}
	early := certificate("early", 2*time.Hour)
	early.NotBefore = time.Now().Add(time.Hour)
	client := certificate("client", time.Hour)
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	const asked, other = "asked", "other"
	for _, tt := range []struct {
		name string
		cert tls.Certificate
		pin  string // "": there are no pins; asked: the pins lack the certificate; other: another certificate is pinned
		want string // text in the error or the question; "" for success
	}{
		{"good", good, "", ""},
		{"good, was another", good, other, ""},
		{"self-signed, nobody to ask", selfSigned, "", "is not signed by an issuer that this system knows"},
		{"self-signed", selfSigned, asked, "is not signed by an issuer that this system knows"},
		{"self-signed, changed", selfSigned, other, "is not the certificate that was trusted before"},
		{"unknown issuer", newIssuer(t).sign(t, certificate("x", time.Hour)), asked, "is not signed by"},
		{"wrong host", ca.sign(t, wrongHost), asked, `is for "other.example, ␛[31m.example", not for 127.0.0.1`},
		{"expired", ca.sign(t, certificate("old", -time.Hour)), asked, "expired on"},
		{"not valid yet", ca.sign(t, early), asked, "is the clock of this machine right?"},
		{"for another use", ca.sign(t, client), "", "is not for servers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := startTLS(t, &tls.Config{Certificates: []tls.Certificate{tt.cert}})
			d := wire.Dialer{TLS: wire.TLS{Roots: roots}}
			known := &pins{m: map[string]string{}}
			if tt.pin != "" {
				d.TLS.Pins = known
			}
			if tt.pin == other {
				known.m[addr] = other
			}
			trust := protocols.Verified
			c, err := d.DialTLS(t.Context(), addr)
			var confirm *protocols.Confirm
			switch {
			case tt.want == "":
			case tt.pin == "":
				if protocols.ReasonOf(err) != protocols.Insecure || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want Insecure with %q", err, tt.want)
				}
				return
			case !errors.As(err, &confirm) || !strings.Contains(confirm.Reason, tt.want) || !strings.Contains(confirm.Question, addr):
				t.Fatalf("got %#v, want a question with %q", err, tt.want)
			default:
				details := strings.Join(confirm.Details, "\n")
				if changed := tt.pin == other; changed != strings.HasPrefix(details, "was: other\nnow: SHA-256 ") ||
					changed == (confirm.Consent == protocols.ConsentCertificate) {
					t.Errorf("got %q, consent %v", details, confirm.Consent)
				}
				if _, err := d.DialTLS(t.Context(), addr); !errors.As(err, new(*protocols.Confirm)) {
					t.Errorf("without consent: got %v, want the question again", err)
				}
				confirm.GiveConsent()
				trust = protocols.Pinned
				c, err = d.DialTLS(t.Context(), addr)
			}
			fetchtest.NoError(t, err)
			if s := c.Security(); s.Trust != trust || s.Protocol != "TLS 1.3" || !strings.HasPrefix(s.Fingerprint, "SHA-256 ") || !s.IsSecure() {
				t.Errorf("got %+v, want %v", s, trust)
			}
			fetchtest.Returns(t, "hello\nline\n")(exchangeLine(c))
			if len(known.remembered) > 0 != (trust == protocols.Pinned) {
				t.Errorf("remembered %q, trust %v; want an address only if Pinned", known.remembered, trust)
			}
		})
	}
}

// TestTLSUnverified checks that any certificate is accepted and reported as unverified.
func TestTLSUnverified(t *testing.T) {
	client := certificate("client", time.Hour)
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	cert := (*issuer)(nil).sign(t, client)
	c := fetchtest.Must(acceptAny.DialTLS(t.Context(), startTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}})))(t)
	defer c.Close()
	if s := c.Security(); s.Trust != protocols.Unverified || s.Protocol == "" || s.IsSecure() {
		t.Errorf("got %+v, want TLS that is not secure", s)
	}
}

// acceptAny accepts any certificate.
var acceptAny = wire.Dialer{TLS: wire.TLS{Roots: x509.NewCertPool(), Unverified: true}}

// TestStartTLSOnUse checks that the handshake is not made before the first use.
func TestStartTLSOnUse(t *testing.T) {
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	for _, use := range []string{"read", "handshake"} {
		addr := fetchtest.Serve(t, func(c net.Conn) {
			_, _ = io.WriteString(c, "+")
			_, _ = io.WriteString(tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}), "secret")
			readUntilClosed(c)
		})
		c := fetchtest.Must(acceptAny.Dial(t.Context(), addr))(t)
		defer c.Close()
		fetchtest.Must(io.ReadFull(c, make([]byte, 1)))(t)
		acceptAny.StartTLSOnUse(c, addr)
		if c.Security().Protocol != "" {
			t.Error("the TLS handshake was made before the first use")
		}
		if use == "handshake" {
			if err := c.Handshake(); err != nil || c.Security().Protocol == "" {
				t.Errorf("Handshake() = %v, security %+v; want TLS", err, c.Security())
			}
		}
		got := make([]byte, len("secret"))
		if _, err := io.ReadFull(c, got); string(got) != "secret" || err != nil {
			t.Errorf("%s: got %q, %v; want secret", use, got, err)
		}
	}
}

// TestTLSPinsByAddress checks that a pin applies to one port of one host.
func TestTLSPinsByAddress(t *testing.T) {
	known := &pins{m: map[string]string{}}
	d := wire.Dialer{TLS: wire.TLS{Roots: x509.NewCertPool(), Pins: known}}
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	for range 2 {
		_, err := d.DialTLS(t.Context(), startTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}))
		confirm := fetchtest.As[*protocols.Confirm](t, err)
		confirm.GiveConsent()
	}
	if len(known.m) != 2 {
		t.Errorf("got pins %v, want two", known.m)
	}
}

// TestTLSFirstUse checks that the first certificate of a server is pinned without a question, as in
// Gemini. Another certificate leads to a question.
func TestTLSFirstUse(t *testing.T) {
	config := &tls.Config{NextProtos: []string{"h2"}}
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &config.Certificates[0], nil
	}
	change := func() {
		config.Certificates = []tls.Certificate{(*issuer)(nil).sign(t, certificate("x", -time.Hour))}
	}
	change()
	addr := startTLS(t, config)
	known := &pins{m: map[string]string{}}
	d := wire.Dialer{TLS: wire.TLS{Roots: x509.NewCertPool(), Pins: known, FirstUse: true, Protocols: "h2 http/1.1"}}
	trust := func() (protocols.Trust, error) {
		c, err := d.DialTLS(t.Context(), addr)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		fetchtest.Equal(t, c.Protocol(), "h2", "the protocol")
		return c.Security().Trust, nil
	}
	for range 2 {
		if got, err := trust(); got != protocols.Pinned || err != nil || len(known.m) != 1 {
			t.Errorf("got %v, %v, pins %v; want the certificate pinned", got, err, known.m)
		}
	}
	change()
	_, err := trust()
	if confirm, ok := errors.AsType[*protocols.Confirm](err); !ok || confirm.Consent != protocols.ConsentAsked ||
		!strings.Contains(confirm.Question, "changed") {
		t.Errorf("another certificate: got %v, want a question", err)
	}
	d.TLS.Pins = nil
	fetchtest.Returns(t, protocols.Unverified, "without a memory")(trust())
}

// TestTLSUnprovenCertificate checks that a certificate is not remembered if the server lacks its key.
func TestTLSUnprovenCertificate(t *testing.T) {
	stolen := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	stolen.PrivateKey = (*issuer)(nil).sign(t, certificate("y", time.Hour)).PrivateKey
	sum := sha256.Sum256(stolen.Certificate[0])
	addr := startTLS(t, &tls.Config{Certificates: []tls.Certificate{stolen}})
	known := &pins{m: map[string]string{addr: "SHA-256 " + hex.EncodeToString(sum[:])}}
	d := wire.Dialer{TLS: wire.TLS{Roots: x509.NewCertPool(), Pins: known}}
	c, err := d.DialTLS(t.Context(), addr)
	if err == nil {
		_ = c.Close()
	}
	if protocols.ReasonOf(err) != protocols.Insecure || len(known.remembered) != 0 {
		t.Errorf("got %v, remembered %v; want Insecure and no pins", err, known.remembered)
	}
}

func TestTLSHandshakeFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limit  time.Duration
		handle func(net.Conn)
		want   protocols.Reason
		text   string
	}{
		{"stalls", time.Second, readUntilClosed, protocols.ConnectTimeout, ""},
		{
			"answers in the clear", 0,
			func(c net.Conn) { _, _ = io.WriteString(c, "220 hello there\r\n"); readUntilClosed(c) },
			protocols.Insecure, "answers without TLS",
		},
		{"closes", 0, func(c net.Conn) { _, _ = c.Read(make([]byte, 5000)) }, protocols.Insecure, "closed the connection"},
		{"has another version", 0, func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}).Handshake()
		}, protocols.Insecure, "version"},
		{"sends another message", 0, answerHello("\x16\x03\x03\x00\x04\x0e\x00\x00\x00"), protocols.Insecure, "unexpected handshake message"},
		{"sends another message, advice", 0, answerHello("\x16\x03\x03\x00\x04\x0e\x00\x00\x00"), protocols.Insecure, "or another port than"},
		{
			"refuses no certificate", 0, answerHello("\x15\x03\x03\x00\x02\x02\x2a"), protocols.Insecure,
			"requires a client certificate: choose an identity for it (bad certificate)",
		},
		{
			"does not know no certificate", 0, answerHello("\x15\x03\x03\x00\x02\x02\x2e"), protocols.Insecure,
			"requires a client certificate: choose an identity for it (unknown certificate)",
		},
		{"ends the handshake", 0, answerHello("\x15\x03\x03\x00\x02\x02\x32"), protocols.Insecure, "ended the handshake: error decoding message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p protocols.Progress
			_, err := wire.Dialer{Connect: tt.limit}.DialTLS(protocols.WithProgress(t.Context(), &p), fetchtest.Serve(t, tt.handle))
			if protocols.ReasonOf(err) != tt.want || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.text)
			}
			if s := p.State(); s.Phase != protocols.Connecting {
				t.Errorf("got phase %v, want Connecting", s.Phase)
			}
		})
	}
}

// answerHello returns a server that answers the first message of a handshake with octets.
func answerHello(octets string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 5000))
		_, _ = io.WriteString(c, octets)
		readUntilClosed(c)
	}
}

func TestTLSCancel(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	addr := fetchtest.Serve(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)); cancel(stopped); readUntilClosed(c) })
	fetchtest.FailsWith(t, stopped)((wire.Dialer{}).DialTLS(ctx, addr))
}

// TestTLSCancelWhileReading checks that a read over TLS ends with its context.
func TestTLSCancelWhileReading(t *testing.T) {
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := fetchtest.Must(acceptAny.DialTLS(ctx, startTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}})))(t)
	defer c.Close()
	fetchtest.Must(io.ReadFull(c, make([]byte, len("hello\n"))))(t)
	got := make(chan error, 1)
	go func() { _, err := c.Read(make([]byte, 1)); got <- err }()
	cancel(stopped)
	fetchtest.ErrorIs(t, <-got, stopped)
}

func TestStartTLS(t *testing.T) {
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	for _, injected := range []string{"", "250 injected\r\n"} {
		addr := fetchtest.Serve(t, func(c net.Conn) {
			_, _ = io.WriteString(c, "220 hi\r\n")
			if _, err := io.ReadFull(c, make([]byte, len("STARTTLS\r\n"))); err != nil {
				return
			}
			_, _ = io.WriteString(c, "220 go\r\n"+injected)
			secure := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
			_, _ = io.WriteString(secure, "secret\r\n")
			readUntilClosed(secure)
		})
		c := fetchtest.Must(acceptAny.Dial(t.Context(), addr))(t)
		defer c.Close()
		in := wire.NewLineReader(c)
		if _, _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
		fetchtest.Must(io.WriteString(c, "STARTTLS\r\n"))(t)
		if _, _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
		err := acceptAny.StartTLS(c, addr, in.Buffered())
		if injected != "" {
			// If the injected octets arrive after the call of Buffered, they are a malformed handshake.
			fetchtest.Reason(t, err, protocols.Insecure, "octets before the handshake")
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the connection is still open")
			}
			continue
		}
		fetchtest.NoError(t, err)
		if line, _, err := in.Next(); string(line) != "secret" || err != nil {
			t.Errorf("after StartTLS: got %q, %v; want secret", line, err)
		}
	}
}

// TestTLSSessions checks that a connection to another port of the host resumes the TLS session of
// the first connection. Both have the same server name.
func TestTLSSessions(t *testing.T) {
	cert := (*issuer)(nil).sign(t, certificate("x", time.Hour))
	resumed := make(chan bool, 2)
	config := &tls.Config{Certificates: []tls.Certificate{cert}, VerifyConnection: func(s tls.ConnectionState) error {
		resumed <- s.DidResume
		return nil
	}}
	control := startTLS(t, config)
	d := acceptAny
	d.TLS.Sessions = tls.NewLRUClientSessionCache(0)
	for i, addr := range []string{control, startTLS(t, config)} {
		c := fetchtest.Must(d.Dial(t.Context(), addr))(t)
		fetchtest.NoError(t, d.StartTLS(c, control, 0))
		fetchtest.Returns(t, "hello\nline\n")(exchangeLine(c))
		fetchtest.Equal(t, <-resumed, i == 1, "connection %d: resumed", i)
	}
}
