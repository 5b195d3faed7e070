package ftp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"

	"github.com/jlaffaye/ftp"
)

// libraryConn is the control connection as the library (jlaffaye/ftp) sees it. The library gets each reply with its own
// code and text, and never octets of the next reply. control bounds the replies, doubles the octet FF in commands, and
// remembers the last verb.
type libraryConn struct {
	*control
	command []byte // beginning of a command line that the library has not finished
	unread  []byte // rest of a reply that the library has not read
}

func (l *libraryConn) Read(p []byte) (int, error) {
	if len(l.unread) == 0 {
		r, err := l.nextReply()
		if err != nil {
			return 0, err
		}
		l.unread = encodeReply(r)
	}
	n := copy(p, l.unread)
	l.unread = l.unread[n:]
	return n, nil
}

func (l *libraryConn) Write(p []byte) (int, error) {
	l.command = append(l.command, p...)
	line, whole := bytes.CutSuffix(l.command, []byte("\r\n"))
	if !whole {
		return len(p), nil
	}
	l.command = nil
	return len(p), l.send(string(line))
}

// encodeReply returns the lines of r in the form of RFC 959, section 4.2.
func encodeReply(r reply) []byte {
	var b []byte
	for i, line := range r.lines {
		sep := '-'
		if i == len(r.lines)-1 {
			sep = ' '
		}
		b = fmt.Appendf(b, "%d%c%s\r\n", r.code, sep, line)
	}
	return b
}

// library returns the library's client of the session. It is nil if the greeting is not 220, because the library accepts
// no other greeting.
func (s *session) library() *ftp.ServerConn {
	_, ok := s.ctrl.RemoteAddr().(*net.TCPAddr) // the library requires such an address
	if s.lib == nil && ok && s.greeting.code == 220 {
		conn := &libraryConn{control: s.ctrl, unread: encodeReply(s.greeting)}
		s.lib, _ = ftp.Dial(s.key.Addr, ftp.DialWithDialFunc(func(_, _ string) (net.Conn, error) { return conn, nil }))
	}
	return s.lib
}

// changeItem sends a command that changes an item. The reply 202 means that the server has not carried out the command
// (RFC 959, section 4.2.1), and counts as a refusal.
func (s *session) changeItem(op, verb, name string) error {
	var err error
	switch lib := s.library(); {
	case lib != nil && verb == "DELE":
		err = lib.Delete(name)
	case lib != nil && verb == "RMD":
		err = lib.RemoveDir(name)
	case lib != nil && verb == "MKD":
		err = lib.MakeDir(name)
	default:
		answer, err := s.runCommand(op, verb+" "+name)
		if answer.code == 202 {
			err = s.newRefusalError(op, answer)
		}
		return err
	}
	return s.checkChange(op, err)
}

// rename renames an item by RNFR and RNTO.
func (s *session) rename(op, oldName, newName string) error {
	if lib := s.library(); lib != nil {
		return s.checkChange(op, lib.Rename(oldName, newName))
	}
	answer, err := s.ctrl.roundTrip("RNFR " + oldName)
	switch {
	case err != nil:
		return s.convertError(op, err)
	case answer.code/100 != 3:
		return s.newRefusalError(op, answer)
	}
	_, err = s.runCommand(op, "RNTO "+newName)
	return err
}

// checkChange turns err, an error of the library, into the error of the operation op. The library accepts only the code
// that RFC 959 names for a command, but any code 2xx except 202 means that the change is made.
func (s *session) checkChange(op string, err error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code/100 == 2 && answer.Code != 202 && s.ctrl.verb != "RNFR" {
		return nil
	}
	return s.convertError(op, err)
}

// replyOf returns the reply that the library has reported as an error.
func replyOf(e *textproto.Error) reply { return reply{e.Code, strings.Split(e.Msg, "\n")} }
