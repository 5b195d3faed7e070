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

// session is a control connection that is logged in, with its state at the server. One
// fetch uses it at a time.
type session struct {
	dialer  wire.Dialer
	logins  *wire.Logins
	askPort func(addr string, port uint16, sends bool) error // see [Client]
	key     wire.Key

	// ctx ends the control connection and the current data connection.
	ctx    context.Context
	cancel context.CancelCauseFunc

	conn *wire.Conn // below ctrl
	ctrl *control
	lib  *ftp.ServerConn
	shim *shim // between ctrl and lib

	unsecured error       // why there is no TLS
	protected bool        // data connections use TLS
	upload    *uploadBody // of the data connection to be opened, or nil

	active    bool      // the server makes the data connections if it can
	activeErr reply     // the refusal of active mode, if its code is not 0
	data      *dataConn // the last one
	noEPSV    bool      // EPSV is refused, or not understood
	passes    bool      // the last EPSV or PASV was not refused

	mdtm          bool
	mff           bool // MFF changes modes
	mfmt          bool
	keepsNoDates  bool // MDTM does not set dates
	keepsNoModes  bool // SITE CHMOD is not there
	mlsd          bool
	utf8          bool // names are in UTF-8 (RFC 2640)
	hidesDangling bool // MLSD omits dangling links, as in ProFTPD
	telnet        bool // the octet FF is known to be doubled in commands
	pret          bool // PRET precedes commands that need a data connection

	typ     byte     // as set by TYPE; 0 if the server refused it
	home    string   // the login directory; "" if unknown
	cwds    []string // the CWDs since the login directory
	passed  int      // the number of empty ones that the server refused
	welcome []string // from the login
	message []string // from the last CWD
}

// errLost reports that an idle connection cannot return to its login directory.
var errLost = errors.New("the way back to the login directory is not known")

// open connects and logs in. If the server refuses credentials with the octet FF, it
// tries again without doubling the octet, as [session.try] does, but over a new
// connection, since many servers close the old one.
func (c *Client) open(ctx context.Context, r *request, cred wire.Credentials) (*session, error) {
	s, err := c.connect(ctx, r, cred, false)
	var l *protocols.Login
	if password, known := cred.Password(); errors.As(err, &l) && known && strings.Contains(cred.User+password, "\xff") {
		if s, err := c.connect(ctx, r, cred, true); err == nil {
			return s, nil
		}
	}
	return s, err
}

func (c *Client) connect(ctx context.Context, r *request, cred wire.Credentials, rawIAC bool) (*session, error) {
	s := &session{dialer: c.Dialer, logins: c.typed(), askPort: c.AskPort, key: r.key(cred), active: c.Active}
	if !cred.Anonymous() {
		c.typed().Try(s.key.Addr, cred)
	}
	why, _ := c.broken.Load(s.key)
	s.unsecured, _ = why.(error)
	s.Bind(ctx)
	err := s.begin(c, r, rawIAC)
	if err != nil {
		s.Drop()
		if ctx.Err() == nil && s.unsecured == nil && c.noteUnsecured(s.key, r, err) {
			return c.connect(ctx, r, cred, rawIAC)
		}
		return nil, err
	}
	if _, known := cred.Password(); known && r.url.HasUser {
		c.typed().Keep(accountOf(r), cred) // later URLs have no password
	}
	return s, nil
}

// begin connects, secures the connection and logs in.
func (s *session) begin(c *Client, r *request, rawIAC bool) (err error) {
	if err := s.dialControl(r); err != nil {
		return err
	}
	if s.lib, err = ftp.Dial(r.addr, ftp.DialWithDialFunc(s.dial), ftp.DialWithDisabledEPSV(true)); err != nil {
		return s.fail("open a session with "+r.addr, err)
	}
	s.ctrl.rawIAC = rawIAC
	known, _ := c.pipes.LoadOrStore(r.addr, new(pipelining))
	s.ctrl.pipelining = known.(*pipelining)
	s.ctrl.pipelining.recognize(text(s.shim.last))
	if err := s.secure(r); err != nil {
		return err
	}
	return s.login(c, r)
}

// Bind ties the session to ctx and its Progress. It returns false if the server has sent
// something since the last reply.
func (s *session) Bind(ctx context.Context) bool {
	if s.ctrl != nil {
		if s.ctrl.in.Buffered() > 0 {
			return false
		}
		s.ctrl.alive = false
	}
	before := s.cancel
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	ok := s.conn == nil || s.conn.Rebind(s.ctx)
	if before != nil {
		before(nil)
	}
	return ok
}

// Drop closes all connections of s.
func (s *session) Drop() { s.cancel(context.Canceled) }

// Quit says goodbye and closes s.
func (s *session) Quit() {
	_ = s.lib.Quit()
	s.Drop()
}

// chdir changes to the directory of the CWDs in want, with as few of them as possible. An
// empty segment is sent as it is; its refusal is counted and ignored. The commands of next
// are sent in the same write.
func (s *session) chdir(want []string, next ...string) error {
	path, back := want, len(s.cwds) > len(want) || !slices.Equal(s.cwds, want[:len(s.cwds)])
	vms := strings.HasSuffix(s.home, "]")
	var lines []string
	switch {
	case !back:
		path = want[len(s.cwds):]
	case s.home == "":
		return errLost
	default:
		lines = append(lines, "CWD "+s.home)
	}
	for i, dir := range path {
		lines = append(lines, "CWD "+segment(len(want)-len(path)+i, dir))
	}
	if lines = append(lines, next...); vms && len(path) > 0 {
		lines = nil // a refused CWD is repeated in another form
	}
	if err := s.ctrl.sendAhead(lines...); err != nil {
		return s.fail("change the directory", err)
	}
	if back {
		if s.change(s.home) != nil {
			return cmp.Or(context.Cause(s.ctx), errLost)
		}
		s.cwds, s.message, s.passed = nil, nil, 0
	}
	for _, dir := range path {
		err := s.change(segment(len(s.cwds), dir))
		switch refused := code(err) >= 500 && code(err) != 530; {
		case refused && dir == "":
			s.passed++
			err = nil
		case refused && vms && !strings.ContainsAny(dir, "[]:/"): // some VMS servers take only this
			if s.change("[."+dir+"]") == nil {
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

func (s *session) change(dir string) error {
	return s.try(dir, func() error {
		answer, err := s.command("change to the directory "+clean.Name(dir), "CWD "+dir)
		s.message = s.announcement(answer)
		return err
	})
}

// query sends a command about a file and returns the text of the reply.
func (s *session) query(op, verb, name string) (answer string, err error) {
	err = s.try(name, func() error {
		r, err := s.command(op, verb+" "+name)
		answer = strings.TrimSpace(text(r))
		return err
	})
	return answer, err
}

// size asks for the size of a file (RFC 3659, section 4), -1 if the server refuses.
func (s *session) size(name string) (int64, error) {
	answer, err := s.query("ask for the size", "SIZE", name)
	return parseSize(answer), unlessRefused(err)
}

// modified asks for the date of a file (RFC 3659, section 3), zero if the server refuses.
func (s *session) modified(name string) (time.Time, error) {
	answer, err := s.query("ask for the date", "MDTM", name)
	return parseFactTime(answer), unlessRefused(err)
}

// command sends a command. A reply that is not of the 200s is an error.
func (s *session) command(op, line string) (reply, error) {
	answer, err := s.ctrl.command(line)
	switch {
	case err != nil:
		return reply{}, s.fail(op, err)
	case answer.code/100 != 2:
		return reply{}, s.refusal(op, answer)
	}
	return answer, nil
}

// setType sends TYPE unless it is in force (RFC 959, section 3.1.1).
func (s *session) setType(typ byte) error {
	if s.typ == typ {
		return nil
	}
	s.typ = 0
	if _, err := s.command("set the transfer type", "TYPE "+string(typ)); err != nil {
		return err
	}
	s.typ = typ
	return nil
}

// try does a command with a name. If the server refuses a name with the octet FF, it
// tries again without doubling the octet: proftpd speaks Telnet as RFC 959 says, vsftpd
// and pure-ftpd do not.
func (s *session) try(name string, do func() error) error {
	err := do()
	if s.ctrl.rawIAC || !strings.Contains(name, "\xff") || code(s.fail("", err)) < 500 {
		return err
	}
	s.ctrl.rawIAC = true
	if do() == nil {
		return nil
	}
	s.ctrl.rawIAC = false
	return err
}

// retrieve opens the transfer of a file, from the offset on.
func (s *session) retrieve(name string, offset int64) (*ftp.Response, error) {
	var resp *ftp.Response
	err := s.try(name, func() (err error) {
		if err := s.prepare("RETR " + name); err != nil {
			return err
		}
		resp, err = s.lib.RetrFrom(name, uint64(offset))
		return err
	})
	if err == nil {
		return resp, nil
	}
	if s.ctrl.verb != "REST" {
		return nil, s.unopened("fetch "+clean.Name(name), err)
	}
	err = s.fail(resumeOp(offset), err)
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Code >= 500 {
		e.Reason, e.Err = protocols.ServerFailed, errors.New("the server cannot resume files; fetch it anew")
	}
	return nil, err
}

// prepare announces a transfer to a server of many machines (PRET, draft-dd-pret-00). It
// ignores the reply.
func (s *session) prepare(line string) error {
	if !s.pret {
		return nil
	}
	_, err := s.ctrl.command("PRET " + line)
	return err
}

// listing opens the transfer of the current directory's listing by MLSD, LIST
// or NLST, without an argument.
func (s *session) listing(verb string) (*ftp.Response, error) {
	if err := s.prepare(verb); err != nil {
		return nil, s.fail("list the directory ("+verb+")", err)
	}
	s.shim.listing = verb
	resp, err := s.lib.Retr("-")
	s.shim.listing = ""
	if err != nil {
		return nil, s.unopened("list the directory ("+verb+")", err)
	}
	return resp, nil
}

// unopened returns the error of a transfer that did not begin.
func (s *session) unopened(op string, err error) error {
	if !s.connecting() {
		return s.fail(op, err)
	}
	err = s.fail("open a data connection", err)
	if e, ok := errors.AsType[*protocols.Error](err); ok && refusesData(e.Code) {
		e.Reason, e.Err = protocols.ServerFailed, errors.New("the server opens none, neither in passive nor in active mode")
	}
	return err
}

// identify sets the path of the current directory (PWD) and its identity: the unique fact (MLST;
// RFC 3659, section 7.5.2), else the path. Most servers resolve symbolic links in the path.
func (s *session) identify(head *protocols.Head) (err error) {
	if s.mlsd {
		answer, err := s.ask("MLST")
		if err != nil {
			return err
		}
		for _, line := range answer.lines {
			if unique := uniqueFact(line); unique != "" {
				head.Identity = "unique " + unique
			}
		}
	}
	if head.Path, err = s.workingDirectory(); head.Identity == "" && head.Path != "" {
		head.Identity = "path " + head.Path
	}
	return err
}

// workingDirectory returns the path of the current directory (PWD; RFC 959, section
// 4.1.3), or "" if the server refuses the command.
func (s *session) workingDirectory() (string, error) {
	answer, err := s.ask("PWD")
	if err != nil || answer.code != 257 {
		return "", err
	}
	return quoted(answer.lines[len(answer.lines)-1]), nil
}

// ask sends a command about the current directory. It returns a refusal as a reply,
// not as an error.
func (s *session) ask(command string) (reply, error) {
	const op = "ask for the name of the directory"
	answer, err := s.ctrl.command(command)
	switch {
	case err != nil:
		return reply{}, s.fail(op, err)
	case answer.code == 421:
		return reply{}, s.refusal(op, answer)
	}
	return answer, nil
}

// uniqueFact returns the unique fact of a line in the reply to MLST, or "".
func uniqueFact(line string) string {
	facts, _, _ := splitMLSD(strings.TrimPrefix(line, " "))
	for fact := range strings.SplitSeq(facts, ";") {
		if key, value, ok := strings.Cut(fact, "="); ok && strings.EqualFold(key, "unique") {
			return value
		}
	}
	return ""
}
