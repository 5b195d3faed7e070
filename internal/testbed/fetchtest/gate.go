package fetchtest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"

	"gofer/internal/wire"
)

// Gate connects clients to servers over TCP relays on loopback. In an outage it resets all
// connections, and refuses new ones for some attempts. It implements [wire.Proxies], so that it also
// leads the data connections of FTP.
type Gate struct {
	t       testing.TB
	all     []outage
	running sync.WaitGroup

	mu      sync.Mutex
	open    map[*net.TCPConn]bool // the ends of the relays
	outages []outage              // that are still to come
	refuse  int                   // attempts to connect
	refused int                   // attempts until now
	passed  int                   // octets since the last outage
}

type outage struct {
	after  int // octets since the outage before
	refuse int // attempts to connect
}

// NewGate returns a Gate with a number of outages at random times while the octets pass.
func NewGate(t testing.TB, outages, octets int) *Gate {
	g := &Gate{t: t, open: make(map[*net.TCPConn]bool)}
	for range outages {
		g.all = append(g.all, outage{1 + rand.N(octets/outages), 1 + rand.N(6)})
	}
	g.outages = g.all
	return g
}

// Check waits for the end of all connections, and fails the test unless all outages came and refused
// attempts. It reports the outages of a test that failed.
func (g *Gate) Check() {
	g.t.Helper()
	g.running.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.outages) > 0 || (g.refused == 0) != (len(g.all) == 0) {
		g.t.Errorf("%d outages did not come; %d attempts were refused", len(g.outages), g.refused)
	}
	if g.t.Failed() {
		g.t.Fatalf("the outages are %+v", g.all)
	}
}

// Route implements [wire.Proxies].
func (g *Gate) Route(string) (wire.Route, error) { return g, nil }

func (g *Gate) String() string { return "a gate" }

// Passed returns how many octets have passed since the last outage.
func (g *Gate) Passed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed
}

// DialContext implements [wire.Route].
func (g *Gate) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse > 0 {
		g.refuse--
		g.refused++
		// Another program may open any port that is closed now.
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	server, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	client, err := new(net.Dialer).DialContext(ctx, network, l.Addr().String())
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	side, err := l.Accept()
	for err == nil && side.RemoteAddr().String() != client.LocalAddr().String() { // of another program
		_ = side.Close()
		side, err = l.Accept()
	}
	if err != nil {
		return nil, errors.Join(err, client.Close(), server.Close())
	}
	a, b := side.(*net.TCPConn), server.(*net.TCPConn)
	g.open[a], g.open[b] = true, true
	var both sync.WaitGroup
	both.Go(func() { g.relay(a, b) })
	both.Go(func() { g.relay(b, a) })
	g.running.Go(func() {
		both.Wait()
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, c := range []*net.TCPConn{a, b} {
			_ = c.Close()
			delete(g.open, c)
		}
	})
	return client, nil
}

// relay copies one direction of a connection, and passes its end on.
func (g *Gate) relay(to, from *net.TCPConn) {
	buf := make([]byte, 512)
	for {
		n, err := from.Read(buf)
		if g.pass(n) {
			_, werr := to.Write(buf[:n])
			err = errors.Join(err, werr)
		}
		if errors.Is(err, io.EOF) {
			_ = to.CloseWrite()
			return
		}
		if err != nil {
			_ = to.SetLinger(0)
			_ = to.Close()
			return
		}
	}
}

// pass counts octets, and begins an outage if it is time. It returns false for octets that are lost.
func (g *Gate) pass(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passed += n; len(g.outages) == 0 || g.passed < g.outages[0].after {
		return true
	}
	g.passed, g.refuse, g.outages = 0, g.refuse+g.outages[0].refuse, g.outages[1:]
	for c := range g.open {
		_ = c.SetLinger(0)
		_ = c.Close()
	}
	return false
}
