package nntp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// session is one connection to a server, used by one fetch at a time.
type session struct {
	ctx     context.Context // of the fetch
	server  *server
	url     target
	conn    *wire.Conn
	in      *bufio.Reader
	lines   *wire.LineReader // on in: they share one buffer
	reader  bool             // MODE READER has been said, or is not wanted
	authed  bool
	dropped int              // octets of long lines that this fetch has passed over
	login   wire.Credentials // of the user; the password is hidden in what is shown
	group   string           // that the server is in
}

// reply is the first line of an answer.
type reply struct {
	code int
	raw  string // what follows the code, to be parsed
	text string // the same without the password, to be shown
}

// connect opens a new connection and reads the greeting.
func (s *server) connect(ctx context.Context, t target) (*session, error) {
	dial := s.client.Dialer.Dial
	if t.secure {
		dial = s.client.Dialer.DialTLS
	}
	conn, err := dial(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, wire.MaxLine)
	ses := &session{ctx: ctx, server: s, url: t, conn: conn, in: in, lines: wire.NewLineReader(in)}
	ses.login, _ = s.login()
	secret, _ := ses.login.Password()
	conn.Hide(secret)
	if err := ses.greet(); err != nil {
		ses.Drop()
		return nil, err
	}
	return ses, nil
}

// greet reads the greeting (RFC 3977, section 5.1) and logs in if the user has
// given credentials for this server before.
func (s *session) greet() error {
	r, err := s.reply()
	if err != nil {
		return err
	}
	if r.code != 200 && r.code != 201 {
		return r.error("connect to " + s.server.Addr)
	}
	if strings.Contains(r.raw, "transit mode") {
		if err := s.modeReader(); err != nil {
			return err
		}
	}
	if _, ok := s.server.login(); ok {
		return s.authenticate()
	}
	return nil
}

// ask sends a command and reads the first line of its answer. A server that
// wants MODE READER or a login first gets it, and the command once more.
func (s *session) ask(command string) (reply, error) {
	r, err := s.exchange(command)
	if err != nil {
		return r, err
	}
	if !s.reader && (r.code == 401 || r.code == 480 || r.code == 500 && isBasic(command)) {
		if err := s.modeReader(); err != nil {
			return r, err
		}
		if r, err = s.exchange(command); err != nil {
			return r, err
		}
	}
	if r.code != 480 {
		return r, nil
	}
	if _, ok := s.server.login(); !ok || s.authed {
		return r, s.wantLogin(r, s.authed)
	}
	if err := s.authenticate(); err != nil {
		return r, err
	}
	if r, err = s.again(command); err == nil && r.code == 480 {
		err = s.wantLogin(r, true)
	}
	return r, err
}

// isBasic reports whether every reader's server knows the command, so that a
// 500 is that of a server which does not serve readers yet.
func isBasic(command string) bool {
	verb, _, _ := strings.Cut(command, " ")
	return verb == "GROUP" || verb == "LIST" || verb == "ARTICLE"
}

// again repeats a command after a login. Some servers forget the group then.
func (s *session) again(command string) (reply, error) {
	r, err := s.exchange(command)
	if err != nil || r.code != 412 || s.group == "" {
		return r, err
	}
	if r, err = s.exchange(groupCommand(s.group)); err != nil || r.code != 211 {
		return r, err
	}
	return s.exchange(command)
}

func (s *session) exchange(command string) (reply, error) {
	if err := s.send(command + "\r\n"); err != nil {
		return reply{}, err
	}
	return s.reply()
}

func (s *session) send(octets string) error {
	_, err := io.WriteString(s.conn, octets)
	s.conn.AckAtOnce()
	return err
}

func (s *session) reply() (reply, error) {
	line, err := s.line()
	if err != nil {
		return reply{}, err
	}
	return parseReply(line, s.server.Addr, s.server.client.logins.Mask)
}

// parseReply reads a status line (RFC 3977, section 3.2) of peer. What is shown
// of it passes mask.
func parseReply(line, peer string, mask func(peer, text string) string) (reply, error) {
	if len(line) >= 3 && (len(line) == 3 || line[3] == ' ' || line[3] == '\t') {
		if n, err := strconv.ParseUint(line[:3], 10, 16); err == nil && n >= 100 {
			text := strings.TrimLeft(line[3:], " \t")
			return reply{code: int(n), raw: text, text: mask(peer, text)}, nil
		}
	}
	return reply{}, &protocols.Error{
		Reason: protocols.Malformed, Op: "read the answer of " + peer,
		Text: cut(mask(peer, line), 200), Err: errors.New("it does not begin with a reply code of NNTP"),
	}
}

// line reads one line that is not text of an article or a list.
func (s *session) line() (string, error) {
	b, more, err := s.lines.Next()
	switch {
	case err != nil:
		return "", s.ended(err)
	case more:
		return "", &protocols.Error{Reason: protocols.TooBig, Op: "read the answer of " + s.server.Addr, Err: errors.New("its line has no end")}
	}
	if cut := s.lines.Cut(); cut != nil && !errors.Is(cut, io.EOF) {
		return "", s.ended(cut)
	}
	return string(b), nil
}

// ended says what the end of the stream means in the middle of an answer.
func (s *session) ended(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if errors.Is(err, io.EOF) {
		return &protocols.Error{Reason: protocols.Broken, Op: "read from " + s.server.Addr, Err: errors.New("the server closed the connection before its answer was whole")}
	}
	return err
}

// modeReader asks a server that also talks to its peers for a reader's
// commands (RFC 3977, section 5.3). A server that knows no such command is
// taken as one that needs none.
func (s *session) modeReader() error {
	s.reader = true
	r, err := s.exchange("MODE READER")
	if err != nil {
		return err
	}
	switch r.code {
	case 400, 502:
		return r.error("ask " + s.server.Addr + " to serve readers")
	case 480:
		if _, ok := s.server.login(); !ok {
			return s.wantLogin(r, false)
		}
	}
	return nil
}

// authenticate sends the credentials in memory (RFC 4643, section 2.3).
func (s *session) authenticate() error {
	login, _ := s.server.login()
	s.login = login
	password, _ := login.Password()
	s.conn.Hide(password)
	for _, part := range []struct{ what, value string }{{"user name", login.User}, {"password", password}} {
		if err := wire.Check(part.what, part.value); err != nil {
			s.server.refused(login)
			return err
		}
	}
	r, err := s.exchange("AUTHINFO USER " + login.User)
	if err == nil && !s.reader && (r.code == 401 || r.code == 480 || r.code == 500) {
		if err = s.modeReader(); err == nil {
			r, err = s.exchange("AUTHINFO USER " + login.User)
		}
	}
	sent := false
	if err == nil && r.code == 381 {
		sent = true
		r, err = s.exchange("AUTHINFO PASS " + password)
	}
	if err != nil {
		return err
	}
	switch {
	case r.code == 281 || r.code == 250:
		s.authed = true
		return nil
	case r.code == 481 || r.code == 482 || r.code == 452 || r.code == 480 || r.code == 502 && sent:
		s.server.refused(login)
		return s.wantLogin(r, true)
	case r.code == 502 && !sent && strings.Contains(strings.ToLower(r.raw), "already"):
		s.authed = true
		return nil
	case r.code == 483:
		e := r.error("log in to " + s.server.Addr)
		e.Reason, e.Err = protocols.Denied, errors.New("it takes passwords only over TLS: try a nntps: URL")
		return e
	}
	e := r.error("log in to " + s.server.Addr)
	e.Reason = protocols.Denied
	return e
}

// wantLogin is the error that asks the user for credentials.
func (s *session) wantLogin(r reply, failed bool) error {
	login, ok := s.server.login()
	if !ok {
		login = s.server.client.logins.Refused(s.server.Account)
	} else if failed {
		s.server.refused(login)
	}
	return &protocols.Login{
		URL: s.url.url, Server: s.server.Addr, User: login.User,
		Text: r.text, Failed: failed, With: s.server.client.logins.With(s.server.Account),
	}
}

// Drop closes the connection in the middle of whatever it does.
func (s *session) Drop() { _ = s.conn.Close() }

// Quit says goodbye and closes the connection; it does not wait for an answer.
func (s *session) Quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(s.conn.Conn, "QUIT\r\n")
	_ = s.conn.Close()
}

// error turns a refusal into an error for the user.
func (r reply) error(op string) *protocols.Error {
	return &protocols.Error{Reason: r.reason(), Op: op, Code: r.code, Text: r.text}
}

func (r reply) reason() protocols.Reason {
	switch r.code {
	case 411, 412, 420, 421, 422, 423, 430:
		return protocols.NotThere
	case 480, 481, 482, 483, 502:
		return protocols.Denied
	}
	return protocols.ServerFailed
}

// unknown reports that the server does not have this command.
func (r reply) unknown() bool {
	return r.code == 500 || r.code == 501 || r.code == 503
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
