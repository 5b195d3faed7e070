package ftp

import (
	"slices"
	"strings"

	"gofer/protocols"
)

// passivePort is a port at which the server waits for a data connection.
type passivePort struct {
	answer reply // the reply that names the port
	port   uint16
	isNext bool // the port was requested with the transfer before
}

// transferCommands returns line, the command of a transfer, and the request of a port for the next transfer, which are
// sent together.
func (s *session) transferCommands(line string) []string {
	if s.active || s.pret || s.server.current().NoNextPort { // PRET would name the next transfer, which is not known yet
		return []string{line}
	}
	return []string{line, s.passiveVerb()}
}

// sendsBeforeConnecting reports whether line, the command of a transfer, is sent before the data connection is made. The
// server then waits for the connection.
func (s *session) sendsBeforeConnecting(line string) bool {
	h := s.server.current()
	return line != "" && !h.DialsFirst && h.Pipelining != pipelineFails && (s.ctrl.rawIAC || !strings.Contains(line, "\xff"))
}

// hasNextPort reports whether the port of the next transfer is known and needs no question.
func (s *session) hasNextPort() bool {
	if s.next.port != 0 && s.checkPort(s.next.port) != nil {
		s.next = passivePort{}
	}
	return s.next.port != 0
}

// connectNext opens the data connection if its port is known and the command of the transfer has just been sent ahead.
func (s *session) connectNext() error {
	if s.next.port == 0 || !slices.ContainsFunc(s.ctrl.inFlight, func(sent sentCommand) bool { return isTransfer(sent.line) }) {
		return nil
	}
	next := s.next
	s.next = passivePort{}
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
			h.NoNextPort = true
		} else {
			h.DialsFirst, h.NoEPSV = true, !s.noEPSV
		}
	})
}

// awaitsNextPort reports whether the request of the next port is the next command in flight.
func (s *session) awaitsNextPort() bool {
	return s.ctrl.isNext(s.passiveVerb()) && isTransfer(s.ctrl.verb)
}

// receiveNextPort reads the reply to the request of a port that was sent with the last transfer. The reply has usually
// arrived with the final reply of the transfer.
func (s *session) receiveNextPort() error {
	if !s.awaitsNextPort() {
		return nil
	}
	const op = "open a data connection"
	switch answer, err := s.takeNextPort(); {
	case s.ctx.Err() == nil && isPipelineFailure(err):
		return s.ctrl.outOfStepError()
	case err != nil:
		return s.convertError(op, err)
	case answer.code == 421:
		return s.newRefusalError(op, answer)
	}
	return nil
}

// takeNextPort reads the reply to the request of the next port. If the reply has no port, the next port is not requested
// so early again.
func (s *session) takeNextPort() (reply, error) {
	if s.ctrl.in.Buffered() == 0 {
		s.conn.RequireQuickReply() // the server may have dropped a command that it received during the transfer
	}
	answer, err := s.ctrl.takeReply(s.passiveVerb())
	if s.next = (passivePort{answer, portOf(answer), true}); err != nil || answer.code/100 != 2 || s.next.port == 0 {
		s.next = passivePort{}
		if s.ctx.Err() == nil && answer.code != 421 {
			s.server.learn(func(h *habits) { h.NoNextPort = true })
		}
	}
	return answer, err
}

// finalReply reads the final reply of a transfer. A server may refuse the request of the next port before, while the
// transfer is running.
func (s *session) finalReply() (reply, error) {
	final, err := s.ctrl.nextReply()
	if err != nil || final.code/100 == 2 || final.code == 421 || !s.awaitsNextPort() {
		return final, err
	}
	if answer, err := s.takeNextPort(); err == nil && answer.code/100 == 2 && s.next.port == 0 {
		return answer, nil
	}
	return final, nil
}
