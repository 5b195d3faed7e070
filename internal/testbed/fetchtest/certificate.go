package fetchtest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"testing"
)

// NewSelfSigned returns the TLS configuration of a server on 127.0.0.1 with a self-signed
// certificate, and a pool that contains the certificate.
func NewSelfSigned(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, roots
}
