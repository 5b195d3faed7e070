// Package prospero lists directories of Prospero servers and fetches the contents of
// their objects (Prospero protocol version 5 over ARDP; RFC 1738, section 3.11).
//
// Datagrams are accepted only from the requested host, but from any of its ports, because servers
// answer from another port. A redirect or an object that has moved may lead to another host. The
// user is then asked first ([protocols.Confirm]).
package prospero

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for prospero: URLs. The zero value is
// ready and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the sockets; its time limits apply to the exchanges

	consents wire.Consents[Client] // redirects that the user has agreed to
}

var _ protocols.Planner = (*Client)(nil)

// maxForwards is the maximum number of locations where an object that has moved is requested. It is
// also the maximum number of parent directories that findLink searches above the first.
const maxForwards = 5

// fieldVersion is the only field of a prospero: URL that is used.
const fieldVersion = "OBJECT-VERSION"

var (
	errNoHost   = errors.New("the URL names no host")
	errVersion  = errors.New("OBJECT-VERSION is a number")
	errForwards = errors.New("too many redirects")
)

type target struct {
	url     urlcore.Prospero
	version string // "" for the current version
	notes   []string
}

// targetOf returns the object of u, or an error if it cannot be requested.
func targetOf(u urlcore.URL) (target, error) {
	p, ok := u.(urlcore.Prospero)
	if !ok {
		return target{}, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by Prospero"}
	}
	bad := func(err error) (target, error) {
		return target{}, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	if p.Host == "" {
		return bad(errNoHost)
	}
	if err := wire.Check("name", p.Object); err != nil {
		return target{}, err
	}
	t := target{url: p}
	for _, f := range p.FieldValues() {
		switch {
		case !strings.EqualFold(f[0], fieldVersion):
			t.notes = append(t.notes, "The field "+f[0]+" of the URL was not used.")
		case f[1] == "" || strings.Trim(f[1], "0123456789") != "":
			return bad(errVersion)
		default:
			t.version = f[1]
		}
	}
	return t, nil
}

// greeting is the start of every request (Prospero protocol version 5).
const greeting = "VERSION 5 gofer\nAUTHENTICATE '' UNAUTHENTICATED guest\n"

// listRequest returns the request for the links in a directory. If name is not empty, it requests
// only the links with this name.
func (t target) listRequest(name string) string {
	s := greeting + "DIRECTORY ASCII " + quote(t.url.Object)
	if t.version != "" {
		s += " " + t.version
	}
	s += "\nLIST ATTRIBUTES COMPONENTS"
	if name != "" {
		s += " " + quote(name)
	}
	return s + "\n"
}

func (t target) infoRequest(attributes string) string {
	return greeting + "GET-OBJECT-INFO " + attributes + " ASCII " + quote(t.url.Object) + " " + cmp.Or(t.version, "0") + "\n"
}

// needsFTP reports whether t is a file of the FTP archive of its server. ISI's dirsrv crashes on a
// request for the contents of such a file.
func (t target) needsFTP() bool { return strings.HasPrefix(t.url.Object, ftpArchive) }

const ftpArchive = "AFTP/"

// The attributes in an infoRequest.
const (
	infoAll      = "ACCESS-METHOD+CONTENTS"
	infoContents = "CONTENTS"
)

// parent returns the directory of the object and the name of the object in it.
func (t target) parent() (dir target, name string, ok bool) {
	i := strings.LastIndexByte(t.url.Object, '/')
	if i < 1 || i == len(t.url.Object)-1 {
		return target{}, "", false
	}
	dir.url, name = t.url, t.url.Object[i+1:]
	dir.url.Object, dir.url.Fields = t.url.Object[:i], ""
	return dir, name, true
}

// Plan returns the packets that Fetch would send. The packets contain a placeholder for the random
// connection id.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	t, err := targetOf(u)
	if err != nil {
		return nil, err
	}
	const id = 0x4242
	var steps []protocols.Step
	add := func(text, note string) {
		for _, p := range requestPackets(id, text) {
			steps = append(steps, protocols.Step{Peer: t.url.Addr(), Send: string(p), Note: note})
			note = "the same, continued"
		}
	}
	add(t.listRequest(""), "by UDP: list the directory; the second and third octet are a random number each time")
	if !t.needsFTP() {
		add(t.infoRequest(infoAll), "by UDP: if it is not a directory, ask for its contents and how else to get it")
	}
	if dir, name, ok := t.parent(); ok {
		add(dir.listRequest(name), "by UDP: if only its directory knows it, ask for it there")
	}
	return steps, nil
}

// Fetch returns when the answer of the server begins. The Resource has Lines for a directory and a Body
// for the contents of an object. If the object is available only by other protocols, Fetch returns a
// page of its URLs.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	t, err := targetOf(req.URL)
	if err != nil {
		return nil, err
	}
	for range maxForwards {
		res, forward, err := c.listDirectory(ctx, t)
		if err == nil && res == nil && forward == nil {
			res, forward, err = c.openObject(ctx, t)
		}
		if forward == nil {
			return res, err
		}
		if t, err = c.forwardTarget(ctx, t, *forward); err != nil {
			return nil, err
		}
	}
	return nil, &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + req.URL.String(), Err: errForwards}
}

// forwardTarget returns the target in a FORWARDED or LINK statement. If the target is at another
// host and the user has not agreed, it returns a *[protocols.Confirm].
func (c *Client) forwardTarget(ctx context.Context, t target, s statement) (target, error) {
	index, reason, note := 1, "The server reports that the object has moved there.", "The object has moved here from "
	if s.keyword() == "LINK" {
		index, reason, note = 4, "A link of the directory leads there.", "A link leads here from "
	}
	u, err := askedServer{t.url.HostPort}.urlOf(placeOf(s.tokensFrom(index)), s.token(index+4))
	if err != nil {
		return target{}, t.protocolError(s)
	}
	if u.Host != t.url.Host {
		if err := c.checkConsent(t, u.Addr(), reason); err != nil {
			return target{}, err
		}
	}
	if err := protocols.CheckRedirect(ctx, u); err != nil {
		return target{}, err
	}
	moved, err := targetOf(u)
	moved.notes = slices.Concat(t.notes, []string{note + t.url.String() + "."}, moved.notes)
	return moved, err
}

// checkConsent returns nil if the user has agreed to a request to another server. Otherwise it
// returns the question.
func (c *Client) checkConsent(t target, server, reason string) error {
	key := t.url.Addr() + " " + server
	agreed := wire.Remember(c.Dialer.Memory, &c.consents)
	if _, ok := agreed.Load(key); ok {
		return nil
	}
	return &protocols.Confirm{
		URL: t.url, Question: "Ask " + server + " in place of " + t.url.Addr(), Reason: reason,
		Details:     []string{"prospero at " + server},
		GiveConsent: func() { agreed.Store(key, true) },
	}
}

// answer is the answer to a request.
type answer struct {
	*reader
	first   statement
	pending bool // the method next has not yet returned the field first
	open    bool // the next token is the contents of an object

	ctx  context.Context
	ex   *exchange
	once sync.Once
	err  error
}

// ask sends a request and returns after the first statement of the answer. It follows one redirect
// to another server.
func (c *Client) ask(ctx context.Context, t target, text string) (*answer, error) {
	addr := t.url.Addr()
	for hops := 0; ; hops++ {
		a, err := c.newAnswer(ctx, addr, text)
		var r *redirect
		if !errors.As(err, &r) {
			return a, err
		}
		if hops > 0 {
			return nil, &protocols.Error{Reason: protocols.ServerFailed, Op: "ask " + addr, Err: errForwards}
		}
		if a.ex.serverAddr() != r.target.Addr() {
			if err := c.checkConsent(t, r.target.String(), "The server redirects to another host than the one in the URL."); err != nil {
				return nil, err
			}
		}
		server := t.url
		server.HostPort = urlcore.HostPort{Host: r.target.Addr().String(), Port: r.target.Port()}
		if err := protocols.CheckRedirect(ctx, server); err != nil {
			return nil, err
		}
		addr = r.target.String()
	}
}

// newAnswer sends a request to one server. If the server redirects, newAnswer returns an error and
// a closed answer.
func (c *Client) newAnswer(ctx context.Context, addr, text string) (*answer, error) {
	conn, err := c.Dialer.Packet(ctx, addr, 1<<16)
	if err != nil {
		return nil, err
	}
	conn.Unlimited = true // the exchange has its own limits
	firstByte, idle := c.Dialer.Silence()
	ex, err := newExchange(ctx, conn, exchange{
		peer: addr, id: newID(), resend: conn.Conn, // writes to conn.Conn do not report progress
		firstByte: firstByte, idle: idle,
	}, text)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	a := &answer{reader: newReader(ex), ctx: ctx, ex: ex}
	if a.first, a.open, err = a.reader.next(isContents); err != nil && err != io.EOF {
		_ = a.Close()
		return a, err
	}
	a.pending = err == nil
	return a, nil
}

func (x *exchange) serverAddr() netip.Addr {
	if c, ok := x.conn.(net.Conn); ok {
		if a, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
			return a.Addr().Unmap()
		}
	}
	return netip.Addr{}
}

// next returns the next statement. If the contents of an object come next, it stops before the contents
// and sets a.open.
func (a *answer) next() (s statement, err error) {
	switch {
	case a.ctx.Err() != nil:
		return s, context.Cause(a.ctx)
	case a.pending:
		a.pending = false
		return a.first, nil
	case a.open:
		if err := a.readToken(func([]byte) error { return nil }); err != nil {
			return s, err
		}
	}
	s, a.open, err = a.reader.next(isContents)
	return s, err
}

// readWarnings reads at most maxLeading statements before the first entry of a directory. It returns the
// warnings among these statements.
func (a *answer) readWarnings() (list []string, err error) {
	for n := 0; a.pending && n < maxLeading; n++ {
		switch a.first.keyword() {
		case "WARNING":
			if len(list) < maxWarnings {
				list = append(list, a.first.message())
			}
		case "NONE-FOUND", "SUCCESS":
		default:
			return list, nil
		}
		a.pending = false
		a.first, err = a.next()
		a.pending = err == nil
	}
	if err == io.EOF {
		err = nil
	}
	return list, err
}

// maxLeading is the maximum number of statements before the first entry. maxWarnings is the maximum
// number of warnings returned.
const maxLeading, maxWarnings = 1000, 20

func (a *answer) Close() error {
	a.once.Do(func() { a.err = a.ex.Close() })
	return a.err
}

func (t target) failureError(s statement) error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + t.url.String(), Text: s.words(1)}
	switch s.keyword() {
	case "ERROR":
	case "VERSION-NOT-SUPPORTED":
		e.Reason, e.Text = protocols.Unsupported, s.words(0)
	case "FAILURE":
		e.Text = s.message()
		switch code := s.token(1); {
		case code == "NOT-A-DIRECTORY", code == "NOT-FOUND":
			e.Reason = protocols.NotFound
		case code == "NOT-AUTHORIZED", strings.Contains(code, "AUTHENTICAT"):
			e.Reason = protocols.Denied
		}
	default:
		return nil
	}
	return e
}

func isFailure(s statement, code string) bool { return s.keyword() == "FAILURE" && s.token(1) == code }

// protocolError returns the error for an answer that violates the Prospero protocol.
func (t target) protocolError(s statement) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read the answer of " + t.url.Addr(), Text: s.words(0)}
}
