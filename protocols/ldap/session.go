package ldap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"gofer/internal/ber"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// session is a connection to a server after the login. It has one request at a time.
type session struct {
	client *Client
	key    wire.Key
	url    urlcore.LDAP // of the page that is fetched; its host is the server
	conn   *wire.Conn
	in     *ber.Reader
	id     int     // of the last request
	busy   bool    // the last request has no answer, or not all of it
	peeked *answer // the next message, if it has been read
	noTLS  error
}

// Bind makes ctx the context of the session. It returns false if the connection is unusable or the server has sent octets after the last
// answer.
func (s *session) Bind(ctx context.Context) bool {
	s.conn.RequireQuickReply()
	return s.in.In.Buffered() == 0 && s.conn.Rebind(ctx)
}

// Quit tells the server that nothing more will be asked (RFC 4511, section 4.3), and closes the connection.
func (s *session) Quit() {
	_ = s.send(unbindRequest(s.id + 1))
	s.Drop()
}

func (s *session) Drop() { _ = s.conn.Close() }

// keep returns the connection to the pool, unless there may be more of an answer.
func (s *session) keep() {
	if s.busy {
		s.Drop()
		return
	}
	s.client.idle.Put(s.key, s, 0)
}

// keyOf returns the key of sessions for u. Sessions that must begin TLS have their own.
func (c *Client) keyOf(ctx context.Context, u urlcore.LDAP, startTLS bool) wire.Key {
	key := wire.Key{Scheme: u.Name, Addr: u.Addr(), Login: c.loginFor(ctx, u), Identity: c.dialerFor(u.Name).IdentityKey(ctx, u.Addr())}
	if startTLS {
		key.Scheme = "ldap with StartTLS"
	}
	return key
}

// fetch opens u over an idle session or a new one. If startTLS is set, nothing is asked without TLS.
func (c *Client) fetch(ctx context.Context, u urlcore.LDAP, startTLS bool) (res *protocols.Resource, err error) {
	key := c.keyOf(ctx, u, startTLS)
	if key.Login.User == "" && mustLogIn(u) {
		return nil, c.askLogin(u, false, "")
	}
	open := func() (*session, error) { return c.connect(ctx, u, key, startTLS) }
	err = c.idle.Do(ctx, key, open, func(s *session) (err error) {
		s.url = u
		if res, err = s.open(); err != nil {
			s.keep()
			return err
		}
		res.Security = s.conn.Security()
		res.Personal = key.Login.User != "" || res.Security.Identity != ""
		return nil
	}, nil)
	return res, err
}

// connect opens a connection, begins TLS if it is needed, and logs in.
func (c *Client) connect(ctx context.Context, u urlcore.LDAP, key wire.Key, startTLS bool) (*session, error) {
	dialer := c.dialerFor(u.Name)
	dial := dialer.Dial
	if u.Name == secureScheme {
		dial = dialer.DialTLS
	}
	conn, err := dial(ctx, u.Addr())
	if err != nil {
		return nil, err
	}
	conn.MarksEnds = true
	advice := ""
	if u.Name != secureScheme {
		advice = "; if it answers by TLS only, try a URL with ldaps:"
	}
	s := &session{client: c, key: key, url: u, conn: conn, in: newReader(conn, advice)}
	if err := s.begin(dialer, startTLS); err != nil {
		s.Drop()
		return nil, err
	}
	return s, nil
}

func (s *session) isSecure() bool { return s.conn.Security().Protocol != "" }

// begin begins TLS if it is needed, and logs in. A password is not sent without TLS unless the user agrees.
func (s *session) begin(dialer wire.Dialer, startTLS bool) error {
	password, _ := s.key.Login.Password()
	s.conn.Hide(password)
	if (startTLS || password != "") && !s.isSecure() {
		if err := s.startTLS(dialer); err != nil {
			return err
		}
	}
	switch {
	case startTLS && !s.isSecure():
		return s.noTLS
	case s.key.Login.User == "":
		return nil
	case !s.isSecure():
		c := s.client
		confirm := wire.Remember(c.Dialer.Memory, &c.consents).Ask(c.Dialer.TLS.Pins, s.url, s.url.Addr(), s.key.Login.User, c.PlainPasswords,
			"The server offers no TLS: anyone on the network can read the password and all data.",
			wire.DescribeRefusal(s.url.Addr(), s.noTLS, s.mask))
		if confirm != nil {
			return confirm
		}
	}
	return s.bind(password)
}

// startTLS begins TLS (RFC 4511, section 4.14). It asks for TLS instead of reading the list of what the server supports, because
// somebody in between could change the list, and the answer takes as long. If the server refuses, the session goes on without TLS,
// and noTLS is the reason.
func (s *session) startTLS(dialer wire.Dialer) error {
	s.id++
	r, err := s.exchange(startTLSRequest(s.id), tagExtendedReply)
	switch {
	case err != nil:
		return err
	case r.code != success:
		s.noTLS = &protocols.Error{Reason: protocols.Insecure, Op: "begin TLS with " + s.url.Addr(), Code: r.code, Text: cmp.Or(r.text, describe(r.code))}
		return nil
	}
	return dialer.StartTLS(s.conn, s.url.Addr(), s.in.In.Buffered())
}

// bind logs in with a name and a password (RFC 4513, section 5.1.3).
func (s *session) bind(password string) error {
	s.id++
	wire.Remember(s.client.Dialer.Memory, &s.client.logins).Try(s.url.Addr(), s.key.Login)
	r, err := s.exchange(bindRequest(s.id, s.key.Login.User, password), tagBindReply)
	switch {
	case err != nil:
		return err
	case r.code == success:
		return nil
	case r.code == invalidCredentials, r.code == invalidDN, r.code == noSuchObject, r.code == inappropriateAuthentication, r.code == unwilling:
		wire.Remember(s.client.Dialer.Memory, &s.client.logins).RecordRefusal(accountOf(s.url), s.key.Login)
		return s.client.askLogin(s.url, true, r.text)
	}
	return s.failure(r, "log in to "+s.url.Addr())
}

// exchange sends a request and returns the result, whose message must have the tag want.
func (s *session) exchange(request string, want int) (result, error) {
	if err := s.send(request); err != nil {
		return result{}, err
	}
	a, err := s.next()
	if err != nil {
		return result{}, err
	}
	return a.result(want, s.mask)
}

func (s *session) send(request string) error {
	if ctx := s.conn.Context(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.busy = true
	_, err := io.WriteString(s.conn, request)
	return err
}

// search sends a query.
func (s *session) search(q query) error {
	s.id++
	return s.send(searchRequest(s.id, q))
}

// next returns the next message for the last request. It is valid until the next call.
func (s *session) next() (answer, error) {
	if a := s.peeked; a != nil {
		s.peeked = nil
		return *a, nil
	}
	for {
		if ctx := s.conn.Context(); ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		m, err := s.in.Read()
		if err != nil {
			return answer{}, err
		}
		switch a := readAnswer(m); {
		case a.id == 0:
			return a, s.notice(a)
		case a.id != s.id:
			return a, ber.Malformed(fmt.Errorf("a message answers request %d instead of %d", a.id, s.id))
		case a.op.Tag != tagIntermediate: // RFC 4511, section 4.13: none was requested
			s.busy = a.op.Tag == tagEntry || a.op.Tag == tagReference
			return a, nil
		}
	}
}

// notice returns the error for a message that answers no request: the server ends the connection (RFC 4511, section 4.4.1).
func (s *session) notice(a answer) error {
	r, err := a.result(tagExtendedReply, s.mask)
	if err != nil || r.name != oidDisconnect {
		return ber.Malformed(errors.New("a message answers no request"))
	}
	return &protocols.Error{
		Reason: protocols.Broken, Op: "ask " + s.url.Addr(), Code: r.code, Text: cmp.Or(r.text, describe(r.code)),
		Err: errors.New("the server ended the connection"),
	}
}
