package wire

import (
	"context"
	"errors"
	"net"
)

// Packet connects to addr ("host:port") by UDP, with the phases and the errors
// of [Dialer.Dial]. Each Write sends a datagram and each Read receives one, of
// size octets at most. It may be written again when a Read timed out.
func (d Dialer) Packet(ctx context.Context, addr string, size int) (*Conn, error) {
	return d.dial(ctx, "udp", addr, func(_ context.Context, c *Conn) error {
		c.Conn = &datagrams{Conn: c.raw, buf: make([]byte, size+1)}
		return nil
	})
}

// datagrams bounds datagrams, and refuses to cut them.
type datagrams struct {
	net.Conn
	buf []byte
}

var errDatagram = errors.New("the datagram is too long")

func (d *datagrams) Read(p []byte) (int, error) {
	n, err := d.Conn.Read(d.buf)
	if n == len(d.buf) || n > len(p) {
		return 0, errDatagram
	}
	return copy(p, d.buf[:n]), err
}

func (d *datagrams) Write(p []byte) (int, error) {
	if len(p) >= len(d.buf) {
		return 0, errDatagram
	}
	return d.Conn.Write(p)
}
