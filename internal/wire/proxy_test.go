package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"gofer/protocols"
)

// proxyServer is a proxy that connects to one server, whatever the address.
type proxyServer struct {
	ln     net.Listener
	server string
	asked  chan string // addresses, each after the credentials
}

// startProxy starts a proxy that serves one connection after another with the function talk. talk
// returns the requested address, or "" to end the connection.
func startProxy(t *testing.T, server string, talk func(net.Conn, *bufio.Reader) string) *proxyServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxyServer{ln: ln, server: server, asked: make(chan string, 10)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			if addr := talk(c, in); addr != "" {
				p.asked <- addr
				p.pass(c, in)
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-done })
	return p
}

func (p *proxyServer) pass(c net.Conn, in io.Reader) {
	d, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	go func() { _, _ = io.Copy(d, in); _ = d.Close() }()
	_, _ = io.Copy(c, d)
}

// talkSOCKS is a SOCKS 5 server (RFC 1928) that asks for a password (RFC 1929) if the client offers
// one.
func talkSOCKS(c net.Conn, in *bufio.Reader) string {
	read := func(n byte) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(in, b)
		return b
	}
	login := ""
	if methods := read(read(2)[1]); bytes.Contains(methods, []byte{2}) {
		_, _ = c.Write([]byte{5, 2})
		login = string(read(read(2)[1])) + ":" + string(read(read(1)[0])) + " "
		_, _ = c.Write([]byte{1, 0})
	} else {
		_, _ = c.Write([]byte{5, 0})
	}
	head := read(4)
	var host string
	switch head[3] {
	case 1:
		host = net.IP(read(4)).String()
	case 3:
		host = string(read(read(1)[0]))
	case 4:
		host = net.IP(read(16)).String()
	}
	port := read(2)
	if host == "refused.example" {
		_, _ = c.Write([]byte{5, 2, 0, 1, 0, 0, 0, 0, 0, 0})
		return ""
	}
	_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return login + net.JoinHostPort(host, strconv.Itoa(int(port[0])<<8|int(port[1])))
}

// talkHTTP is an HTTP proxy with CONNECT.
func talkHTTP(c net.Conn, in *bufio.Reader) string {
	var addr, login string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return ""
		}
		line = strings.TrimSuffix(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "CONNECT "); ok {
			addr = strings.TrimSuffix(rest, " HTTP/1.1")
		}
		if rest, ok := strings.CutPrefix(line, "Proxy-Authorization: Basic "); ok {
			b, _ := base64.StdEncoding.DecodeString(rest)
			login = string(b) + " "
		}
		if line == "" {
			break
		}
	}
	if strings.HasPrefix(addr, "refused.") {
		_, _ = io.WriteString(c, "HTTP/1.1 403 No \x1b[2Jway\r\n\r\n")
		return ""
	}
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")
	return login + addr
}

func TestProxies(t *testing.T) {
	greets, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer greets.Close()
	go func() { // the greeting of the server, not of the proxy
		for {
			c, err := greets.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "hello\n")
			_ = c.Close()
		}
	}()
	for scheme, talk := range map[string]func(net.Conn, *bufio.Reader) string{"socks5": talkSOCKS, "socks5h": talkSOCKS, "http": talkHTTP} {
		t.Run(scheme, func(t *testing.T) {
			p := startProxy(t, greets.Addr().String(), talk)
			for _, tt := range []struct {
				variable, value, addr, want string
			}{
				{"ftp_proxy", p.ln.Addr().String(), "ftp.example:21", "ftp.example:21"},
				{"FTP_PROXY", p.ln.Addr().String(), "ftp.example:21", "ftp.example:21"},
				{"all_proxy", "joe:a%3Ab@" + p.ln.Addr().String(), "ftp.example:2121", "joe:a:b ftp.example:2121"},
				{"ALL_PROXY", p.ln.Addr().String(), "[2001:db8::1]:21", "[2001:db8::1]:21"},
			} {
				env := func(name string) string {
					if name == tt.variable {
						return scheme + "://" + tt.value
					}
					return ""
				}
				d := Dialer{Proxies: ProxiesOf(env, "ftp")}
				c, err := d.Dial(t.Context(), tt.addr)
				if err != nil {
					t.Errorf("%s to %s: %v", tt.variable, tt.addr, err)
					continue
				}
				said, err := io.ReadAll(c)
				if asked := <-p.asked; asked != tt.want || string(said) != "hello\n" || err != nil {
					t.Errorf("%s: the proxy was asked for %q, want %q; the server says %q, %v", tt.variable, asked, tt.want, said, err)
				}
				host, _, _ := net.SplitHostPort(tt.addr)
				if got, want := c.SameHost(99), net.JoinHostPort(host, "99"); !c.IsProxied() || got != want {
					t.Errorf("proxied %v, SameHost(99) = %s; want true, %s", c.IsProxied(), got, want)
				}
				_ = c.Close()
			}
			d := Dialer{Proxies: ProxiesOf(func(string) string { return scheme + "://joe:secret@" + p.ln.Addr().String() }, "ftp")}
			_, err := d.Dial(t.Context(), "refused.example:21")
			if protocols.ReasonOf(err) != protocols.Unreachable ||
				!strings.Contains(err.Error(), "through the proxy "+scheme+"://"+p.ln.Addr().String()) ||
				strings.ContainsAny(err.Error(), "\x1b") || strings.Contains(err.Error(), "secret") {
				t.Errorf("refused: got %v, want Unreachable with the proxy, without control characters and password", err)
			}
		})
	}
}

// TestNoProxy checks which proxy, if any, a connection uses, and that invalid settings are errors.
func TestNoProxy(t *testing.T) {
	variables := map[string]string{
		"http_proxy": "http://web.example", "gopher_proxy": "socks5://old.example:99", "all_proxy": "socks5://all.example",
		"no_proxy": "near.example,10.0.0.0/8,.dot.example", "HTTPS_PROXY": "proxy.example:3128",
	}
	for _, tt := range []struct{ scheme, addr, want string }{
		{"ftp", "far.example:21", "socks5://all.example:1080"},
		{"gopher", "far.example:70", "socks5://old.example:99"},
		{"http", "far.example:80", "http://web.example:80"},
		{"https", "far.example:443", "http://proxy.example:3128"},
		{"ftp", "near.example:21", ""},
		{"ftp", "ftp.near.example:21", ""},
		{"ftp", "ftp.dot.example:21", ""},
		{"ftp", "10.1.2.3:21", ""},
		{"ftp", "localhost:21", ""},
		{"ftp", "127.0.0.1:21", ""},
		{"ftp", "[::1]:21", ""},
	} {
		route, err := ProxiesOf(func(name string) string { return variables[name] }, tt.scheme).Route(tt.addr)
		got := ""
		if route != nil {
			got = route.String()
		}
		if got != tt.want || err != nil {
			t.Errorf("%s to %s: got %q, %v, want %q", tt.scheme, tt.addr, got, err, tt.want)
		}
	}
	if ProxiesOf(func(string) string { return "" }, "ftp") != nil {
		t.Error("got a proxy, want none")
	}
	for _, bad := range []string{
		"ftp://x", "socks4://joe:secret@x:1", "joe:secret@x:1a", "http://joe:%zzsecret@x", "socks5://joe:secret@x y:1",
		"//", "a b",
	} {
		d := Dialer{Proxies: ProxiesOf(func(string) string { return bad }, "ftp")}
		if _, err := d.Dial(t.Context(), "far.example:21"); protocols.ReasonOf(err) != protocols.Unsupported ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want Unsupported without the password", bad, err)
		}
	}
}

// TestProxyCancel checks that a connection can be canceled while the proxy is silent, and that an
// endless answer of a proxy is an error.
func TestProxyCancel(t *testing.T) {
	for _, scheme := range []string{"socks5", "http"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		p := startProxy(t, "", func(_ net.Conn, in *bufio.Reader) string {
			_, _ = in.ReadByte()
			cancel(stopped)
			_, _ = io.Copy(io.Discard, in)
			return ""
		})
		d := Dialer{Proxies: ProxiesOf(func(string) string { return scheme + "://" + p.ln.Addr().String() }, "ftp")}
		if _, err := d.Dial(ctx, "ftp.example:21"); !errors.Is(err, stopped) {
			t.Errorf("%s: got %v, want the cause", scheme, err)
		}
	}
	p := startProxy(t, "", func(c net.Conn, _ *bufio.Reader) string {
		_, _ = io.WriteString(c, "HTTP/1.1 200 "+strings.Repeat("x", 2*maxConnect))
		return ""
	})
	d := Dialer{Proxies: ProxiesOf(func(string) string { return "http://" + p.ln.Addr().String() }, "ftp")}
	if _, err := d.Dial(t.Context(), "ftp.example:21"); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("endless answer: got %v, want an error with %q", err, "too long")
	}
}

// TestWebProxy checks that the proxy depends on the scheme of the URL. The variable HTTP_PROXY is
// ignored in upper case. In a CGI program (RFC 3875), its value is the field Proxy of the request.
func TestWebProxy(t *testing.T) {
	variables := map[string]string{
		"HTTP_PROXY": "http://client.example", "HTTPS_PROXY": "http://joe:secret@secure.example:3128",
		"all_proxy": "socks5://all.example", "no_proxy": "near.example",
	}
	choose := WebProxy(func(name string) string { return variables[name] })
	for in, want := range map[string]string{
		"http://far.example/": "socks5://all.example:1080", "https://far.example/": "http://secure.example:3128",
		"https://near.example/": "", "http://localhost/": "",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		proxy, err := choose(u)
		if proxy != nil {
			route, _ := SingleProxy(proxy).Route(u.Host)
			got = route.String()
		}
		if got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestLoopbackNames(t *testing.T) {
	for _, tt := range []struct {
		addr, want string
		local      bool
	}{
		{"localhost:70", "localhost:70", true},
		{"a.b.localhost:70", "localhost:70", true},
		{"A.LOCALHOST:70", "localhost:70", true},
		{"[::1]:70", "[::1]:70", true},
		{"127.9.0.1:70", "127.9.0.1:70", true},
		{"notlocalhost:70", "notlocalhost:70", false},
		{"localhost.example:70", "localhost.example:70", false},
	} {
		host, _, _ := net.SplitHostPort(tt.addr)
		route, err := ProxiesOf(func(name string) string { return map[string]string{"all_proxy": "socks5://p:1"}[name] }, "gopher").Route(tt.addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := loopbackAddr(tt.addr); got != tt.want || IsThisMachine(host) != tt.local || (route == nil) != tt.local {
			t.Errorf(
				"loopbackAddr(%q) = %q, IsThisMachine is %v, the route is %v; want %q, %v", tt.addr, got,
				IsThisMachine(host), route, tt.want, tt.local,
			)
		}
	}
}
