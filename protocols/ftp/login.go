package ftp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func accountOf(r *request) wire.Account {
	return wire.Account{Scheme: r.url.Scheme(), Addr: r.addr, User: r.url.User, HasUser: r.url.HasUser}
}

func (c *Client) rememberedLogins() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

// chooseCredentials returns the credentials for r. A remembered login is used if u has no password, or if
// the server refused the password of u last time. Otherwise the user and password are from u. The login is
// anonymous if u has no user, the user "anonymous", or the user "ftp" without a password.
func (c *Client) chooseCredentials(ctx context.Context, u urlcore.FTP, r *request) wire.Credentials {
	remembered, ok := c.rememberedLogins().Get(accountOf(r))
	refused, tried := c.rememberedLogins().LastRefused(accountOf(r)).Password()
	if ok && protocols.MayLogIn(ctx, u.Scheme(), r.addr) && (!u.HasPassword || tried && refused == u.Password) {
		return remembered
	}
	password := "gofer@"
	if c.AnonymousPassword != nil {
		password = cmp.Or(c.AnonymousPassword(u.Host), password)
	}
	switch {
	case !u.HasUser:
		return wire.NewAnonymous("anonymous", password)
	case u.HasPassword && u.User == "anonymous": // the password is an e-mail address (RFC 1635)
		return wire.NewAnonymous(u.User, u.Password)
	case u.HasPassword:
		return wire.NewCredentials(u.User, u.Password)
	case u.User == "anonymous" || u.User == "ftp":
		return wire.NewAnonymous(u.User, password)
	}
	return wire.Credentials{User: u.User}
}

// newLoginError returns the error that asks for credentials. If failed is true, newLoginError also
// forgets the remembered login.
func (c *Client) newLoginError(r *request, tried wire.Credentials, text string, failed bool) *protocols.Login {
	account := accountOf(r)
	_, remembered := c.rememberedLogins().Get(account)
	if failed {
		c.rememberedLogins().RecordRefusal(account, tried)
	}
	l := &protocols.Login{
		URL:    r.requestedURL,
		Server: r.addr,
		User:   r.url.User,
		Text:   text,
		Failed: failed && (r.url.HasUser || remembered),
		With:   c.rememberedLogins().KeepFunc(account),
	}
	if failed && tried.IsAnonymous() {
		l.Note = "anonymous login refused"
	}
	return l
}

const logInOp = "log in"

// logIn logs in, and learns the features of the server and the login directory. What needs no earlier reply is
// sent in one write with the first commands of the caller.
func (s *session) logIn(c *Client, r *request) error {
	if err := s.authenticate(c, r); err != nil {
		return err
	}
	if err := s.ctrl.sendAhead(s.commandsAfterLogin(r)...); err != nil {
		return s.convertError(logInOp, err)
	}
	if err := s.protectData(r); err != nil {
		return err
	}
	if err := s.learnExtensions(); err != nil {
		return err
	}
	if err := s.selectDefaults(); err != nil {
		return err
	}
	return s.learnHome()
}

// authenticate sends the user and, only after the reply 331, the password. It keeps what the server announces.
func (s *session) authenticate(c *Client, r *request) error {
	const op = logInOp
	password, known := s.key.Login.Password()
	if err := errors.Join(wire.Check("user name", s.key.Login.User), wire.Check("password", password)); err != nil {
		return &protocols.Error{Reason: protocols.BadURL, Op: op, Err: wire.ErrInjection}
	}
	if err := s.sendAnonymousLogin(r); err != nil {
		return s.convertError(op, err)
	}
	pass := "PASS " + password
	answer, err := s.sendUser()
	if err == nil {
		if err := s.checkPlainLogin(c, r, answer); err != nil {
			return err
		}
	}
	switch {
	case err == nil && answer.code == 331:
		if !known {
			return c.newLoginError(r, s.key.Login, s.maskErrorText(replyText(answer)), false)
		}
		s.welcome, s.userReply = s.announcement(answer), reply{}
		if err = s.ctrl.sendAhead(append([]string{pass}, s.commandsAfterLogin(r)...)...); err == nil {
			answer, err = s.ctrl.roundTrip(pass)
		}
	case err == nil && answer.code/100 == 2:
		err = s.ctrl.skipReply(pass)
	}
	switch {
	case err != nil:
		return s.convertError(op, err)
	case s.wantsTLS(answer):
		return s.newTLSRequiredError(op, answer)
	case answer.code == 530 && !protocols.IsBusy(replyText(answer)):
		return c.newLoginError(r, s.key.Login, s.maskErrorText(replyText(answer)), true)
	case answer.code/100 != 2:
		return s.newRefusalError(op, answer)
	}
	s.welcome = append(s.welcome, s.announcement(answer)...)
	return nil
}

// sendUser sends USER and returns the reply, unless the server has already asked for the password.
func (s *session) sendUser() (answer reply, err error) {
	if s.userReply.code != 0 {
		return s.userReply, nil
	}
	if answer, err = s.ctrl.roundTrip(s.userCommand()); err == nil && answer.code == 331 {
		s.userReply = answer
	}
	return answer, err
}

func (s *session) userCommand() string { return "USER " + s.key.Login.User }

// sendBeforeGreeting sends what need not wait for the greeting: AUTH TLS, or the whole login if it is anonymous,
// the server is known to support pipelining, and TLS has begun or is known to be refused.
func (s *session) sendBeforeGreeting(r *request) error {
	h := s.server.current()
	switch {
	case h.AwaitsGreeting, h.Pipelining == pipelineFails:
		return nil
	case s.tlsErr == nil && !s.hasTLS():
		return s.ctrl.sendEarly(authTLS)
	case h.Pipelining == pipelineWorks:
		return s.sendAnonymousLogin(r)
	}
	return nil
}

// sendAnonymousLogin sends the commands of an anonymous login ahead. Nothing in them is secret.
func (s *session) sendAnonymousLogin(r *request) error {
	if !s.key.Login.IsAnonymous() {
		return nil
	}
	password, _ := s.key.Login.Password()
	login := []string{s.userCommand(), "PASS " + password}
	return s.ctrl.sendAhead(append(login, s.commandsAfterLogin(r)...)...)
}

const optsUTF8 = "OPTS UTF8 ON"

// commandsAfterLogin returns the commands that are sent after the login for r, as far as no reply decides about
// them. OPTS UTF8 is among them although only the reply to FEAT shows whether the server has it: a refusal does no
// harm, and Windows Explorer sends it to every server.
func (s *session) commandsAfterLogin(r *request) (lines []string) {
	if s.hasTLS() {
		lines = append(lines, "PBSZ 0", "PROT P")
	}
	if !s.Known {
		lines = append(lines, "FEAT")
	}
	lines = append(lines, "TYPE I")
	if !s.Known || s.UTF8 {
		lines = append(lines, optsUTF8)
	}
	lines = append(lines, "PWD")
	if r.early == nil || s.server.current().VMS { // a VMS server may need a refused CWD in another form
		return lines
	}
	lines = append(lines, cwdCommands(r.cwds)...)
	if r.want.Identity && !s.Known { // what shows the identity depends on FEAT
		return lines
	}
	ready := *s // as it will be then
	ready.typ = 'I'
	return append(lines, r.early(&ready, r)...)
}

// extensions are the extensions of a server (FEAT, RFC 2389).
type extensions struct {
	Known         bool `json:",omitempty"` // FEAT was sent; its refusal means that there are no extensions
	MDTM          bool `json:",omitempty"`
	MFF           bool `json:",omitempty"` // MFF can change modes
	MFMT          bool `json:",omitempty"`
	MLSD          bool `json:",omitempty"`
	UTF8          bool `json:",omitempty"` // names are in UTF-8 (RFC 2640)
	OmitsDangling bool `json:",omitempty"` // MLSD omits dangling links, as in ProFTPD
	PRET          bool `json:",omitempty"` // PRET may have to precede commands that need a data connection
	NeedsPRET     bool `json:",omitempty"` // and has to: the server has named no port without it
}

// has reports whether verb is the command of one of the extensions.
func (e extensions) has(verb string) bool {
	return map[string]bool{"MDTM": e.MDTM, "MFF": e.MFF, "MFMT": e.MFMT, "MLSD": e.MLSD, "MLST": e.MLSD, "PRET": e.PRET}[verb]
}

// extensionsOf returns the extensions in the lines of a reply to FEAT.
func extensionsOf(lines []string) extensions {
	f := extensions{Known: true}
	for _, line := range lines {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToUpper(word) {
		case "MLST", "MLSD":
			f.MLSD = true
			f.OmitsDangling = f.OmitsDangling || strings.Contains(strings.ToUpper(line), "UNIX.GROUPNAME")
		case "MDTM":
			f.MDTM = true
		case "MFMT":
			f.MFMT = true
		case "MFF":
			f.MFF = strings.Contains(strings.ToLower(line), "unix.mode;")
		case "PRET":
			f.PRET = true
		case "UTF8":
			f.UTF8 = true
		}
	}
	return f
}

// selectDefaults selects image type, and UTF-8 for names. It ignores refusals.
func (s *session) selectDefaults() error {
	if err := s.setType('I'); endsSession(err) {
		return err
	}
	if !s.UTF8 && !s.ctrl.isNext(optsUTF8) {
		return nil
	}
	_, err := s.runCommand("select UTF-8 for names", optsUTF8)
	return ignoreRefusal(err)
}

// learnExtensions learns the extensions of the server if they are not known.
func (s *session) learnExtensions() error {
	if s.Known {
		return nil
	}
	answer, err := s.ctrl.roundTrip("FEAT")
	if err != nil {
		return s.convertError("get the features of the server", err)
	}
	s.extensions = extensionsOf(answer.lines)
	if answer.code/100 == 2 || isUnknownCommand(answer.code) { // else the refusal may be temporary
		s.server.learn(func(h *habits) { h.Extensions = s.extensions })
	}
	return nil
}

// learnHome learns the login directory, so that chdir can return there.
func (s *session) learnHome() (err error) {
	s.home, err = s.queryWorkingDirectory()
	if wire.Check("login directory", s.home) != nil {
		s.home = ""
	}
	s.server.learn(func(h *habits) { h.VMS = s.isVMS() })
	return err
}

// isVMS reports whether the paths of the server are those of VMS.
func (s *session) isVMS() bool { return strings.HasSuffix(s.home, "]") }

// parseQuotedPath returns the quoted path in the text of a 257 reply, or "". A quote in the path is
// doubled (RFC 959, appendix II).
func parseQuotedPath(s string) string {
	_, s, ok := strings.Cut(s, `"`)
	if !ok {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			if i+1 == len(s) || s[i+1] != '"' {
				return b.String()
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return ""
}

// maxAnnouncement is the maximal number of lines of a reply that are shown above a directory.
const maxAnnouncement = 100

// announcement returns the lines of a reply except the last line, which only confirms the command.
func (s *session) announcement(r reply) []string {
	var lines []string
	for _, line := range r.lines[:max(0, min(len(r.lines)-1, maxAnnouncement))] {
		lines = append(lines, s.mask(line))
	}
	return lines
}

func replyText(r reply) string { return strings.Join(r.lines, "\n") }
