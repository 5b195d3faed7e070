package ftp

import (
	"errors"
	"strconv"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// beginTransfer opens a data connection and sends line, the command of a transfer (RFC 959, section 4.1.3), for the octets
// from offset on. The result is the data connection. The server has replied that it will use the connection.
func (s *session) beginTransfer(op, line string, offset int64) (*dataConn, error) {
	if err := s.sendPRET(line); err != nil {
		return nil, s.convertError(op, err)
	}
	switch answer, err := s.openData(); {
	case err != nil:
		return nil, s.convertError("open a data connection", err)
	case answer.code/100 != 2:
		return nil, s.newDataRefusal(answer)
	}
	err := s.requestTransfer(op, line, offset)
	if err != nil {
		_ = s.data.Close()
	}
	return s.data, err
}

// requestTransfer sends the command of a transfer and reads the preliminary reply (RFC 959, section 5.4). In active mode
// it then accepts the data connection.
func (s *session) requestTransfer(op, line string, offset int64) error {
	if offset > 0 {
		answer, err := s.ctrl.roundTrip("REST " + strconv.FormatInt(offset, 10))
		switch {
		case err != nil:
			return s.convertError(resumeOp(offset), err)
		case answer.code/100 != 3:
			return s.newRefusalError(resumeOp(offset), answer)
		}
	}
	answer, err := s.ctrl.roundTrip(line)
	switch {
	case err != nil:
		return s.convertError(op, err)
	case answer.code/100 != 1:
		return s.newRefusalError(op, answer)
	}
	if err := s.data.accept(s); err != nil {
		return s.convertError(op, err)
	}
	return nil
}

// endTransfer closes the data connection and reads the final reply.
func (s *session) endTransfer(data *dataConn) (reply, error) {
	_ = data.Close()
	return s.ctrl.nextReply()
}

// newDataRefusal returns the error for a reply that refused a data connection.
func (s *session) newDataRefusal(answer reply) error {
	e := s.newRefusalError("open a data connection", answer)
	if refusesData(e.Code) {
		e.Reason, e.Err = protocols.ServerFailed, errors.New("the server refused passive and active mode")
	}
	return e
}

// sendPRET announces a transfer command, with its argument, to a distributed server (PRET,
// draft-dd-pret-00), and ignores the reply. It does nothing if the port was asked for before the server was known to
// have PRET: Pure-FTPd names a port all the same.
func (s *session) sendPRET(line string) error {
	if !s.pret || s.ctrl.isNext(s.passiveVerb()) {
		return nil
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
