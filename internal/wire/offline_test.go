package wire_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// noRoute is a proxy that must not be used.
type noRoute struct{ t *testing.T }

func (r noRoute) Route(string) (wire.Route, error) { return r, nil }
func (r noRoute) String() string                   { return "proxy" }

func (r noRoute) DialContext(context.Context, string, string) (net.Conn, error) {
	r.t.Error("a connection was made")
	return nil, net.ErrClosed
}

// TestOffline checks that no connection of any kind is made, directly or through a proxy.
func TestOffline(t *testing.T) {
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	addr := l.Addr().String()
	for _, d := range []wire.Dialer{{Offline: true}, {Offline: true, Proxies: noRoute{t}}} {
		for name, dial := range map[string]func() error{
			"Dial":    func() error { _, err := d.Dial(t.Context(), addr); return err },
			"DialTLS": func() error { _, err := d.DialTLS(t.Context(), addr); return err },
			"Packet":  func() error { _, err := d.Packet(t.Context(), addr, 100); return err },
		} {
			fetchtest.Equal(t, protocols.ReasonOf(dial()), protocols.Offline, "%s", name)
		}
	}
}

// locals has a server at one port of a host.
type locals struct{ listening string }

func (l locals) ListenAddr(addr string) (listening string, ours bool) {
	if addr == "demo.example:70" {
		return l.listening, true
	}
	return "", strings.HasPrefix(addr, "demo.example:")
}

// TestLocals checks that the host of servers inside the program is neither looked up nor reached
// through a proxy. Other hosts are not affected.
func TestLocals(t *testing.T) {
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	d := wire.Dialer{Locals: locals{l.Addr().String()}, Proxies: noRoute{t}}
	c := fetchtest.Must(d.Dial(t.Context(), "demo.example:70"))(t)
	fetchtest.Equal(t, c.RemoteAddr().String(), l.Addr().String(), "connected")
	fetchtest.Equal(t, c.IsProxied(), false, "through a proxy")
	fetchtest.NoError(t, c.Close())
	_, err := d.Dial(t.Context(), "demo.example:22")
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Refused, "another port")
	d.Proxies = nil
	c = fetchtest.Must(d.Dial(t.Context(), l.Addr().String()))(t)
	fetchtest.NoError(t, c.Close())
	d.Offline = true
	_, err = d.Dial(t.Context(), "demo.example:70")
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Offline, "offline")
}
