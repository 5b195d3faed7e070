package wire

import (
	"slices"
	"strings"
	"sync"
	"unique"

	"golang.org/x/text/unicode/norm"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
)

// Credentials are a user name and perhaps a password, which is never printed. They are comparable.
type Credentials struct {
	User      string
	password  unique.Handle[string] // printed by package fmt as an address
	anonymous bool
}

// NewCredentials returns credentials with a password, which may be empty.
func NewCredentials(user, password string) Credentials {
	return Credentials{User: user, password: unique.Make(password)}
}

// NewAnonymous returns credentials with a password that is not secret (RFC 1635).
func NewAnonymous(user, password string) Credentials {
	c := NewCredentials(user, password)
	c.anonymous = true
	return c
}

// IsAnonymous reports whether c was made by [NewAnonymous]. The user is asked before other
// credentials are sent in the clear or to an unverified server.
func (c Credentials) IsAnonymous() bool { return c.anonymous }

// Password returns the password and whether it is known.
func (c Credentials) Password() (password string, known bool) {
	if c.password == (unique.Handle[string]{}) {
		return "", false
	}
	return c.password.Value(), true
}

// String returns the user name, with stars for a password.
func (c Credentials) String() string {
	if _, known := c.Password(); known {
		return c.User + ":****"
	}
	return c.User
}

// GoString returns c.String, so that %#v does not print the password.
func (c Credentials) GoString() string { return c.String() }

// Account identifies the account that credentials belong to.
type Account struct {
	Scheme  string // separates credentials for TLS, which are never sent in the clear
	Addr    string // host:port of the server
	User    string // the user in the URL
	HasUser bool   // the URL has a user, which may be empty
}

// Logins are credentials in memory, safe for concurrent use. The zero value is ready.
type Logins struct {
	mu      sync.Mutex
	kept    map[Account]Credentials
	refused map[Account]Credentials
	tried   map[string]triedPasswords // by host:port
	known   map[string]bool           // by host:port: see HandOver
}

// Keep stores the credentials of an account for later fetches.
func (l *Logins) Keep(account Account, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = make(map[Account]Credentials)
	}
	l.kept[account] = c
	l.try(account.Addr, c)
}

// KeepFunc returns a function for the field With of a [protocols.Login]. It keeps the typed
// credentials for the account.
func (l *Logins) KeepFunc(account Account) func(user, password string) {
	return func(user, password string) { l.Keep(account, NewCredentials(user, password)) }
}

// Get returns the stored credentials of an account.
func (l *Logins) Get(account Account) (c Credentials, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok = l.kept[account]
	return c, ok
}

// RecordRefusal records that the server refused c. [Logins.Get] then no longer returns c. If the account
// has other credentials by now, they are kept.
func (l *Logins) RecordRefusal(account Account, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept[account] == c {
		delete(l.kept, account)
	}
	if l.refused == nil {
		l.refused = make(map[Account]Credentials)
	}
	l.refused[account] = c
	l.try(account.Addr, c)
}

// LastRefused returns the last credentials that the server refused, or the zero value.
func (l *Logins) LastRefused(account Account) Credentials {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[account]
}

// triedPasswords holds the passwords that may have been sent to a server. None is printed by package fmt.
type triedPasswords struct {
	passwords []unique.Handle[string] // in the order of their first use
	mask      func(text string) string
}

// KnowsUser reports whether the server at addr may know who the user is: a login for it is kept, a password may have been sent
// to it, or such a server has redirected to it. Its answers may then be for this user only.
func (l *Logins) KnowsUser(addr string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.knowsUser(addr)
}

func (l *Logins) knowsUser(addr string) bool {
	if len(l.tried[addr].passwords) > 0 || l.known[addr] {
		return true
	}
	for account, c := range l.kept {
		if account.Addr == addr && !c.anonymous {
			return true
		}
	}
	return false
}

// HandOver records that the server at from redirects to the server at to: if the one knows the user, the other one then does.
func (l *Logins) HandOver(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.knowsUser(from) {
		return
	}
	if l.known == nil {
		l.known = make(map[string]bool)
	}
	l.known[to] = true
}

const maxTried = 16 // the maximal number of passwords remembered for one server

// Try records that the password of c is sent to the server at addr.
func (l *Logins) Try(addr string, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.try(addr, c)
}

func (l *Logins) try(addr string, c Credentials) {
	old := l.tried[addr]
	if password, _ := c.Password(); password == "" || slices.Contains(old.passwords, c.password) {
		return
	}
	if l.tried == nil {
		l.tried = make(map[string]triedPasswords)
	}
	all := append(slices.Clone(old.passwords), c.password)
	all = all[max(0, len(all)-maxTried):]
	l.tried[addr] = triedPasswords{all, newMask(all)}
}

// Mask masks the passwords sent to the server at addr in a text of that server. If a password would
// still be legible in any charset, Mask returns a placeholder instead of the text.
func (l *Logins) Mask(addr, text string) string {
	l.mu.Lock()
	mask := l.tried[addr].mask
	l.mu.Unlock()
	if mask == nil {
		return text
	}
	return mask(text)
}

func newMask(passwords []unique.Handle[string]) func(text string) string {
	var forms secrets
	for _, p := range passwords {
		forms = forms.add(p.Value())
	}
	return func(text string) string {
		text = forms.mask(text)
		for _, c := range append(charset.All(), charset.Auto) {
			shown := visibleText(c, text)
			for _, p := range passwords {
				if Mask(shown, visibleText(charset.Auto, p.Value())) != shown {
					return "(hidden: contains a password)"
				}
			}
		}
		return text
	}
}

// visibleText returns s as the user would see it in the charset c, normalized and without
// backslashes.
func visibleText(c charset.Charset, s string) string {
	return norm.NFC.String(strings.ReplaceAll(clean.Reading{Charset: c, AllLines: true}.Text(s), `\`, ""))
}
