package cli

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// authority is a certificate authority. A test decides whether gofer trusts it.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{key: fetchtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "issuer"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := fetchtest.Must(x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key))(t)
	a.certificate = fetchtest.Must(x509.ParseCertificate(der))(t)
	return a
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue returns the TLS configuration of a server at ip. The certificate expires at the time end.
func (a *authority) issue(t *testing.T, ip string, end time.Time) *tls.Config {
	t.Helper()
	key := fetchtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: time.Unix(0, 0), NotAfter: end,
		IPAddresses: []net.IP{net.ParseIP(ip)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der := fetchtest.Must(x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key))(t)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// ftpServer is an FTP server with one user and no anonymous login. It records all that it receives.
type ftpServer struct {
	addr           string
	user, password string
	tls            *tls.Config // nil if AUTH is refused

	mu       sync.Mutex
	received strings.Builder
}

func startFTPServer(t *testing.T, s *ftpServer) *ftpServer {
	t.Helper()
	s.addr = fetchtest.Serve(t, s.serve)
	return s
}

// all returns the recorded input.
func (s *ftpServer) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received.String()
}

// Write implements [io.Writer]: it records p.
func (s *ftpServer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received.Write(p)
}

func (s *ftpServer) serve(c net.Conn) {
	in := bufio.NewReader(io.TeeReader(c, s))
	say := func(format string, args ...any) { fmt.Fprintf(c, format+"\r\n", args...) }
	var data net.Listener
	defer func() {
		if data != nil {
			_ = data.Close()
		}
	}()
	user := ""
	say("220 here")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, argument, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch verb {
		case "AUTH":
			if s.tls == nil {
				say("500 no")
				continue
			}
			say("234 go on")
			c = tls.Server(c, s.tls)
			in = bufio.NewReader(io.TeeReader(c, s))
		case "USER":
			user = argument
			say("331 and the password")
		case "PASS":
			if user != s.user || argument != s.password {
				say("530 no")
				continue
			}
			say("230 in")
		case "PBSZ", "TYPE", "OPTS":
			say("200 good")
		case "PROT":
			say("534 in the clear")
		case "FEAT":
			say("211 none")
		case "PWD":
			say(`257 "/"`)
		case "EPSV":
			if data, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
				return
			}
			say("229 (|||%d|)", data.Addr().(*net.TCPAddr).Port)
		case "RETR", "STOR":
			say("150 now")
			if data == nil || !s.transfer(data, verb) {
				return
			}
			say("226 done")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("550 no such thing")
		}
	}
}

// transfer sends a file for RETR, and otherwise receives one.
func (s *ftpServer) transfer(data net.Listener, verb string) bool {
	d, err := data.Accept()
	_ = data.Close()
	if err != nil {
		return false
	}
	defer d.Close()
	if verb == "RETR" {
		_, err = io.WriteString(d, "private text\n")
	} else {
		_, err = io.Copy(s, d)
	}
	return err == nil
}
