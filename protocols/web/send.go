package web

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"

	"gofer/internal/wire"
	"gofer/protocols"
)

// maxHead is the maximum length of the head of an answer in octets.
const maxHead = 256 << 10

var errRedirects = errors.New("more than " + strconv.Itoa(maxRedirects) + " redirects")

// exchange is a request and its answer on a separate connection.
type exchange struct {
	*http.Response
	request       *request
	conn          *wire.Conn
	errorRecorder *errorRecorder // the connection that net/http uses
	stop          func()         // releases the transport of net/http; may be nil
	mask          func(text string) string
	decoded       bool // the body is decoded while it is read
	personal      bool // the server may know the user, or the request had secret input
	once          sync.Once
}

func (a *exchange) Close() error {
	a.once.Do(func() {
		if a.Response != nil {
			_ = a.Body.Close()
		}
		if a.stop != nil {
			a.stop()
		}
		_ = a.conn.Close()
	})
	return nil
}

// send connects, sends the request, and waits for the head of the answer.
func (c *Client) send(ctx context.Context, r *request) (a *exchange, err error) {
	hr, err := r.buildRequest(ctx)
	if err != nil {
		return nil, err
	}
	if hr.Body != nil {
		defer func() {
			if err != nil {
				_ = hr.Body.Close()
			}
		}()
	}
	if err := c.authorize(r, hr); err != nil {
		return nil, err
	}
	usesCookies := protocols.MayLogIn(ctx, r.url.Scheme(), r.url.Addr())
	if usesCookies {
		for _, cookie := range wire.Remember(c.Dialer.Memory, &c.jar).Cookies(hr.URL) {
			hr.AddCookie(cookie)
		}
	}
	hr.Header.Set("Accept-Encoding", "gzip")
	if r.offset > 0 {
		hr.Header.Set("Accept-Encoding", "identity")
		hr.Header.Set("Range", "bytes="+strconv.FormatInt(r.offset, 10)+"-")
	} else if !r.conditional {
		addVersion(r, hr.Header)
	}
	proxy, err := c.proxyFor(hr.URL)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.LocalFailure, Op: "find the proxy", Err: err}
	}
	conn, err := c.connect(ctx, r, proxy)
	if err != nil {
		return nil, err
	}
	r.conditional = r.conditional && conn.Security().Identity == "" // the stored answers are those for anybody
	if r.conditional {
		c.cache.addConditions(r.url, hr.Header)
	}
	mask := func(text string) string { return c.sharedLogins().Mask(r.url.Addr(), text) }
	a = &exchange{request: r, conn: conn, errorRecorder: &errorRecorder{Conn: conn}, mask: mask, personal: r.secret || r.method != http.MethodGet || conn.Security().Identity != ""}
	recorder := headRecorder{protocols.TranscriptFrom(ctx), r.url.Addr(), mask}
	recorder.addRequest(hr)
	trip, err := a.newRoundTripper(proxy)
	if err == nil {
		a.Response, err = trip.RoundTrip(hr)
	}
	if err != nil {
		_ = a.Close()
		return nil, a.failure(ctx, err)
	}
	recorder.addResponse(a.Response)
	if usesCookies {
		wire.Remember(c.Dialer.Memory, &c.jar).SetCookies(hr.URL, a.Cookies())
	}
	if next := parseChallenges([]string{"Digest " + a.Header.Get("Authentication-Info")}); r.answered != nil && len(next) > 0 {
		c.sharedChallenges().setNonce(r.account(), next[0].parameters["nextnonce"])
	}
	return a, nil
}

// connect connects to the server or to its proxy.
func (c *Client) connect(ctx context.Context, r *request, proxy *url.URL) (*wire.Conn, error) {
	dialer, addr := c.dialer, r.url.Addr()
	dialer.TLS.Path = r.url.Path
	if isSOCKS(proxy) {
		dialer.Proxies, proxy = wire.SingleProxy(proxy), nil
	}
	dial := dialer.Dial
	if r.url.Secure {
		dial = dialer.DialTLS
	}
	if proxy != nil {
		dial, addr = dialer.Dial, proxyAddr(proxy)
	}
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	conn.MarksEnds = true // as HTTP/2, a length or chunks do; bodyReader checks other bodies
	conn.DisableTranscript()
	if proxy != nil && r.url.Secure {
		if err := openTunnel(dialer, conn, r.url.Addr(), proxy); err != nil {
			_ = conn.Close()
			return nil, toError(ctx, "ask the proxy "+addr, err)
		}
	}
	return conn, nil
}

func (c *Client) proxyFor(u *url.URL) (*url.URL, error) {
	find := c.Proxy
	if find == nil {
		find = wire.WebProxy(os.Getenv)
	}
	proxy, err := find(u)
	if proxy != nil && proxy.Scheme != "http" && !isSOCKS(proxy) {
		return nil, errors.New("a proxy is an http: or socks5: URL, not " + proxy.Scheme + ":")
	}
	return proxy, err
}

// isSOCKS reports whether proxy is a SOCKS proxy. The parameter may be nil.
func isSOCKS(proxy *url.URL) bool {
	return proxy != nil && (proxy.Scheme == "socks5" || proxy.Scheme == "socks5h")
}

func proxyAddr(proxy *url.URL) string {
	return net.JoinHostPort(proxy.Hostname(), cmp.Or(proxy.Port(), "80"))
}

// openTunnel asks a proxy for a connection to addr (RFC 9110, section 9.3.6) and starts TLS with
// the server.
func openTunnel(dialer wire.Dialer, conn *wire.Conn, addr string, proxy *url.URL) error {
	ask := "CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\n"
	password := ""
	if proxy.User != nil {
		password, _ = proxy.User.Password()
		ask += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password)) + "\r\n"
	}
	if _, err := io.WriteString(conn, ask+"\r\n"); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(conn, maxHead))
	res, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return &protocols.Error{Reason: protocols.ServerFailed, Op: "connect to " + addr + " through the proxy " + proxyAddr(proxy), Code: res.StatusCode, Text: wire.Mask(reasonPhrase(res), password)}
	}
	return dialer.StartTLS(conn, addr, r.Buffered())
}

func (a *exchange) newRoundTripper(proxy *url.URL) (http.RoundTripper, error) {
	if a.conn.Protocol() == "h2" {
		t := &http2.Transport{MaxHeaderListSize: maxHead, DisableCompression: true} //nolint:staticcheck // net/http supports HTTP/2 only on its own *tls.Conn
		cc, err := t.NewClientConn(a.errorRecorder)                                 //nolint:staticcheck // the same
		if err != nil {
			return nil, err
		}
		a.stop = func() { _ = cc.Close() }
		return cc, nil
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return a.errorRecorder, nil }
	t := &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHead}
	if proxy != nil && !a.request.url.Secure && !isSOCKS(proxy) {
		t.Proxy = http.ProxyURL(proxy)
	}
	a.stop = t.CloseIdleConnections
	return t, nil
}

// errorRecorder is a connection that records the error of a failed read, because net/http may report a
// malformed answer instead of the error. It also records the first octets that it reads.
type errorRecorder struct {
	net.Conn
	err   atomic.Pointer[protocols.Error]
	start atomic.Pointer[string]
}

// maxStart is the largest number of first octets that an errorRecorder records.
const maxStart = 200

func (c *errorRecorder) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		c.err.Store(e)
	}
	if start := c.firstOctets(); n > 0 && len(start) < maxStart {
		start += string(p[:min(n, maxStart-len(start))])
		c.start.Store(&start)
	}
	return n, err
}

// firstOctets returns the first octets that were read.
func (c *errorRecorder) firstOctets() string {
	if start := c.start.Load(); start != nil {
		return *start
	}
	return ""
}

// beginsHTTP reports whether start may be the beginning of an answer (RFC 9112, section 4).
func beginsHTTP(start string) bool {
	const protocol = "HTTP/"
	return strings.HasPrefix(start, protocol) || strings.HasPrefix(protocol, start)
}

func (a *exchange) failure(ctx context.Context, err error) error {
	if e := a.errorRecorder.err.Load(); e != nil && ctx.Err() == nil {
		return e
	}
	err = toError(ctx, "read the answer of "+a.request.url.Addr(), err)
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok {
		return err
	}
	if start := a.errorRecorder.firstOctets(); e.Reason == protocols.Malformed && !beginsHTTP(start) && a.conn.Protocol() != "h2" {
		line, _, _ := strings.Cut(start, "\n")
		e.Text, e.Err = strings.TrimSuffix(line, "\r"), errNotHTTP
	}
	e.Text = a.mask(e.Text)
	return e
}

// toError returns err, the error of a connection, as a *[protocols.Error]. It returns an err that is a
// [protocols.Question] unchanged. If ctx has ended, it returns the cause.
func toError(ctx context.Context, op string, err error) error {
	var e *protocols.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &e), protocols.QuestionOf(err) != nil:
		return err
	}
	switch {
	case errors.Is(err, errCutShort), errors.Is(err, errCorrupt), errors.Is(err, errIdle), errors.Is(err, errGrown):
		return &protocols.Error{Reason: protocols.Damaged, Op: op, Err: err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return &protocols.Error{Reason: protocols.Broken, Op: op, Err: io.ErrUnexpectedEOF}
	}
	text, cause := describe(err)
	return &protocols.Error{Reason: protocols.Malformed, Op: op, Text: text, Err: cause}
}

// headRecorder records the heads of requests and answers in the transcript.
type headRecorder struct {
	transcript *protocols.Transcript
	peer       string
	mask       func(text string) string
}

func (s headRecorder) addLine(sent bool, text string) {
	text = s.mask(text)
	s.transcript.Add(protocols.TranscriptLine{At: time.Now(), Peer: s.peer, Sent: sent, Text: text[:min(len(text), protocols.MaxTranscriptLine)]})
}

func (s headRecorder) addRequest(r *http.Request) {
	s.addLine(true, r.Method+" "+r.URL.RequestURI()+" HTTP/1.1")
	s.addLine(true, "Host: "+r.Host)
	s.addHeader(true, r.Header)
}

func (s headRecorder) addResponse(r *http.Response) {
	s.addLine(false, r.Proto+" "+r.Status)
	s.addHeader(false, r.Header)
}

// addHeader records the fields of a header and masks secret values.
func (s headRecorder) addHeader(sent bool, h http.Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			switch name {
			case "Authorization", "Cookie", "Set-Cookie":
				v = "****"
			}
			s.addLine(sent, name+": "+v)
		}
	}
	s.addLine(sent, "")
}

// reasonPhrase returns the words after the status code, or the usual words for the code.
func reasonPhrase(r *http.Response) string {
	text := strings.TrimSpace(strings.TrimPrefix(r.Status, strconv.Itoa(r.StatusCode)))
	if text == "" || !httpguts.ValidHeaderFieldValue(text) {
		text = http.StatusText(r.StatusCode)
	}
	return text
}
