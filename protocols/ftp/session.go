package ftp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
)

// session is a control connection with a login, and its state on the server. It serves one
// fetch at a time.
type session struct {
	dialer  wire.Dialer
	logins  *wire.Logins
	askPort func(addr string, port uint16, isUpload bool) error // see [Client]
	key     wire.Key

	// When ctx is done, the control connection and the current data connection end.
	ctx   context.Context
	bound *binding

	idleSince time.Time // when it was last used; zero for a new session

	server   *server    // what is known of the server
	conn     *wire.Conn // the connection of ctrl
	ctrl     *control
	greeting reply
	lib      *ftp.ServerConn // nil before the first call of library

	tlsErr       error       // why the session has no TLS
	skippedTLS   bool        // TLS was not tried, because of a habit of the server
	withoutTLS   bool        // TLS could not begin over an earlier connection
	protectsData bool        // data connections use TLS
	upload       *uploadBody // the file to be sent over the next data connection, or nil

	active        bool      // active mode is tried first
	activeRefusal reply     // the reply that refused active mode; code 0 if none did
	data          *dataConn // the data connection of the next transfer, or nil
	awaitsFinal   bool      // the final reply of the last transfer was not read yet, because it is not needed
	isDoubtful    bool      // more replies than commands may arrive: the session is not kept
	noEPSV        bool      // EPSV was refused, or the reply to EPSV had no port

	extensions
	remembersExtensions bool // they are those of an earlier session
	cannotSetDates      bool // MDTM cannot set dates
	cannotSetModes      bool // the server has no SITE CHMOD
	doublesIAC          bool // the server is known to expect a doubled octet FF in commands

	padding     int      // number of blanks before each name in LIST
	typ         byte     // the last TYPE; 0 if the server refused it
	home        string   // the login directory; "" if unknown
	cwds        []string // arguments of the CWDs sent since the login directory
	skippedCWDs int      // number of CWDs without an argument that the server refused
	userReply   reply    // the reply 331 to USER while the password is not sent yet, else code 0
	welcome     []string // text of the replies to the login
	message     []string // text of the reply to the last CWD
}

// errCannotReturn reports that an idle connection cannot return to its login directory.
var errCannotReturn = errors.New("cannot return to the login directory")

// Bind ties the session to ctx and the Progress of ctx. It returns false if the server has sent
// something since the last reply, or if the previous context has ended.
func (s *session) Bind(ctx context.Context) bool {
	if s.ctrl != nil {
		if s.ctrl.in.Buffered() > 0 && len(s.ctrl.inFlight) == 0 && len(s.ctrl.owed) == 0 && !s.awaitsFinal {
			return false
		}
		s.ctrl.state.Store(unanswered)
	}
	previous := s.bound
	s.ctx, s.bound = bind(ctx)
	if previous == nil {
		return true
	}
	ok := previous.release() && s.conn.Rebind(s.ctx)
	previous.cancel(nil)
	return ok
}

// Drop closes all connections of s.
func (s *session) Drop() { s.bound.cancel(context.Canceled) }

// Quit sends QUIT and closes s. It does not wait for the reply.
func (s *session) Quit() {
	_, _ = s.ctrl.Write([]byte(encodeCommand("QUIT")))
	_ = s.conn.Close()
	s.Drop()
}

// chdir changes to the directory at path with as few CWDs as possible. An empty segment is
// sent as a CWD without an argument; the refusal of such a CWD is counted and ignored. The
// CWDs and the given commands, which the caller needs next, are sent in one write.
func (s *session) chdir(path []string, commands ...string) error {
	rest, fromHome := path, len(s.cwds) > len(path) || !slices.Equal(s.cwds, path[:len(s.cwds)])
	vms := s.isVMS()
	var lines []string
	switch {
	case !fromHome:
		rest = path[len(s.cwds):]
	case s.home == "":
		return errCannotReturn
	default:
		lines = append(lines, "CWD "+s.home)
	}
	lines = append(lines, cwdCommands(path)[len(path)-len(rest):]...)
	if lines = append(lines, commands...); vms && len(rest) > 0 {
		lines = nil // not pipelined, because a refused CWD is repeated below in the form of VMS
	}
	if err := s.ctrl.sendAhead(lines...); err != nil {
		return s.convertError("change the directory", err)
	}
	if err := s.connectNext(); err != nil {
		return s.convertError("open a data connection", err)
	}
	if fromHome {
		if s.sendCWD(s.home) != nil {
			return cmp.Or(context.Cause(s.ctx), errCannotReturn)
		}
		s.cwds, s.message, s.skippedCWDs = nil, nil, 0
	}
	for _, dir := range rest {
		err := s.sendCWD(cwdArgument(len(s.cwds), dir))
		switch refused := replyCode(err) >= 500 && replyCode(err) != 530; {
		case refused && dir == "":
			s.skippedCWDs++
			err = nil
		case refused && vms && !strings.ContainsAny(dir, "[]:/"): // some VMS servers accept only the form [.NAME]
			if s.sendCWD("[."+dir+"]") == nil {
				err = nil
			}
		}
		if err != nil {
			return err
		}
		s.cwds = append(s.cwds, dir)
	}
	return nil
}

// elsewhere in session.cwds means that the current directory is unknown. No URL has this name (see [wire.Check]).
const elsewhere = "\n"

// skipCWDs reads the replies to the CWDs that were sent behind a refused one. If the server has obeyed one, the next
// fetch begins at the login directory.
func (s *session) skipCWDs() error {
	for strings.HasPrefix(s.ctrl.nextInFlight(), "CWD ") {
		answer, err := s.ctrl.takeReply(s.ctrl.nextInFlight())
		if err != nil {
			return err
		}
		if answer.code < 500 {
			s.cwds = append(s.cwds, elsewhere)
		}
	}
	return nil
}

// cwdCommands returns the commands for a path from the login directory.
func cwdCommands(path []string) []string {
	lines := make([]string, len(path))
	for i, dir := range path {
		lines[i] = "CWD " + cwdArgument(i, dir)
	}
	return lines
}

func (s *session) sendCWD(dir string) error {
	return s.retryRawIAC(dir, func() error {
		answer, err := s.runCommand("change to the directory "+clean.Name(dir), "CWD "+dir)
		s.message = s.announcement(answer)
		return err
	})
}

// queryFile sends a command about a file and returns the text of the reply.
func (s *session) queryFile(op, verb, name string) (answer string, err error) {
	err = s.retryRawIAC(name, func() error {
		r, err := s.runCommand(op, verb+" "+name)
		answer = strings.TrimSpace(replyText(r))
		return err
	})
	return answer, err
}

// querySize returns the size of a file (RFC 3659, section 4), or -1 if the server refuses.
func (s *session) querySize(name string) (int64, error) {
	answer, err := s.queryFile("get the size", "SIZE", name)
	return parseSize(answer), ignoreRefusal(err)
}

// queryDate returns the date of a file (RFC 3659, section 3), or zero if the server refuses.
func (s *session) queryDate(name string) (time.Time, error) {
	answer, err := s.queryFile("get the date", "MDTM", name)
	return parseFactTime(answer), ignoreRefusal(err)
}

// runCommand sends a command and returns the reply. A reply other than 2xx is an error.
func (s *session) runCommand(op, line string) (reply, error) {
	answer, err := s.ctrl.roundTrip(line)
	switch {
	case err != nil:
		return reply{}, s.convertError(op, err)
	case answer.code/100 != 2:
		return reply{}, s.newRefusalError(op, answer)
	}
	return answer, nil
}

// setType sends TYPE unless this type is already in force (RFC 959, section 3.1.1).
func (s *session) setType(typ byte) error {
	if s.typ == typ {
		return nil
	}
	s.typ = 0
	if _, err := s.runCommand("set the transfer type", "TYPE "+string(typ)); err != nil {
		return err
	}
	s.typ = typ
	return nil
}

// retryRawIAC calls the function command, which sends a command that contains name. If the server refuses a
// name with the octet FF, retryRawIAC calls the function again without doubling the octet. ProFTPD expects
// Telnet's doubling of the octet (RFC 959), but vsftpd and Pure-FTPd do not.
func (s *session) retryRawIAC(name string, command func() error) error {
	err := command()
	if s.ctrl.rawIAC || !strings.Contains(name, "\xff") || replyCode(s.convertError("", err)) < 500 {
		return err
	}
	s.ctrl.rawIAC = true
	if command() == nil {
		return nil
	}
	s.ctrl.rawIAC = false
	return err
}

// setIdentity sets head.Path to the path of the current directory (PWD). It sets head.Identity to the
// unique fact of the directory (MLST; RFC 3659, section 7.5.2), or to the path if the server sends no such
// fact. Most servers resolve symbolic links in the path.
func (s *session) setIdentity(head *protocols.Head) (err error) {
	if s.MLSD {
		answer, err := s.queryDirectory("MLST")
		if err != nil {
			return err
		}
		for _, line := range answer.lines {
			if unique := parseUniqueFact(line); unique != "" {
				head.Identity = "unique " + unique
			}
		}
	}
	if head.Path, err = s.queryWorkingDirectory(); head.Identity == "" && head.Path != "" {
		head.Identity = "path " + head.Path
	}
	return err
}

// queryWorkingDirectory returns the path of the current directory (PWD; RFC 959, section
// 4.1.3), or "" if the server refuses the command.
func (s *session) queryWorkingDirectory() (string, error) {
	answer, err := s.queryDirectory("PWD")
	if err != nil || answer.code != 257 {
		return "", err
	}
	return parseQuotedPath(answer.lines[len(answer.lines)-1]), nil
}

// queryDirectory sends a command about the current directory and returns the reply. A
// refusal is not an error.
func (s *session) queryDirectory(command string) (reply, error) {
	const op = "get the path of the directory"
	answer, err := s.ctrl.roundTrip(command)
	switch {
	case err != nil:
		return reply{}, s.convertError(op, err)
	case answer.code == 421:
		return reply{}, s.newRefusalError(op, answer)
	}
	return answer, nil
}

// parseUniqueFact returns the unique fact in a line of the reply to MLST, or "".
func parseUniqueFact(line string) string {
	facts, _, _ := splitMLSD(strings.TrimPrefix(line, " "))
	for fact := range strings.SplitSeq(facts, ";") {
		if key, value, ok := strings.Cut(fact, "="); ok && strings.EqualFold(key, "unique") {
			return value
		}
	}
	return ""
}
