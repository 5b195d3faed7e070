package ftp

import (
	"slices"
	"strings"
	"time"

	"gofer/protocols"
)

// passivePort is a port at which the server waits for a data connection.
type passivePort struct {
	answer reply // the reply that names the port
	port   uint16
	isNext bool      // the port was requested with the transfer before
	at     time.Time // when it was requested
}

// maxPortAge is the time after which a port that was requested with the transfer before is no longer used. Somebody else
// could connect to it in the meantime.
const maxPortAge = 20 * time.Second

// turns says whether a server obeys a command that it receives during a transfer only after the transfer.
type turns uint8

const (
	turnsUntested turns = iota
	turnsKept           // like vsftpd, ProFTPD and Pure-FTPd, which do one thing at a time
	turnsBroken         // like pyftpdlib: a request of the next port would end the transfer. Or it ignores or refuses such a command
)

// keepsTurns reports whether a greeting names one of certain programs that do one thing at a time.
func keepsTurns(greeting string) bool {
	return slices.ContainsFunc([]string{"vsftpd", "proftpd", "pure-ftpd"},
		func(name string) bool { return strings.Contains(strings.ToLower(greeting), name) })
}

// turnsProbe is sent with a transfer to learn the turns of a server. It does nothing (RFC 959, section 4.1.3). A server that
// obeys commands during a transfer replies to it before the final reply of the transfer.
const turnsProbe = "NOOP"

// transferCommands returns line, the command of a transfer from offset on, and the commands that are sent together with
// it: REST, and the request of a port for the next transfer, or turnsProbe.
func (s *session) transferCommands(line string, offset int64) (lines []string) {
	if offset > 0 {
		lines = append(lines, restCommand(offset))
	}
	lines = append(lines, line)
	known := s.server.current().Turns
	switch {
	case s.active, s.NeedsPRET, known == turnsBroken: // PRET would name the next transfer, which is not known yet
		return lines
	case known == turnsUntested && strings.HasPrefix(line, "STOR"): // an upload is no test
		return lines
	case known == turnsUntested:
		return append(lines, turnsProbe)
	}
	return append(lines, s.passiveVerb())
}

// sendsBeforeConnecting reports whether line, the command of a transfer, is sent before the data connection is made. The
// server then waits for the connection.
func (s *session) sendsBeforeConnecting(line string) bool {
	h := s.server.current()
	return !h.DialsFirst && h.Pipelining != pipelineFails && (s.ctrl.rawIAC || !strings.Contains(line, "\xff"))
}

// sendsWithREST reports whether line, the command of a transfer, is sent together with REST. STOR is not, because it would
// replace the file if REST is refused.
func (s *session) sendsWithREST(line string) bool {
	return !s.server.current().RESTAlone && !strings.HasPrefix(line, "STOR")
}

// hasNextPort reports whether the port of the next transfer is known and needs no question.
func (s *session) hasNextPort() bool {
	if s.ctrl.next.port != 0 && (time.Since(s.ctrl.next.at) > maxPortAge || s.checkPort(s.ctrl.next.port) != nil) {
		s.ctrl.next = passivePort{}
	}
	return s.ctrl.next.port != 0
}

// keepPort keeps the port in r, a reply to EPSV or PASV, for the next transfer. It returns false if r has none.
func (c *control) keepPort(r reply) bool {
	if c.next = (passivePort{answer: r, port: portOf(r), at: c.portRequested}); r.code/100 != 2 || c.next.port == 0 {
		c.next = passivePort{}
	}
	return c.next.port != 0
}

// givePortUp makes the port of the next transfer unknown if line, which is about to be sent, makes the server give it up. A
// transfer in flight is still going to use it.
func (c *control) givePortUp(line string) {
	verb, _, _ := strings.Cut(line, " ")
	if verb == "EPSV" || verb == "PASV" {
		c.portRequested = time.Now().Round(0) // the machine may sleep
	}
	if slices.Contains([]string{"EPSV", "PASV", "EPRT", "PORT", "PRET"}, verb) && !c.hasTransferInFlight() {
		c.next = passivePort{}
	}
}

func (c *control) hasTransferInFlight() bool {
	return slices.ContainsFunc(c.inFlight, func(sent sentCommand) bool { return isTransfer(sent.line) })
}

// takePort returns c.next, which then is no longer known.
func (c *control) takePort() passivePort {
	next := c.next
	c.next = passivePort{}
	return next
}

// connectNext opens the data connection if its port is known and the command of the transfer has just been sent ahead.
func (s *session) connectNext() error {
	if s.ctrl.next.port == 0 || !s.ctrl.hasTransferInFlight() {
		return nil
	}
	next := s.ctrl.takePort()
	return s.connectionError(s.connectData(next), next)
}

// isTransfer reports whether a command needs a data connection.
func isTransfer(line string) bool {
	verb, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"RETR", "STOR", "LIST", "MLSD", "NLST"}, verb)
}

// connectionError returns the error of a session whose connection to the port p failed with err. If a transfer waits for
// the connection, the session cannot be used any more. Another session then avoids such a port.
func (s *session) connectionError(err error, p passivePort) error {
	if len(s.ctrl.inFlight) == 0 || !s.isUnreachable(err) {
		return err
	}
	s.avoid(p)
	return s.ctrl.outOfStepError()
}

// isUnreachable reports whether err means that no connection could be made to a port of the server.
func (s *session) isUnreachable(err error) bool {
	r := protocols.ReasonOf(err)
	return s.ctx.Err() == nil && r != protocols.NameNotFound && r.Is(protocols.NotConnected)
}

// avoid records that no connection to the port p could be made. If the port was not requested too early, the next session
// makes the connection before it sends the command of the transfer, to a port that the other of EPSV and PASV names: a
// firewall may know only the ports in replies to PASV.
func (s *session) avoid(p passivePort) {
	s.server.learn(func(h *habits) {
		if p.isNext {
			h.Turns = turnsBroken
		} else {
			h.DialsFirst, h.NoEPSV = true, !s.noEPSV
		}
	})
}

// awaitsNextPort reports whether the request of the next port, or turnsProbe, is the next command in flight.
func (s *session) awaitsNextPort() bool {
	return isTransfer(s.ctrl.verb) && (s.ctrl.isNext(s.passiveVerb()) || s.ctrl.isNext(turnsProbe))
}

// settle reads the replies that the last transfer has left: they have usually arrived by now.
func (s *session) settle() error {
	if s.awaitsFinal {
		s.awaitsFinal = false
		if s.ctrl.in.Buffered() == 0 {
			s.conn.RequireQuickReply() // the connection may have been lost
		}
		switch final, err := s.finalReply(); {
		case err != nil:
			return s.convertError("end the last transfer", err)
		case final.code == 421:
			return s.newRefusalError("end the last transfer", final)
		}
	}
	return s.receiveNextPort()
}

// receiveNextPort reads the reply to the command that was sent with the last transfer. The reply has usually arrived with
// the final reply of the transfer.
func (s *session) receiveNextPort() error {
	if !s.awaitsNextPort() {
		return nil
	}
	const op = "open a data connection"
	line := s.ctrl.nextInFlight()
	switch answer, err := s.takeNextPort(); {
	case s.ctx.Err() == nil && isPipelineFailure(err):
		return s.ctrl.outOfStepError()
	case err != nil:
		return s.convertError(op, err)
	case answer.code == 421:
		return s.newRefusalError(op, answer)
	case !answersTogether(answer.code, line): // one reply too many
		return s.ctrl.outOfStepError()
	}
	return nil
}

// answersTogether reports whether a reply with this code can answer line, a command that was sent with a transfer.
func answersTogether(code int, line string) bool {
	return code >= 400 || code == 200 || code == 250 && line == turnsProbe || code == 229 || code == 227
}

// takeNextPort reads the reply to the command that was sent with the last transfer, and learns the turns of the server.
func (s *session) takeNextPort() (reply, error) {
	line := s.ctrl.nextInFlight()
	if s.ctrl.in.Buffered() == 0 {
		s.conn.RequireQuickReply() // the server may have dropped a command that it received during the transfer
	}
	answer, err := s.ctrl.takeReply(line)
	done := err == nil && answer.code/100 == 2
	if line != turnsProbe {
		done = err == nil && s.ctrl.keepPort(answer)
		s.ctrl.next.isNext = done
	}
	switch {
	case done:
		s.server.learn(func(h *habits) { h.Turns = turnsKept })
	case s.ctx.Err() == nil && answer.code != 421:
		s.breakTurns()
	}
	return answer, err
}

// breakTurns records that nothing can be sent together with a transfer.
func (s *session) breakTurns() { s.server.learn(func(h *habits) { h.Turns = turnsBroken }) }

// isTooEarly reports whether r, received in place of a reply about a transfer, is the reply to the command that was sent
// with the transfer. If so, this command is no longer in flight, and the turns of the server are known to be broken.
func (s *session) isTooEarly(r reply) bool {
	if !s.awaitsNextPort() || r.code/100 != 2 || r.code == 226 || r.code == 250 {
		return false
	}
	s.ctrl.inFlight = s.ctrl.inFlight[1:]
	s.breakTurns()
	return true
}

// finalReply reads the final reply of a transfer. A server may obey or refuse the command that was sent with the transfer
// before, while the transfer is running. If it then has ended the transfer, there is no final reply.
func (s *session) finalReply() (reply, error) {
	together := s.ctrl.nextInFlight()
	final, err := s.ctrl.nextReply()
	switch {
	case err != nil:
		return final, err
	case s.isTooEarly(final):
		if together != turnsProbe {
			s.conn.RequireQuickReply()
		}
		return s.ctrl.readReply()
	case !s.awaitsNextPort():
		return final, nil
	case final.code == 250 && together == turnsProbe:
		if answer, err := s.takeNextPort(); err == nil && answer.code/100 == 4 { // 250 was the reply to turnsProbe
			s.breakTurns()
			return answer, nil
		}
		return final, nil
	case !isUnknownCommand(final.code) && final.code != 450: // no refusal of the next port: the transfer has failed, or ended
		return final, nil
	}
	if answer, err := s.takeNextPort(); err == nil && (answer.code == 226 || answer.code == 250 && together != turnsProbe) {
		return answer, nil // final was a refusal
	}
	return final, nil
}
