package wire

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Proxies choose the proxy for a server.
type Proxies interface {
	// Route returns the route to addr, or nil for a direct connection.
	Route(addr string) (Route, error)
}

// ProxiesOf returns the proxies for a scheme, or nil. It reads the same variables as curl: the
// variable of the scheme ("ftp_proxy") or "all_proxy", with a value like
// "socks5://user:password@host:port" or "http://host:port", and "no_proxy", a list of hosts
// without a proxy. HTTP proxies are used with CONNECT (RFC 9110, section 9.3.6). The hosts of
// [IsThisMachine] never have a proxy.
func ProxiesOf(env func(string) string, scheme string) Proxies {
	chosen := firstSet(env, scheme+"_proxy", "all_proxy")
	if chosen == "" {
		return nil
	}
	return proxies(proxyFor(chosen, firstSet(env, "no_proxy")))
}

// firstSet returns the value of the first variable that is set, in lower or upper case.
func firstSet(env func(string) string, names ...string) string {
	for _, name := range names {
		if s := env(name); s != "" {
			return s
		}
		if s := env(strings.ToUpper(name)); s != "" && name != "http_proxy" { // in a CGI program, a header of the request sets HTTP_PROXY
			return s
		}
	}
	return ""
}

// WebProxy returns a function that returns the proxy for an http: or https: URL according to the
// variables of [ProxiesOf].
func WebProxy(env func(string) string) func(*url.URL) (*url.URL, error) {
	no := firstSet(env, "no_proxy")
	plain := proxyFor(firstSet(env, "http_proxy", "all_proxy"), no)
	secure := proxyFor(firstSet(env, "https_proxy", "all_proxy"), no)
	return func(u *url.URL) (*url.URL, error) {
		if u.Scheme == "https" {
			return secure(u)
		}
		return plain(u)
	}
}

// proxyFor returns a function that returns the proxy for a server, or nil if noProxy contains the
// server. An invalid proxy is an error, not a direct connection.
func proxyFor(proxy, noProxy string) func(*url.URL) (*url.URL, error) {
	if proxy == "" {
		return func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	parsed, err := parseProxy(proxy)
	const proxied = "http://proxy"
	c := httpproxy.Config{HTTPProxy: proxied, HTTPSProxy: proxied, NoProxy: noProxy}
	chosen := c.ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		if used, _ := chosen(u); used == nil || IsThisMachine(u.Hostname()) {
			return nil, nil
		}
		return parsed, err
	}
}

// IsThisMachine reports whether host is a loopback address, "localhost" or a name that ends in
// ".localhost" (RFC 6761, section 6.3).
func IsThisMachine(host string) bool {
	ip := net.ParseIP(host)
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// loopbackAddr returns addr with the host "localhost" if its host ends in ".localhost". Such names are not looked
// up (RFC 6761, section 6.3).
func loopbackAddr(addr string) string {
	if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

// proxyPorts maps the kinds of proxies to their default ports.
var proxyPorts = map[string]string{"http": "80", "socks5": "1080", "socks5h": "1080"}

func parseProxy(text string) (*url.URL, error) {
	full := text
	if !strings.Contains(text, "://") {
		full = "http://" + text
	}
	u, err := url.Parse(full)
	if err != nil || proxyPorts[u.Scheme] == "" || u.Hostname() == "" {
		return nil, &protocols.Error{
			Reason: protocols.Unsupported, Op: "use the proxy " + urlcore.MaskPassword(text),
			Err: errors.New("a proxy is written like socks5://host:port or http://host:port"),
		}
	}
	return u, nil
}

// SingleProxy returns Proxies that use one proxy for all servers.
func SingleProxy(proxy *url.URL) Proxies {
	return proxies(func(*url.URL) (*url.URL, error) { return proxy, nil })
}

type proxies func(*url.URL) (*url.URL, error)

func (p proxies) Route(addr string) (Route, error) {
	u, err := p(&url.URL{Scheme: "http", Host: addr})
	if err != nil || u == nil {
		return nil, err
	}
	return &proxyRoute{scheme: u.Scheme, addr: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), proxyPorts[u.Scheme])), user: u.User}, nil
}

var errNoUDP = errors.New("the proxy carries no UDP: add the host to no_proxy to connect without the proxy")

// Route connects to servers through a proxy.
type Route interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
	String() string // the proxy, for error texts
}

// proxyRoute is the route through a proxy, which looks up the host names.
type proxyRoute struct {
	scheme, addr string
	user         *url.Userinfo
}

func (p *proxyRoute) String() string { return p.scheme + "://" + p.addr }

func (p *proxyRoute) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, errors.New("it carries TCP only")
	}
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, trimAddresses(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	if p.scheme == "http" {
		err = p.connectHTTP(nc, addr)
	} else {
		err = p.connectSOCKS(ctx, nc, addr)
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = nc.Close()
		return nil, err
	}
	return nc, nil
}

// openConn is a [proxy.Dialer] that returns an existing connection.
type openConn struct{ net.Conn }

func (o openConn) Dial(string, string) (net.Conn, error) { return o.Conn, nil }

// connectSOCKS connects to addr through a SOCKS 5 proxy (RFC 1928, RFC 1929).
func (p *proxyRoute) connectSOCKS(ctx context.Context, nc net.Conn, addr string) error {
	var auth *proxy.Auth
	if p.user != nil {
		password, _ := p.user.Password()
		auth = &proxy.Auth{User: p.user.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", p.addr, auth, openConn{nc})
	if err != nil {
		return err
	}
	if _, err = d.(proxy.ContextDialer).DialContext(ctx, "tcp", addr); err == nil {
		return nil
	}
	return trimAddresses(err)
}

const maxConnect = 64 << 10 // the maximal length of the answer to CONNECT, in octets

// connectHTTP sends CONNECT and reads the answer. It does not read the octets after the answer,
// because they come from the server.
func (p *proxyRoute) connectHTTP(nc net.Conn, addr string) error {
	request := "CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\n"
	if p.user != nil {
		password, _ := p.user.Password()
		request += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(p.user.Username()+":"+password)) + "\r\n"
	}
	if _, err := io.WriteString(nc, request+"\r\n"); err != nil {
		return trimAddresses(err)
	}
	answer := make([]byte, 0, 256)
	for in := make([]byte, 1); !strings.HasSuffix(string(answer[max(0, len(answer)-4):]), "\r\n\r\n"); {
		if len(answer) == maxConnect {
			return errors.New("the answer of the proxy is too long")
		}
		if _, err := io.ReadFull(nc, in); err != nil {
			return trimAddresses(err)
		}
		answer = append(answer, in[0])
	}
	status, _, _ := strings.Cut(string(answer), "\r\n")
	version, code, _ := strings.Cut(status, " ")
	if !strings.HasPrefix(version, "HTTP/1.") || !strings.HasPrefix(code, "2") {
		return fmt.Errorf("the proxy answers %q", clean.Text(status))
	}
	return nil
}
