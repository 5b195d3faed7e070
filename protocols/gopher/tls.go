package gopher

import (
	"bufio"
	"cmp"
	"context"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// A TLS server answers a request in the clear with an alert (RFC 8446, section 6). A TLS server does not
// answer a request that is shorter than the header of a record.
const (
	recordHeader = 5
	alertSize    = 7
)

// probeAfter is the time after which TLS is tried if a short request is not answered.
const probeAfter = 2 * time.Second

// isAlert reports whether an answer is an alert of TLS and nothing else.
func isAlert(r *bufio.Reader) bool {
	if b, err := r.Peek(1); err != nil || b[0] != 0x15 {
		return false
	}
	b, _ := r.Peek(alertSize)
	return len(b) == alertSize && b[1] == 3 && b[2] <= 4 && b[3] == 0 && b[4] == 2 && (b[5] == 1 || b[5] == 2)
}

func newTLSError(g urlcore.Gopher) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "open " + g.String(), Err: protocols.ErrTLS}
}

// describeClosedConnection returns a note that the server closed the connection without an answer. The note
// proposes TLS, because some TLS servers close such a connection.
func describeClosedConnection(g urlcore.Gopher) string {
	s := "the server closed the connection without an answer"
	if u, ok := g.ByTLS(); ok && !g.Secure {
		s += "; it may want TLS: " + u.String()
	}
	return s
}

// awaitAnswer waits for the first octet of an answer. A TLS server does not answer a short request;
// awaitAnswer detects this with a second connection.
func (c *Client) awaitAnswer(conn *wire.Conn, r *bufio.Reader, g urlcore.Gopher, sent string) error {
	if g.Secure || len(sent) >= recordHeader {
		_, err := r.Peek(1)
		return err
	}
	ctx, stop := context.WithCancel(conn.Context())
	defer stop()
	probed := make(chan bool, 1)
	go func() {
		found := c.speaksTLS(ctx, g.Addr())
		if found {
			conn.Abort()
		}
		probed <- found
	}()
	_, err := r.Peek(1)
	stop()
	if found := <-probed; found && err != nil {
		return newTLSError(g)
	}
	return err
}

// speaksTLS waits for the time probeAfter, opens a connection and reports whether the server accepts TLS.
// The connection does not appear in the progress or the transcript of the fetch.
func (c *Client) speaksTLS(ctx context.Context, addr string) bool {
	wait := cmp.Or(c.probeAfter, probeAfter)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
	}
	d := c.Dialer
	d.TLS = wire.TLS{Unverified: true}
	conn, err := d.DialTLS(protocols.WithTranscript(protocols.WithProgress(ctx, nil), nil), addr)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
