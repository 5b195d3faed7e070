package fetchtest

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"

	"gofer/internal/wire"
)

// FlakyRelay connects clients to servers through TCP relays on loopback. An outage resets all
// connections, then refuses a few new ones. FlakyRelay implements [wire.Proxies], so it relays the
// data connections of FTP too.
type FlakyRelay struct {
	t          testing.TB
	allOutages []outage
	running    sync.WaitGroup

	mu           sync.Mutex
	open         map[*net.TCPConn]bool // both ends of the relays
	outages      []outage              // outages still to happen
	toRefuse     int                   // number of connections to refuse
	refusedDials int                   // number of connections refused
	passed       int                   // octets relayed since the last outage
}

type outage struct {
	after  int // octets since the previous outage
	refuse int // number of connections to refuse
}

// NewFlakyRelay returns a FlakyRelay. The parameter count is the number of outages, which happen at
// random points before maxOctets octets have been relayed.
func NewFlakyRelay(t testing.TB, count, maxOctets int) *FlakyRelay {
	f := &FlakyRelay{t: t, open: make(map[*net.TCPConn]bool)}
	for range count {
		f.allOutages = append(f.allOutages, outage{1 + rand.N(maxOctets/count), 1 + rand.N(6)})
	}
	f.outages = f.allOutages
	return f
}

// Check waits for the end of all connections. It fails the test unless all outages happened. If
// there are outages, at least one connection must have been refused. If the test has failed it
// prints the outages.
func (f *FlakyRelay) Check() {
	f.t.Helper()
	f.running.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.outages) > 0 || (f.refusedDials == 0) != (len(f.allOutages) == 0) {
		f.t.Errorf("%d outages did not happen; %d connections were refused", len(f.outages), f.refusedDials)
	}
	if f.t.Failed() {
		f.t.Fatalf("the outages are %+v", f.allOutages)
	}
}

// Route implements [wire.Proxies].
func (f *FlakyRelay) Route(string) (wire.Route, error) { return f, nil }

func (f *FlakyRelay) String() string { return "a flaky relay" }

// Passed returns the number of octets relayed since the last outage.
func (f *FlakyRelay) Passed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.passed
}

// DialContext implements [wire.Route].
func (f *FlakyRelay) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.toRefuse > 0 {
		f.toRefuse--
		f.refusedDials++
		// No port is certain to refuse a connection, because another program may open it. So the
		// error does not come from the system.
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	r, err := dialRelay(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	f.open[r.accepted], f.open[r.server] = true, true
	var both sync.WaitGroup
	both.Go(func() { copyRelayed(r.accepted, r.server, f.countOctets) })
	both.Go(func() { copyRelayed(r.server, r.accepted, f.countOctets) })
	f.running.Go(func() {
		both.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range []*net.TCPConn{r.accepted, r.server} {
			_ = c.Close()
			delete(f.open, c)
		}
	})
	return r.client, nil
}

// countOctets counts n relayed octets and starts an outage if one is due. It returns false if it
// started an outage, because then the octets must be lost.
func (f *FlakyRelay) countOctets(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.passed += n; len(f.outages) == 0 || f.passed < f.outages[0].after {
		return true
	}
	f.passed, f.toRefuse, f.outages = 0, f.toRefuse+f.outages[0].refuse, f.outages[1:]
	for c := range f.open {
		_ = c.SetLinger(0)
		_ = c.Close()
	}
	return false
}
