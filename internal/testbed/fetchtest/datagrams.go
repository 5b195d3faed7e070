package fetchtest

import (
	"bytes"
	"net"
)

// startDatagrams starts the proxy for UDP. Datagrams pass whole or not at all.
func (p *proxy) startDatagrams() error {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.listener = packetListener{c}
	p.running.Go(func() { p.forwardDatagrams(c) })
	return nil
}

// packetListener gives the socket of a proxy its address and its end.
type packetListener struct{ net.PacketConn }

func (packetListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (l packetListener) Addr() net.Addr          { return l.LocalAddr() }

// forwardDatagrams sends what clients send to the server, each over a socket of its
// own.
func (p *proxy) forwardDatagrams(c net.PacketConn) {
	servers := map[string]net.Conn{}
	buf := make([]byte, 1<<16)
	for {
		n, client, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		if p.remaining() == 0 {
			p.injectDatagrams(c, client)
			continue
		}
		server := servers[client.String()]
		if server == nil {
			if server, err = net.Dial("udp", p.server); err != nil || !p.track(server) {
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
		case p.fault.kind != none && p.remaining() < n:
			p.injectDatagrams(c, client)
			return
		}
		p.take(n)
		_, _ = c.WriteTo(buf[:n], client)
	}
}

// injectDatagrams lets nothing pass any more and sends the fault to a client.
func (p *proxy) injectDatagrams(c net.PacketConn, client net.Addr) {
	p.mu.Lock()
	first := !p.faulty
	p.faulty = true
	p.passed = max(p.passed, p.fault.at)
	p.mu.Unlock()
	if first {
		close(p.injected)
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
			if _, err := c.WriteTo([]byte{byte(i), byte(i >> 8), byte(i), byte(i >> 8), byte(i)}, client); err != nil {
				return
			}
		}
	}
}
