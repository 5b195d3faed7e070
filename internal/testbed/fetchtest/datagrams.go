package fetchtest

import (
	"bytes"
	"net"
	"sync"
)

// startDatagrams starts the proxy for UDP. The proxy never splits datagrams.
func (p *proxy) startDatagrams() error {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	servers := map[string]net.Conn{} // one socket for each client
	running.Go(func() {
		receivePackets(c, func(client net.Addr, packet []byte) {
			if p.remaining() == 0 {
				p.injectDatagrams(c, client)
				return
			}
			server := servers[client.String()]
			if server == nil {
				var err error
				if server, err = net.Dial("udp", p.server); err != nil {
					return
				}
				servers[client.String()] = server
				running.Go(func() { p.answerDatagrams(c, client, server) })
			}
			_, _ = server.Write(packet)
		})
		for _, server := range servers {
			_ = server.Close()
		}
	})
	p.addr, p.stop = c.LocalAddr().String(), func() { _ = c.Close(); running.Wait() }
	return nil
}

func (p *proxy) answerDatagrams(c net.PacketConn, client net.Addr, server net.Conn) {
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		switch {
		case err != nil:
			return
		case p.fault.kind != noFault && p.remaining() < n:
			p.injectDatagrams(c, client)
			return
		}
		p.countPassed(n)
		_, _ = c.WriteTo(buf[:n], client)
	}
}

// injectDatagrams injects the fault. Afterwards the proxy forwards nothing.
func (p *proxy) injectDatagrams(c net.PacketConn, client net.Addr) {
	p.mu.Lock()
	p.passed = max(p.passed, p.fault.offset)
	p.mu.Unlock()
	p.once.Do(func() { close(p.injected) })
	switch p.fault.kind {
	case endFault, resetFault:
		_ = c.Close()
	case floodFault:
		block := bytes.Repeat([]byte("a"), 1200)
		for range floodOctets / len(block) {
			if _, err := c.WriteTo(block, client); err != nil {
				return
			}
		}
	case noiseFault:
		for i := range 1 << 16 {
			if _, err := c.WriteTo([]byte{byte(i), byte(i >> 8), byte(i), byte(i >> 8), byte(i)}, client); err != nil {
				return
			}
		}
	}
}
