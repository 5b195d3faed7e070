package sftp_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"gofer/internal/policy/portguard"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/sftp"
)

// route is a proxy that records the servers to which it connects.
type route struct {
	mu    sync.Mutex
	addrs []string
}

func (r *route) Route(string) (wire.Route, error) { return r, nil }

func (*route) String() string { return "a proxy" }

func (r *route) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	r.mu.Lock()
	r.addrs = append(r.addrs, addr)
	r.mu.Unlock()
	return new(net.Dialer).DialContext(ctx, network, addr)
}

var errNotAllowed = errors.New("not allowed here")

// only allows some servers.
type only []string

func (o only) CheckServer(addr string) error {
	if slices.Contains(o, addr) {
		return nil
	}
	return errNotAllowed
}

// TestPolicies checks that each connection obeys the proxy, the offline mode and the list of allowed servers, also over a host on
// the way.
func TestPolicies(t *testing.T) {
	far, near := startServer(t, nil), startServer(t, nil)
	proxy := new(route)
	for name, tt := range map[string]struct {
		dialer  wire.Dialer
		jump    bool
		proxied string // the servers to which the proxy connects
		fails   func(error) bool
	}{
		"proxy":               {dialer: wire.Dialer{Proxies: proxy}, proxied: far.addr},
		"proxy, jump":         {dialer: wire.Dialer{Proxies: proxy}, jump: true, proxied: near.addr},
		"offline":             {dialer: wire.Dialer{Offline: true}, fails: isOffline},
		"offline, jump":       {dialer: wire.Dialer{Offline: true}, jump: true, fails: isOffline},
		"allowed":             {dialer: wire.Dialer{Allow: only{near.addr, far.addr}}, jump: true},
		"forbidden":           {dialer: wire.Dialer{Allow: only{near.addr}}, fails: isForbidden},
		"forbidden jump":      {dialer: wire.Dialer{Allow: only{far.addr}}, jump: true, fails: isForbidden},
		"forbidden over jump": {dialer: wire.Dialer{Allow: only{near.addr}}, jump: true, fails: isForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			c.Dialer = tt.dialer
			writeSSH(t, home, "known_hosts", far.knownLine(far.key.PublicKey())+near.knownLine(near.key.PublicKey()))
			if tt.jump {
				writeSSH(t, home, "config", "ProxyJump ann@"+near.addr+"\n")
			}
			proxy.addrs = nil
			far.logins.Store(0)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, far.url("/"))})
			if tt.fails != nil {
				fetchtest.Equal(t, tt.fails(err), true, "%v", err)
				fetchtest.Equal(t, far.logins.Load(), 0, "logins")
				return
			}
			fetchtest.NoError(t, err)
			fetchtest.NoError(t, res.Close())
			fetchtest.Equal(t, strings.Join(proxy.addrs, " "), tt.proxied)
		})
	}
}

func isOffline(err error) bool   { return protocols.ReasonOf(err) == protocols.Offline }
func isForbidden(err error) bool { return errors.Is(err, errNotAllowed) }

// TestPortGuard checks that the user is asked before a connection to the port of another service, and not about port 22.
func TestPortGuard(t *testing.T) {
	guard := &portguard.Guard{Ask: portguard.DefaultPorts(), Plan: new(sftp.Client).Plan}
	for url, asks := range map[string]bool{"sftp://joe@h.example/": false, "sftp://joe@h.example:25/": true, "sftp://joe@h.example:2222/": false} {
		err := guard.Allow(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)}, false)
		fetchtest.Equal(t, protocols.QuestionOf(err) != nil, asks, url)
	}
}
