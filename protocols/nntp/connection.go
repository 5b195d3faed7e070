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
	ctx        context.Context // the context of the fetch
	server     *server
	url        target
	conn       *wire.Conn
	in         *bufio.Reader
	lines      *wire.LineReader // shares the buffer of in
	reader     bool             // MODE READER was sent or is not needed
	authed     bool
	compressed bool
	dropped    int              // octets of long lines that this fetch has skipped
	login      wire.Credentials // the user's login
	group      string           // the current group at the server
	queued     []string         // commands to send together with the first of them
	unread     []string         // commands sent, with unread answers
}

// reply is the first line of an answer.
type reply struct {
	code int
	raw  string // the text after the code, for parsing
	text string // raw without the password, for showing
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

// greet reads the greeting (RFC 3977, section 5.1) and logs in if there are credentials
// for the server.
func (s *session) greet() error {
	r, err := s.reply()
	if err != nil {
		return err
	}
	if r.code != 200 && r.code != 201 {
		return r.error("open a session with " + s.server.Addr)
	}
	if strings.Contains(r.raw, "transit mode") {
		if err := s.modeReader(); err != nil {
			return err
		}
	}
	if _, ok := s.server.login(); ok {
		return s.logIn()
	}
	return nil
}

// queue makes the next call of ask, which must be for the first of the commands, send all of them
// together. ask must then be called for the others in their order (RFC 3977, section 3.5).
func (s *session) queue(commands ...string) { s.queued = commands }

// ask sends a command and reads the first line of its answer. If the server wants MODE
// READER, a login or TLS first, ask does that and repeats the command.
func (s *session) ask(command string) (reply, error) {
	r, err := s.command(command)
	if err != nil {
		return r, err
	}
	switch {
	case s.compressed && (r.code == 480 || r.code == 483): // RFC 8054, section 2.2.2
		return r, protocols.NewError(protocols.Broken, "log in to "+s.server.Addr, "no login can begin on a compressed connection")
	case r.code == 483:
		if err = s.protect(r); err == nil {
			r, err = s.repeat(command)
		}
	case r.code == 480:
		if _, ok := s.server.login(); !ok || s.authed {
			return r, s.wantLogin(r, s.authed)
		}
		if err = s.logIn(); err == nil {
			r, err = s.repeat(command)
		}
	}
	if err == nil && r.code == 480 {
		err = s.wantLogin(r, true)
	}
	return r, err
}

// protect begins TLS and logs in again.
func (s *session) protect(r reply) error {
	again := !s.tls()
	if err := s.secure(); err != nil {
		return err
	}
	if !s.tls() || !again {
		e := r.error("read from " + s.server.Addr)
		e.Reason, e.Err = protocols.Insecure, s.wantTLS()
		return e
	}
	if !s.authed {
		return nil
	}
	s.authed = false
	return s.logIn()
}

// command is like exchange. If the server requires MODE READER, it sends MODE READER first.
func (s *session) command(command string) (reply, error) {
	r, err := s.exchange(command)
	if err == nil && !s.reader && (r.code == 401 || r.code == 480 || r.code == 500 && isBasic(command)) {
		if err = s.modeReader(); err == nil {
			r, err = s.exchange(command)
		}
	}
	return r, err
}

// isBasic reports whether every server in reader mode knows the command. A 500 for it means
// that the server requires MODE READER.
func isBasic(command string) bool {
	verb, _, _ := strings.Cut(command, " ")
	return verb == "GROUP" || verb == "LIST" || verb == "ARTICLE" || verb == "AUTHINFO" || verb == "POST"
}

// repeat repeats a command after a login. Some servers forget the group then.
func (s *session) repeat(command string) (reply, error) {
	r, err := s.exchange(command)
	if err != nil || r.code != 412 || s.group == "" {
		return r, err
	}
	if r, err = s.exchange(groupCommand(s.group)); err != nil || r.code != 211 {
		return r, err
	}
	return s.exchange(command)
}

// exchange sends a command and the commands queued after it, unless it was sent before, and
// reads the first line of its answer.
func (s *session) exchange(command string) (r reply, err error) {
	if len(s.unread) > 0 && s.unread[0] == command {
		s.unread = s.unread[1:]
	} else {
		if err := s.skip(); err != nil {
			return r, err
		}
		commands := []string{command}
		if len(s.queued) > 0 && s.queued[0] == command {
			commands = s.queued
		}
		if s.compressed && command != "POST" {
			commands = append(slices.Clip(commands), afterText)
		}
		s.queued, s.unread = nil, commands[1:]
		if err := s.send(strings.Join(commands, "\r\n") + "\r\n"); err != nil {
			return r, err
		}
	}
	if r, err = s.reply(); err == nil && r.code == 211 {
		s.group, _ = strings.CutPrefix(command, groupCommand(""))
	}
	return r, err
}

// skip reads the answers to queued commands after a refusal.
func (s *session) skip() error {
	for ; len(s.unread) > 0; s.unread = s.unread[1:] {
		r, err := s.reply()
		for end := err == nil && !r.hasText(); err == nil && !end; {
			var line []byte
			line, _, end, err = s.textLine()
			if s.dropped += len(line) + 1; err == nil && s.dropped > maxDropped {
				err = s.tooBig()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) tooBig() error {
	return &protocols.Error{Reason: protocols.TooBig, Op: "read the answer of " + s.server.Addr}
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
	return parseReply(line, s.server.Addr, s.server.client.typed().Mask)
}

// parseReply parses a status line of peer (RFC 3977, section 3.2). mask masks the
// password in the text for showing.
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

// line reads a status line.
func (s *session) line() (string, error) {
	b, more, err := s.lines.Next()
	switch {
	case err != nil:
		return "", s.endError(err)
	case more:
		return "", protocols.NewError(protocols.TooBig, "read the answer of "+s.server.Addr, "its line has no end")
	}
	if cut := s.lines.LineError(); cut != nil && !errors.Is(cut, io.EOF) {
		return "", s.endError(cut)
	}
	return string(b), nil
}

// endError returns the error for the end of the stream within an answer; err is the cause.
func (s *session) endError(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if errors.Is(err, io.EOF) {
		return protocols.NewError(protocols.Broken, "read from "+s.server.Addr, "the server closed the connection before its answer was whole")
	}
	return err
}

// modeReader switches a server that also serves its peers to the commands for reading (RFC
// 3977, section 5.3). A server that does not know the command does not need it.
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

// Drop closes the connection at once.
func (s *session) Drop() { _ = s.conn.Close() }

// Quit sends QUIT and closes the connection without waiting for an answer.
func (s *session) Quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(s.conn.Conn, "QUIT\r\n")
	_ = s.conn.Close()
}

// error turns a refusal into an error for the user.
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
		return protocols.NotThere
	case 480, 481, 482, 483, 502:
		return protocols.Denied
	}
	return protocols.ServerFailed
}

// hasText reports whether a text follows this reply to a queued command.
func (r reply) hasText() bool { return r.code == 215 || r.code == 220 }

// isUnknown reports whether the server does not have the command.
func (r reply) isUnknown() bool { return r.code == 500 || r.code == 501 || r.code == 503 }
