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
	ctx                context.Context // the context of the fetch
	server             *server
	target             target
	conn               *wire.Conn
	in                 *bufio.Reader
	lines              *wire.LineReader // reads the lines of in
	modeReaderSent     bool
	loggedIn           bool
	compressed         bool
	skippedOctets      int // number of octets that this fetch has discarded
	login              wire.Credentials
	group              string   // the current group at the server
	queuedCommands     []string // commands to be sent in one write, when runCommand is called for the first of them
	unansweredCommands []string // sent commands whose answers have not been read
}

// reply is the first line of an answer.
type reply struct {
	code int
	raw  string // the text after the code, for parsing
	text string // raw with the password masked, for display
}

// connect opens a new connection and reads the greeting.
func (s *server) connect(ctx context.Context, t target) (*session, error) {
	dial := s.client.Dialer.Dial
	if t.secure {
		secure := s.client.Dialer
		secure.TLS.PlainName = "nntp"
		dial = secure.DialTLS
	}
	conn, err := dial(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	conn.MarksEnds = true
	in := bufio.NewReaderSize(conn, wire.MaxLine)
	ses := &session{ctx: ctx, server: s, target: t, conn: conn, in: in, lines: wire.NewLineReader(in)}
	ses.login, _ = s.login()
	secret, _ := ses.login.Password()
	conn.Hide(secret)
	if err := ses.readGreeting(); err != nil {
		ses.Drop()
		return nil, err
	}
	return ses, nil
}

// readGreeting reads the greeting (RFC 3977, section 5.1) and logs in if there are credentials
// for the server.
func (s *session) readGreeting() error {
	r, err := s.readReply()
	if err != nil {
		return err
	}
	if r.code != 200 && r.code != 201 {
		return r.error("open a session with " + s.server.Addr)
	}
	if strings.Contains(r.raw, "transit mode") {
		if err := s.sendModeReader(); err != nil {
			return err
		}
	}
	if _, ok := s.server.login(); ok {
		return s.logIn()
	}
	return nil
}

// queue makes the next runCommand send all the commands in one write (RFC 3977, section 3.5). The caller
// must then call runCommand for each command, in the given order.
func (s *session) queue(commands ...string) { s.queuedCommands = commands }

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
		if err = s.logIn(); err == nil {
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
	return s.logIn()
}

// exchangeAsReader is like exchange. If the server requires MODE READER, exchangeAsReader sends MODE
// READER and repeats the command.
func (s *session) exchangeAsReader(command string) (reply, error) {
	r, err := s.exchange(command)
	if err == nil && !s.modeReaderSent && (r.code == 401 || r.code == 480 || r.code == 500 && isBasic(command)) {
		if err = s.sendModeReader(); err == nil {
			r, err = s.exchange(command)
		}
	}
	return r, err
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
	if r, err = s.exchange(groupCommand(s.group)); err != nil || r.code != 211 {
		return r, err
	}
	return s.exchange(command)
}

// exchange sends a command together with the commands queued after it. It sends nothing if the command
// was already sent from the queue. It then reads the first line of the answer to the command.
func (s *session) exchange(command string) (r reply, err error) {
	if len(s.unansweredCommands) > 0 && s.unansweredCommands[0] == command {
		s.unansweredCommands = s.unansweredCommands[1:]
	} else {
		if err := s.skipAnswers(); err != nil {
			return r, err
		}
		commands := []string{command}
		if len(s.queuedCommands) > 0 && s.queuedCommands[0] == command {
			commands = s.queuedCommands
		}
		if s.compressed && command != "POST" {
			commands = append(slices.Clip(commands), flushCommand)
		}
		s.queuedCommands, s.unansweredCommands = nil, commands[1:]
		if err := s.send(strings.Join(commands, "\r\n") + "\r\n"); err != nil {
			return r, err
		}
	}
	if r, err = s.readReply(); err == nil && r.code == 211 {
		s.group, _ = strings.CutPrefix(command, groupCommand(""))
	}
	return r, err
}

// skipAnswers reads and discards the unread answers. For example, the answers to queued commands are not
// needed if an earlier command was refused.
func (s *session) skipAnswers() error {
	for ; len(s.unansweredCommands) > 0; s.unansweredCommands = s.unansweredCommands[1:] {
		r, err := s.readReply()
		for end := err == nil && !r.hasText(); err == nil && !end; {
			var line []byte
			line, _, end, err = s.readTextLine()
			if s.skippedOctets += len(line) + 1; err == nil && s.skippedOctets > maxDropped {
				err = s.tooBigError()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) tooBigError() error {
	return &protocols.Error{Reason: protocols.TooBig, Op: "read the answer of " + s.server.Addr}
}

func (s *session) send(octets string) error {
	_, err := io.WriteString(s.conn, octets)
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
	r, err := s.exchange("MODE READER")
	if err != nil {
		return err
	}
	switch r.code {
	case 400, 502:
		return r.error("switch " + s.server.Addr + " to reader mode")
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
	if r.code == 400 {
		e.Err = protocols.ErrUnavailable
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

// hasText reports whether a text follows the reply. It knows only the replies to LIST and ARTICLE. No
// other answer with a text is ever skipped.
func (r reply) hasText() bool { return r.code == 215 || r.code == 220 }

// isUnknown reports whether the server does not support the command.
func (r reply) isUnknown() bool { return r.code == 500 || r.code == 501 || r.code == 503 }
