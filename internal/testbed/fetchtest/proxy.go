package fetchtest

import (
	"bytes"
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
	listener net.Listener
	server   string
	fault    fault
	injected chan struct{} // closed at the first fault
	running  sync.WaitGroup

	mu      sync.Mutex
	passed  int
	conns   []net.Conn
	stopped bool
	faulty  bool
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
	p.listener = l
	p.running.Go(p.accept)
	return p, nil
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

// track has stop close c. It returns false if the proxy has stopped already.
func (p *proxy) track(c net.Conn) bool {
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
		if !p.track(client) {
			return
		}
		p.running.Go(func() { p.forward(client.(*net.TCPConn)) })
	}
}

func (p *proxy) forward(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil || !p.track(server) {
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
		if p.remaining() == 0 {
			p.inject(client)
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
	p.mu.Lock()
	first := !p.faulty
	p.faulty = true
	p.mu.Unlock()
	if first {
		close(p.injected)
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
