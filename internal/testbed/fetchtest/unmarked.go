package fetchtest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/wire"
)

var _ wire.Ends = TrustEnds(nil)

// ServeUnmarked starts a server that answers each request and then closes the connection without a mark of its
// end: with TLS without the alert close_notify, and in the clear, if config is nil, by a reset. It returns the
// address of the server.
func ServeUnmarked(t testing.TB, config *tls.Config, answer string) (addr string) {
	return Serve(t, func(plain net.Conn) {
		c := plain
		if config != nil {
			c = tls.Server(plain, config)
		}
		in := bufio.NewReader(c)
		line, err := in.ReadString('\n')
		for isHTTP := strings.HasSuffix(line, " HTTP/1.1\r\n"); isHTTP && err == nil && line != "\r\n"; {
			line, err = in.ReadString('\n')
		}
		if _, writeErr := io.WriteString(c, answer); err != nil || writeErr != nil || config != nil {
			return
		}
		_ = plain.(*net.TCPConn).SetLinger(0)
	})
}

// TrustEnds implements [wire.Ends].
type TrustEnds func(addr string) bool

// TrustsEnd calls f.
func (f TrustEnds) TrustsEnd(addr string) bool { return f(addr) }
