package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxRedirects is how many redirects are followed for one URL.
const maxRedirects = 10

// Client is a [protocols.Fetcher], [protocols.Planner] and [protocols.Resumer] for http: and https:
// URLs and forms. It stores cookies, logins and filled forms in memory. The zero value is ready and
// safe for concurrent use. A Client must not be copied.
type Client struct {
	Dialer wire.Dialer // opens the connections
	// PlainPasswords allows sending a password without TLS and without asking the user. It has no effect for a
	// server with a pinned certificate.
	PlainPasswords bool
	// Proxy returns the proxy for a URL, or nil. If the field Proxy is nil, the environment decides
	// ([wire.WebProxy]).
	Proxy func(*url.URL) (*url.URL, error)

	once           sync.Once
	jar            jar
	dialer         wire.Dialer
	logins         wire.Logins
	plainPasswords wire.PlainPasswords
	challenges     challenges
	forms          forms
	cache          cache
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
)

func (c *Client) sharedLogins() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

func (c *Client) prepare() {
	c.once.Do(func() {
		c.dialer = c.Dialer
		c.dialer.TLS.Protocols, c.dialer.TLS.PlainName = "h2 http/1.1", "http"
		c.dialer.TLS.Sessions = tls.NewLRUClientSessionCache(32)
	})
}

// Fetch returns when the server has answered. It follows redirects and adds notes about them. If the
// page has not changed since the last fetch, Fetch returns the page from the cache.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	c.prepare()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if req.URL.Scheme() == protocols.FormScheme {
		return c.openForm(ctx, req.URL)
	}
	r, err := newRequest(req.URL)
	if err != nil {
		return nil, err
	}
	r.version, r.conditional = req.Version, req.Version == ""
	return c.fetch(ctx, r)
}

// Resume sends a range request (RFC 9110, section 14).
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	c.prepare()
	r, err := newRequest(req.URL)
	if err != nil {
		return nil, err
	}
	r.offset = req.Offset
	return c.fetch(ctx, r)
}

// Plan returns the head of the request that Fetch would send to the server, but without cookies and
// logins.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	if f, err := protocols.ParseForm(u); err == nil {
		peer, _ := urlcore.Addr(f.Action)
		return []protocols.Step{{Peer: peer, Note: "ask for the fields of the form, and then send them"}}, nil
	}
	r, err := newRequest(u)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	hr, err := r.buildRequest(context.Background())
	if err != nil {
		return nil, err
	}
	b.WriteString(hr.Method + " " + hr.URL.RequestURI() + " HTTP/1.1\r\nHost: " + hr.URL.Host + "\r\n")
	_ = hr.Header.Write(&b) // a Builder returns no error
	note := "ask for the page"
	if r.url.Secure {
		note += "; by TLS, with HTTP/2 where the server has it"
	}
	return []protocols.Step{{Peer: r.url.Addr(), Send: b.String() + "\r\n", Note: note}}, nil
}

// request is a request to a server.
type request struct {
	url         urlcore.HTTP
	originalURL urlcore.URL // the URL that was passed to Fetch
	method      string
	body        *body  // the body of a POST, or nil
	offset      int64  // the offset of the requested part
	conditional bool   // the answer may be taken from the cache
	version     string // the version that the caller has, see version; or ""
	secret      bool   // the body contains passwords
	onSent      func() // called when the server may have received a form; may be nil
	notes       []string
	fragment    string    // the fragment of the redirects that led to the request, or ""
	answered    *nonceUse // the challenge that the request answers, or nil
	logins      int       // how often the request was repeated with a login
}

func newRequest(u urlcore.URL) (*request, error) {
	canonical, err := urlcore.Canon(u)
	h, ok := canonical.(urlcore.HTTP)
	switch {
	case err != nil:
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	case !ok || h.Name != "":
		return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by HTTP"}
	}
	return &request{url: h, originalURL: u, method: http.MethodGet}, nil
}

// buildRequest returns the request for net/http.
func (r *request) buildRequest(ctx context.Context) (*http.Request, error) {
	path, err := url.PathUnescape(r.url.Path)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	scheme := r.url.Scheme()
	host := strings.TrimSuffix(strings.TrimPrefix(urlcore.HTTP{HostPort: r.url.HostPort, Secure: r.url.Secure}.String(), scheme+"://"), "/")
	target := &url.URL{Scheme: scheme, Host: host, Path: path, RawPath: r.url.Path, RawQuery: r.url.Query, ForceQuery: r.url.HasQuery}
	hr := (&http.Request{Method: r.method, URL: target, Host: host, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	hr.Header.Set("User-Agent", "gofer")
	hr.Header.Set("Accept", "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8")
	if r.body != nil {
		if err := r.body.setBody(hr); err != nil {
			return nil, err
		}
	}
	return hr, nil
}

// fetch sends a request and follows redirects.
func (c *Client) fetch(ctx context.Context, r *request) (*protocols.Resource, error) {
	for range maxRedirects + 1 {
		a, err := c.send(ctx, r)
		if err != nil {
			if _, ok := errors.AsType[*protocols.Confirm](err); r.onSent != nil && !ok && !isUnsent(err) {
				r.onSent()
			}
			return nil, err
		}
		next, res, err := c.handleAnswer(a)
		if r.onSent != nil && a.StatusCode != http.StatusUnauthorized { // such a server has not used the form
			r.onSent()
		}
		switch {
		case err != nil:
			_ = a.Close()
			return nil, err
		case next == nil:
			res.Fragment = cmp.Or(res.Fragment, r.fragment)
			return res, nil
		}
		_ = a.Close()
		if err := protocols.CheckRedirect(ctx, next.url); err != nil {
			return nil, err
		}
		r = next
	}
	return nil, &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + r.originalURL.String(), Err: errRedirects}
}
