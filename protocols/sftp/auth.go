package sftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
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

// secrets are the passphrases of keys that the user has typed in this run, and answers to questions of servers.
type secrets struct{ sync.Map }

func (c *Client) secrets() *secrets { return wire.Remember(c.Dialer.Memory, &c.typed) }

// login is a login in progress.
type login struct {
	c       *Client
	life    context.Context // of the connection
	ctx     context.Context // of the fetch
	r       *request
	h       host
	account wire.Account // of the server, which may be one on the way to that of the URL
	cred    wire.Credentials
	// mayLogIn reports whether the user has chosen the server, see [protocols.MayLogIn].
	mayLogIn bool
	useKeys  bool // the agent and the keys of the user
	banner   string
	methods  []string // what the server accepts

	conns      []io.Closer
	locked     string   // a key that the server accepts and that needs its passphrase
	badPhase   bool     // a passphrase was tried and is wrong
	exposed    string   // a key that is not used, because others may read it
	offered    int      // keys
	unaccepted bool     // a key is not offered, because the configuration does not accept its algorithm
	rounds     int      // questions of keyboard-interactive
	open       *prompts // questions whose answers are not known
	answered   *prompts // the last ones that were answered
	asked      bool     // the server wants a password
	tried      bool     // a password was sent
}

// prompts are the questions of one round of keyboard-interactive (RFC 4256, section 3.2).
type prompts struct {
	title  string // the name and the instruction of the server
	fields []protocols.Field
}

const (
	maxRounds  = 16
	maxPrompts = 16

	maxQuestion = 512 // octets
)

// config returns the configuration of the connection.
func (l *login) config(keys *hostKeys) *ssh.ClientConfig {
	config := &ssh.ClientConfig{
		User:              l.cred.User,
		HostKeyCallback:   keys.check,
		HostKeyAlgorithms: keys.known.algorithms(l.h.algorithms.HostKeys),
		BannerCallback: func(text string) error {
			l.banner = shorten(l.mask(text), maxText) // in this order: a part of a password is not masked
			record(l.ctx, l.account.Addr, false, l.banner)
			return nil
		},
		AuthCallback: func(a *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
			l.methods = a.AllowedMethods
			return nil, nil
		},
	}
	config.Ciphers, config.MACs, config.KeyExchanges = l.h.algorithms.Ciphers, l.h.algorithms.MACs, l.h.algorithms.KeyExchanges
	known := map[string]ssh.AuthMethod{
		"publickey":            ssh.PublicKeysCallback(l.signers),
		"keyboard-interactive": ssh.KeyboardInteractive(l.answer),
		"password":             ssh.PasswordCallback(l.password),
	}
	for _, method := range l.h.methods {
		config.Auth = append(config.Auth, known[method])
	}
	return config
}

var errNoPassword = errors.New("no password is known")

// password returns the password for the server, once.
func (l *login) password() (string, error) {
	if l.open != nil { // the user answers the earlier questions first
		return "", errNoPassword
	}
	l.asked = true
	password, known := l.cred.Password()
	if !known || l.cred.IsAnonymous() || l.tried {
		return "", errNoPassword
	}
	l.tried = true
	record(l.ctx, l.account.Addr, true, "password ****")
	return password, nil
}

// answer answers the questions of a server (RFC 4256). The password is the answer only to a first single question that is
// plainly for it; the user answers all others.
func (l *login) answer(name, instruction string, questions []string, echos []bool) ([]string, error) {
	if l.rounds++; l.rounds > maxRounds || len(questions) > maxPrompts {
		return nil, errors.New("the server asks too many questions")
	}
	if len(questions) == 0 {
		return nil, nil
	}
	if l.answered == nil && len(questions) == 1 && !echos[0] && !l.tried && passwordQuestion().MatchString(questions[0]) {
		password, err := l.password()
		return []string{password}, err
	}
	p := &prompts{title: strings.TrimSpace(name + "\n" + instruction)}
	for i, q := range questions {
		field := protocols.Field{ServerLabel: shorten(l.mask(q), maxQuestion), Input: protocols.InputSecret, Required: true}
		if echos[i] {
			field.Input = protocols.InputLine
		}
		p.fields = append(p.fields, field)
	}
	if given, ok := l.takeAnswers(p); ok {
		l.answered = p
		for i := range given {
			if !echos[i] {
				l.c.rememberedLogins().Try(l.account.Addr, wire.NewCredentials(l.cred.User, given[i])) // so that it is masked
			}
		}
		return given, nil
	}
	l.open = p
	return nil, errNoPassword
}

// takeAnswers returns the answers that the user has typed, once, for a server that the user has chosen.
func (l *login) takeAnswers(p *prompts) ([]string, bool) {
	if !l.mayLogIn {
		return nil, false
	}
	given, ok := l.c.secrets().LoadAndDelete(l.keyOf(p))
	if !ok {
		return nil, false
	}
	return given.([]string), true
}

func shorten(text string, octets int) string { return text[:min(len(text), octets)] }

// keyOf returns the key under which the answers to questions are kept until the next login.
func (l *login) keyOf(p *prompts) string {
	key := "answers\x00" + l.account.Scheme + "\x00" + l.account.Addr + "\x00" + l.cred.User
	for _, f := range p.fields {
		key += "\x00" + f.ServerLabel
	}
	return key
}

// passwordQuestion is a question for the password, and not for one of another kind: "Password:", "joe's password:".
var passwordQuestion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(\(\S+\) )?(\S+'s )?password( for \S+)?\s*:?\s*$`)
})

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
		return &protocols.Login{
			URL: l.r.url, Server: c.shorten(path), User: l.cred.User, Secret: "Passphrase", Failed: l.badPhase,
			With: func(_, phrase string) { c.secrets().Store(path, phrase) },
		}
	case l.open != nil:
		return l.ask(l.open)
	case l.answered != nil && !l.tried:
		return l.ask(l.answered)
	case l.asked || !l.mayLogIn:
		if l.tried {
			c.rememberedLogins().RecordRefusal(account, l.cred)
		}
		return &protocols.Login{
			URL: l.r.url, Server: account.Addr, User: l.cred.User, Text: l.banner, Failed: l.tried, With: c.rememberedLogins().KeepFunc(account),
		}
	}
	return &protocols.Error{
		Reason: protocols.Denied, Op: "log in as " + clean.Name(l.cred.User), Text: l.banner,
		Err: fmt.Errorf("%s (it accepts: %s)", l.explain(), clean.Short(l.mask(strings.Join(l.methods, ", ")))),
	}
}

// ask returns questions of the server as a form.
func (l *login) ask(p *prompts) *protocols.Ask {
	c, key := l.c, l.keyOf(p)
	return &protocols.Ask{
		URL: l.r.url, Title: "Questions before the login of " + clean.Name(l.cred.User), Server: l.account.Addr,
		ServerTitle: shorten(l.mask(cmp.Or(p.title, l.banner)), maxQuestion), Fields: p.fields,
		With: func(answers []string) (urlcore.URL, error) {
			if len(answers) == len(p.fields) {
				c.secrets().Store(key, slices.Clone(answers))
			}
			return l.r.url, nil
		},
	}
}

// explain returns why the login has failed without a question.
func (l *login) explain() string {
	switch {
	case !l.useKeys:
		return "the server takes no password, and keys of yours are not used here"
	case l.exposed != "":
		return "no other key of yours is accepted, and " + l.c.shorten(l.exposed) + " is not used, because other users may read it (chmod 600)"
	case !slices.Contains(l.h.methods, "publickey"):
		return "~/.ssh/config turns keys off for this host"
	case l.offered == 0 && l.unaccepted:
		return "~/.ssh/config accepts none of your keys (PubkeyAcceptedAlgorithms)"
	case l.offered == 0:
		return "the server wants a key, and neither the agent nor ~/.ssh has one"
	case slices.Contains(l.methods, "password") && !slices.Contains(l.h.methods, "password"):
		return "no key of yours is accepted, and ~/.ssh/config turns passwords off for this host"
	}
	return "no key of yours is accepted, and the server takes no password"
}

func (l *login) mask(text string) string { return l.c.rememberedLogins().Mask(l.account.Addr, text) }
