package ftp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// beginTransfer opens a data connection and sends line, the command of a transfer (RFC 959, section 4.1.3), for the octets
// from offset on. The result is the data connection. The server has replied that it will use the connection.
func (s *session) beginTransfer(op, line string, offset int64) (*dataConn, error) {
	if err := s.openForTransfer(op, line, offset); err != nil {
		return nil, err
	}
	data := s.data
	s.data = nil
	err := s.requestTransfer(op, line, offset, data)
	if err != nil {
		_ = data.Close()
	}
	return data, err
}

// openForTransfer opens the data connection, unless it was opened when the command was sent ahead.
func (s *session) openForTransfer(op, line string, offset int64) error {
	if s.data != nil {
		return nil
	}
	if err := s.receiveNextPort(); err != nil {
		return err
	}
	answer, err := s.openAnnounced(line, offset)
	if err == nil && answer.code/100 != 2 && s.remembersExtensions && !s.PRET && refusesData(answer.code) {
		answer, err = s.tryPRET(answer, line, offset)
	}
	switch {
	case err != nil:
		return s.convertError("open a data connection", err)
	case answer.code/100 != 2:
		return s.newDataRefusal(answer)
	}
	return nil
}

// openAnnounced opens a data connection by openData. If the server needs PRET, it announces line before.
func (s *session) openAnnounced(line string, offset int64) (reply, error) {
	if err := s.sendPRET(line); err != nil {
		return reply{}, err
	}
	return s.openData(line, offset)
}

// tryPRET asks for the extensions again after answer, a refusal of a data connection: since they were learned, the server
// may have come to need PRET. If it has PRET, tryPRET opens the data connection with it. PRET stays unused if that fails, too.
func (s *session) tryPRET(answer reply, line string, offset int64) (reply, error) {
	s.Known, s.remembersExtensions = false, false
	if err := s.learnExtensions(); err != nil || !s.PRET {
		return answer, err
	}
	s.needPRET()
	s.noEPSV = false // EPSV was refused without PRET
	again, err := s.openAnnounced(line, offset)
	if err == nil && again.code/100 != 2 {
		s.forgoPRET()
	}
	return again, err
}

// forgoPRET records that PRET need not or cannot help.
func (s *session) forgoPRET() {
	s.PRET, s.NeedsPRET = false, false
	s.server.learn(func(h *habits) { h.Extensions.PRET, h.Extensions.NeedsPRET = false, false })
}

// needPRET records that the server has named no port without PRET.
func (s *session) needPRET() {
	s.NeedsPRET = true
	s.server.learn(func(h *habits) { h.Extensions.NeedsPRET = true })
}

// requestTransfer sends the command of a transfer and reads the preliminary reply (RFC 959, section 5.4). In active mode
// it then accepts the data connection.
func (s *session) requestTransfer(op, line string, offset int64, data *dataConn) error {
	if offset > 0 {
		if err := s.requestOffset(line, offset, data); err != nil {
			return err
		}
	}
	if data.listener == nil { // in active mode, the next transfer needs no port of the server
		if err := s.ctrl.sendAhead(s.transferCommands(line, 0)...); err != nil {
			return s.convertError(op, err)
		}
	}
	data.beginHandshake()
	answer, err := s.ctrl.roundTrip(line)
	if err == nil && s.isTooEarly(answer) {
		answer, err = s.ctrl.readReply()
	}
	switch {
	case err != nil:
		return s.convertError(op, err)
	case answer.code/100 == 2:
		return cmp.Or(s.checkNothing(answer, data), error(s.newRefusalError(op, answer)))
	case answer.code/100 != 1:
		return s.newRefusalError(op, answer)
	}
	err = data.accept(s)
	if data.err != nil && s.ctx.Err() == nil { // the server waits for the connection
		s.avoid(data.port)
		err = s.ctrl.outOfStepError()
	}
	return s.convertError(op, err)
}

// checkNothing returns an error unless answer, a reply 2xx in place of the preliminary reply, can mean that there is nothing to
// transfer: it may also be one reply too many to an earlier command. It means nothing to transfer if no other command is in
// flight and the server has closed the data connection without an octet.
func (s *session) checkNothing(answer reply, data *dataConn) error {
	switch {
	case len(s.ctrl.inFlight) > 0:
		return s.ctrl.failPipelining()
	case !meansNothing(answer.code):
		return nil
	case data.Conn == nil:
		return s.ctrl.outOfStepError()
	}
	data.RequireQuickReply()
	if n, err := data.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) || s.ctrl.in.Buffered() > 0 {
		return cmp.Or(context.Cause(s.ctx), s.ctrl.outOfStepError())
	}
	s.isDoubtful = true
	return nil
}

// meansNothing reports whether a reply 2xx to a transfer can mean that there is nothing to transfer. Any other answers another
// command.
func meansNothing(code int) bool { return code == 200 || code == 226 || code == 250 }

// requestOffset sends REST for line, the command of a transfer, usually together with line. If only REST is refused, line
// transfers the whole file, so that the session is given up, and the next one waits for the reply to REST.
func (s *session) requestOffset(line string, offset int64, data *dataConn) error {
	if data.listener == nil && s.sendsWithREST(line) {
		if err := s.ctrl.sendAhead(s.transferCommands(line, offset)...); err != nil {
			return s.convertError(resumeOp(offset), err)
		}
	}
	answer, err := s.ctrl.roundTrip(restCommand(offset))
	switch {
	case err != nil:
		return s.convertError(resumeOp(offset), err)
	case answer.code/100 == 3:
		return nil
	case answer.code != 421 && s.ctrl.hasTransferInFlight():
		s.server.learn(func(h *habits) { h.RESTAlone = true })
		return s.ctrl.outOfStepError()
	}
	return s.newRefusalError(resumeOp(offset), answer)
}

func restCommand(offset int64) string { return "REST " + strconv.FormatInt(offset, 10) }

// endTransfer closes the data connection and reads the final reply.
func (s *session) endTransfer(data *dataConn) (reply, error) {
	_ = data.Close()
	return s.finalReply()
}

// maxUnwanted is the maximal size of a listing that skipUnwanted reads, in octets, and unwantedTime is the time limit.
const (
	maxUnwanted  = 256 << 10
	unwantedTime = 10 * time.Second
)

// hasUnwantedListing reports whether a listing was requested together with a CWD that the server has refused.
func (s *session) hasUnwantedListing() bool {
	verb, _, _ := strings.Cut(s.ctrl.nextInFlight(), " ")
	return s.data != nil && s.data.Conn != nil && slices.Contains([]string{"LIST", "MLSD", "NLST"}, verb)
}

// finishUnwanted reads an unwanted listing to its end and keeps the session. It is called in its own goroutine.
func (c *Client) finishUnwanted(s *session) {
	ctx, cancel := context.WithTimeout(context.Background(), unwantedTime)
	defer cancel()
	if !s.Bind(ctx) || !s.data.Rebind(ctx) {
		s.Drop()
		return
	}
	if s.skipUnwanted() != nil {
		s.Drop()
		return
	}
	c.keepSession(s)
}

// skipUnwanted reads an unwanted listing to its end.
func (s *session) skipUnwanted() error {
	data, err := s.beginTransfer("skip a listing", s.ctrl.nextInFlight(), 0)
	switch {
	case isRefusal(err):
		return nil
	case err != nil:
		return err
	}
	switch n, err := io.Copy(io.Discard, io.LimitReader(data, maxUnwanted)); {
	case err != nil:
		return err
	case n == maxUnwanted:
		return s.ctrl.outOfStepError()
	}
	_, err = s.endTransfer(data)
	return err
}

// newDataRefusal returns the error for a reply that refused a data connection.
func (s *session) newDataRefusal(answer reply) error {
	e := s.newRefusalError("open a data connection", answer)
	if refusesData(e.Code) {
		e.Reason, e.Err = protocols.ServerFailed, errors.New("the server refused passive and active mode")
	}
	return e
}

// sendPRET announces a transfer command, with its argument, to a distributed server (PRET, draft-dd-pret-00), and ignores
// the reply. A server that names a port without PRET does not need it, like Pure-FTPd.
func (s *session) sendPRET(line string) error {
	if !s.PRET {
		return nil
	}
	if !s.NeedsPRET {
		answer, err := s.ctrl.roundTrip(s.passiveVerb())
		switch {
		case err != nil:
			return err
		case s.ctrl.keepPort(answer):
			s.forgoPRET()
			return nil
		}
		s.needPRET()
	}
	_, err := s.ctrl.roundTrip("PRET " + line)
	return err
}

// retrieveFile begins to fetch a file, from offset on.
func (s *session) retrieveFile(name string, offset int64) (data *dataConn, err error) {
	err = s.retryRawIAC(name, func() error {
		data, err = s.beginTransfer("fetch "+clean.Name(name), "RETR "+name, offset)
		return err
	})
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Code >= 500 && s.ctrl.verb == "REST" {
		e.Reason, e.Err = protocols.ServerFailed, errors.New("the server cannot resume files; fetch the whole file")
	}
	return data, err
}

// openListing begins to list the current directory. The parameter verb is MLSD, NLST, LIST or listAll.
func (s *session) openListing(verb string) (*dataConn, error) {
	return s.beginTransfer("list the directory ("+verb+")", verb, 0)
}
