package ftp

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// shim is the control connection as the library sees it. It sends what the
// library says, and tells it of each reply one line with the code that the
// library takes for its meaning: the first digit tells (RFC 959, section 4.2).
type shim struct {
	*control
	s       *session
	listing string // sent in place of RETR, if not empty
	verb    string // of the library's last command
	out     []byte // an unfinished command line
	pending []byte // of a reply, not yet read by the library
	last    reply  // that the library was told of
}

// SetDeadline does nothing: wire.Conn has a limit for each operation, and a
// deadline left behind by the library would end a healthy connection.
func (*shim) SetDeadline(time.Time) error { return nil }

// RemoteAddr is of the type that the library wants; nothing connects to it.
func (*shim) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// Read returns what is left of one reply. In active mode the server has
// connected when the library hears that it sends or receives. A greeting that
// tells to wait is passed over (RFC 959, section 5.4).
func (m *shim) Read(p []byte) (int, error) {
	for len(m.pending) == 0 {
		r, err := m.reply()
		if err == nil && r.code/100 == 1 && m.s.incoming != nil {
			err = m.s.incoming.accept(m.s)
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

// hear has the library read a reply to its last command.
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
	case m.verb == "EPSV":
		code = 229
	case m.verb == "PASV":
		code, words = 227, plainPASV(words)
	default:
		code = 226
	}
	m.pending = fmt.Appendf(m.pending[:0], "%d %s\r\n", code, words)
}

// plainPASV returns the numbers of a 227 reply in the one form that the library
// reads safely. RFC 1123, section 4.1.2.6: look for the digits, not the parentheses.
func plainPASV(s string) string {
	other := func(r rune) bool { return (r < '0' || r > '9') && r != ',' && r != ' ' }
	for _, list := range strings.FieldsFunc(s, other) {
		list = strings.ReplaceAll(list, " ", "")
		if strings.Count(list, ",") == 5 {
			return "(" + list + ")"
		}
	}
	return "()"
}

// Write takes command lines from the library and sends each when it is whole.
func (m *shim) Write(p []byte) (int, error) {
	m.out = append(m.out, p...)
	line, whole := bytes.CutSuffix(m.out, []byte("\r\n"))
	if !whole {
		return len(p), nil
	}
	m.out = m.out[:0]
	return len(p), m.pass(string(line))
}

func (m *shim) pass(line string) error {
	m.verb, _, _ = strings.Cut(line, " ")
	switch {
	case m.verb == "EPSV" || m.verb == "PASV":
		r, err := m.s.passive(m.verb)
		if err == nil {
			m.hear(r)
		}
		return err
	case m.verb == "RETR" && m.listing != "":
		line = m.listing
	}
	return m.send(line)
}

// dial gives the library the control connection at its first call, and data
// connections after that. Those go to the peer of the control connection,
// whatever address the server gave: anything else would let a server aim
// connections at third parties (RFC 2577, section 3).
func (s *session) dial(_, addr string) (net.Conn, error) {
	if s.lib == nil {
		return s.shim, nil
	}
	if s.incoming != nil {
		return s.incoming, nil
	}
	digits := addr[strings.LastIndexByte(addr, ':')+1:]
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 {
		return nil, &protocols.Error{Reason: protocols.Malformed, Op: "open a data connection", Text: digits}
	}
	dialer := s.dialer
	dialer.Allow = nil // it is the server of the control connection
	conn, err := dialer.Dial(protocols.WithTranscript(s.ctx, nil), s.conn.SameHost(uint16(port)))
	if err != nil {
		return nil, err
	}
	s.use(conn)
	return conn, nil
}

// use makes a data connection fit for the transfer.
func (s *session) use(conn *wire.Conn) {
	if s.protected {
		s.dialer.TLSOnUse(conn, s.key.Addr)
	}
	if s.upload != nil {
		s.upload.conn = conn
		conn.ResetUnlessFinished()
	}
}
