package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// handleAnswer returns the Resource for an answer, or the request to send next.
func (c *Client) handleAnswer(a *exchange) (*request, *protocols.Resource, error) {
	switch code := a.StatusCode; {
	case code == http.StatusNotModified && a.request.conditional:
		if res := c.cache.findResource(a.request.url); res != nil {
			res.Notes = slices.Concat(a.request.notes, []string{"Not modified since the last fetch."})
			res.Security = a.conn.Security()
			_ = a.Close()
			return nil, res, nil
		}
		again := *a.request
		again.conditional = false
		return &again, nil, nil
	case code == http.StatusNotModified && a.request.version != "":
		res := &protocols.Resource{Head: c.makeHead(a), Body: strings.NewReader(""), Closer: a}
		res.Version, res.Unchanged, res.Size = a.request.version, true, 0
		return nil, res, nil
	case code == 301, code == 302, code == 303, code == 307, code == 308:
		return c.followRedirect(a)
	case code == http.StatusUnauthorized:
		next, err := c.login(a)
		return next, nil, err
	case code == http.StatusRequestedRangeNotSatisfiable, code/100 == 2 && a.request.offset > 0 && !a.isRest():
		return nil, nil, &protocols.Error{
			Reason: protocols.Unsupported, Op: "resume at octet " + strconv.FormatInt(a.request.offset, 10), Code: code,
			Err: errors.New("the server does not support resuming"),
		}
	case code/100 == 3:
		return c.showChoices(a)
	case code/100 != 2:
		return nil, nil, c.statusError(a)
	}
	res := c.makeResource(a)
	if a.request.method == http.MethodGet && a.StatusCode == http.StatusOK {
		res.Version = versionOf(a)
		res.Body = c.cache.record(a, res)
	}
	return nil, res, nil
}

// isRest reports whether the body is the file from the requested octet on (RFC 9110, section 14.4). A part of a coded file
// is not a part of the file.
func (a *exchange) isRest() bool {
	part := strings.TrimLeft(strings.ToLower(a.Header.Get("Content-Range")), "bytes:= ") // some servers write "bytes=" or "bytes:"
	return a.StatusCode == http.StatusPartialContent && len(codingsOf(a.Header)) == 0 &&
		strings.HasPrefix(part, strconv.FormatInt(a.request.offset, 10)+"-")
}

// makeResource returns the Resource with the body of an answer.
func (c *Client) makeResource(a *exchange) *protocols.Resource {
	res := &protocols.Resource{Head: c.makeHead(a), Closer: a}
	res.Body = &bodyReader{a: a, r: decodeBody(a, &res.Head)}
	return res
}

// showRedirect returns the Resource of a redirect that cannot be followed, with a note that says why. If the redirect has
// no body, showRedirect returns err. The body is not saved, also because of err.
func (c *Client) showRedirect(a *exchange, note string, err error) (*request, *protocols.Resource, error) {
	res := c.makeResource(a)
	body, ok := peekBody(res.Body)
	if !ok {
		return nil, nil, err
	}
	res.Body, res.Notes, res.Unsaved = body, append(res.Notes, note), err
	return nil, res, nil
}

// target returns the URL of the field Location without a login, and the fragment that applies: that of the field, or else that
// of an earlier redirect (RFC 9110, section 10.2.2).
func (a *exchange) target() (u urlcore.URL, fragment string, err error) {
	target, err := a.Response.Location()
	if err != nil {
		return nil, "", err
	}
	target.User = nil
	u, err = urlcore.Parse(target.String())
	return u, cmp.Or(target.EscapedFragment(), a.request.fragment), err
}

// showChoices returns the Resource of an answer that leaves the choice to the user, such as 300 (RFC 9110, section
// 15.4.1): the body with a note that names the page of the server's choice, or a page with a link to it.
func (c *Client) showChoices(a *exchange) (*request, *protocols.Resource, error) {
	note := "The server answers with the status " + strconv.Itoa(a.StatusCode) + ", and names "
	location := a.Header.Get("Location")
	u, fragment, err := a.target()
	isServer := false
	if err == nil {
		_, isServer = urlcore.Addr(u)
	}
	switch {
	case location == "":
		note += "no page to go to."
	case isServer:
		note += "this page: " + a.mask(urlcore.WithFragment(u.String(), fragment))
	default: // a script, an internal page, a local file, or no URL
		note += "a page that it may not lead to: " + a.mask(location)
	}
	next, res, err := c.showRedirect(a, note, c.statusError(a))
	if err != nil && isServer {
		return nil, redirectPage(a, "The server leaves the choice to you, and names this page:", u, fragment), nil
	}
	return next, res, err
}

func (c *Client) makeHead(a *exchange) protocols.Head {
	h := protocols.Head{
		URL: a.request.url, Title: titleOf(a), Media: a.Header.Get("Content-Type"), Size: a.ContentLength,
		Security: a.conn.Security(), Notes: a.request.notes,
		Personal: a.personal || strings.Contains(a.Header.Get("Cache-Control"), "no-store"),
	}
	if a.request.method != http.MethodGet {
		h.Notes = append(h.Notes, "This is the answer to a form. A reload fetches the page without the form.")
	}
	if h.Media == "" {
		h.Media, _ = protocols.BySuffix(a.request.url.FileName())
	}
	return h
}

// titleOf returns the name of the file or else the host.
func titleOf(a *exchange) string {
	_, params := mimeheader.ParseParameters(a.Header.Get("Content-Disposition"))
	if name := mimeheader.FileName(charset.Auto, params["filename"]); name != "" {
		return name
	}
	if name := a.request.url.FileName(); name != "" {
		return name
	}
	return a.request.url.Host
}

// followRedirect returns the request that follows a redirect (RFC 9110, section 15.4). If the redirect
// must not be followed, it returns a page with a link to the target, or an error.
func (c *Client) followRedirect(a *exchange) (*request, *protocols.Resource, error) {
	previous := a.request
	location := a.Header.Get("Location")
	u, fragment, err := a.target()
	if err != nil {
		cause, note := "the server names no page to go to", "The server redirects ("+strconv.Itoa(a.StatusCode)+"), but names no page to go to."
		if location != "" {
			cause, note = "its URL is invalid", "The server redirects ("+strconv.Itoa(a.StatusCode)+") to an invalid URL: "+a.mask(location)
		}
		return c.showRedirect(a, note, &protocols.Error{
			Reason: protocols.Malformed, Op: "follow the redirect", Code: a.StatusCode, Text: a.mask(location), Err: errors.New(cause),
		})
	}
	note := "Redirected from " + previous.url.String() + " (" + strconv.Itoa(a.StatusCode) + ")."
	h, ok := u.(urlcore.HTTP)
	switch _, server := urlcore.Addr(u); {
	case !server: // the target is a script, an internal page or a local file
		return nil, nil, &protocols.Error{Reason: protocols.Malformed, Op: "follow the redirect", Code: a.StatusCode, Text: location}
	case !ok || h.Name != "":
		return nil, redirectPage(a, "", u, fragment), nil
	}
	if err := protocols.CheckRedirect(a.conn.Context(), u); err != nil {
		if previous.method != http.MethodGet { // err asks the user; after a yes, the whole fetch is repeated, and the form sent twice
			return nil, redirectPage(a, "The server redirects to a page that gofer opens only after a question:", u, fragment), nil
		}
		return nil, nil, err
	}
	c.sharedLogins().HandOver(previous.url.Addr(), h.Addr()) // the URL may have a token that logs the user in
	next := &request{
		url: h, originalURL: previous.originalURL, method: http.MethodGet, offset: previous.offset, conditional: previous.conditional, version: previous.version,
		fragment: fragment,
		notes:    slices.Concat(previous.notes, []string{note}),
	}
	if previous.url.Secure && !h.Secure {
		next.notes = append(next.notes, "The redirect leads from TLS to a page without TLS.")
	}
	if keep := a.StatusCode == http.StatusTemporaryRedirect || a.StatusCode == http.StatusPermanentRedirect; keep && previous.method != http.MethodGet {
		if (previous.secret || previous.body.hasFile()) && (h.HostPort != previous.url.HostPort || h.Secure != previous.url.Secure) {
			return nil, nil, &protocols.Error{
				Reason: protocols.Denied, Op: "follow the redirect", Code: a.StatusCode, Text: location,
				Err: errors.New("it would send a password or a file to another server"),
			}
		}
		next.method, next.body, next.secret, next.onSent = previous.method, previous.body, previous.secret, previous.onSent
	}
	return next, nil, nil
}

// redirectPage returns a page with a link to the target of a redirect that is not followed. The parameter why is that of
// [protocols.NewRedirect].
func redirectPage(a *exchange, why string, u urlcore.URL, fragment string) *protocols.Resource {
	head := protocols.Head{URL: a.request.url, Fragment: fragment, Security: a.conn.Security(), Notes: a.request.notes}
	res := protocols.NewRedirect(head, why, u)
	res.Closer = a
	return res
}

// statusError returns the error for an unsuccessful status.
func (c *Client) statusError(a *exchange) error {
	e := &protocols.Error{
		Reason: protocols.ServerFailed, Op: "open " + a.request.url.String(), Code: a.StatusCode,
		Text: a.mask(reasonPhrase(a.Response)),
	}
	if a.refusesIdentity() {
		e.Reason = protocols.Denied
		e.Err = &wire.IdentityError{Addr: a.request.url.Addr(), Path: a.request.url.Path, Sent: a.conn.Security().Identity}
		return e
	}
	switch a.StatusCode {
	case http.StatusBadRequest:
		e.Err = protocols.ErrBadRequest
	case http.StatusNotFound, http.StatusGone:
		e.Reason = protocols.NotFound
	case http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusUnavailableForLegalReasons:
		e.Reason = protocols.Denied
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		e.Err = protocols.ErrUnavailable
	}
	return e
}

// refusesIdentity reports whether the server requires an identity of the user, or another one. nginx and others say so in an
// answer with the status 400, not by TLS; 495 and 496 are nginx's own statuses for it.
func (a *exchange) refusesIdentity() bool {
	switch {
	case !a.request.url.Secure:
		return false
	case a.StatusCode == http.StatusBadRequest:
		start, _ := io.ReadAll(io.LimitReader(a.Body, 1<<10))
		return bytes.Contains(start, []byte("SSL certificate"))
	}
	return a.StatusCode == 495 || a.StatusCode == 496
}

// endsWithConnection reports whether only the end of the connection marks the end of the body (RFC 9112, section 6.3).
func (a *exchange) endsWithConnection() bool {
	return a.ProtoMajor == 1 && a.ContentLength < 0 && len(a.TransferEncoding) == 0
}

type bodyReader struct {
	a     *exchange
	r     io.Reader
	begun bool // octets were read
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if ctx := b.a.conn.Context(); ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	n, err := b.r.Read(p)
	b.begun = b.begun || n > 0
	if err != nil && b.a.endsWithConnection() {
		if errors.Is(err, errCutShort) {
			err = io.ErrUnexpectedEOF
		}
		if !b.a.decoded || !b.begun { // a compressed body marks its own end
			err = cmp.Or(b.a.conn.EndError(), err)
		}
	}
	if err != nil && err != io.EOF && protocols.ReasonOf(err) != protocols.EndUnmarked {
		err = b.a.failure(b.a.conn.Context(), err)
	}
	return n, err
}
