package endtoend

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// startGophers starts a Gopher server with TLS that answers every selector with the same text.
func startGophers(t *testing.T) (addr string) {
	t.Helper()
	config, _ := fetchtest.NewSelfSigned(t)
	return fetchtest.Serve(t, func(plain net.Conn) {
		c := tls.Server(plain, config)
		defer c.Close()
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, "told in confidence\n")
		}
	})
}
