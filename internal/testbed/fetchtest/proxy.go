package fetchtest

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
)

// faultKind is a kind of fault.
type faultKind int

const (
	none  faultKind = iota
	stall           // nothing comes any more
	end             // the connection ends
	reset           // the connection is reset
	flood           // one endless line comes
	noise           // all octets come
)

// fault is injected after a number of octets of the server.
type fault struct {
	kind faultKind
	at   int
}

// proxy stands between a client and an honest server and injects a fault into what
// the server sends. It counts the octets of all its connections.
type proxy struct {
	addr     string // host:port
	stop     func() // may be called twice
	server   string
	fault    fault
	injected chan struct{} // closed at the first fault
	once     sync.Once     // closes it

	mu     sync.Mutex
	passed int
}

// startProxy starts a proxy in front of a server of the target.
func (target Target) startProxy(server string, f fault) (*proxy, error) {
	p := &proxy{server: server, fault: f, injected: make(chan struct{})}
	if target.Datagrams {
		return p, p.startDatagrams()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.addr, p.stop = l.Addr().String(), accept(l, p.forward)
	return p, nil
}

// octets returns how much of the server has passed.
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
	running.Go(func() { // from the client to the server
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	buf := make([]byte, 32<<10)
	for {
		if p.remaining() == 0 {
			p.inject(client.(*net.TCPConn))
			return
		}
		n, err := server.Read(buf)
		pass := buf[:p.take(n)]
		if _, werr := client.Write(pass); err != nil || werr != nil {
			return
		}
	}
}

// remaining returns how many octets may pass before the fault.
func (p *proxy) remaining() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.kind == none {
		return 1
	}
	return max(p.fault.at-p.passed, 0)
}

func (p *proxy) take(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.kind != none {
		n = min(n, p.fault.at-p.passed)
	}
	p.passed += n
	return n
}

func (p *proxy) inject(client *net.TCPConn) {
	p.once.Do(func() { close(p.injected) })
	switch p.fault.kind {
	case stall:
		gone := make([]byte, 1)
		for { // the other goroutine reads as well; either sees the end
			if _, err := client.Read(gone); err != nil {
				return
			}
		}
	case reset:
		_ = client.SetLinger(0)
	case flood:
		block := bytes.Repeat([]byte("a"), 64<<10)
		for range floodOctets / len(block) {
			if _, err := client.Write(block); err != nil {
				return
			}
		}
	case noise:
		var all []byte
		for i := range 256 * 256 {
			all = append(all, byte(i), byte(i>>8))
		}
		_, _ = client.Write(all)
	}
}
