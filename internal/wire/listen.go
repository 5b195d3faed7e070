package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"gofer/protocols"
)

// Listener waits for one connection that a server makes to this machine.
type Listener struct {
	net.Listener
	dialer Dialer
	ctx    context.Context
	server net.IP
	stop   func() bool
}

// Listen opens a port at the local address of c for a connection from the server of c (active mode,
// RFC 959, section 5.2). The port is closed when ctx ends.
func (d Dialer) Listen(ctx context.Context, c *Conn) (*Listener, error) {
	local, ok := c.raw.LocalAddr().(*net.TCPAddr)
	server, ok2 := c.raw.RemoteAddr().(*net.TCPAddr)
	if !ok || !ok2 {
		return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "wait for a connection"}
	}
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: local.IP, Zone: local.Zone})
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.LocalFailure, Op: "wait for a connection", Err: trimAddresses(err)}
	}
	_ = ln.SetDeadline(time.Now().Add(orDefault(d.Connect, DefaultConnect)))
	l := &Listener{Listener: ln, dialer: d, ctx: ctx, server: server.IP}
	l.stop = context.AfterFunc(ctx, func() { _ = ln.Close() })
	return l, nil
}

// Accept returns the connection from the server. It closes connections from other hosts.
func (l *Listener) Accept() (*Conn, error) {
	const op = "wait for the data connection of the server"
	for {
		nc, err := l.Listener.Accept()
		switch {
		case l.ctx.Err() != nil:
			if err == nil {
				_ = nc.Close()
			}
			return nil, context.Cause(l.ctx)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &protocols.Error{Reason: protocols.ConnectTimeout, Op: op, Err: errors.New("the server did not connect: a firewall may block it, try passive mode")}
		case err != nil:
			return nil, &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: trimAddresses(err)}
		}
		if from, ok := nc.RemoteAddr().(*net.TCPAddr); ok && from.IP.Equal(l.server) {
			return l.dialer.newConn(l.ctx, nc, nc.RemoteAddr().String()), nil
		}
		_ = nc.Close()
	}
}

// Close closes the port.
func (l *Listener) Close() error {
	l.stop()
	return l.Listener.Close()
}
