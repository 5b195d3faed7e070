package ftp

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"gofer/internal/wire"
	"gofer/protocols"
)

// dataConn is a data connection, or the listener that accepts it in active mode (RFC 959, section 5.2).
type dataConn struct {
	*wire.Conn
	listener *wire.Listener // in active mode until the server has connected, else nil
	err      error          // reason why there is no connection
	port     passivePort
}

// In active mode, accept waits until the server has connected. In passive mode, it returns d.err at once.
func (d *dataConn) accept(s *session) (err error) {
	if d.listener == nil {
		return d.err
	}
	if d.Conn, err = d.listener.Accept(); err != nil {
		return err
	}
	s.prepareData(d.Conn)
	err = d.listener.Close()
	d.listener = nil
	return err
}

// beginHandshake begins the TLS handshake of a connection in passive mode. The server answers it after its reply to
// the transfer command, which is about to be sent.
func (d *dataConn) beginHandshake() {
	if d.Conn != nil {
		d.Conn.BeginHandshake()
	}
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

// openData opens a data connection in passive mode, or in active mode if s.active is set
// or the server refuses passive mode. It returns the server's reply. If the reply is positive,
// s.data is the connection. The parameter line is the command of the transfer from offset on. It is sent before the connection
// is made if the server waits for it.
func (s *session) openData(line string, offset int64) (reply, error) {
	if s.active {
		if answer, err := s.openActive(); err != nil || answer.code/100 == 2 {
			return answer, err
		}
	}
	answer, err := s.openPassive(line, offset)
	if err != nil || answer.code/100 == 2 || s.active || !refusesData(answer.code) {
		return answer, err
	}
	activeAnswer, err := s.openActive()
	if err != nil || activeAnswer.code/100 != 2 { // the first refusal is reported, because passive mode is the default
		return answer, err
	}
	s.active = answer.code >= 500
	return activeAnswer, nil
}

// openPassive asks the server for a port, unless one is known, and connects to it. A server that chooses ports at random
// may name the usual port of another service. In this case openPassive requests another port, once, before it asks the
// user.
func (s *session) openPassive(line string, offset int64) (reply, error) {
	p, err := s.requestPort()
	if err != nil || p.answer.code/100 != 2 {
		return p.answer, err
	}
	if s.checkPort(p.port) != nil {
		another, err := s.requestPort()
		if err != nil {
			return another.answer, err
		}
		if another.answer.code/100 == 2 {
			p = another
		}
		if err := s.checkPort(p.port); err != nil {
			return p.answer, err
		}
	}
	if p.port != 0 && s.sendsBeforeConnecting(line) && (offset == 0 || s.sendsWithREST(line)) {
		if err := s.ctrl.sendNow(s.transferCommands(line, offset)...); err != nil {
			return p.answer, err
		}
	}
	err = s.connectionError(s.connectData(p), p)
	switch {
	case !s.isUnreachable(err):
		return p.answer, err
	case p.isNext:
		s.avoid(p)
		return s.openPassive(line, offset)
	case s.noEPSV:
		return p.answer, err
	}
	s.noEPSV = true // a firewall may know only the ports in replies to PASV
	another, anotherErr := s.requestPort()
	if anotherErr != nil { // the server is gone
		return another.answer, anotherErr
	}
	if another.answer.code/100 != 2 {
		s.noEPSV = false
		return p.answer, err
	}
	if err = s.connectData(another); err == nil {
		s.server.learn(func(h *habits) { h.NoEPSV = true })
	}
	return another.answer, err
}

func (s *session) passiveVerb() string {
	if s.noEPSV {
		return "PASV"
	}
	return "EPSV"
}

// requestPort takes the port of the next transfer if it is known, or asks the server for a port by EPSV (RFC 2428, section
// 3), or by PASV (RFC 959, section 4.1.2) if EPSV fails. The port is 0 if the reply has none.
func (s *session) requestPort() (p passivePort, err error) {
	if s.hasNextPort() {
		return s.ctrl.takePort(), nil
	}
	skipped := s.noEPSV
	var answer reply
	if !s.noEPSV {
		answer, err = s.ctrl.roundTrip("EPSV")
		s.noEPSV = err == nil && !s.ctrl.keepPort(answer)
		s.server.learn(func(h *habits) { h.NoEPSV = h.NoEPSV || s.noEPSV })
	}
	if s.noEPSV {
		if answer, err = s.ctrl.roundTrip("PASV"); err == nil {
			s.ctrl.keepPort(answer)
		}
	}
	if skipped && (err != nil || answer.code >= 500 && answer.code != 530) { // EPSV may work by now
		s.server.learn(func(h *habits) { h.NoEPSV = false })
		if err == nil {
			s.noEPSV = false
			return s.requestPort()
		}
	}
	p = s.ctrl.takePort()
	p.answer = answer
	return p, err
}

// portOf returns the port in a reply to EPSV or PASV, or 0. Some servers answer one like the other.
func portOf(answer reply) uint16 {
	return cmp.Or(portOfEPSV(replyText(answer)), portOfPASV(replyText(answer)))
}

// checkPort returns the question of [Client.AskPort] about a port, or nil. The port of the control connection is an error:
// the server would take a file for commands, and its greeting would be taken for the file.
func (s *session) checkPort(port uint16) error {
	if _, control, _ := net.SplitHostPort(s.key.Addr); control == strconv.Itoa(int(port)) {
		return protocols.NewError(protocols.Malformed, "open a data connection", "the server named its own port "+control+" for the data")
	}
	if s.askPort == nil {
		return nil
	}
	return s.askPort(s.key.Addr, port, s.upload != nil)
}

// portOfEPSV returns the port in a text like "Entering Extended Passive Mode (|||6446|)", or 0.
func portOfEPSV(text string) uint16 {
	_, rest, _ := strings.Cut(text, "|||")
	digits, _, _ := strings.Cut(rest, "|")
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return 0
	}
	return uint16(port)
}

// portOfPASV returns the port in a text like "Entering Passive Mode (h1,h2,h3,h4,p1,p2)",
// or 0. It looks for the digits, not the parentheses (RFC 1123, section 4.1.2.6).
func portOfPASV(text string) uint16 {
	isSeparator := func(r rune) bool { return (r < '0' || r > '9') && r != ',' && r != ' ' }
	for _, list := range strings.FieldsFunc(text, isSeparator) {
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

// connectData opens a data connection to a port of the host of the control connection. It ignores the
// address in the reply, so that a server cannot make the client connect to other hosts.
func (s *session) connectData(p passivePort) error {
	if p.port == 0 {
		return &protocols.Error{Reason: protocols.Malformed, Op: "open a data connection", Text: replyText(p.answer)}
	}
	if err := s.checkPort(p.port); err != nil {
		return err
	}
	dialer := s.dialer
	dialer.Allow = nil // the control connection to the same host was allowed
	conn, err := dialer.Dial(s.ctx, s.conn.SameHost(p.port))
	if len(s.ctrl.inFlight) > 0 && (protocols.ReasonOf(err) == protocols.Refused || errors.Is(err, syscall.ECONNRESET)) {
		s.data = &dataConn{err: err, port: p} // the server may have refused the pipelined RETR and closed the port
		return nil
	}
	if err != nil {
		return err
	}
	s.data = &dataConn{Conn: conn}
	s.prepareData(conn)
	return nil
}

// prepareData configures a new data connection: for the transcript, and for TLS and an upload if needed.
func (s *session) prepareData(conn *wire.Conn) {
	conn.RecordOctets()
	if s.protectsData {
		s.dialer.StartTLSOnUse(conn, s.key.Addr)
	}
	if s.upload != nil {
		s.upload.conn = conn
		conn.ResetUnlessFinished()
	}
}

// openActive opens a listener and asks the server to connect to it, by PORT (RFC 959,
// section 4.1.2) or EPRT (RFC 2428, section 2).
func (s *session) openActive() (reply, error) {
	if s.activeRefusal.code != 0 || s.conn.IsProxied() {
		return s.activeRefusal, nil
	}
	ln, err := s.dialer.Listen(s.ctx, s.conn)
	if err != nil {
		return reply{}, err
	}
	addr := ln.Addr().(*net.TCPAddr)
	command := fmt.Sprintf("EPRT |2|%s|%d|", addr.IP, addr.Port)
	if addr.IP.To4() != nil {
		command = fmt.Sprintf("PORT %s,%d,%d", strings.ReplaceAll(addr.IP.String(), ".", ","), addr.Port>>8, addr.Port&0xff)
	}
	answer, err := s.ctrl.roundTrip(command)
	if err != nil || answer.code/100 != 2 {
		if answer.code >= 500 {
			s.activeRefusal = answer
		}
		_ = ln.Close()
		return answer, err
	}
	s.data = &dataConn{listener: ln}
	return answer, nil
}

// refusesData reports whether a reply refuses only the data connection. Such a reply neither ends the
// session nor requires a login or TLS.
func refusesData(code int) bool {
	return code >= 300 && code != 421 && code != 530 && reasonOf(code, "") != protocols.Insecure
}

// isOpeningData reports whether the last command was to open a data connection.
func (s *session) isOpeningData() bool {
	return slices.Contains([]string{"EPSV", "PASV", "EPRT", "PORT"}, s.ctrl.verb)
}
