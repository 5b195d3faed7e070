package ftp

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// dataConn is a data connection, or the listener for it (RFC 959, section 5.1.1).
type dataConn struct {
	*wire.Conn
	listener *wire.Listener // until the server has connected; else nil
	err      error          // there is no connection
}

// accept waits for the server to connect in active mode. It returns the error of
// [session.connect], if any.
func (d *dataConn) accept(s *session) (err error) {
	if d.listener == nil {
		return d.err
	}
	if d.Conn, err = d.listener.Accept(); err != nil {
		return err
	}
	s.use(d.Conn)
	err = d.listener.Close()
	d.listener = nil
	return err
}

// Close closes the connection or the listener.
func (d *dataConn) Close() error {
	switch {
	case d.listener != nil:
		return d.listener.Close()
	case d.Conn != nil:
		return d.Conn.Close()
	}
	return nil
}

// openData opens a data connection in passive mode, or in active mode if that is set or
// the server refuses passive mode. It returns the server's answer. Unless there is an
// error or a refusal, s.data is the connection.
func (s *session) openData() (reply, error) {
	s.data = nil
	if s.active {
		if answer, err := s.listen(); err != nil || answer.code/100 == 2 {
			return answer, err
		}
	}
	answer, err := s.passive()
	if err != nil || answer.code/100 == 2 || s.active || !refusesData(answer.code) {
		return answer, err
	}
	instead, err := s.listen()
	if err != nil || instead.code/100 != 2 { // the reader asked for none of active mode
		return answer, err
	}
	s.active = answer.code >= 500
	return instead, nil
}

// passive asks the server for a port and connects to it. A server that chooses ports at
// random may name the port of another service, so it is asked for another port once before
// the user is asked.
func (s *session) passive() (reply, error) {
	answer, port, err := s.passivePort()
	if err != nil || answer.code/100 != 2 {
		return answer, err
	}
	if s.guard(port) != nil {
		next, nextPort, err := s.passivePort()
		if err != nil {
			return next, err
		}
		if next.code/100 == 2 {
			answer, port = next, nextPort
		}
	}
	return answer, s.connect(answer, port)
}

func (s *session) passiveVerb() string {
	if s.noEPSV {
		return "PASV"
	}
	return "EPSV"
}

// passivePort asks the server for a port, by EPSV (RFC 2428, section 3) or else PASV
// (RFC 959, section 4.1.2).
func (s *session) passivePort() (answer reply, port uint16, err error) {
	if !s.noEPSV {
		answer, err = s.ctrl.command("EPSV")
		port = portOfEPSV(text(answer))
		s.noEPSV = err == nil && (answer.code/100 != 2 || port == 0)
	}
	if s.noEPSV {
		answer, err = s.ctrl.command("PASV")
		port = portOfPASV(text(answer))
	}
	s.passes = err == nil && port != 0 && answer.code/100 == 2
	return answer, port, err
}

// guard returns the question before a connection to port, or nil.
func (s *session) guard(port uint16) error {
	if s.askPort == nil {
		return nil
	}
	return s.askPort(s.key.Addr, port, s.upload != nil)
}

// portOfEPSV returns the port of "Entering Extended Passive Mode (|||6446|)", or 0.
func portOfEPSV(text string) uint16 {
	_, rest, _ := strings.Cut(text, "|||")
	digits, _, _ := strings.Cut(rest, "|")
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return 0
	}
	return uint16(port)
}

// portOfPASV returns the port of "Entering Passive Mode (h1,h2,h3,h4,p1,p2)", or 0.
// RFC 1123, section 4.1.2.6: look for the digits, not the parentheses.
func portOfPASV(text string) uint16 {
	other := func(r rune) bool { return (r < '0' || r > '9') && r != ',' && r != ' ' }
	for _, list := range strings.FieldsFunc(text, other) {
		numbers := strings.Split(strings.ReplaceAll(list, " ", ""), ",")
		if len(numbers) != 6 {
			continue
		}
		high, errHigh := strconv.ParseUint(numbers[4], 10, 8)
		low, errLow := strconv.ParseUint(numbers[5], 10, 8)
		if errHigh == nil && errLow == nil {
			return uint16(high<<8 | low)
		}
	}
	return 0
}

// connect connects to a port of the control connection's peer. It ignores the address in
// the answer, so that a server cannot aim connections at third parties (RFC 2577, section
// 3).
func (s *session) connect(answer reply, port uint16) error {
	if port == 0 {
		return &protocols.Error{Reason: protocols.Malformed, Op: "open a data connection", Text: text(answer)}
	}
	if err := s.guard(port); err != nil {
		return err
	}
	dialer := s.dialer
	dialer.Allow = nil // it is the server of the control connection
	conn, err := dialer.Dial(protocols.WithTranscript(s.ctx, nil), s.conn.SameHost(port))
	if len(s.ctrl.ahead) > 0 && protocols.ReasonOf(err) == protocols.Refused {
		s.data = &dataConn{err: err} // a server that has refused the transfer already closes the port
		return nil
	}
	if err != nil {
		return err
	}
	s.data = &dataConn{Conn: conn}
	s.use(conn)
	return nil
}

// use prepares a data connection for the transfer.
func (s *session) use(conn *wire.Conn) {
	if s.protected {
		s.dialer.TLSOnUse(conn, s.key.Addr)
	}
	if s.upload != nil {
		s.upload.conn = conn
		conn.ResetUnlessFinished()
	}
}

// listen asks the server to connect to a listener, by PORT (RFC 959, section
// 4.1.2) or EPRT (RFC 2428, section 2).
func (s *session) listen() (reply, error) {
	if s.activeErr.code != 0 || s.conn.IsProxied() {
		return s.activeErr, nil
	}
	ln, err := s.dialer.Listen(protocols.WithTranscript(s.ctx, nil), s.conn)
	if err != nil {
		return reply{}, err
	}
	here := ln.Addr().(*net.TCPAddr)
	command := fmt.Sprintf("EPRT |2|%s|%d|", here.IP, here.Port)
	if here.IP.To4() != nil {
		command = fmt.Sprintf("PORT %s,%d,%d", strings.ReplaceAll(here.IP.String(), ".", ","), here.Port>>8, here.Port&0xff)
	}
	answer, err := s.ctrl.command(command)
	if err != nil || answer.code/100 != 2 {
		if answer.code >= 500 {
			s.activeErr = answer
		}
		_ = ln.Close()
		return answer, err
	}
	s.data = &dataConn{listener: ln}
	return answer, nil
}

// refusesData reports whether a reply refuses a data connection, but neither the session
// nor one without TLS.
func refusesData(code int) bool {
	return code >= 300 && code != 421 && code != 530 && reasonOf(code, "") != protocols.Insecure
}

// connecting reports whether the last command was about a data connection.
func (s *session) connecting() bool {
	return slices.Contains([]string{"EPSV", "PASV", "EPRT", "PORT"}, s.ctrl.verb)
}
