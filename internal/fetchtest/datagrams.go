package fetchtest

import (
	"bytes"
	"net"
	"testing"
)

// startDatagramProxy is startProxy for UDP. Datagrams pass whole or not at all.
func startDatagramProxy(t testing.TB, server string, f fault) *proxy {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: packetListener{c}, server: server, fault: f, hit: make(chan struct{})}
	p.running.Go(func() { p.carryDatagrams(c) })
	return p
}

// packetListener gives the socket of a proxy its address and its end.
type packetListener struct{ net.PacketConn }

func (packetListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (l packetListener) Addr() net.Addr          { return l.LocalAddr() }

// carryDatagrams passes on what clients say, each over a socket of its own.
func (p *proxy) carryDatagrams(c net.PacketConn) {
	servers := map[string]net.Conn{}
	buf := make([]byte, 1<<16)
	for {
		n, client, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		if p.left() == 0 {
			p.goWrongWith(c, client)
			continue
		}
		server := servers[client.String()]
		if server == nil {
			if server, err = net.Dial("udp", p.server); err != nil || !p.own(server) {
				return
			}
			servers[client.String()] = server
			p.running.Go(func() { p.answerDatagrams(c, client, server) })
		}
		_, _ = server.Write(buf[:n])
	}
}

func (p *proxy) answerDatagrams(c net.PacketConn, client net.Addr, server net.Conn) {
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		switch {
		case err != nil:
			return
		case p.fault.kind != none && p.left() < n:
			p.goWrongWith(c, client)
			return
		}
		p.take(n)
		_, _ = c.WriteTo(buf[:n], client)
	}
}

// goWrongWith lets nothing pass any more and does the harm to a client.
func (p *proxy) goWrongWith(c net.PacketConn, client net.Addr) {
	p.mu.Lock()
	first := !p.wrong
	p.wrong = true
	p.passed = max(p.passed, p.fault.at)
	p.mu.Unlock()
	if first {
		close(p.hit)
	}
	switch p.fault.kind {
	case end, reset:
		_ = c.Close()
	case flood:
		block := bytes.Repeat([]byte("a"), 1200)
		for range floodOctets / len(block) {
			if _, err := c.WriteTo(block, client); err != nil {
				return
			}
		}
	case noise:
		for i := range 1 << 16 {
			_, _ = c.WriteTo([]byte{byte(i), byte(i >> 8), byte(i), byte(i >> 8), byte(i)}, client)
		}
	}
}
