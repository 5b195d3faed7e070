package sftp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
)

// open connects to the server of r and logs in.
func (c *Client) open(ctx context.Context, r *request, key wire.Key) (*session, error) {
	h, hops, err := c.plan(ctx, r, key)
	if err != nil {
		return nil, err
	}
	d := &dialing{c: c, ctx: ctx, r: r, key: key, mayLogIn: protocols.MayLogIn(ctx, "sftp", r.addr)}
	d.life, d.end = context.WithCancelCause(context.Background())
	stop := context.AfterFunc(ctx, func() { d.end(context.Cause(ctx)) })
	firstByte, idle := c.Dialer.Silence()
	begun := time.Now()
	limit := time.AfterFunc(firstByte+idle+time.Duration(len(hops))*firstByte, func() {
		d.end(protocols.TimeoutError("log in at "+h.addr, d.received.Load() > 0))
	})
	s, err := d.connect(h, hops)
	limit.Stop()
	if !stop() && err == nil {
		s.fail(errClosed)
		err = context.Cause(ctx)
	}
	if err != nil {
		err = d.orEnd(err)
		d.closeAll()
		return nil, err
	}
	s.client, s.key = c, key
	s.quick = max(cmp.Or(c.Dialer.QuickReply, wire.DefaultQuickReply), time.Since(begun)) // the login has several round trips
	if _, known := key.Login.Password(); known && r.url.HasUser && !key.Login.IsAnonymous() {
		c.rememberedLogins().Keep(accountOf(r), key.Login) // the URLs of the links have no password
	}
	return s, nil
}

// plan returns the server to log in to, and the hosts on the way. Without a user who has chosen the server, nothing that is
// personal is used: neither the name of the user nor hosts on the way.
func (c *Client) plan(ctx context.Context, r *request, key wire.Key) (h host, hops []host, err error) {
	if h, err = c.resolve(r); err != nil {
		return h, nil, err
	}
	if hops, err = c.route(h); err != nil {
		return h, nil, err
	}
	h.user = cmp.Or(key.Login.User, h.user)
	isPersonal := len(hops) > 0 || h.user != r.url.User
	if h.user == "" || isPersonal && !protocols.MayLogIn(ctx, "sftp", r.addr) {
		return h, nil, &protocols.Login{URL: r.url, Server: r.addr, With: c.rememberedLogins().KeepFunc(accountOf(r))}
	}
	return h, hops, nil
}

// dialing is a connection that is being made, to a server and perhaps to others on the way.
type dialing struct {
	c   *Client
	ctx context.Context // of the fetch
	r   *request
	key wire.Key
	// mayLogIn reports whether the user has chosen the server, see [protocols.MayLogIn].
	mayLogIn bool
	life     context.Context // of the connection
	end      context.CancelCauseFunc

	received atomic.Int64 // octets
	personal bool         // a server wanted a key or a password
	closers  []io.Closer
	closing  sync.Once
}

// closeAll closes what was opened, the first connection first: the end of one over it is a message to a server, which may read
// nothing.
func (d *dialing) closeAll() {
	d.closing.Do(func() {
		for _, c := range d.closers {
			_ = c.Close()
		}
		d.end(errClosed)
	})
}

// connect connects to h, over the hosts on the way, and begins the file transfer protocol.
func (d *dialing) connect(h host, hops []host) (*session, error) {
	dial := d.dialTCP
	way := "sftp over" // the same name and address may be another machine on another way, and is no server of a URL
	for _, over := range hops {
		way += "\x00" + over.identity()
		account := wire.Account{Scheme: way, Addr: over.addr, User: over.user, HasUser: true}
		cred := wire.Credentials{User: over.user}
		if remembered, ok := d.c.rememberedLogins().Get(account); ok {
			cred = remembered
		}
		client, _, err := d.logIn(dial, over, account, cred)
		if err != nil {
			return nil, err
		}
		dial = func(addr string) (net.Conn, error) { return d.dialOver(client, over.addr, addr) }
	}
	cred := d.key.Login
	cred.User = h.user
	client, keys, err := d.logIn(dial, h, accountOf(d.r), cred)
	if err != nil {
		return nil, err
	}
	s, err := d.begin(client, h, keys)
	if err == nil {
		s.personal = d.personal
	}
	return s, err
}

// dialTCP connects through wire, whose limits of silence are not for a connection that is idle between fetches.
func (d *dialing) dialTCP(addr string) (net.Conn, error) {
	limit := cmp.Or(max(d.c.Dialer.Connect, 0), wire.DefaultConnect)
	protocols.ProgressFrom(d.ctx).Enter(protocols.Connecting, addr, limit)
	conn, err := d.c.Dialer.Dial(d.life, addr)
	if err != nil {
		return nil, err
	}
	conn.Unlimited = true
	firstByte, _ := d.c.Dialer.Silence()
	protocols.ProgressFrom(d.ctx).Enter(protocols.Waiting, addr, firstByte)
	return conn, nil
}

// dialOver connects to addr over another server.
func (d *dialing) dialOver(over *ssh.Client, name, addr string) (net.Conn, error) {
	if d.c.Dialer.Allow != nil {
		if err := d.c.Dialer.Allow.CheckServer(addr); err != nil {
			return nil, err
		}
	}
	conn, err := over.DialContext(d.life, "tcp", addr)
	if err != nil {
		return nil, openError("connect to "+addr+" over "+name, err, protocols.Unreachable, d.c.masked(name, err.Error()))
	}
	return conn, nil
}

// logIn logs in at h with cred, the credentials of the account.
func (d *dialing) logIn(dial func(addr string) (net.Conn, error), h host, account wire.Account, cred wire.Credentials) (*ssh.Client, *hostKeys, error) {
	keys, err := d.c.newHostKeys(d.r.url, h, d.c.isInside(d.r.url))
	if err != nil {
		return nil, nil, err
	}
	d.c.rememberedLogins().Try(account.Addr, cred)
	conn, err := dial(h.addr)
	if err != nil {
		return nil, nil, err
	}
	d.closers = append(d.closers, conn)
	l := &login{
		c: d.c, life: d.life, ctx: d.ctx, r: d.r, h: h, account: account, cred: cred,
		mayLogIn: d.mayLogIn, useKeys: d.c.Getenv != nil && d.mayLogIn && !keys.ours,
	}
	defer l.close()
	record(d.ctx, h.addr, true, "SSH-2.0")
	sc, channels, requests, err := ssh.NewClientConn(&meter{conn, &d.received}, h.addr, l.config(keys))
	if err != nil {
		return nil, nil, d.explain(l, keys, err)
	}
	d.personal = d.personal || l.methods != nil
	record(d.ctx, h.addr, false, l.mask(string(sc.ServerVersion())))
	record(d.ctx, h.addr, false, "host key "+keys.key.Type()+" "+ssh.FingerprintSHA256(keys.key))
	client := ssh.NewClient(sc, channels, requests)
	d.closers = append(d.closers, client)
	return client, keys, keys.remember()
}

// meter counts received octets.
type meter struct {
	net.Conn
	received *atomic.Int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	m.received.Add(int64(n))
	return n, err
}

// explain returns the error of a failed login.
func (d *dialing) explain(l *login, keys *hostKeys, err error) error {
	op := "log in at " + l.h.addr
	text := err.Error()
	var known *protocols.Error
	switch {
	case d.life.Err() != nil:
		return context.Cause(d.life)
	case keys.err != nil:
		return keys.err
	case errors.As(err, &known) && !isCut(err):
		return known
	case strings.Contains(text, "unable to authenticate"), errors.Is(err, errNoPassword), l.asked, l.locked != "", l.open != nil, l.answered != nil:
		return l.question()
	case d.received.Load() == 0:
		return protocols.NewError(protocols.Broken, op, "the server closed the connection without an answer")
	case isCut(err):
		return protocols.NewError(protocols.Broken, op, "the server closed the connection")
	case keys.key == nil:
		return &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errors.New("the server does not follow SSH (" + sshWords(l.mask(text)) + ")")}
	}
	return protocols.NewError(protocols.Broken, op, "the server ended the login ("+sshWords(l.mask(text))+")")
}

// masked returns a text of the server at addr in one line and without passwords.
func (c *Client) masked(addr, text string) string {
	return clean.Short(c.rememberedLogins().Mask(addr, text))
}

// sshWords returns the text of an error of golang.org/x/crypto/ssh without the names of packages.
func sshWords(text string) string {
	return clean.Short(strings.NewReplacer("ssh: handshake failed: ", "", "ssh: ", "").Replace(text))
}

// begin requests the subsystem "sftp" (RFC 4254, section 6.5).
func (d *dialing) begin(client *ssh.Client, h host, keys *hostKeys) (*session, error) {
	const op = "begin the file transfer protocol"
	ch, requests, err := client.OpenChannel("session", nil)
	if err != nil {
		return nil, d.orEnd(openError(op, err, protocols.Denied, d.c.masked(d.r.addr, err.Error())))
	}
	go ssh.DiscardRequests(requests)
	go func() { _, _ = io.Copy(io.Discard, ch.Stderr()) }()
	ok, err := ch.SendRequest("subsystem", true, ssh.Marshal(struct{ Name string }{"sftp"}))
	if err != nil {
		return nil, d.orEnd(openError(op, err, protocols.Denied, ""))
	}
	if !ok {
		return nil, d.orEnd(protocols.NewError(protocols.NotSupported, op, "the server has no SFTP (subsystem sftp)"))
	}
	record(d.ctx, h.addr, true, "INIT 3")
	s, err := newSession(d.ctx, h.addr, d.c.Dialer, ch, ch, d.closeAll)
	if err != nil {
		return nil, d.orEnd(err)
	}
	s.security, s.notes = keys.security(), keys.notes()
	return s, nil
}

// orEnd returns the reason why the connection was given up, or else err.
func (d *dialing) orEnd(err error) error {
	if d.life.Err() != nil {
		return context.Cause(d.life)
	}
	return err
}
