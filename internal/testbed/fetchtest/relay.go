package fetchtest

import (
	"context"
	"errors"
	"io"
	"net"
)

// relayed is a connection to a server that passes through the test: what client writes is read from
// accepted, and what must reach the server is written to server.
type relayed struct{ client, accepted, server *net.TCPConn }

// dialRelay connects to addr by a relay on loopback. The caller copies between accepted and server.
func dialRelay(ctx context.Context, network, addr string) (relayed, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return relayed{}, err
	}
	defer l.Close()
	server, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return relayed{}, err
	}
	client, err := new(net.Dialer).DialContext(ctx, network, l.Addr().String())
	if err != nil {
		return relayed{}, errors.Join(err, server.Close())
	}
	accepted, err := l.Accept()
	for err == nil && accepted.RemoteAddr().String() != client.LocalAddr().String() { // a connection of another program
		_ = accepted.Close()
		accepted, err = l.Accept()
	}
	if err != nil {
		return relayed{}, errors.Join(err, client.Close(), server.Close())
	}
	return relayed{client.(*net.TCPConn), accepted.(*net.TCPConn), server.(*net.TCPConn)}, nil
}

// copyRelayed copies from src to dst. It calls mayPass with the number of octets before it writes them, and
// with 0 at the end of src; if mayPass returns false, the octets are lost. At the end of src it closes the
// writing side of dst. After an error it resets dst.
func copyRelayed(dst, src *net.TCPConn, mayPass func(octets int) bool) {
	buf := make([]byte, 512)
	for {
		n, err := src.Read(buf)
		if mayPass(n) {
			_, werr := dst.Write(buf[:n])
			err = errors.Join(err, werr)
		}
		if errors.Is(err, io.EOF) {
			_ = dst.CloseWrite()
			return
		}
		if err != nil {
			_ = dst.SetLinger(0)
			_ = dst.Close()
			return
		}
	}
}
