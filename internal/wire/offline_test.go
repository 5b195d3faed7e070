package wire_test

import (
	"context"
	"net"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// noRoute is a proxy that must not be asked.
type noRoute struct{ t *testing.T }

func (r noRoute) Route(string) (wire.Route, error) { return r, nil }
func (r noRoute) String() string                   { return "proxy" }

func (r noRoute) DialContext(context.Context, string, string) (net.Conn, error) {
	r.t.Error("a connection was made")
	return nil, net.ErrClosed
}

// TestOffline: no kind of connection is made, directly or over a proxy.
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
