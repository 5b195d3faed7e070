package ftp

import (
	"context"
	"errors"
	"sync"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches ftp URLs. The zero value is ready to use. A Client must not be copied. It is safe for
// concurrent use: every fetch has its own connection. Idle connections are kept for the next fetches from
// the same server: the first for a minute, further connections for a few seconds.
type Client struct {
	Dialer wire.Dialer // opens the control and data connections
	// AnonymousPassword returns the password of the anonymous login at a host, usually the e-mail address of the
	// user (RFC 1738, section 3.2.1; RFC 1635). If AnonymousPassword is nil or returns "", the password is "gofer@".
	AnonymousPassword func(host string) string
	// PlainPasswords allows passwords in the clear without a question. It has no effect for a server with
	// a pinned certificate.
	PlainPasswords bool
	// PreferActive tries active mode first: the server then opens the data connections (RFC 959, section
	// 5.2). If PreferActive is false, active mode is used only if the server refuses passive mode.
	PreferActive bool
	// AskPort is called before the client opens a data connection to the port that the server at addr
	// (host:port) has named. It returns the question to ask, or nil. The parameter isUpload is true for an
	// upload. AskPort may be nil.
	AskPort func(addr string, port uint16, isUpload bool) error
	// Habits stores what sessions learn of servers, so that the next sessions need fewer round trips. If Habits is
	// nil, the Client remembers it only itself.
	Habits wire.HabitStore

	servers  sync.Map // host:port -> *server
	logins   wire.Logins
	consents wire.PlainPasswords
	idle     wire.Pool[*session]
	endings  endings
	asking   wire.Pool[*session] // their logins wait for the user; see logInOrKeep

	spareWait time.Duration // see spare; 0: wire.DefaultQuickReply
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
		return f, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String()}
	}
	return f, nil
}

// Fetch fetches the file or lists the directory of u, a [urlcore.FTP]. The Resource's URL
// never holds a password. When the server wants credentials the error is a
// *[protocols.Login].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, r, err := requestFor(req)
	if err != nil {
		return nil, err
	}
	return c.fetch(ctx, f, r)
}

// Resume fetches the octets of a file from the Offset on, by REST (RFC 3659, section 5).
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, r, err := requestFor(req)
	if err != nil {
		return nil, err
	}
	if req.Offset < 0 || r.name == "" || r.typ == 'a' {
		return nil, protocols.NewError(protocols.Unsupported, resumeOp(req.Offset), "only a file in image type can be resumed")
	}
	r.offset = req.Offset
	return c.fetch(ctx, f, r)
}

func (c *Client) fetch(ctx context.Context, f urlcore.FTP, r *request) (res *protocols.Resource, err error) {
	r.early, r.onlyReads = (*session).earlyCommands, true
	err = c.withSession(ctx, f, r, func(s *session) (err error) {
		res, err = s.fetch(c, r)
		return err
	}, func() bool { return true })
	return res, err
}

// maxAttempts bounds the connections for one fetch. After each failure less is sent ahead: first nothing before
// the greeting, then nothing at all.
const maxAttempts = 4

// withSession calls action with a session for r. If the function action succeeds, it must keep or close the
// session. If action fails, withSession keeps or closes the session. If mayRepeat returns true, withSession
// calls action again with another session after a dead idle session, a failure of pipelining or a refusal that
// a wrong habit has caused.
func (c *Client) withSession(ctx context.Context, f urlcore.FTP, r *request, action func(*session) error, mayRepeat func() bool) error {
	cred := c.chooseCredentials(ctx, f, r)
	r.identity = c.Dialer.IdentityKey(ctx, r.addr)
	attempt := func() error {
		if !c.idle.Has(r.key(cred)) {
			c.endings.wait(ctx, r.key(cred))
		}
		beside := c.newSpare(r, cred)
		return c.idle.Do(ctx, r.key(cred),
			func() (*session, error) { return beside.take(ctx) },
			func(s *session) error {
				err := s.settle()
				if err == nil {
					stop := beside.watch(ctx, s, r)
					err = action(s)
					stop(err)
				}
				return c.keepOrClose(s, r, err)
			},
			func(err error) bool { return isDead(err) && mayRepeat() })
	}
	err := attempt()
	for n := 1; n < maxAttempts && (errors.Is(err, errOutOfStep) || errors.Is(err, errStaleHabit)) && mayRepeat(); n++ {
		next := attempt()
		if protocols.ReasonOf(next).Is(protocols.NotConnected) {
			break
		}
		err = next
	}
	return err
}

// keepOrClose keeps s for the next fetch, or closes s, after the last use of s failed with err. If err is
// nil, it does nothing. The session s must have no open transfer. The result is err, or a more specific error
// if the server requires TLS or a login.
func (c *Client) keepOrClose(s *session, r *request, err error) error {
	var confirm *protocols.Confirm
	switch {
	case err == nil:
	case errors.As(err, &confirm) && confirm.Consent == protocols.ConsentReplace:
		c.keepSession(s)
	case replyCode(err) >= 500 && s.ctx.Err() == nil:
		var refusal *protocols.Error
		errors.As(err, &refusal)
		if answer := (reply{replyCode(err), []string{refusal.Text}}); s.wantsTLS(answer) {
			s.Quit()
			return s.newTLSRequiredError(refusal.Op, answer)
		}
		if refusal.Code == 530 {
			s.Quit()
			return c.newLoginError(r, s.key.Login, refusal.Text, false)
		}
		c.keepSession(s)
	default:
		s.Drop()
	}
	return err
}

// keepSession keeps s, which has no open transfer, for the next fetch.
func (c *Client) keepSession(s *session) {
	s.idleSince = time.Now().Round(0) // by the wall clock: the machine may sleep
	s.server.save(c.Habits, s.key.Addr)
	if s.isDoubtful || s.skipCWDs() != nil {
		s.Drop()
		return
	}
	if s.hasUnwantedListing() {
		go c.finishUnwanted(s)
		return
	}
	if !s.awaitsFinal && !(s.awaitsNextPort() && len(s.ctrl.inFlight) == 1) && s.ctrl.discardReplies() != nil {
		s.Drop()
		return
	}
	c.idle.PutSpare(s.key, s)
}

// Close closes the idle connections, and saves the habits of servers. The connection of an open Resource is closed with the
// Resource.
func (c *Client) Close() error {
	c.idle.Close()
	c.asking.Close()
	c.servers.Range(func(addr, known any) bool {
		known.(*server).save(c.Habits, addr.(string))
		return true
	})
	return nil
}
