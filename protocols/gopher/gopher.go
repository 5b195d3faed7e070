// Package gopher fetches Gopher items (RFC 1436): menus, documents and searches, and the views,
// attributes and forms of Gopher+.
//
// # Links
//
// A menu cannot express TLS. In a menu fetched by TLS, a link to the same host and port uses TLS,
// and any other link is unchanged.
//
// The link to a document of a Gopher+ server ends in "%09%09+", so the URL shows that the document
// is requested in Gopher+. The answer then usually has a length, so that its end does not depend on a dot.
//
// If a server answers without Gopher+, the item is requested without Gopher+ from then on. This does not
// apply to a server that has sent a Gopher+ header or Gopher+ marks in a menu, because the gateways and
// searches of such a server answer without a header.
package gopher

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for gopher: and gophers: URLs. It fetches
// gophers: URLs with TLS. The zero value is ready and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections
	// Phonebook fetches and plans items of type 2. If it is nil, such items are unsupported.
	Phonebook interface {
		protocols.Fetcher
		protocols.Planner
	}
	// PlainPasswords allows sending a password in a form without TLS and without asking the user. It has no
	// effect for a server with a pinned certificate.
	PlainPasswords bool

	plainPasswords wire.PlainPasswords
	plus           plusMemory
	probeAfter     time.Duration // if 0, the constant probeAfter is used
	textEnds       memory[textKey, shownEnds]
}

var _ protocols.Planner = (*Client)(nil)

// Plan returns the requests that Fetch would send. For Gopher+ there may be several requests, and
// for a terminal session there are none.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	if c.isPhonebook(u) {
		return c.Phonebook.Plan(u)
	}
	g, err := canonicalItem(u)
	if err != nil {
		return nil, err
	}
	if isSession(g) {
		return nil, nil
	}
	var steps []protocols.Step
	for _, s := range planRequests(g) {
		if g.Secure {
			s.note += "; by TLS"
		}
		steps = append(steps, protocols.Step{Peer: g.Addr(), Send: formatRequest(s.g), Note: s.note})
	}
	return steps, nil
}

// Fetch requests the item and returns after the first octets of the answer. A menu, the result of a
// search and a page of attributes are in Lines, and a document is in Body. For a search item without
// search words and for an empty form, the error is a *[protocols.Ask].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if c.isPhonebook(req.URL) {
		return c.Phonebook.Fetch(ctx, req)
	}
	g, err := canonicalItem(req.URL)
	if err != nil {
		return nil, err
	}
	if isSession(g) {
		return newSessionPage(g)
	}
	if g.HasPlus {
		return c.fetchPlus(ctx, g)
	}
	return c.get(ctx, g, message{text: formatRequest(g)}, nil)
}

// get sends a message and returns the answer to the request for g. If hasHeader is not nil, get
// stores in it whether the answer had a Gopher+ header.
func (c *Client) get(ctx context.Context, g urlcore.Gopher, m message, hasHeader *bool) (*protocols.Resource, error) {
	d := c.Dialer
	d.TLS.PlainName = "gopher"
	return d.Fetch(ctx, g.Addr(), g.Secure, func(conn *wire.Conn) (*protocols.Resource, error) {
		return c.exchange(conn, g, m, hasHeader)
	})
}

// isPhonebook reports whether c.Phonebook fetches u.
func (c *Client) isPhonebook(u urlcore.URL) bool {
	g, ok := u.(urlcore.Gopher)
	return ok && g.Type == '2' && c.Phonebook != nil
}

// exchange sends the message and reads the beginning of the answer.
func (c *Client) exchange(conn *wire.Conn, g urlcore.Gopher, m message, hasHeader *bool) (*protocols.Resource, error) {
	if err := m.writeTo(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(wire.Reader{Context: conn.Context(), R: conn}, bufferSize)
	peekErr := c.awaitAnswer(conn, r, g, m.text)
	if peekErr != nil && !errors.Is(peekErr, io.EOF) {
		return nil, peekErr
	}
	if isAlert(r) {
		return nil, newTLSError(g)
	}
	a := answer{Reader: r, size: -1}
	if g.HasPlus {
		err := a.readHeader(g)
		if a.hasHeader {
			c.plus.setPlusServer(g)
		}
		if hasHeader != nil {
			*hasHeader = a.hasHeader
		}
		if err != nil {
			return nil, err
		}
	} else if err := a.readPlusRefusal(g); err != nil {
		return nil, err
	}
	if err := a.readFailure(g); err != nil {
		return nil, err
	}
	res := &protocols.Resource{
		Head:   protocols.Head{URL: g, Title: titleOf(g), Media: mediaOf(g), Size: a.size, Notes: a.notes},
		Closer: conn,
	}
	switch {
	case a.isPlainMenu(g):
		if !isAttributeMenu(a.Reader) {
			res.Notes = []string{noteNoAttributes}
		}
		c.setMenu(conn.Context(), res, &a, g)
	case isMenu(g, a.Reader):
		if c.setMenu(conn.Context(), res, &a, g); peekErr != nil {
			res.Notes = append(res.Notes, describeClosedConnection(g))
		}
	case isText(g), a.endsInDot && !wantsAttributes(g):
		c.setText(res, &a, g)
	default:
		res.Body = a.newRawReader()
	}
	return res, nil
}

// setMenu sets the Lines of res. A Gopher+ mark on an item of g's server shows that this server speaks
// Gopher+.
func (c *Client) setMenu(ctx context.Context, res *protocols.Resource, a *answer, g urlcore.Gopher) {
	res.Layout = protocols.LayoutMenu
	src := a.newMenuSource()
	src.secure = tlsServer(g)
	src.onMark = func(server urlcore.HostPort) {
		if server == g.HostPort {
			c.plus.setPlusServer(g)
		}
	}
	if isAttributeMenu(a.Reader) {
		res.Lines = readAttributeMenu(ctx, src)
		return
	}
	if looksLikeText(a.peekBuffered()) {
		res.Notes = append(res.Notes, "the answer is not a menu: shown as text")
	}
	ended := a.size >= 0
	src.onEnd = func() { ended = true }
	res.Ended = func() bool { return ended }
	res.Lines = readMenu(ctx, src)
}

// setText sets the Body of res to a text and records whether the server ends texts with a dot.
func (c *Client) setText(res *protocols.Resource, a *answer, g urlcore.Gopher) {
	body := a.newTextReader()
	res.Body = body
	t, ok := body.(*textReader)
	if !ok {
		return
	}
	t.lenient = t.dotRequired
	// One text with a dot shows that the server sends dots: a text without a dot may be incomplete, or the output of
	// a program.
	key := newTextKey(g)
	shown, _ := c.textEnds.get(key)
	t.sendsEnd, t.omitsEnd = shown.dotted && !shown.undotted, shown.undotted && !shown.dotted
	t.onEnd = func(dotted bool) {
		c.textEnds.change(key, func(e *shownEnds) {
			e.dotted, e.undotted = e.dotted || dotted, e.undotted || !dotted
		})
	}
	res.LateNotes = func() []string {
		if t.note == "" {
			return nil
		}
		return []string{t.note}
	}
}

// canonicalItem returns u as a canonical Gopher item, or an error if u cannot be requested.
func canonicalItem(u urlcore.URL) (urlcore.Gopher, error) {
	g, ok := u.(urlcore.Gopher)
	if !ok {
		return g, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by Gopher"}
	}
	if err := checkItem(g); err != nil {
		return g, err
	}
	canonical, err := urlcore.Canon(g)
	if g, ok = canonical.(urlcore.Gopher); !ok {
		return g, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	switch {
	case g.Type == '2':
		return g, &protocols.Error{Reason: protocols.Unsupported, Op: "open a CSO phone book", Err: errPhonebook}
	case g.Type == '7' && !g.HasSearch:
		return g, newSearchAsk(g)
	}
	return g, nil
}

// defaultCharset is the charset of the user's answers to a server whose texts are ASCII.
const defaultCharset = "UTF-8"

func newSearchAsk(g urlcore.Gopher) *protocols.Ask {
	return &protocols.Ask{
		URL:     g,
		Title:   "Search at " + g.Host,
		Server:  g.Host,
		Fields:  []protocols.Field{{Label: "Search for"}},
		Charset: defaultCharset,
		With: func(answers []string) (urlcore.URL, error) {
			search := g
			search.HasSearch = true
			if len(answers) > 0 {
				search.Search = answers[0]
			}
			if err := checkItem(search); err != nil {
				return nil, err
			}
			return search, nil
		},
	}
}

// formatRequest returns the octets to send for g (RFC 1436, section 2; RFC 1738, sections 3.4.3 to 3.4.9).
func formatRequest(g urlcore.Gopher) string {
	if g.HasPlus && g.Plus == "?" {
		g.Plus = "!" // "!" requests all attributes, and one of them is the form
	}
	send, _ := g.Request()
	return send
}

// checkItem returns an error if g is not safe to send as a single request.
func checkItem(g urlcore.Gopher) error {
	if g.Host == "" {
		return &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: errNoHost}
	}
	plus := g.Plus
	if isForm(g) || !g.HasPlus {
		plus = ""
	}
	for _, part := range [...]struct{ name, octets string }{{"selector", g.Selector}, {"search words", g.Search}, {"Gopher+ string", plus}} {
		if err := wire.Check(part.name, part.octets); err != nil {
			return err
		}
		if strings.Contains(part.octets, "\t") {
			return &protocols.Error{Reason: protocols.BadURL, Op: "send the " + part.name, Err: errTab}
		}
	}
	if isForm(g) {
		return checkForm(g)
	}
	return nil
}

// checkForm returns an error if a server of another protocol could take the form for commands (RFC
// 1738, section 6), or if the form contains a NUL.
func checkForm(g urlcore.Gopher) error {
	e := &protocols.Error{Reason: protocols.BadURL, Op: "send the form"}
	switch {
	case g.Port != 0 && g.Port != 70 && g.Port < 1024:
		e.Err = errFormPort
	case strings.Contains(g.Plus, "\x00"):
		e.Err = wire.ErrInjection
	default:
		return nil
	}
	return e
}

func describeRequest(g urlcore.Gopher) string {
	switch {
	case g.HasPlus && strings.HasPrefix(g.Plus, "!"):
		return "ask for the attributes of the item"
	case g.HasPlus && strings.HasPrefix(g.Plus, "$"):
		return "ask for the attributes of all items of the menu"
	case g.Search != "" || g.HasSearch && !g.HasPlus:
		return "search"
	case g.Type == '1':
		return "ask for the menu"
	}
	return "ask for the item"
}

// titleOf returns the search words or else the last name in the selector.
func titleOf(g urlcore.Gopher) string {
	if g.HasSearch && g.Search != "" {
		return g.Search
	}
	s := strings.TrimRight(g.Selector, "/")
	return s[strings.LastIndexByte(s, '/')+1:]
}
