package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	maxKeyFile = 64 << 10        // octets of a key
	maxKeys    = 32              // keys that are offered; servers usually stop at six
	agentTime  = 2 * time.Minute // for an agent that asks the user
)

func accountOf(r *request) wire.Account {
	return wire.Account{Scheme: "sftp", Addr: r.addr, User: r.url.User, HasUser: r.url.HasUser}
}

func (c *Client) rememberedLogins() *wire.Logins { return wire.Remember(c.Dialer.Memory, &c.logins) }

// chooseCredentials returns the credentials for r: the remembered ones, or else the user and password of the URL. Without a
// password, the login is by a key of the user.
func (c *Client) chooseCredentials(ctx context.Context, u urlcore.FTP, r *request) wire.Credentials {
	remembered, ok := c.rememberedLogins().Get(accountOf(r))
	refused, tried := c.rememberedLogins().LastRefused(accountOf(r)).Password()
	mayLogIn := protocols.MayLogIn(ctx, "sftp", r.addr)
	switch {
	case ok && mayLogIn && (!u.HasPassword || tried && refused == u.Password):
		return remembered
	case u.HasPassword:
		return wire.NewCredentials(u.User, u.Password)
	case !mayLogIn: // see Unattended: a login of its own kind, whose connection no other fetch uses
		return wire.NewAnonymous(u.User, "")
	}
	return wire.Credentials{User: u.User}
}

// passphrases are the passphrases of keys that the user has typed in this run, and answers to other questions of servers.
type passphrases struct{ sync.Map }

func (c *Client) passphrases() *passphrases { return wire.Remember(c.Dialer.Memory, &c.secrets) }

// login is a login in progress.
type login struct {
	c        *Client
	ctx      context.Context
	r        *request
	h        host
	account  wire.Account // of the server, which may be one on the way to that of the URL
	cred     wire.Credentials
	useFiles bool // the agent and the keys of the user
	conns    []io.Closer
	banner   string   // what the server says before the login
	methods  []string // what the server accepts
	locked   string   // a key that the server accepts and that needs its passphrase
	badPhase bool     // a passphrase was tried and is wrong
	prompts  []protocols.Field
	offered  int  // keys
	asked    bool // the server wants a password
	tried    bool // a password was sent
}

// config returns the configuration of the connection.
func (l *login) config(keys *hostKeys) *ssh.ClientConfig {
	return &ssh.ClientConfig{
		User:              l.cred.User,
		HostKeyCallback:   keys.check,
		HostKeyAlgorithms: keys.algorithms(),
		BannerCallback: func(text string) error {
			l.banner = text[:min(len(text), maxText)]
			record(l.ctx, l.account.Addr, false, l.banner)
			return nil
		},
		AuthCallback: func(a *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
			l.methods = a.AllowedMethods
			return nil, nil
		},
		Auth: []ssh.AuthMethod{
			ssh.PublicKeysCallback(l.signers),
			ssh.KeyboardInteractive(l.answer),
			ssh.PasswordCallback(l.password),
		},
	}
}

var errNoPassword = errors.New("no password is known")

func (l *login) password() (string, error) {
	l.asked = true
	password, known := l.cred.Password()
	if !known || l.cred.IsAnonymous() || l.tried {
		return "", errNoPassword
	}
	l.tried = true
	record(l.ctx, l.account.Addr, true, "password ****")
	return password, nil
}

// answer answers the questions of a server (RFC 4256). A single question whose answer is not shown is for the password.
func (l *login) answer(name, instruction string, questions []string, echos []bool) ([]string, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	if len(questions) == 1 && !echos[0] && !l.tried && l.isPasswordQuestion(questions[0]) {
		password, err := l.password()
		return []string{password}, err
	}
	l.prompts = nil
	for i, q := range questions[:min(len(questions), 16)] {
		field := protocols.Field{ServerLabel: q[:min(len(q), 512)], Input: protocols.InputSecret, Required: true}
		if echos[i] {
			field.Input = protocols.InputLine
		}
		l.prompts = append(l.prompts, field)
	}
	if given, ok := l.c.passphrases().LoadAndDelete(l.questionKey()); ok && len(given.([]string)) == len(questions) {
		l.prompts = nil
		return given.([]string), nil
	}
	return nil, errNoPassword
}

func (l *login) questionKey() string { return "questions " + l.account.Addr + " " + l.cred.User }

func (l *login) isPasswordQuestion(q string) bool {
	return strings.Contains(strings.ToLower(q), "password")
}

// signers returns the keys of the user: those of the agent, then those in files.
func (l *login) signers() (list []ssh.Signer, err error) {
	if !l.useFiles {
		return nil, nil
	}
	var fromFiles []ssh.Signer
	files := l.h.identityFiles
	if len(files) == 0 {
		files = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}
	}
	for _, path := range files[:min(len(files), maxKeys)] {
		if s := l.readKey(l.c.expand(path, l.h)); s != nil {
			fromFiles = append(fromFiles, s)
		}
	}
	same := func(a ssh.Signer) func(ssh.Signer) bool {
		return func(b ssh.Signer) bool { return string(a.PublicKey().Marshal()) == string(b.PublicKey().Marshal()) }
	}
	for _, s := range l.agentKeys() {
		if !l.h.identitiesOnly || slices.ContainsFunc(fromFiles, same(s)) {
			list = append(list, s)
		}
	}
	for _, s := range fromFiles {
		if !slices.ContainsFunc(list, same(s)) {
			list = append(list, s)
		}
	}
	list = list[:min(len(list), maxKeys)]
	l.offered = len(list)
	for _, s := range list {
		record(l.ctx, l.account.Addr, true, "publickey "+s.PublicKey().Type()+" "+ssh.FingerprintSHA256(s.PublicKey()))
	}
	return list, nil
}

// agentKeys returns the keys of the user's agent.
func (l *login) agentKeys() []ssh.Signer {
	path := l.c.Getenv("SSH_AUTH_SOCK")
	if path == "" {
		return nil
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return nil
	}
	_ = conn.SetDeadline(time.Now().Add(agentTime))
	l.conns = append(l.conns, conn)
	keys, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil
	}
	return keys
}

// readKey reads a key of the user, and the certificate for it if there is one. It returns nil if the file has none.
func (l *login) readKey(path string) ssh.Signer {
	data, err := userfile.Read(path, maxKeyFile)
	if err != nil {
		return nil
	}
	signer, err := ssh.ParsePrivateKey(data)
	var missing *ssh.PassphraseMissingError
	if errors.As(err, &missing) {
		signer = l.lockedKey(path, data, missing.PublicKey)
	} else if err != nil {
		return nil
	}
	if signer == nil {
		return nil
	}
	if cert := readPublicKey(path + "-cert.pub"); cert != nil {
		if c, ok := cert.(*ssh.Certificate); ok {
			if certified, err := ssh.NewCertSigner(c, signer); err == nil {
				return certified
			}
		}
	}
	return signer
}

func readPublicKey(path string) ssh.PublicKey {
	data, err := userfile.Read(path, maxKeyFile)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil
	}
	return key
}

// lockedKey returns the signer of a key with a passphrase. The passphrase is needed only if the server accepts the key.
func (l *login) lockedKey(path string, data []byte, public ssh.PublicKey) ssh.Signer {
	if public == nil { // the old format does not tell the public key
		public = readPublicKey(path + ".pub")
	}
	phrase, known := l.c.passphrases().Load(path)
	if known {
		if s, err := ssh.ParsePrivateKeyWithPassphrase(data, []byte(phrase.(string))); err == nil {
			return s
		}
		l.c.passphrases().Delete(path)
		l.badPhase = true
	}
	if public == nil {
		return nil
	}
	return &lockedSigner{public, func() { l.locked = path }}
}

// lockedSigner is a key whose passphrase is not known.
type lockedSigner struct {
	public ssh.PublicKey
	wanted func()
}

func (s *lockedSigner) PublicKey() ssh.PublicKey { return s.public }

func (s *lockedSigner) Sign(io.Reader, []byte) (*ssh.Signature, error) {
	s.wanted()
	return nil, errNoPassword
}

// close closes the connections to the agent.
func (l *login) close() {
	for _, c := range l.conns {
		_ = c.Close()
	}
}

// question returns the question to the user after a refused login, or the error that says why none helps.
func (l *login) question() error {
	c, account := l.c, l.account
	switch {
	case l.locked != "":
		path := l.locked
		q := &protocols.Login{
			URL: l.r.url, Server: c.shorten(path), User: l.cred.User, Note: "passphrase of the key", Failed: l.badPhase,
			With: func(_, phrase string) { c.passphrases().Store(path, phrase) },
		}
		return q
	case len(l.prompts) > 0 && !l.asked:
		key := l.questionKey()
		return &protocols.Ask{
			URL: l.r.url, Title: "Questions before the login of " + clean.Name(l.cred.User), Server: account.Addr, ServerTitle: l.banner, Fields: l.prompts,
			With: func(answers []string) (urlcore.URL, error) {
				c.passphrases().Store(key, slices.Clone(answers))
				return l.r.url, nil
			},
		}
	case l.asked || len(l.prompts) > 0:
		if l.tried {
			c.rememberedLogins().RecordRefusal(account, l.cred)
		}
		return &protocols.Login{
			URL: l.r.url, Server: account.Addr, User: l.cred.User, Text: l.mask(l.banner), Failed: l.tried, With: c.rememberedLogins().KeepFunc(account),
		}
	}
	cause := "no key of yours is accepted, and the server takes no password"
	switch {
	case !l.useFiles:
		cause = "the server takes no password, and keys of yours are not used here"
	case l.offered == 0:
		cause = "the server wants a key, and neither the agent nor ~/.ssh has one"
	}
	return &protocols.Error{
		Reason: protocols.Denied, Op: "log in as " + clean.Name(l.cred.User), Text: l.mask(l.banner),
		Err: fmt.Errorf("%s (it accepts: %s)", cause, clean.Short(strings.Join(l.methods, ", "))),
	}
}

func (l *login) mask(text string) string { return l.c.rememberedLogins().Mask(l.account.Addr, text) }
