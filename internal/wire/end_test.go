package wire_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// cutConn is a connection that writes at most left octets.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Write(p []byte) (int, error) {
	n := min(c.left, len(p))
	c.left -= n
	if _, err := c.Conn.Write(p[:n]); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// TestUnmarkedEnd reads from TLS servers that close the connection after each possible octet of two records and the
// alert close_notify. Only a connection with the whole alert ends with io.EOF.
func TestUnmarkedEnd(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config, _ := fetchtest.NewSelfSigned(t)
		config.MinVersion, config.MaxVersion = version, version
		read := func(octets int, change func(*wire.Conn, *wire.Dialer)) (string, error) {
			addr := fetchtest.Serve(t, func(plain net.Conn) {
				cut := &cutConn{plain, 1 << 20}
				c := tls.Server(cut, config)
				if c.Handshake() == nil {
					cut.left = octets
					_, _ = io.WriteString(c, "one\r\n")
					_, _ = io.WriteString(c, "two\r\n")
					_ = c.CloseWrite()
				}
			})
			d := wire.Dialer{TLS: wire.TLS{Unverified: true}}
			change(nil, &d)
			conn := fetchtest.Must(d.DialTLS(t.Context(), addr))(t)
			defer conn.Close()
			change(conn, &d)
			b, err := io.ReadAll(conn)
			return string(b), err
		}
		strict := func(*wire.Conn, *wire.Dialer) {}
		whole := 0
		for ; ; whole++ {
			got, err := read(whole, strict)
			if err == nil {
				fetchtest.Equal(t, got, "one\r\ntwo\r\n", "octets before close_notify")
				break
			}
			if protocols.ReasonOf(err) != protocols.EndUnmarked || whole > 1000 {
				t.Fatalf("TLS %x cut after %d octets: got %q, error %v; want the reason EndUnmarked", version, whole, got, err)
			}
		}
		for name, change := range map[string]func(*wire.Conn, *wire.Dialer){
			"MarksEnds": func(c *wire.Conn, _ *wire.Dialer) {
				if c != nil {
					c.MarksEnds = true
				}
			},
			"Ends": func(_ *wire.Conn, d *wire.Dialer) {
				d.TLS.Ends = fetchtest.TrustEnds(func(string) bool { return true })
			},
		} {
			if got, err := read(0, change); got != "" || err != nil {
				t.Errorf("TLS %x without close_notify, %s: got %q, error %v; want the end", version, name, got, err)
			}
			if _, err := read(3, change); protocols.ReasonOf(err) != protocols.Broken || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("TLS %x cut in a record, %s: got %v, want the reason Broken", version, name, err)
			}
		}
	}
}
