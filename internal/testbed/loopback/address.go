package loopback

import (
	"net"
	"sync/atomic"
)

// address is where a server listens and, in a World with a host, the host and port that
// its pages have instead.
type address struct {
	listening string
	shown     atomic.Pointer[[2]string]
}

// Addr returns the host:port of the server.
func (a *address) Addr() string {
	if shown := a.shown.Load(); shown != nil {
		return net.JoinHostPort(shown[0], shown[1])
	}
	return a.listening
}

// inURLs returns the host and port of URLs, which leave out a default port.
func (a *address) inURLs() string {
	if shown := a.shown.Load(); shown != nil {
		return shown[0]
	}
	return a.listening
}

// show replaces the host and port in pages, and returns where the server listens.
func (a *address) show(host, port string) (listening string) {
	a.shown.Store(&[2]string{host, port})
	return a.listening
}
