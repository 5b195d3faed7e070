package wire

import (
	"context"
	"errors"
	"net"
	"net/netip"

	"gofer/protocols"
)

// Packet returns a Conn that exchanges UDP datagrams with addr ("host:port"), with the phases and
// errors of [Dialer.Dial]. The parameter size is the maximal size of a datagram, in octets. The Conn
// can still be written after a Read timed out.
//
// Answers may come from another port of the same address. IPv6 is used only if the host has no IPv4
// address or there is no route by IPv4: without a handshake Packet cannot see which address works.
func (d Dialer) Packet(ctx context.Context, addr string, size int) (*Conn, error) {
	ready := func(_ context.Context, c *Conn) error { return c.receiveAll(size) }
	c, err := d.dial(ctx, "udp4", addr, ready)
	if r := protocols.ReasonOf(err); r == protocols.NameNotFound || r == protocols.Unreachable {
		return d.dial(ctx, "udp6", addr, ready)
	}
	return c, err
}

// receiveAll replaces the connected socket of c, because that socket would drop datagrams from
// other ports.
func (c *Conn) receiveAll(size int) error {
	local, _ := c.raw.LocalAddr().(*net.UDPAddr)
	peer, ok := c.raw.RemoteAddr().(*net.UDPAddr)
	if !ok || local == nil {
		return dialError(c.ctx, c.peer, net.InvalidAddrError("not an address of UDP"))
	}
	c.stop()
	_ = c.raw.Close()
	u, err := net.ListenUDP("udp", &net.UDPAddr{IP: local.IP, Zone: local.Zone})
	if err != nil {
		return dialError(c.ctx, c.peer, err)
	}
	reportErrors(u)
	_ = u.SetReadBuffer(receiveBuffer)
	c.raw, c.datagrams = u, true
	c.Conn = &datagrams{UDPConn: u, peer: peer.AddrPort(), buf: make([]byte, size+1)}
	c.stop = context.AfterFunc(c.ctx, func() { _ = u.Close() })
	return nil
}

const receiveBuffer = 1 << 20 // octets, enough for a burst of datagrams

// datagrams is a connection that drops datagrams from other hosts and returns an error for a
// datagram that is too large, instead of cutting it.
type datagrams struct {
	*net.UDPConn
	peer netip.AddrPort
	buf  []byte
}

var errLongDatagram = errors.New("the datagram is too long")

func (d *datagrams) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(d.peer) }

func (d *datagrams) Read(p []byte) (int, error) {
	for {
		n, from, err := d.ReadFromUDPAddrPort(d.buf)
		switch {
		case err != nil:
			return 0, err
		case from.Addr().Unmap() != d.peer.Addr().Unmap():
		case n == len(d.buf) || n > len(p):
			return 0, errLongDatagram
		default:
			return copy(p, d.buf[:n]), nil
		}
	}
}

func (d *datagrams) Write(p []byte) (int, error) {
	if len(p) >= len(d.buf) {
		return 0, errLongDatagram
	}
	return d.WriteToUDPAddrPort(p, d.peer)
}
