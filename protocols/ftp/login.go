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
	return wire.Account{Scheme: r.url.Scheme(), Addr: r.addr, User: r.url.User, Named: r.url.HasUser}
}

func (c *Client) typed() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

// credentials returns the password of the URL unless it was the last one to be refused,
// else the credentials that the user typed before, else the anonymous login.
func (c *Client) credentials(u urlcore.FTP, r *request) wire.Credentials {
	kept, ok := c.typed().Get(accountOf(r))
	refused, tried := c.typed().LastRefused(accountOf(r)).Password()
	if ok && (!u.HasPassword || tried && refused == u.Password) {
		return kept
	}
	password := cmp.Or(c.Anonymous, "gofer@")
	switch {
	case !u.HasUser:
		return wire.NewAnonymous("anonymous", password)
	case u.HasPassword && u.User == "anonymous": // by custom an address (RFC 1635)
		return wire.NewAnonymous(u.User, u.Password)
	case u.HasPassword:
		return wire.NewCredentials(u.User, u.Password)
	case u.User == "anonymous" || u.User == "ftp":
		return wire.NewAnonymous(u.User, password)
	}
	return wire.Credentials{User: u.User}
}

// ask returns the error that asks for credentials. A failed login forgets the kept ones.
func (c *Client) ask(r *request, tried wire.Credentials, text string, failed bool) *protocols.Login {
	who := accountOf(r)
	_, typed := c.typed().Get(who)
	if failed {
		c.typed().Refuse(who, tried)
	}
	l := &protocols.Login{
		URL:    r.asked,
		Server: r.addr,
		User:   r.url.User,
		Text:   text,
		Failed: failed && (r.url.HasUser || typed),
		With:   c.typed().With(who),
	}
	if failed && tried.Anonymous() {
		l.Note = "anonymous login refused"
	}
	return l
}

// login logs in and asks for the features of the server.
func (s *session) login(c *Client, r *request) error {
	const op = "log in"
	password, known := s.key.Login.Password()
	if err := errors.Join(wire.Check("user name", s.key.Login.User), wire.Check("password", password)); err != nil {
		return &protocols.Error{Reason: protocols.BadURL, Op: op, Err: wire.ErrInjection}
	}
	answer, err := s.ctrl.command("USER " + s.key.Login.User)
	if err == nil {
		if err := s.clearLogin(c, r, answer); err != nil {
			return err
		}
	}
	if err == nil && answer.code == 331 {
		if !known {
			return c.ask(r, s.key.Login, s.shown(text(answer)), false)
		}
		s.welcome = s.announcement(answer)
		answer, err = s.ctrl.command("PASS " + password)
	}
	switch {
	case err != nil:
		return s.fail(op, err)
	case s.wantsTLS(answer):
		return s.noTLS(op, answer)
	case answer.code == 530 && !protocols.IsBusy(text(answer)):
		return c.ask(r, s.key.Login, s.shown(text(answer)), true)
	case answer.code/100 != 2:
		return s.refusal(op, answer)
	}
	s.welcome = append(s.welcome, s.announcement(answer)...)
	if err := s.protect(r); err != nil {
		return err
	}
	if err := s.learnFeatures(); err != nil {
		return err
	}
	return s.learnHome()
}

// learnFeatures asks for the extensions of the server (RFC 2389) and sets the types of
// files and names. It ignores refusals.
func (s *session) learnFeatures() error {
	const op = "ask for the features"
	if err := s.ctrl.sendAhead("FEAT", "TYPE I"); err != nil {
		return s.fail(op, err)
	}
	features, err := s.ctrl.command("FEAT")
	if err != nil {
		return s.fail(op, err)
	}
	for _, line := range features.lines {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToUpper(word) {
		case "MLST", "MLSD":
			s.mlsd = true
			s.hidesDangling = s.hidesDangling || strings.Contains(strings.ToUpper(line), "UNIX.GROUPNAME")
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
	if err := s.setType('I'); ends(err) {
		return err
	}
	if !s.utf8 {
		return nil
	}
	if err := s.ctrl.sendAhead("OPTS UTF8 ON", "PWD"); err != nil {
		return s.fail(op, err)
	}
	_, err = s.command("choose UTF-8 for names", "OPTS UTF8 ON")
	return unlessRefused(err)
}

// learnHome asks for the login directory, to return to it later.
func (s *session) learnHome() (err error) {
	s.home, err = s.workingDirectory()
	if wire.Check("login directory", s.home) != nil {
		s.home = ""
	}
	return err
}

// quoted returns the path in a 257 reply, or "". A doubled quote in it means one quote (RFC 959,
// appendix II).
func quoted(s string) string {
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

// maxAnnouncement bounds the lines of a welcome or a directory's message.
const maxAnnouncement = 100

// announcement returns the lines of a reply without the last, which has no news.
func (s *session) announcement(r reply) []string {
	var lines []string
	for _, line := range r.lines[:max(0, min(len(r.lines)-1, maxAnnouncement))] {
		lines = append(lines, s.mask(line))
	}
	return lines
}

func text(r reply) string { return strings.Join(r.lines, "\n") }
