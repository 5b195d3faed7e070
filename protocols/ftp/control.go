package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// maxReply bounds one reply of the server, all its lines together.
const maxReply = 64 << 10

// control is the control connection (RFC 959, section 2.3): one line of command
// out, one reply in. Replies are bounded, and the Telnet IAC is doubled.
type control struct {
	net.Conn
	in     *bufio.Reader
	rawIAC bool   // the server takes FF as it is
	verb   string // of the last command

	pipelining *pipelining
	ahead      []string // commands that were sent before their turn
	first      bool     // no reply to those sent with ahead has been read
	piped      bool     // the last command was ahead, and has no reply yet
	follows    bool     // it was not the first of its write
	alive      bool     // there was a reply since the connection was idle
}

// reply is a server's answer: its code and its lines without the code. They must pass
// [session.mask] before they are shown.
type reply struct {
	code  int
	lines []string
}

func newControl(conn net.Conn) *control {
	return &control{Conn: conn, in: bufio.NewReaderSize(conn, maxReply), pipelining: new(pipelining)}
}

// reply returns the next reply to the last command.
func (c *control) reply() (reply, error) {
	if !c.piped {
		return c.read()
	}
	if conn, ok := c.Conn.(*wire.Conn); ok && c.in.Buffered() == 0 {
		conn.AckAtOnce() // nothing is sent between the replies that would acknowledge them
		if c.follows && c.pipelining.Load() == untested {
			conn.RequireQuickReply() // a server may have dropped the commands after the first
		}
	}
	r, err := c.read()
	c.piped = false
	return r, c.judge(r, err)
}

// reading names the operation for errors about a reply.
func (c *control) reading() string {
	if c.verb == "" {
		return "read the greeting"
	}
	return "read the reply to " + c.verb
}

// read reads a whole reply (RFC 959, section 4.2). It skips empty lines before it.
func (c *control) read() (reply, error) {
	var r reply
	op := c.reading()
	for octets, within := 0, false; ; {
		line, err := c.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return r, err
		}
		if octets += len(line); err != nil || octets > maxReply {
			return r, &protocols.Error{Reason: protocols.TooBig, Op: op}
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		code, sep, ok := codeOf(text)
		switch {
		case !within && strings.TrimSpace(text) == "":
			continue
		case !within && !ok:
			return r, &protocols.Error{Reason: protocols.Malformed, Op: op, Text: strings.TrimSpace(text)}
		case !within, ok && code == r.code:
			r.code = code
			r.lines = append(r.lines, text[min(4, len(text)):])
			within = sep == '-'
		default:
			r.lines = append(r.lines, text)
		}
		if !within {
			c.alive = true
			return r, nil
		}
	}
}

// codeOf returns the code and the separator of a line of a reply (RFC 959, section 4.2).
// The separator of a code alone is a space.
func codeOf(s string) (code int, sep byte, ok bool) {
	if len(s) < 3 {
		return 0, 0, false
	}
	code, sep = number(s[:3]), ' '
	if len(s) > 3 {
		sep = s[3]
	}
	return code, sep, code >= 100 && (sep == ' ' || sep == '-')
}

func (c *control) send(line string) error {
	c.verb, _, _ = strings.Cut(line, " ")
	if c.wasAhead(line) {
		return nil
	}
	if err := c.discard(); err != nil {
		return err
	}
	out := onWire(line)
	if c.rawIAC {
		out = line + "\r\n"
	}
	_, err := c.Write([]byte(out))
	return err
}

// onWire returns a command as it is sent: with its line end, and with the octet FF,
// Telnet's IAC, doubled (RFC 959, section 2.3; RFC 854).
func onWire(line string) string { return strings.ReplaceAll(line, "\xff", "\xff\xff") + "\r\n" }

func (c *control) command(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	r, err := c.reply()
	if err != nil {
		return r, err
	}
	return c.confirm(line, r)
}

// maxWaits bounds the greetings that announce a delay.
const maxWaits = 10

// shim is the control connection for the library. It sends the library's commands, and
// passes each reply on as one line with a code that the library expects for its first
// digit (RFC 959, section 4.2).
type shim struct {
	*control
	s       *session
	listing string // sent in place of RETR, if not empty
	verb    string // of the library's last command
	out     []byte // an unfinished command line
	pending []byte // of a reply, not yet read by the library
	last    reply  // the last one for the library
}

// SetDeadline does nothing: wire.Conn has a limit for each operation, and an old deadline
// of the library would end a healthy connection.
func (*shim) SetDeadline(time.Time) error { return nil }

// RemoteAddr returns the type that the library wants; nothing connects to it.
func (*shim) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// Read returns the rest of a reply. In active mode it waits for the data connection before
// a preliminary reply. It skips greetings that announce a delay (RFC 959, section 5.4).
func (m *shim) Read(p []byte) (int, error) {
	for waits := 0; len(m.pending) == 0; waits++ {
		r, err := m.reply()
		if err == nil && r.code/100 == 1 && m.s.data != nil {
			err = m.s.data.accept(m.s)
		}
		if err == nil && waits == maxWaits {
			err = &protocols.Error{Reason: protocols.ServerFailed, Op: "open a session with " + m.s.key.Addr, Code: r.code, Text: text(r), Err: protocols.ErrUnavailable}
		}
		if err != nil {
			return 0, err
		}
		if m.verb != "" || r.code/100 != 1 {
			m.hear(r)
		}
	}
	n := copy(p, m.pending)
	m.pending = m.pending[n:]
	return n, nil
}

// hear passes the reply to the last command on to the library.
func (m *shim) hear(r reply) {
	m.last = r
	code, words := r.code, strings.Join(r.lines, " ")
	switch {
	case code/100 == 1:
		code = 150
	case code/100 == 3:
		code = 350
	case code/100 != 2:
	case m.verb == "":
		code = 220
	case m.verb == "PASV":
		code, words = 227, "(0,0,0,0,0,1)" // it is not asked where
	default:
		code = 226
	}
	m.pending = fmt.Appendf(m.pending[:0], "%d %s\r\n", code, words)
}

// Write sends each command line of the library when it is complete.
func (m *shim) Write(p []byte) (int, error) {
	m.out = append(m.out, p...)
	line, whole := bytes.CutSuffix(m.out, []byte("\r\n"))
	if !whole {
		return len(p), nil
	}
	m.out = m.out[:0]
	m.verb, _, _ = strings.Cut(string(line), " ")
	switch {
	case m.verb == "PASV":
		r, err := m.s.openData()
		if err == nil {
			m.hear(r)
		}
		return len(p), err
	case m.verb == "RETR" && m.listing != "":
		line = []byte(m.listing)
	}
	return len(p), m.send(string(line))
}

// dial returns the control connection at the first call, and then the data connections
// for PASV.
func (s *session) dial(_, _ string) (net.Conn, error) {
	if s.lib == nil {
		return s.shim, nil
	}
	return s.data, nil
}
