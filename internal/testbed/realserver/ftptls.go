package realserver

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"
)

// The servers with AUTH TLS refuse logins and transfers without, and those other than
// pure-ftpd also transfers that do not resume the TLS session. The implicit ones speak
// TLS from the first octet on.
var (
	vsftpdTLS      = daemon(func() (*Server, error) { return startVsftpd(vsftpdTLSConf) })
	vsftpdImplicit = daemon(func() (*Server, error) { return startVsftpd(vsftpdTLSConf + "implicit_ssl=YES\n") })
	proftpdTLS     = daemon(func() (*Server, error) {
		if _, err := find("proftpd", "usr/lib/proftpd/mod_tls.so"); err != nil {
			return nil, err
		}
		return startProftpd(proftpdTLSConf)
	})
	proftpdImplicit = daemon(func() (*Server, error) { return startProftpd(proftpdTLSConf + "TLSOptions UseImplicitSSL\n") })
	pureFTPdTLS     = daemon(func() (*Server, error) { return startPureFTPd("-Y", "3") })
)

// FTPDaemon is an FTP server, and how it is spoken to.
type FTPDaemon struct {
	Name   string
	Scheme string
	TLS    bool // it refuses everything else
	Start  func(testing.TB) *Server
}

// FTPDaemons are the FTP servers, each in the clear, with AUTH TLS, and with TLS
// from the first octet on, which pure-ftpd does not have.
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

// Roots are the certificates that vouch for the server: its own.
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

// certificate writes a self-signed certificate for 127.0.0.1 and its key.
func (t *tree) certificate() *x509.Certificate {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	made := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		t.err = err
		return nil
	}
	t.file("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]})))
	t.file("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	t.chmod("key.pem", 0o600)
	t.file("both.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))+
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]})))
	t.chmod("both.pem", 0o600)
	return s.Certificate()
}

// insecure is for a daemon whose certificate we have just made.
var insecure = &tls.Config{InsecureSkipVerify: true}
