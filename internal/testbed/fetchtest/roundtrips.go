package fetchtest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"gofer/internal/wire"
)

// RoundTrips counts the round trips for which a client waits, as a long line would show them, but without
// a clock and without a delay. It implements [wire.Proxies], so that the connections of a client pass
// through it: the control and data connections of FTP, TLS, several servers. Servers may be real ones.
//
//	trips := fetchtest.NewRoundTrips(t)
//	c := &ftp.Client{Dialer: wire.Dialer{Proxies: trips}}
//	got := trips.Count(func() { ... fetch and read ... })
//
// All connections share one time, counted in round trips. What the client sends leaves at the time of the
// client. What the server sends arrives one round trip after the last octet that the client had sent by
// then, on whichever connection. The client's time advances only by what it reads: an answer that nobody
// reads costs nothing, such as the one to QUIT. A new connection can be used one round trip after its dial
// began, so dials at the same time, or at the time of a command, cost one round trip together.
//
// The count is exact if the client reads the answers to what it has sent before it sends more, and is
// otherwise a bound: an answer that is still under way when the client sends again counts as an answer to
// that. Fetches at the same time share the count, so count them one by one. A server that replies only when it has
// accepted another connection, as FTP servers do to STOR, or when the client has acknowledged the end of that connection,
// as vsftpd does, takes one round trip more for each, which is not counted.
type RoundTrips struct {
	t testing.TB

	mu     sync.Mutex
	now    int // the time of the client
	sent   int // the time of the last octet from the client
	opened int // the time from which the newest connection can be used
}

// NewRoundTrips returns a RoundTrips whose connections end with the test.
func NewRoundTrips(t testing.TB) *RoundTrips { return &RoundTrips{t: t} }

// Count calls f and returns how many round trips f has waited for. Before f, the client waits until
// everything sent earlier is answered.
func (r *RoundTrips) Count(f func()) int {
	r.mu.Lock()
	r.now = max(r.now, r.sent+1, r.opened+1)
	begin := r.now
	r.mu.Unlock()
	f()
	return r.Now() - begin
}

// Now returns the time of the client in round trips. The difference of two times is what was waited for
// between them, for example up to the first line of a page.
func (r *RoundTrips) Now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Route implements [wire.Proxies].
func (r *RoundTrips) Route(string) (wire.Route, error) { return r, nil }

func (r *RoundTrips) String() string { return "a counter of round trips" }

// DialContext implements [wire.Route].
func (r *RoundTrips) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	r.mu.Lock()
	r.opened = r.now + 1
	c := &countedConn{trips: r, opened: r.opened}
	r.mu.Unlock()
	relay, err := dialRelay(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.TCPConn = relay.client
	var copying sync.WaitGroup
	copying.Go(func() { copyRelayed(relay.accepted, relay.server, c.arrive) })
	copying.Go(func() { copyRelayed(relay.server, relay.accepted, func(int) bool { return true }) })
	closeBoth := func() { _, _ = relay.accepted.Close(), relay.server.Close() }
	go func() { copying.Wait(); closeBoth() }()
	r.t.Cleanup(func() { closeBoth(); copying.Wait() })
	return c, nil
}

// countedConn is the client's end of a connection.
type countedConn struct {
	*net.TCPConn
	trips  *RoundTrips
	opened int // the time from which the client can use the connection

	// guarded by trips.mu
	arrivals []arrival // of the octets not read yet
	arrived  int       // octets
	read     int       // octets
	ended    bool      // the client has read the end, or has sent close_notify
}

// arrival is the time at which the octets up to end have arrived. The last octet is followed by the end of
// the stream.
type arrival struct{ at, end int }

// arrive records the arrival of octets from the server, or of the end of the stream.
func (c *countedConn) arrive(octets int) bool {
	r := c.trips
	r.mu.Lock()
	defer r.mu.Unlock()
	c.arrived += max(octets, 1) // the end counts as an octet
	at := max(r.sent, c.opened) + 1
	if last := len(c.arrivals) - 1; last >= 0 && c.arrivals[last].at == at {
		c.arrivals[last].end = c.arrived
	} else {
		c.arrivals = append(c.arrivals, arrival{at, c.arrived})
	}
	return true
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	r := c.trips
	r.mu.Lock()
	defer r.mu.Unlock()
	before := c.read
	c.read += n
	if errors.Is(err, io.EOF) {
		c.read, c.ended = c.arrived, true
	}
	for len(c.arrivals) > 0 && before < c.read {
		r.now = max(r.now, c.arrivals[0].at)
		if c.arrivals[0].end > c.read {
			break
		}
		before = c.arrivals[0].end
		c.arrivals = c.arrivals[1:]
	}
	return n, err
}

func (c *countedConn) Write(p []byte) (int, error) {
	if isAlert(p) {
		c.trips.mu.Lock()
		c.ended = true
		c.trips.mu.Unlock()
	} else {
		c.send()
	}
	return c.TCPConn.Write(p)
}

// isAlert reports whether p is an alert of TLS 1.2, or a record of the size of an alert of TLS 1.3 (RFC
// 8446, sections 5.2 and 6): close_notify, for which a server does not wait.
func isAlert(p []byte) bool {
	const alert, applicationData, alertSize = 21, 23, 5 + 2 + 1 + 16
	return len(p) > 0 && p[0] == alert || len(p) == alertSize && p[0] == applicationData
}

// CloseWrite sends the end of the stream.
func (c *countedConn) CloseWrite() error {
	c.send()
	return c.TCPConn.CloseWrite()
}

// Close sends the end of the stream, unless one side has ended the stream before: then the server waits
// for nothing from the client.
func (c *countedConn) Close() error {
	c.trips.mu.Lock()
	ended := c.ended
	c.trips.mu.Unlock()
	if !ended {
		c.send()
	}
	return c.TCPConn.Close()
}

// send records that the client sends something.
func (c *countedConn) send() {
	r := c.trips
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = max(r.now, c.opened)
	r.sent = r.now
}
