package ftp

import (
	"fmt"
	"net"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// activeConn is a data connection that the server makes (RFC 959, section
// 5.1.1).
type activeConn struct {
	*wire.Conn // nil before accept
	listener   *wire.Listener
}

// accept waits for the server to connect.
func (a *activeConn) accept(s *session) (err error) {
	if a.Conn, err = a.listener.Accept(); err != nil {
		return err
	}
	s.incoming = nil
	s.use(a.Conn)
	return a.listener.Close()
}

// Close closes the connection, or ends the waiting for it.
func (a *activeConn) Close() error {
	if a.Conn == nil {
		return a.listener.Close()
	}
	return a.Conn.Close()
}

// passive answers the library's EPSV or PASV. Where the server refuses both, or
// active mode is set, the answer has the port of a listener of ours, to which the
// server has agreed to connect.
func (s *session) passive(verb string) (reply, error) {
	s.incoming = nil
	if s.active {
		if answer, err := s.listen(verb); err != nil || answer.code/100 == 2 {
			return answer, err
		}
	}
	answer, err := s.ctrl.command(verb)
	if err != nil || verb == "EPSV" || s.active || !refusesData(answer.code) {
		return answer, err
	}
	instead, err := s.listen(verb)
	if err != nil || instead.code/100 != 2 { // the reader asked for none of active mode
		return answer, err
	}
	s.active = answer.code >= 500
	return instead, nil
}

// listen asks the server to connect to a listener, by PORT (RFC 959, section
// 4.1.2) or EPRT (RFC 2428, section 2). It returns the refusal, or an answer to
// verb.
func (s *session) listen(verb string) (reply, error) {
	if s.activeErr.code != 0 || s.conn.Proxied() {
		return s.activeErr, nil
	}
	ln, err := s.dialer.Listen(protocols.WithTranscript(s.ctx, nil), s.conn)
	if err != nil {
		return reply{}, err
	}
	here := ln.Addr().(*net.TCPAddr)
	port := fmt.Sprintf("%d,%d", here.Port>>8, here.Port&0xff)
	command := fmt.Sprintf("EPRT |2|%s|%d|", here.IP, here.Port)
	if here.IP.To4() != nil {
		command = "PORT " + strings.ReplaceAll(here.IP.String(), ".", ",") + "," + port
	}
	answer, err := s.ctrl.command(command)
	if err != nil || answer.code/100 != 2 {
		if answer.code >= 500 {
			s.activeErr = answer
		}
		_ = ln.Close()
		return answer, err
	}
	s.incoming = &activeConn{listener: ln}
	if verb == "EPSV" {
		return reply{229, []string{fmt.Sprintf("(|||%d|)", here.Port)}}, nil
	}
	return reply{227, []string{"(0,0,0,0," + port + ")"}}, nil
}

// refusesData reports whether a reply is a refusal of a data connection alone,
// neither of the session nor of one without TLS.
func refusesData(code int) bool {
	return code >= 300 && code != 421 && code != 530 && reasonOf(code, "") != protocols.Insecure
}

// connecting reports whether the last command was about a data connection.
func (s *session) connecting() bool {
	switch s.ctrl.verb {
	case "EPSV", "PASV", "EPRT", "PORT":
		return true
	}
	return false
}
