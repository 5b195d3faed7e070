package nntp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// session is one connection to a server, used by one fetch at a time.
type session struct {
	ctx            context.Context // the context of the fetch
	server         *server
	target         target
	conn           *wire.Conn
	in             *bufio.Reader
	lines          *wire.LineReader // reads the lines of in
	modeReaderSent bool
	loggedIn       bool
	compressed     bool
	skippedOctets  int // number of octets that this fetch has discarded
	login          wire.Credentials
	identity       string // see [wire.Key]
	group          string // the current group at the server
	isTransit      bool   // the greeting is that of a server for other servers
	pipeline
}

// reply is the first line of an answer.
type reply struct {
	code int
	raw  string // the text after the code, for parsing
	text string // raw with the password masked, for display
}

// connect opens a new connection and reads the greeting. The commands are the first ones of the fetch, see
// session.sendEarly.
func (s *server) connect(ctx context.Context, t target, commands ...string) (*session, error) {
	dial := s.client.Dialer.Dial
	if t.secure {
		secure := s.client.Dialer
		secure.TLS.PlainName = "nntp"
		dial = secure.DialTLS
	}
	awaitHabits := s.load(ctx)
	conn, err := dial(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	awaitHabits()
	conn.MarksEnds = true
	in := bufio.NewReaderSize(conn, wire.MaxLine)
	ses := &session{ctx: ctx, server: s, target: t, conn: conn, in: in, lines: wire.NewLineReader(in), pipeline: pipeline{isNew: true}}
	ses.login, _ = s.login()
	ses.identity = s.client.Dialer.IdentityKey(ctx, s.Addr)
	secret, _ := ses.login.Password()
	conn.Hide(secret)
	if err = ses.sendEarly(commands); err == nil {
		err = ses.readGreeting(commands)
	}
	if err != nil {
		ses.Drop()
		return nil, err
	}
	return ses, nil
}

// readGreeting reads the greeting (RFC 3977, section 5.1) and logs in if there are credentials
// for the server. The commands are sent together with the login.
func (s *session) readGreeting(commands []string) error {
	r, err := s.readReply()
	if err = s.judge("", r, err); err != nil {
		return err
	}
	if r.code != 200 && r.code != 201 {
		return r.error("open a session with " + s.server.Addr)
	}
	if s.server.meet(r.raw) && slices.Contains(s.unanswered, modeReader) { // it may end the connection
		return &protocols.Error{Reason: protocols.Broken, Op: "read from " + s.server.Addr, Err: errTogether}
	}
	s.isTransit = strings.Contains(r.raw, "transit mode")
	if s.server.needsModeReader.Load() || s.isTransit && len(s.unanswered) == 0 {
		if err := s.sendModeReader(); err != nil {
			return err
		}
		s.server.needsModeReader.Store(true)
	}
	if _, ok := s.server.login(); ok {
		return s.logIn(commands)
	}
	return nil
}

// runCommand sends a command and reads the first line of its answer. If the server requires
// MODE READER, a login or TLS first, runCommand complies and repeats the command.
func (s *session) runCommand(command string) (reply, error) {
	r, err := s.exchangeAsReader(command)
	if err != nil {
		return r, err
	}
	switch {
	case s.compressed && (r.code == 480 || r.code == 483): // RFC 8054, section 2.2.2
		return r, protocols.NewError(protocols.Broken, "log in to "+s.server.Addr, "no login can begin on a compressed connection")
	case r.code == 483:
		if err = s.beginTLSAndLogIn(r); err == nil {
			r, err = s.repeatCommand(command)
		}
	case r.code == 480:
		if _, ok := s.server.login(); !ok || s.loggedIn {
			return r, s.loginError(r, s.loggedIn)
		}
		if err = s.logIn(append([]string{command}, s.unanswered...)); err == nil {
			r, err = s.repeatCommand(command)
		}
	}
	if err == nil && r.code == 480 {
		err = s.loginError(r, true)
	}
	return r, err
}

// beginTLSAndLogIn begins TLS after r, a reply 483. If the session was logged in, it logs in again.
func (s *session) beginTLSAndLogIn(r reply) error {
	hadNoTLS := !s.hasTLS()
	if err := s.beginTLS(); err != nil {
		return err
	}
	if !s.hasTLS() || !hadNoTLS {
		e := r.error("read from " + s.server.Addr)
		e.Reason, e.Err = protocols.Insecure, s.tlsRequiredError()
		return e
	}
	if !s.loggedIn {
		return nil
	}
	s.loggedIn = false
	return s.logIn(nil)
}

// exchangeAsReader is like exchange. If the server requires MODE READER, exchangeAsReader sends MODE
// READER and repeats the command.
func (s *session) exchangeAsReader(command string) (reply, error) {
	r, err := s.exchange(command)
	if err != nil {
		return r, err
	}
	needed, err := s.needsModeReader(command, r)
	if err != nil || !needed {
		return r, err
	}
	if err = s.sendModeReader(); err != nil {
		return r, err
	}
	refused := r.code
	r, err = s.exchange(command)
	s.server.needsModeReader.Store(err == nil && r.code != refused)
	return r, err
}

// needsModeReader reports whether the answer r to the command may mean that the server requires MODE READER
// (RFC 3977, section 5.3). Old servers answer 480 then, as others do that require a login; the capabilities
// tell which. A server without CAPABILITIES is old.
func (s *session) needsModeReader(command string, r reply) (bool, error) {
	switch {
	case s.modeReaderSent:
		return false, nil
	case r.code == 401, r.code >= 400 && s.isTransit, r.code == 500 && isBasic(command):
		return true, nil
	case r.code != 480 || s.server.isReader.Load():
		return false, nil
	}
	_, err := s.capabilities()
	return err == nil && !s.server.isReader.Load(), err
}

// isBasic reports whether every server in reader mode knows the command. A server that answers a basic
// command with 500 requires MODE READER.
func isBasic(command string) bool {
	verb, _, _ := strings.Cut(command, " ")
	return verb == "GROUP" || verb == "LIST" || verb == "ARTICLE" || verb == "AUTHINFO" || verb == "POST"
}

// repeatCommand repeats a command after a login. If no group is selected after the login, repeatCommand
// selects the previous group again.
func (s *session) repeatCommand(command string) (reply, error) {
	r, err := s.exchange(command)
	if err != nil || r.code != 412 || s.group == "" {
		return r, err
	}
	enter := groupCommand(s.group)
	if r, err = s.exchange(enter); err != nil || !r.opensGroup(enter) {
		return r, err
	}
	return s.exchange(command)
}

func (s *session) tooBigError() error {
	return &protocols.Error{Reason: protocols.TooBig, Op: "read the answer of " + s.server.Addr}
}

// Commands that are compared with others.
const (
	modeReader = "MODE READER"
	startTLS   = "STARTTLS"
	post       = "POST"
)

// send sends command lines.
func (s *session) send(lines string) error {
	_, err := s.conn.WriteCommands([]byte(lines))
	s.conn.AckAtOnce()
	return err
}

func (s *session) readReply() (reply, error) {
	line, err := s.readLine()
	if err != nil {
		return reply{}, err
	}
	return parseReply(line, s.server.Addr, s.server.client.rememberedLogins().Mask)
}

// parseReply parses a status line (RFC 3977, section 3.2). The parameter peer is the address of the server.
// The function mask masks the password in the text for display.
func parseReply(line, peer string, mask func(peer, text string) string) (reply, error) {
	if len(line) >= 3 && (len(line) == 3 || line[3] == ' ' || line[3] == '\t') {
		if n, err := strconv.ParseUint(line[:3], 10, 16); err == nil && n >= 100 {
			text := strings.TrimLeft(line[3:], " \t")
			return reply{code: int(n), raw: text, text: mask(peer, text)}, nil
		}
	}
	text := mask(peer, line)
	return reply{}, &protocols.Error{
		Reason: protocols.Malformed, Op: "read the answer of " + peer,
		Text: text[:min(len(text), 200)], Err: errors.New("it does not begin with a reply code of NNTP"),
	}
}

// readLine reads a status line.
func (s *session) readLine() (string, error) {
	b, more, err := s.lines.Next()
	switch {
	case err != nil:
		return "", s.endError(err)
	case more:
		return "", protocols.NewError(protocols.TooBig, "read the answer of "+s.server.Addr, "the line is too long")
	}
	if cut := s.lines.LineError(); cut != nil && !errors.Is(cut, io.EOF) {
		return "", s.endError(cut)
	}
	return string(b), nil
}

// endError returns the error to report if reading an answer has failed with err.
func (s *session) endError(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if errors.Is(err, io.EOF) {
		return protocols.NewError(protocols.Broken, "read from "+s.server.Addr, "the server closed the connection before its answer was complete")
	}
	return err
}

// sendModeReader sends MODE READER, which switches a server from the commands for other servers to the
// commands for readers (RFC 3977, section 5.3). A server that does not support MODE READER does not need
// it.
func (s *session) sendModeReader() error {
	s.modeReaderSent = true
	r, err := s.exchange(modeReader)
	if err != nil {
		return err
	}
	switch r.code {
	case 400, 502:
		refusal := r.error("switch " + s.server.Addr + " to reader mode")
		if r.code == 502 && s.server.needsModeReader.CompareAndSwap(true, false) { // it may no longer be needed
			refusal.Reason, refusal.Err = protocols.Broken, errTogether
		}
		return refusal
	case 480:
		if _, ok := s.server.login(); !ok {
			return s.loginError(r, false)
		}
	}
	return nil
}

// Drop closes the connection at once.
func (s *session) Drop() { _ = s.conn.Close() }

// Quit sends QUIT and closes the connection without waiting for an answer.
func (s *session) Quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(s.conn.Conn, "QUIT\r\n")
	_ = s.conn.Close()
}

// error returns the error for a reply that refuses a command.
func (r reply) error(op string) *protocols.Error {
	e := &protocols.Error{Reason: r.reason(), Op: op, Code: r.code, Text: r.text}
	switch r.code {
	case 400:
		e.Err = protocols.ErrUnavailable
	case 211:
		e.Reason, e.Err = protocols.Malformed, errors.New("the server opened another group than the requested one")
	}
	return e
}

func (r reply) reason() protocols.Reason {
	switch r.code {
	case 411, 412, 420, 421, 422, 423, 430:
		return protocols.NotFound
	case 480, 481, 482, 483, 502:
		return protocols.Denied
	}
	return protocols.ServerFailed
}

// hasText reports whether a text follows the reply. It knows only the replies to CAPABILITIES, LIST, ARTICLE and
// OVER. No other answer with a text is ever skipped.
func (r reply) hasText() bool {
	return r.code == 101 || r.code == 215 || r.code == 220 || r.code == 224
}

// isUnknown reports whether the server does not support the command.
func (r reply) isUnknown() bool { return r.code == 500 || r.code == 501 || r.code == 503 }
