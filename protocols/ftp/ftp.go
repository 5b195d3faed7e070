package ftp

import (
	"context"
	"errors"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches ftp URLs. The zero value is ready; it must not be copied. It
// is safe for concurrent use: every fetch has a connection of its own, and a
// connection that is done with is kept for a minute for the next fetch.
type Client struct {
	// Dialer opens the control and data connections and has their limits.
	Dialer wire.Dialer
	// Anonymous is the password of the anonymous login, by custom an e-mail
	// address (RFC 1635). "" means "gofer@".
	Anonymous string
	// PlainPasswords lets passwords be sent to servers without TLS unasked.
	PlainPasswords bool
	// Active has servers make the data connections (RFC 959, section 5.1.1);
	// else they do only where they refuse passive mode.
	Active bool
	// AskPort returns the question to be answered before a data connection to port,
	// which the server at addr, host:port, has named, or nil; sends reports whether
	// a file is sent over it. If AskPort is nil no question is asked.
	AskPort func(addr string, port uint16, sends bool) error

	mu      sync.Mutex
	servers servers

	logins wire.Logins
	plain  wire.PlainPasswords
	idle   wire.Pool[*session]
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
	_ protocols.Putter  = (*Client)(nil)
	_ protocols.Changer = (*Client)(nil)
)

func ftpURL(u urlcore.URL) (urlcore.FTP, error) {
	f, ok := u.(urlcore.FTP)
	if !ok {
		return f, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + u.Scheme() + ": URL"}
	}
	return f, nil
}

// Fetch fetches the file or lists the directory that u names, which is a
// [urlcore.FTP]. The Resource's URL never holds a password. When the server
// wants credentials the error is a *[protocols.Login].
func (c *Client) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	f, r, err := requestFor(u)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, f, r)
}

// Resume fetches the octets of a file from the offset on, by REST (RFC 3659,
// section 5).
func (c *Client) Resume(ctx context.Context, u urlcore.URL, offset int64) (*protocols.Resource, error) {
	f, r, err := requestFor(u)
	if err != nil {
		return nil, err
	}
	if offset < 0 || r.name == "" || r.typ == 'a' {
		return nil, protocols.NewError(protocols.Unsupported, resumeOp(offset), "only a file that is sent in its own octets can be resumed")
	}
	r.offset = offset
	return c.send(ctx, f, r)
}

func (c *Client) send(ctx context.Context, f urlcore.FTP, r *request) (*protocols.Resource, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	cred := c.credentials(f, r)
	var res *protocols.Resource
	err := c.idle.Do(ctx, r.key(cred),
		func() (*session, error) { return c.open(ctx, r, cred) },
		func(s *session) (err error) { res, err = c.fetch(s, r); return err },
		isDead)
	return res, err
}

// fetch does the request on s. Then s belongs to the Resource; if there is none it
// is kept for the next fetch or closed.
func (c *Client) fetch(s *session, r *request) (*protocols.Resource, error) {
	res, err := s.do(c, r)
	return res, c.settle(s, r, err)
}

// settle keeps or closes a session on which nothing is under way because of an
// error, which it returns.
func (c *Client) settle(s *session, r *request, err error) error {
	var confirm *protocols.Confirm
	switch {
	case err == nil:
	case errors.As(err, &confirm) && confirm.Consent == protocols.ConsentReplace:
		c.put(s)
	case code(err) >= 500 && s.ctx.Err() == nil:
		var refused *protocols.Error
		errors.As(err, &refused)
		if answer := (reply{code(err), []string{refused.Text}}); s.wantsTLS(answer) {
			s.Quit()
			return s.noTLS(refused.Op, answer)
		}
		if refused.Code == 530 {
			s.Quit()
			return c.ask(r, s.key.Login, refused.Text, false)
		}
		c.put(s)
	default:
		s.Drop()
	}
	return err
}

// put keeps s, on which nothing is under way, for the next fetch.
func (c *Client) put(s *session) { c.idle.Put(s.key, s, 0) }

// Close closes the connections that are kept for later. Those of Resources
// still open are not touched, and are no more kept when they are done.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}
