package ftp

import (
	"cmp"
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
func (c *Client) chooseCredentials(u urlcore.FTP, r *request) wire.Credentials {
	remembered, ok := c.rememberedLogins().Get(accountOf(r))
	refused, tried := c.rememberedLogins().LastRefused(accountOf(r)).Password()
	if ok && (!u.HasPassword || tried && refused == u.Password) {
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

// logIn logs in, and learns the features of the server and the login directory.
func (s *session) logIn(c *Client, r *request) error {
	const op = "log in"
	password, known := s.key.Login.Password()
	if err := errors.Join(wire.Check("user name", s.key.Login.User), wire.Check("password", password)); err != nil {
		return &protocols.Error{Reason: protocols.BadURL, Op: op, Err: wire.ErrInjection}
	}
	answer, err := s.ctrl.roundTrip("USER " + s.key.Login.User)
	if err == nil {
		if err := s.checkPlainLogin(c, r, answer); err != nil {
			return err
		}
	}
	if err == nil && answer.code == 331 {
		if !known {
			return c.newLoginError(r, s.key.Login, s.maskErrorText(replyText(answer)), false)
		}
		s.welcome = s.announcement(answer)
		answer, err = s.ctrl.roundTrip("PASS " + password)
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
	if err := s.protectData(r); err != nil {
		return err
	}
	if err := s.learnFeatures(); err != nil {
		return err
	}
	return s.learnHome()
}

// learnFeatures learns the extensions of the server (FEAT, RFC 2389), and selects image type
// and UTF-8 for names. It ignores refusals.
func (s *session) learnFeatures() error {
	const op = "get the features of the server"
	if err := s.ctrl.sendAhead("FEAT", "TYPE I"); err != nil {
		return s.convertError(op, err)
	}
	features, err := s.ctrl.roundTrip("FEAT")
	if err != nil {
		return s.convertError(op, err)
	}
	for _, line := range features.lines {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToUpper(word) {
		case "MLST", "MLSD":
			s.mlsd = true
			s.omitsDangling = s.omitsDangling || strings.Contains(strings.ToUpper(line), "UNIX.GROUPNAME")
		case "MDTM":
			s.mdtm = true
		case "MFMT":
			s.mfmt = true
		case "MFF":
			s.mff = strings.Contains(strings.ToLower(line), "unix.mode;")
		case "PRET":
			s.pret = true
		case "UTF8":
			s.utf8 = true
		}
	}
	if err := s.setType('I'); endsSession(err) {
		return err
	}
	if !s.utf8 {
		return nil
	}
	if err := s.ctrl.sendAhead("OPTS UTF8 ON", "PWD"); err != nil {
		return s.convertError(op, err)
	}
	_, err = s.runCommand("select UTF-8 for names", "OPTS UTF8 ON")
	return ignoreRefusal(err)
}

// learnHome learns the login directory, so that chdir can return there.
func (s *session) learnHome() (err error) {
	s.home, err = s.queryWorkingDirectory()
	if wire.Check("login directory", s.home) != nil {
		s.home = ""
	}
	return err
}

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
