// Package gemini fetches gemini: URLs (Gemini network protocol, version 0.24.1) and spartan: URLs, and stores texts by titan:
// URLs (Titan specification).
package gemini

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// The limits for requests and answers.
const (
	maxRequest   = 1024     // octets of a Gemini URL
	maxHead      = 4 << 10  // octets of the first line of an answer
	maxMeta      = 1024     // octets after the status of a Gemini answer
	maxRedirects = 5        // the number of redirects followed for one URL
	maxUpload    = 64 << 10 // octets sent to a Spartan server
)

// Client is a [protocols.Fetcher], [protocols.Planner] and [protocols.Putter] for gemini:, titan: and spartan: URLs. It stores
// sensitive input in memory. The zero value is ready and safe for concurrent use. A Client must not
// be copied.
type Client struct {
	Dialer      wire.Dialer  // opens the connections
	Drafts      string       // the folder for texts that are not sent
	CheckUpload func() error // returns an error if nothing may be sent; nil: it may

	logins wire.Logins // masks sensitive input in answers
	inputs
}

// inputs stores what the user typed for a Client.
type inputs struct {
	secrets sync.Map // sensitive input; the key is the urlcore.HTTP that asked for the input
	uploads sync.Map // the key is a urlcore.HTTP with a text that the user agreed to send
}

func (c *Client) sharedInputs() *inputs { return wire.Remember(c.Dialer.Memory, &c.inputs) }

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Putter  = (*Client)(nil)
)

// canonicalItem returns u as a canonical URL, or an error if the request cannot be sent.
func canonicalItem(u urlcore.URL) (urlcore.HTTP, error) {
	canonical, err := urlcore.Canon(u)
	h, ok := canonical.(urlcore.HTTP)
	if err != nil || !ok || h.Name == "" {
		return h, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	return h, nil
}

// Plan returns the request that Fetch would send.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	h, err := canonicalItem(u)
	if err != nil {
		return nil, err
	}
	if h.Name == "titan" {
		return []protocols.Step{{Peer: h.Addr(), Note: "nothing until you have written the text and agreed to send it; by TLS"}}, nil
	}
	send, err := formatRequest(h, "")
	if err != nil {
		return nil, err
	}
	note := "ask for the page"
	if h.Name == "gemini" {
		note += "; by TLS"
	}
	return []protocols.Step{{Peer: h.Addr(), Send: send, Note: note}}, nil
}

// formatRequest returns the octets to send. If secret is not empty, secret replaces the query of a Gemini URL.
func formatRequest(h urlcore.HTTP, secret string) (string, error) {
	if h.Name == "spartan" {
		return formatSpartanRequest(h)
	}
	if secret != "" {
		h.Query, h.HasQuery = urlcore.EscapeQuery(secret), true
	}
	if len(h.String()) > maxRequest {
		return "", protocols.NewError(protocols.BadURL, "send the request",
			"the URL is longer than the "+strconv.Itoa(maxRequest)+" octets that Gemini allows")
	}
	return h.String() + "\r\n", nil
}

// Fetch returns when the server has answered. It follows redirects and adds notes about them. If the server
// asks for input, Fetch returns a *[protocols.Ask]. Fetch pins the first certificate of a server without a
// question, because servers sign their own certificates and users would always agree. For a changed
// certificate, Fetch returns a *[protocols.Confirm].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	h, err := canonicalItem(req.URL)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if h.Name == "titan" {
		return nil, c.compose(ctx, h)
	}
	var notes []string
	fragment, known := "", false
	for range maxRedirects + 1 {
		if h.Name == "spartan" && h.HasQuery && h.Query == "" {
			return nil, c.newUploadAsk(h)
		}
		if h.Name == "spartan" {
			if err := c.confirmUpload(h); err != nil {
				return nil, err
			}
		}
		a, err := c.sendRequest(ctx, h)
		if err != nil {
			return nil, err
		}
		known = known || a.conn.Security().Identity != "" // where a redirect leads may be for the user alone
		target, res, err := c.handleAnswer(a)
		if err != nil || target != nil {
			_ = a.conn.Close()
		}
		if err != nil {
			return nil, err
		}
		if target == nil {
			res.Notes, res.Fragment, res.Personal = notes, fragment, res.Personal || known
			return res, nil
		}
		fragment = cmp.Or(a.fragment, fragment)
		notes = append(notes, "Redirected from "+h.String()+".")
		if _, server := urlcore.Addr(target); !server { // the target is an internal page or a local file
			return nil, &protocols.Error{Reason: protocols.Malformed, Op: "follow the redirect", Text: target.String()}
		}
		next, ok := target.(urlcore.HTTP)
		if !ok || next.Name != h.Name {
			return protocols.NewRedirect(protocols.Head{URL: h, Fragment: fragment, Notes: notes, Personal: known}, "", target), nil
		}
		if err := protocols.CheckRedirect(ctx, next); err != nil {
			return nil, err
		}
		h = next
	}
	return nil, protocols.NewError(protocols.ServerFailed, "open "+req.URL.String(),
		"more than "+strconv.Itoa(maxRedirects)+" redirects")
}

// answer is the first line of an answer, and its connection.
type answer struct {
	url        urlcore.HTTP
	conn       *wire.Conn
	reader     *bufio.Reader
	code       int
	meta       string
	fragment   string // the fragment of the redirect, which no server gets
	secretSent bool   // sensitive input was sent
}

// sendRequest sends the request for h and reads the first line of the answer.
func (c *Client) sendRequest(ctx context.Context, h urlcore.HTTP) (*answer, error) {
	dialer, dial := c.Dialer, c.Dialer.Dial
	secret := ""
	if h.Name == "gemini" {
		dialer.TLS.FirstUse, dialer.TLS.Path = true, h.Path
		dial = dialer.DialTLS
		kept, _ := c.sharedInputs().secrets.Load(h)
		secret, _ = kept.(string)
	}
	send, err := formatRequest(h, secret)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, h.Addr())
	if err != nil {
		return nil, err
	}
	if secret != "" {
		conn.Hide(secret)
	}
	a := newAnswer(h, conn)
	a.secretSent = secret != ""
	if _, err = io.WriteString(conn, send); err == nil {
		err = a.readHead(func(text string) string { return wire.Remember(c.Dialer.Memory, &c.logins).Mask(h.Addr(), text) })
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return a, nil
}

func newAnswer(h urlcore.HTTP, conn *wire.Conn) *answer {
	return &answer{url: h, conn: conn, reader: bufio.NewReaderSize(conn, maxHead)}
}

// readHead reads the first line, "code SPACE meta CR LF". The function mask hides sensitive input in a malformed line.
func (a *answer) readHead(mask func(text string) string) error {
	op := "read the answer of " + a.url.Addr()
	line, err := a.reader.ReadSlice('\n')
	if protocols.ReasonOf(err) == protocols.EndUnmarked {
		err = io.EOF
	}
	digits := 2
	if a.url.Name == "spartan" {
		digits = 1
	}
	if err == nil || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF) {
		text := strings.TrimRight(string(line), "\r\n")
		var ok bool
		a.code, a.meta, ok = parseHead(text, digits)
		switch {
		case ok && a.url.Name != "spartan" && (len(a.meta) > maxMeta || errors.Is(err, bufio.ErrBufferFull)):
			return newHeadError(op, "the text after the status has more than the 1,024 octets that Gemini allows")
		case ok && err == nil && a.url.Name != "spartan" && !strings.HasSuffix(string(line), "\r\n"):
			return newHeadError(op, "the first line of the answer ends in LF, and Gemini demands CR LF")
		case ok && err == nil:
			return nil
		}
		if errors.Is(err, io.EOF) && a.mayBegin(string(line), digits) {
			return a.newCutError(op, mask(text))
		}
		text = mask(text)
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Text: text[:min(len(text), 100)], Err: a.statusRule()}
	}
	return err
}

// mayBegin reports whether line, which ends with the connection, may be the beginning of a first line that was cut off.
func (a *answer) mayBegin(line string, digits int) bool {
	status := line[:min(len(line), digits)]
	return strings.Trim(status, "0123456789") == "" && !strings.HasPrefix(status, "0") && (len(line) <= digits || line[digits] == ' ' || line[digits] == '\r')
}

// newCutError returns the error for a connection that ended after text, the beginning of a first line, or "".
func (a *answer) newCutError(op, text string) error {
	if text == "" {
		return protocols.NewError(protocols.Broken, op, "the server closed the connection without an answer")
	}
	cause := errors.New("the server closed the connection before the end of the first line of its answer")
	return &protocols.Error{Reason: protocols.Broken, Op: op, Text: text[:min(len(text), 100)], Err: cause}
}

// newHeadError returns the error for a first line that breaks a rule (Gemini network protocol, section "Responses").
func newHeadError(op, rule string) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errors.New(rule + ` (Gemini network protocol, section "Responses")`)}
}

// statusRule returns the rule that an answer without a valid status breaks (Gemini network protocol, section
// "Status codes"; Spartan specification, section 3).
func (a *answer) statusRule() error {
	if a.url.Name == "spartan" {
		return errors.New("a Spartan answer begins with a status of one digit and a blank")
	}
	return errors.New("a Gemini answer begins with a status of two digits and a blank")
}

// parseHead parses s, the first line of an answer: a code with the given number of digits, and the meta text.
func parseHead(s string, digits int) (code int, meta string, ok bool) {
	number, meta, _ := strings.Cut(s, " ")
	code, err := strconv.Atoi(number)
	return code, strings.TrimSpace(meta), err == nil && len(number) == digits && number[0] >= '1'
}

// handleAnswer returns the Resource of an answer, or the target of its redirect.
func (c *Client) handleAnswer(a *answer) (target urlcore.URL, res *protocols.Resource, err error) {
	if a.url.Name == "spartan" {
		return a.handleSpartan()
	}
	if a.code/10 != 3 {
		a.meta = wire.Remember(c.Dialer.Memory, &c.logins).Mask(a.url.Addr(), a.meta)
	}
	switch a.code / 10 {
	case 1:
		if a.secretSent {
			c.setSecret(a.url, "")
		}
		return nil, nil, c.newAsk(a)
	case 2:
		return nil, a.newResource(), nil
	case 3:
		target, err := a.resolveRedirect(a.meta)
		return target, nil, err
	}
	return nil, nil, a.newStatusError()
}

func (a *answer) newResource() *protocols.Resource {
	media := cmp.Or(a.meta, "text/gemini; charset=utf-8")
	title := cmp.Or(a.url.FileName(), a.url.Host)
	return &protocols.Resource{
		Head:   protocols.Head{URL: a.url, Title: title, Media: media, Size: -1, Security: a.conn.Security(), Personal: a.secretSent},
		Body:   wire.Reader{Context: a.conn.Context(), R: a.reader},
		Closer: a.conn,
	}
}

// resolveRedirect returns the target of a redirect to ref, and keeps its fragment.
func (a *answer) resolveRedirect(ref string) (urlcore.URL, error) {
	bad := func(err error) error {
		return &protocols.Error{Reason: protocols.Malformed, Op: "follow the redirect", Code: a.code, Text: ref, Err: err}
	}
	base, err := url.Parse(a.url.String())
	if err != nil {
		return nil, bad(err)
	}
	target, err := base.Parse(ref)
	if err != nil || ref == "" {
		return nil, bad(err)
	}
	u, err := urlcore.Parse(target.String())
	if err != nil {
		return nil, bad(err)
	}
	a.fragment = target.EscapedFragment()
	return u, nil
}

// newAsk returns the question for input. Sensitive input is never in a URL. Sensitive input is stored in
// memory and sent with each fetch of the URL that asked for the input.
func (c *Client) newAsk(a *answer) *protocols.Ask {
	asked := a.url
	asked.Query, asked.HasQuery = "", false
	sensitive := a.code == 11
	field := protocols.Field{Label: "Input", ServerLabel: a.meta}
	if sensitive {
		field.Label, field.Input = "Secret input", protocols.InputSecret
	}
	return &protocols.Ask{
		URL: asked, Title: "Input for " + asked.Addr(), Server: asked.Addr(), Fields: []protocols.Field{field},
		With: func(answers []string) (urlcore.URL, error) {
			if sensitive {
				c.setSecret(asked, answers[0])
				return asked, nil
			}
			u := asked
			u.Query, u.HasQuery = urlcore.EscapeQuery(answers[0]), true
			_, err := formatRequest(u, "")
			return u, err
		},
	}
}

// setSecret stores sensitive input for h. If secret is "", setSecret removes the input.
func (c *Client) setSecret(h urlcore.HTTP, secret string) {
	if c.sharedInputs().secrets.Delete(h); secret != "" {
		c.sharedInputs().secrets.Store(h, secret)
		wire.Remember(c.Dialer.Memory, &c.logins).Try(h.Addr(), wire.NewCredentials("", secret))
	}
}

// statusCauses are the names of the statuses that say no more than that the server failed (Gemini network protocol, section
// "Status codes"). A status that is not in the map means the same as the first of its group.
var statusCauses = map[int]error{
	40: errors.New("temporary failure"), 41: protocols.ErrUnavailable, 42: errors.New("CGI error"), 43: errors.New("proxy error"),
	44: errors.New("too many requests: reload after the number of seconds in the answer"),
	50: errors.New("permanent failure"), 59: protocols.ErrBadRequest,
}

// newStatusError returns the error for a status (Gemini network protocol, section "Status codes").
func (a *answer) newStatusError() error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + a.url.String(), Code: a.code, Text: a.meta}
	switch {
	case a.code == 51:
		e.Reason = protocols.NotFound
	case a.code == 52:
		e.Reason, e.Err = protocols.NotFound, errors.New("the page is gone, and will not come back")
	case a.code == 53:
		e.Reason = protocols.Denied
		e.Err = errors.New("the server is not a proxy for other servers")
	case a.code/10 == 4 || a.code/10 == 5:
		e.Err = cmp.Or(statusCauses[a.code], statusCauses[a.code/10*10])
	case a.code/10 == 6:
		e.Reason, e.Err = protocols.Denied, a.newIdentityError()
	case a.code/10 < 1 || a.code/10 > 6:
		e.Reason = protocols.Malformed
	}
	return e
}

// identityCauses are the statuses about an identity that was sent (Gemini network protocol, section "Client certificates").
var identityCauses = map[int]string{61: "it is not authorized for this page", 62: "it is not valid, perhaps expired"}

// newIdentityError returns the cause of a status about an identity of the user.
func (a *answer) newIdentityError() error {
	return &wire.IdentityError{Addr: a.url.Addr(), Path: a.url.Path, Sent: a.conn.Security().Identity, Detail: identityCauses[a.code]}
}
