package ftp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"gofer/protocols"
)

// maxWaits bounds the greetings that announce a delay.
const maxWaits = 10

var errWaits = errors.New("it is not ready yet; try again later")

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
			err = &protocols.Error{Reason: protocols.ServerFailed, Op: "connect to " + m.s.key.Addr, Code: r.code, Text: text(r), Err: errWaits}
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
