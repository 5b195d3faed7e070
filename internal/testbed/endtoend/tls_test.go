package endtoend

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// selfSigned is a certificate for 127.0.0.1 that no known issuer has signed.
func selfSigned() *tls.Config {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return &tls.Config{Certificates: s.TLS.Certificates}
}

// startGophers answers every selector with a text, by TLS.
func startGophers(t *testing.T) (addr string) {
	t.Helper()
	config := selfSigned()
	return fetchtest.Serve(t, func(plain net.Conn) {
		c := tls.Server(plain, config)
		defer c.Close()
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, "told in confidence\n")
		}
	})
}
