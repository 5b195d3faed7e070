package fetchtest

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
)

// faultKind is the action of a proxy at a fault.
type faultKind int

const (
	noFault    faultKind = iota
	stallFault           // stops sending
	endFault             // closes the connection
	resetFault           // resets the connection
	floodFault           // sends an endless line
	noiseFault           // sends all pairs of octets
)

// fault is a fault and the number of octets that the proxy forwards before it.
type fault struct {
	kind   faultKind
	offset int
}

// proxy forwards connections to a server and injects a fault into the answers. It counts the octets
// that it forwards from the server in all connections.
type proxy struct {
	addr     string // host:port
	stop     func() // safe to call twice
	server   string
	fault    fault
	injected chan struct{} // closed at the first injection
	once     sync.Once     // guards closing injected

	mu     sync.Mutex
	passed int
}

// startProxy starts a proxy for the server at the address server. The proxy injects f.
func (target Target) startProxy(server string, f fault) (*proxy, error) {
	p := &proxy{server: server, fault: f, injected: make(chan struct{})}
	if target.Datagrams {
		return p, p.startDatagrams()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.addr, p.stop = l.Addr().String(), acceptConns(l, p.forward)
	return p, nil
}

// octets returns the number of octets that the proxy has forwarded from the server.
func (p *proxy) octets() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

func (p *proxy) forward(ctx context.Context, client net.Conn) {
	server, err := new(net.Dialer).DialContext(ctx, "tcp", p.server)
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	var running sync.WaitGroup
	defer running.Wait()
	defer server.Close()
	defer client.Close()
	running.Go(func() { // client to server
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	buf := make([]byte, 32<<10)
	for {
		if p.remaining() == 0 {
			p.injectFault(client.(*net.TCPConn))
			return
		}
		n, err := server.Read(buf)
		pass := buf[:p.countPassed(n)]
		if _, werr := client.Write(pass); err != nil || werr != nil {
			return
		}
	}
}

// remaining returns the number of octets that may pass before the fault, or 1 without a fault.
func (p *proxy) remaining() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.kind == noFault {
		return 1
	}
	return max(p.fault.offset-p.passed, 0)
}

func (p *proxy) countPassed(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.kind != noFault {
		n = min(n, p.fault.offset-p.passed)
	}
	p.passed += n
	return n
}

func (p *proxy) injectFault(client *net.TCPConn) {
	p.once.Do(func() { close(p.injected) })
	switch p.fault.kind {
	case stallFault:
		discarded := make([]byte, 1)
		for { // until the client closes the connection; forward reads from client too, and then both get an error
			if _, err := client.Read(discarded); err != nil {
				return
			}
		}
	case resetFault:
		_ = client.SetLinger(0)
	case floodFault:
		block := bytes.Repeat([]byte("a"), 64<<10)
		for range floodOctets / len(block) {
			if _, err := client.Write(block); err != nil {
				return
			}
		}
	case noiseFault:
		var all []byte
		for i := range 256 * 256 {
			all = append(all, byte(i), byte(i>>8))
		}
		_, _ = client.Write(all)
	}
}
