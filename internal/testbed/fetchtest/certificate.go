package fetchtest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"testing"
)

// SelfSigned returns the configuration of a server on 127.0.0.1 whose certificate no
// known issuer has signed, and the only pool in which it is.
func SelfSigned(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, roots
}
