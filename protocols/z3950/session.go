package z3950

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"gofer/internal/ber"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// session is a connection to a server after the Init.
type session struct {
	client  *Client
	key     wire.Key
	conn    *wire.Conn
	in      *ber.Reader
	welcome welcome
	failed  bool // the last request failed
	// syntaxes has the index in defaultSyntaxes of the first syntax that the server has for the databases of a URL.
	syntaxes map[string]int
}

// The sizes of the buffer of a connection and of the largest answer, in octets.
const (
	readAhead = 16 << 10
	maxAPDU   = 2 << 20
)

// newReader returns the reader of APDUs: each begins with the tag of a constructed element of the protocol.
func newReader(conn io.Reader) *ber.Reader {
	begins := func(octet byte) bool { return octet&0xE0 == 0xA0 }
	return &ber.Reader{In: bufio.NewReaderSize(conn, readAhead), Protocol: "Z39.50", Begins: begins, Limit: maxAPDU}
}

// Bind makes ctx the context of the session. It returns false if the connection is unusable or the server has sent octets
// after the last answer.
func (s *session) Bind(ctx context.Context) bool {
	s.conn.RequireQuickReply()
	return s.in.In.Buffered() == 0 && s.conn.Rebind(ctx)
}

// Quit closes the session. A Close would not be read by anybody.
func (s *session) Quit() { _ = s.conn.Close() }

func (s *session) Drop() { _ = s.conn.Close() }

// hasLogin reports whether a login was sent.
func (s *session) hasLogin() bool { return s.key.Login != wire.Credentials{} }

// keep returns the connection to the pool. After a failed request it closes the connection.
func (s *session) keep() {
	if s.failed {
		s.Drop()
		return
	}
	s.client.idle.Put(s.key, s, 0)
}

// start calls do with an open session, or with a new one. Afterwards the caller owns the session, unless there is an error.
func (c *Client) start(ctx context.Context, u urlcore.Z3950, do func(*session) error) (s *session, err error) {
	account := wire.Account{Scheme: accountScheme, Addr: u.Addr()}
	login, ok := wire.Remember(c.Dialer.Memory, &c.logins).Get(account)
	if ok = ok && protocols.MayLogIn(ctx, u.Scheme(), u.Addr()); !ok {
		login = wire.Credentials{}
	}
	key := wire.Key{Scheme: accountScheme, Addr: u.Addr(), Login: login}
	open := func() (*session, error) { return c.connect(ctx, u, key) }
	err = c.idle.Do(ctx, key, open, func(opened *session) error {
		s = opened
		err := do(s)
		switch {
		case err == nil:
		case s.failed:
			s.Drop()
		default: // the server has answered
			s.keep()
		}
		return err
	}, nil)
	return s, err
}

// accountScheme is the scheme of logins and idle connections: all Z39.50 URLs share them.
const accountScheme = "z39.50"

// connect opens a connection and sends the Init.
func (c *Client) connect(ctx context.Context, u urlcore.Z3950, key wire.Key) (*session, error) {
	authentication, err := c.authentication(u, key.Login)
	if err != nil {
		return nil, err
	}
	conn, err := c.Dialer.Dial(ctx, key.Addr)
	if err != nil {
		return nil, err
	}
	if password, ok := key.Login.Password(); ok {
		conn.Hide(password)
	}
	s := &session{client: c, key: key, conn: conn, in: newReader(conn), syntaxes: map[string]int{}}
	reply, err := s.ask(initRequest(authentication), pduInitReply)
	if err == nil {
		if s.welcome = readWelcome(reply, s.mask); !s.welcome.accepted {
			err = s.refusal(u)
		}
	}
	if err != nil {
		s.Drop()
		return nil, err
	}
	return s, nil
}

// authentication returns the part of an Init with the login, or the question whether it may be sent in the clear.
func (c *Client) authentication(u urlcore.Z3950, login wire.Credentials) (string, error) {
	password, ok := login.Password()
	switch {
	case login.User == "" && password == "":
		return "", nil
	case !ok || password == "":
		return openID(login.User), nil
	}
	confirm := wire.Remember(c.Dialer.Memory, &c.consents).Ask(c.Dialer.TLS.Pins, u, u.Addr(), login.User, c.PlainPasswords,
		"Z39.50 has no encryption: anyone in between can read the password.")
	if confirm != nil {
		return "", confirm
	}
	return idPass(login.User, password), nil
}

// refusal returns the question for a login, or the error if a login does not help.
func (s *session) refusal(u urlcore.Z3950) error {
	d := s.welcome.diagnostic
	if !d.isLogin() {
		return d.toError("open a session with " + s.key.Addr)
	}
	return s.askLogin(u, d)
}

// failure returns the error of a search or scan. A denial is the question for a login, if none was sent.
func (s *session) failure(u urlcore.Z3950, d *diagnostic, op string) error {
	if d.isDenial() && !s.hasLogin() {
		return s.askLogin(u, d)
	}
	return d.toError(op)
}

// askLogin returns the question for a login. It says whether the server has refused the one that was sent.
func (s *session) askLogin(u urlcore.Z3950, d *diagnostic) error {
	logins := wire.Remember(s.client.Dialer.Memory, &s.client.logins)
	account := wire.Account{Scheme: accountScheme, Addr: s.key.Addr}
	ask := &protocols.Login{URL: u, Server: s.key.Addr, User: s.key.Login.User, With: logins.KeepFunc(account)}
	if d != nil {
		ask.Text = d.text
	}
	if s.hasLogin() {
		logins.RecordRefusal(account, s.key.Login)
		ask.Failed = true
	}
	return ask
}

// mask is the [mask] of the passwords that were sent to the server.
func (s *session) mask(text string) string {
	return wire.Remember(s.client.Dialer.Memory, &s.client.logins).Mask(s.key.Addr, text)
}

// ask sends a request and returns the reply, which must have the tag want. The reply is valid until the next call.
func (s *session) ask(request string, want int) (reply ber.Element, err error) {
	s.failed = true
	if ctx := s.conn.Context(); ctx.Err() != nil {
		return reply, context.Cause(ctx)
	}
	if _, err := io.WriteString(s.conn, request); err != nil {
		return reply, err
	}
	reply, err = s.in.Read()
	switch {
	case err != nil:
		return reply, err
	case reply.Tag == pduClose:
		return reply, closeError(reply, s.mask)
	case reply.Tag != want:
		return reply, ber.Malformed(fmt.Errorf("the server sent an APDU that was not requested (%d)", reply.Tag))
	}
	s.failed = false
	return reply, nil
}

// answer sends a Search, or a Present for at most asked records, and returns the answer. It is valid until the next call.
func (s *session) answer(request string, want, asked int) (answer, error) {
	reply, err := s.ask(request, want)
	if err != nil {
		return answer{}, err
	}
	a, err := readAnswer(reply, asked, s.mask)
	s.failed = err != nil
	return a, err
}

// search sends the queries up to the first one that finds records, and returns their number.
func (s *session) search(u urlcore.Z3950, set string, queries []string) (int, error) {
	var unsupported *diagnostic
	understood := false
	for _, rpn := range queries {
		a, err := s.answer(searchRequest(u, set, rpn), pduSearchReply, 0)
		if err != nil {
			return 0, err
		}
		switch d := cmp.Or(a.failure, &diagnostic{condition: noReason}); {
		case a.success && a.count > 0:
			return a.count, nil
		case a.success:
			understood = true
		case !d.isUnsupported():
			return 0, s.failure(u, d, "search "+databaseName(u))
		default:
			unsupported = cmp.Or(unsupported, d)
		}
	}
	if understood {
		return 0, nil
	}
	return 0, s.failure(u, unsupported, "search "+databaseName(u))
}

// present returns up to n records of the result from start on. It asks for the syntaxes of t up to the first that the server has.
func (s *session) present(t target, start, n int) ([]record, error) {
	u := t.url
	first := s.syntaxes[u.Databases]
	if u.Syntaxes != "" {
		first = 0
	}
	for i := first; ; i++ {
		a, err := s.answer(presentRequest(start, n, u.ElementSet, t.syntaxes[i]), pduReply, n)
		switch {
		case err != nil:
			return nil, err
		case a.lacksSyntax() && i+1 < len(t.syntaxes):
			// Only this answer is about all records: what others have does not depend on the record that was read before.
			if u.Syntaxes == "" && i == s.syntaxes[u.Databases] && len(a.records) == 0 && a.failure.condition == unsupportedSyntax {
				s.syntaxes[u.Databases] = i + 1
			}
		case len(a.records) == 0 && a.failure != nil:
			return nil, a.failure.toError("fetch records from " + s.key.Addr)
		default:
			return a.records, nil
		}
	}
}

// scan returns the terms of an index from that of t on.
func (s *session) scan(t target) ([]entry, error) {
	op := "read the index of " + databaseName(t.url)
	if !s.welcome.allows(optionScan) {
		return nil, protocols.NewError(protocols.NotSupported, op, "the server has no indexes to show; search for words instead")
	}
	reply, err := s.ask(t.scanRequest(), pduScanReply)
	if err != nil {
		return nil, err
	}
	entries, failure, err := readEntries(reply, maxEntries, s.mask)
	switch {
	case err != nil:
		s.failed = true
		return nil, err
	case failure != nil && len(entries) == 0:
		return nil, s.failure(t.url, failure, op)
	case failure != nil:
		entries = append(entries, entry{failure: failure})
	}
	return entries, nil
}
