package fetchtest

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// faultKind is what goes wrong.
type faultKind int

const (
	none  faultKind = iota
	stall           // nothing comes any more
	end             // the connection ends
	reset           // the connection is reset
	flood           // one endless line comes
	noise           // all octets come
)

// fault is what goes wrong after how many octets of the server.
type fault struct {
	kind faultKind
	at   int
}

// proxy stands between a client and an honest server, and lets something go
// wrong with what the server says. It counts over all its connections.
type proxy struct {
	listener net.Listener
	server   string
	fault    fault
	hit      chan struct{} // closed when it has gone wrong
	running  sync.WaitGroup

	mu      sync.Mutex
	passed  int
	conns   []net.Conn
	stopped bool
	wrong   bool
}

// proxy starts a proxy before a server of the target.
func (target Target) proxy(t testing.TB, server string, f fault) *proxy {
	t.Helper()
	if target.Datagrams {
		return startDatagramProxy(t, server, f)
	}
	return startProxy(t, server, f)
}

func startProxy(t testing.TB, server string, f fault) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: server, fault: f, hit: make(chan struct{})}
	p.running.Go(p.accept)
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// octets returns how much of the server has passed.
func (p *proxy) octets() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// stop ends it. It may be called twice.
func (p *proxy) stop() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.stopped = true
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// own keeps c to be closed by stop.
func (p *proxy) own(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		_ = c.Close()
		return false
	}
	p.conns = append(p.conns, c)
	return true
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if !p.own(client) {
			return
		}
		p.running.Go(func() { p.carry(client.(*net.TCPConn)) })
	}
}

func (p *proxy) carry(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil || !p.own(server) {
		return
	}
	defer server.Close()
	p.running.Go(func() { // what the client says
		buf := make([]byte, 4096)
		for {
			n, err := client.Read(buf)
			if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
				_ = server.Close()
				return
			}
		}
	})
	buf := make([]byte, 32<<10)
	for {
		if p.left() == 0 {
			p.goWrong(client)
			return
		}
		n, err := server.Read(buf)
		pass := buf[:p.take(n)]
		if _, werr := client.Write(pass); err != nil || werr != nil {
			return
		}
	}
}

// left returns how many octets may pass before it goes wrong.
func (p *proxy) left() int {
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

func (p *proxy) goWrong(client *net.TCPConn) {
	p.mu.Lock()
	first := !p.wrong
	p.wrong = true
	p.mu.Unlock()
	if first {
		close(p.hit)
	}
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
