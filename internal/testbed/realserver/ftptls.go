package realserver

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"
)

// FTP servers that refuse logins and transfers without TLS. All except pure-ftpd also refuse
// transfers that do not resume the TLS session. Clients start TLS with the command AUTH TLS, but
// servers with implicit TLS speak TLS from the first octet.
var (
	vsftpdTLS      = sharedDaemon(func() (*Server, error) { return startVsftpd(vsftpdTLSConf) })
	vsftpdImplicit = sharedDaemon(func() (*Server, error) { return startVsftpd(vsftpdTLSConf + "implicit_ssl=YES\n") })
	proftpdTLS     = sharedDaemon(func() (*Server, error) {
		if _, err := findDaemon("proftpd", "usr/lib/proftpd/mod_tls.so"); err != nil {
			return nil, err
		}
		return startProftpd(proftpdTLSConf)
	})
	proftpdImplicit = sharedDaemon(func() (*Server, error) { return startProftpd(proftpdTLSConf + "TLSOptions UseImplicitSSL\n") })
	pureFTPdTLS     = sharedDaemon(func() (*Server, error) { return startPureFTPd("-Y", "3") })
)

// FTPDaemon is an FTP server and its protocol.
type FTPDaemon struct {
	Name   string
	Scheme string
	TLS    bool // refuses connections without TLS
	Start  func(testing.TB) *Server
}

// FTPDaemons returns the FTP servers: each without TLS, with AUTH TLS, and with TLS from the
// first octet, which pure-ftpd does not support.
func FTPDaemons() []FTPDaemon {
	return []FTPDaemon{
		{"vsftpd", "ftp", false, Vsftpd},
		{"proftpd", "ftp", false, Proftpd},
		{"pure-ftpd", "ftp", false, PureFTPd},
		{"vsftpd TLS", "ftp", true, vsftpdTLS},
		{"proftpd TLS", "ftp", true, proftpdTLS},
		{"pure-ftpd TLS", "ftp", true, pureFTPdTLS},
		{"vsftpd implicit TLS", "ftps", true, vsftpdImplicit},
		{"proftpd implicit TLS", "ftps", true, proftpdImplicit},
	}
}

// Roots returns a pool with the certificate of the server.
func (s *Server) Roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate)
	return roots
}

const vsftpdTLSConf = `ssl_enable=YES
allow_anon_ssl=YES
force_local_logins_ssl=YES
force_local_data_ssl=YES
force_anon_logins_ssl=YES
force_anon_data_ssl=YES
require_ssl_reuse=YES
ssl_ciphers=HIGH
rsa_cert_file=@dir@/cert.pem
rsa_private_key_file=@dir@/key.pem
`

const proftpdTLSConf = `LoadModule mod_tls.c
TLSEngine on
TLSLog @dir@/log/tls
TLSProtocol TLSv1.2 TLSv1.3
TLSRSACertificateFile @dir@/cert.pem
TLSRSACertificateKeyFile @dir@/key.pem
TLSRequired on
`

// writeCertificate writes a self-signed certificate for 127.0.0.1 and its key.
func (t *tree) writeCertificate() *x509.Certificate {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	made := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		t.err = err
		return nil
	}
	t.writeText("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]})))
	t.writeText("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	t.chmod("key.pem", 0o600)
	t.writeText("both.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))+
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]})))
	t.chmod("both.pem", 0o600)
	return s.Certificate()
}

// insecureTLS accepts any certificate; it is used with certificates created by writeCertificate.
var insecureTLS = &tls.Config{InsecureSkipVerify: true}
