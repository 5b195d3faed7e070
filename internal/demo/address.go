package demo

import (
	"net"
	"sync/atomic"
)

// address is the listen address of a server. In a World with a host it also has the host and port
// that the World's pages show in place of the listen address.
type address struct {
	listening string
	shown     atomic.Pointer[[2]string]
}

// Addr returns the host:port that pages show: by default the listen address.
func (a *address) Addr() string {
	if shown := a.shown.Load(); shown != nil {
		return net.JoinHostPort(shown[0], shown[1])
	}
	return a.listening
}

// hostInURLs returns the host for URLs, with the port unless it is the default port of the
// scheme.
func (a *address) hostInURLs() string {
	if shown := a.shown.Load(); shown != nil {
		return shown[0]
	}
	return a.listening
}

// setShown sets the host and port that pages show, and returns the listen address.
func (a *address) setShown(host, port string) (listening string) {
	a.shown.Store(&[2]string{host, port})
	return a.listening
}
