package ftp

import (
	"context"
	"errors"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches ftp URLs. The zero value is ready; it must not be copied. It is safe for
// concurrent use: every fetch has its own connection, which is kept for the next fetch, one
// for a minute and others for a few seconds.
type Client struct {
	Dialer wire.Dialer // opens the control and data connections and has their limits
	// Anonymous is the password of the anonymous login, by custom an e-mail
	// address (RFC 1635). "" means "gofer@".
	Anonymous string
	// PlainPasswords allows passwords in the clear without a question.
	PlainPasswords bool
	// Active makes servers open the data connections (RFC 959, section 5.1.1), not only
	// those that refuse passive mode.
	Active bool
	// AskPort returns the question before a data connection to a port that the server at
	// addr, host:port, has named, or nil; sends reports whether a file is sent over it.
	// AskPort may be nil.
	AskPort func(addr string, port uint16, sends bool) error

	clocks sync.Map // by host:port, for nowOf
	broken sync.Map // by wire.Key: why TLS failed; not retried for the same login
	pipes  sync.Map // by host:port: *pipelining
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
		return f, &protocols.Error{Reason: protocols.Unsupported, Op: "open the " + u.Scheme() + ": URL"}
	}
	return f, nil
}

// Fetch fetches the file or lists the directory of u, a [urlcore.FTP]. The Resource's URL
// never holds a password. When the server wants credentials the error is a
// *[protocols.Login].
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

func (c *Client) send(ctx context.Context, f urlcore.FTP, r *request) (res *protocols.Resource, err error) {
	err = c.do(ctx, f, r, func(s *session) (err error) {
		res, err = s.do(c, r)
		return err
	}, func() bool { return true })
	return res, err
}

// do calls use with a session for r, which belongs to use unless that returns an error.
// If an idle session was dead, or commands must be sent one by one, and again allows it, do
// repeats the call with a new one.
func (c *Client) do(ctx context.Context, f urlcore.FTP, r *request, use func(*session) error, again func() bool) error {
	cred := c.credentials(f, r)
	once := func() error {
		return c.idle.Do(ctx, r.key(cred),
			func() (*session, error) { return c.open(ctx, r, cred) },
			func(s *session) error { return c.settle(s, r, use(s)) },
			func(err error) bool { return isDead(err) && again() })
	}
	err := once()
	if errors.Is(err, errStep) && again() {
		err = once()
	}
	return err
}

// settle keeps or closes an inactive session after err, which it returns.
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

// put keeps an inactive session for the next fetch.
func (c *Client) put(s *session) {
	if s.ctrl.discard() != nil {
		s.Drop()
		return
	}
	c.idle.PutSpare(s.key, s)
}

// Close closes the idle connections. Connections of open Resources close when these do.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}
