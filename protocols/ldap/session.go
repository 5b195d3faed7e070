package ldap

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// session is a connection to a server. It has one request at a time.
type session struct {
	client *Client
	url    urlcore.LDAP // its host is the server
	login  wire.Credentials
	conn   *wire.Conn
	in     *bufio.Reader
	id     int // of the last request
	noTLS  error
}

// readAhead is the size of the buffer of a connection, in octets.
const readAhead = 16 << 10

// connect calls do with a new connection to the server of u. If startTLS is set, nothing is asked without TLS. A password is not
// sent without TLS unless the user agrees.
func (c *Client) connect(ctx context.Context, u urlcore.LDAP, startTLS bool, do func(*session) (*protocols.Resource, error)) (*protocols.Resource, error) {
	s := &session{client: c, url: u, login: c.loginFor(ctx, u)}
	if s.login.User == "" && mustLogIn(u) {
		return nil, s.askLogin(false, "")
	}
	dialer := c.dialerFor(u.Name)
	res, err := dialer.Fetch(ctx, u.Addr(), u.Name == secureScheme, func(conn *wire.Conn) (*protocols.Resource, error) {
		conn.MarksEnds = true
		s.conn, s.in = conn, bufio.NewReaderSize(conn, readAhead)
		if err := s.begin(dialer, startTLS); err != nil {
			return nil, err
		}
		return do(s)
	})
	if err == nil {
		res.Personal = res.Personal || s.login.User != ""
	}
	return res, err
}

func (s *session) isSecure() bool { return s.conn.Security().Protocol != "" }

// begin begins TLS if it is needed, and logs in.
func (s *session) begin(dialer wire.Dialer, startTLS bool) error {
	password, _ := s.login.Password()
	s.conn.Hide(password)
	if (startTLS || password != "") && !s.isSecure() {
		if err := s.startTLS(dialer); err != nil {
			return err
		}
	}
	switch {
	case startTLS && !s.isSecure():
		return s.noTLS
	case s.login.User == "":
		return nil
	case !s.isSecure():
		c := s.client
		confirm := wire.Remember(c.Dialer.Memory, &c.consents).Ask(c.Dialer.TLS.Pins, s.url, s.url.Addr(), s.login.User, c.PlainPasswords,
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
		s.noTLS = &protocols.Error{Reason: protocols.Insecure, Op: "begin TLS with " + s.url.Addr(), Code: r.code, Text: s.mask(cmp.Or(r.text, describe(r.code)))}
		return nil
	}
	return dialer.StartTLS(s.conn, s.url.Addr(), s.in.Buffered())
}

// bind logs in with a name and a password (RFC 4513, section 5.1.3).
func (s *session) bind(password string) error {
	s.id++
	wire.Remember(s.client.Dialer.Memory, &s.client.logins).Try(s.url.Addr(), s.login)
	r, err := s.exchange(bindRequest(s.id, s.login.User, password), tagBindReply)
	switch {
	case err != nil:
		return err
	case r.code == success:
		return nil
	case r.code == invalidCredentials, r.code == invalidDN, r.code == noSuchObject, r.code == inappropriateAuthentication, r.code == unwilling:
		wire.Remember(s.client.Dialer.Memory, &s.client.logins).RecordRefusal(accountOf(s.url), s.login)
		return s.askLogin(true, r.text)
	}
	return s.failure(r, "log in to "+s.url.Addr())
}

// exchange sends a request and returns the result, whose message must have the tag want.
func (s *session) exchange(request string, want byte) (result, error) {
	if err := s.send(request); err != nil {
		return result{}, err
	}
	a, err := s.next()
	if err != nil {
		return result{}, err
	}
	r, ok := a.result()
	if !ok || a.tag != want {
		return r, malformed(errDamaged)
	}
	return r, nil
}

func (s *session) send(request string) error {
	if ctx := s.conn.Context(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	_, err := io.WriteString(s.conn, request)
	return err
}

// search sends a query.
func (s *session) search(q query) error {
	s.id++
	request, err := searchRequest(s.id, q)
	if err != nil {
		return err
	}
	return s.send(request)
}

// next returns the next message for the last request.
func (s *session) next() (answer, error) {
	for {
		if ctx := s.conn.Context(); ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		b, err := readMessage(s.in)
		if err != nil {
			return answer{}, err
		}
		a, ok := parseAnswer(b)
		switch {
		case !ok:
			return a, malformed(errDamaged)
		case a.id == 0:
			return a, s.notice(a)
		case a.id != s.id:
			return a, malformed(fmt.Errorf("a message answers request %d, which was not sent", a.id))
		case a.tag != tagIntermediate: // RFC 4511, section 4.13: none was requested
			return a, nil
		}
	}
}

// notice returns the error for a message that answers no request: the server ends the connection (RFC 4511, section 4.4.1).
func (s *session) notice(a answer) error {
	r, ok := a.result()
	if !ok || a.tag != tagExtendedReply || r.name != oidDisconnect {
		return malformed(errors.New("a message answers no request"))
	}
	return &protocols.Error{
		Reason: protocols.ServerFailed, Op: "ask " + s.url.Addr(), Code: r.code, Text: s.mask(cmp.Or(r.text, describe(r.code))),
		Err: errors.New("the server ended the connection"),
	}
}

// end tells the server that nothing more will be asked (RFC 4511, section 4.3).
func (s *session) end() {
	s.id++
	_ = s.send(unbindRequest(s.id))
}
