package sftp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches sftp URLs. The zero value is ready to use. A Client must not be copied. It is safe for concurrent use: all
// fetches with the same login share a connection, which is kept for a minute after the last of them.
type Client struct {
	Dialer wire.Dialer // opens the connections
	// Getenv returns the environment, which names the user's agent and home directory. If it is nil, as in restricted mode,
	// no file and no agent of the user is used: the user is in the URL or asked for, and only passwords are sent.
	Getenv func(string) string
	// SystemDir is the folder of the system's ssh_config and ssh_known_hosts. If it is "", the folder is /etc/ssh.
	SystemDir string
	// UserName is the name of the user on this machine. If it is "", it is that of the account of the process.
	UserName string
	// MayRecord reports whether the key of the server at addr (host:port) may be written to ~/.ssh/known_hosts; nil: never.
	MayRecord func(addr string) bool

	logins   wire.Logins
	accepted acceptedKeys
	typed    secrets

	mu       sync.Mutex
	sessions map[wire.Key]*opening
	closed   bool
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
	_ protocols.Putter  = (*Client)(nil)
	_ protocols.Changer = (*Client)(nil)
)

// opening is a session, or one that is being opened.
type opening struct {
	ready   chan struct{} // closed when session or err is set
	session *session
	err     error
}

// Fetch fetches the file or lists the directory of a URL. An URL without ;type= leads to either. The Resource's URL never
// holds a password. The error is a *[protocols.Confirm] if the key of the server is not known, and a *[protocols.Login] if
// the server wants a password or a key of the user its passphrase.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (res *protocols.Resource, err error) {
	f, r, err := newRequest(req)
	if err != nil {
		return nil, err
	}
	return c.fetch(ctx, f, r)
}

// Resume fetches the octets of a file from the Offset on.
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, r, err := newRequest(req)
	if err != nil {
		return nil, err
	}
	if req.Offset < 0 || r.dir {
		return nil, protocols.NewError(protocols.Unsupported, "resume "+r.url.String(), "only a file can be resumed")
	}
	r.offset = req.Offset
	return c.fetch(ctx, f, r)
}

func (c *Client) fetch(ctx context.Context, f urlcore.FTP, r *request) (res *protocols.Resource, err error) {
	err = c.withSession(ctx, f, r, func(s *session, l *lease) (err error) {
		if r.dir {
			res, err = s.listDirectory(ctx, r, l)
		} else {
			res, err = s.fetchItem(ctx, r, l)
		}
		return err
	}, func() bool { return true })
	return res, err
}

// withSession calls action with a session for r, and a lease that action keeps if it succeeds. After a dead idle connection it
// calls action again with a new one, if mayRepeat returns true.
func (c *Client) withSession(ctx context.Context, f urlcore.FTP, r *request, action func(*session, *lease) error, mayRepeat func() bool) error {
	for {
		s, fresh, err := c.session(ctx, f, r)
		if err != nil {
			return err
		}
		protocols.ProgressFrom(ctx).Enter(protocols.Waiting, r.addr, s.firstByte)
		l := &lease{release: func() { c.release(s) }}
		err = action(s, l)
		if err == nil {
			return nil
		}
		_ = l.Close()
		if fresh || !s.isDead() || ctx.Err() != nil || !mayRepeat() {
			return err
		}
	}
}

// session returns an open session for r, or opens one. The result fresh reports whether it has just been opened.
func (c *Client) session(ctx context.Context, f urlcore.FTP, r *request) (_ *session, fresh bool, _ error) {
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	key := wire.Key{Scheme: "sftp", Addr: r.addr, Login: c.chooseCredentials(ctx, f, r)}
	for {
		c.mu.Lock()
		o := c.sessions[key]
		if o == nil {
			o = &opening{ready: make(chan struct{})}
			if c.sessions == nil {
				c.sessions = make(map[wire.Key]*opening)
			}
			c.sessions[key] = o
			c.mu.Unlock()
			o.session, o.err = c.open(ctx, r, key)
			c.mu.Lock()
			if o.err != nil {
				delete(c.sessions, key)
			} else {
				o.session.users++
			}
			c.mu.Unlock()
			close(o.ready)
			return o.session, true, o.err
		}
		c.mu.Unlock()
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
		if o.err != nil {
			if protocols.QuestionOf(o.err) != nil || errors.As(o.err, new(*protocols.Error)) {
				return nil, false, o.err
			}
			continue // the fetch that opened it was canceled
		}
		if c.lend(key, o) {
			return o.session, false, nil
		}
	}
}

// lend counts another user of a session. It returns false if the session is dead, which is then forgotten.
func (c *Client) lend(key wire.Key, o *opening) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.session.isDead() {
		if c.sessions[key] == o {
			delete(c.sessions, key)
		}
		return false
	}
	if o.session.timer != nil {
		o.session.timer.Stop()
	}
	if o.session.users == 0 {
		go o.session.probe()
	}
	o.session.users++
	return true
}

// release ends one use of a session. After the last one, the session is kept for a minute.
func (c *Client) release(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.users--
	switch {
	case s.users > 0:
	case c.closed:
		s.fail(errClosed)
	default:
		s.timer = time.AfterFunc(wire.DefaultKeep, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if s.users == 0 {
				s.fail(errClosed)
				c.forget(s)
			}
		})
	}
}

// forget removes a session from the map. c.mu must be locked.
func (c *Client) forget(s *session) {
	for key, o := range c.sessions {
		if o.session == s {
			delete(c.sessions, key)
		}
	}
}

var errClosed = protocols.NewError(protocols.Broken, "use the connection", "gofer has closed it")

// Close closes the idle connections. The connection of an open Resource is closed with the Resource.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for key, o := range c.sessions {
		select {
		case <-o.ready:
		default:
			continue
		}
		if o.session != nil && o.session.users == 0 {
			if o.session.timer != nil {
				o.session.timer.Stop()
			}
			o.session.fail(errClosed)
			delete(c.sessions, key)
		}
	}
	return nil
}

// lease lends a session to one Resource.
type lease struct {
	release func()
	ends    []func()
	once    sync.Once
}

// onEnd makes the end of the lease call end first.
func (l *lease) onEnd(end func()) { l.ends = append(l.ends, end) }

// done gives the session back.
func (l *lease) done() {
	l.once.Do(func() {
		for _, end := range l.ends {
			end()
		}
		l.release()
	})
}

// Close gives the session back. It may be called more than once.
func (l *lease) Close() error {
	l.done()
	return nil
}

// progress records the arrival of n octets for a fetch.
func (s *session) progress(ctx context.Context, n int) {
	protocols.ProgressFrom(ctx).AddReceived(n, s.idle)
}

// Plan returns the requests that Fetch would send for u over a new connection.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	f, r, err := newRequest(protocols.Request{URL: u})
	if err != nil {
		return nil, err
	}
	h, err := c.resolve(r)
	if err != nil {
		return nil, err
	}
	var steps []protocols.Step
	add := func(send, note string) {
		steps = append(steps, protocols.Step{Peer: h.addr, Send: send, Note: note})
	}
	user := cmp.Or(c.chooseCredentials(context.Background(), f, r).User, h.user, "USER")
	add("SSH-2.0", "all that follows is encrypted; nothing is sent to a server whose key is not accepted")
	add("login "+user, "with the agent, a key or a password that the server accepts")
	if r.dir {
		add("OPENDIR "+r.path, "")
		add("READDIR", "until the end; READLINK and STAT for links")
		return steps, nil
	}
	add("STAT "+r.path, "for its size, its date, and whether it is a directory")
	if strings.HasSuffix(r.path, "/") {
		return steps, nil
	}
	add("OPEN "+r.path, "OPENDIR if it is a directory")
	add("READ", "many at once, up to the size of the file")
	return steps, nil
}
