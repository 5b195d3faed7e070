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

// Credentials are a comparable user name and perhaps a password, which does not print.
type Credentials struct {
	User      string
	password  unique.Handle[string] // package fmt prints its address
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

// Anonymous reports whether c is of [NewAnonymous], whatever the user name. The user is
// asked before others are sent in the clear or to an unverified server.
func (c Credentials) Anonymous() bool { return c.anonymous }

// Password returns the password, and whether it is known.
func (c Credentials) Password() (password string, known bool) {
	if c.password == (unique.Handle[string]{}) {
		return "", false
	}
	return c.password.Value(), true
}

// String returns the user name, and stars for a password.
func (c Credentials) String() string {
	if _, known := c.Password(); known {
		return c.User + ":****"
	}
	return c.User
}

// GoString is String.
func (c Credentials) GoString() string { return c.String() }

// Account says whose credentials are meant.
type Account struct {
	Scheme string // keeps those for a secure server from being sent in the clear
	Addr   string // host:port of the server
	User   string // that the URL names
	Named  bool   // whether it names one, which may be empty
}

// Logins are credentials in memory, safe for concurrent use. The zero value is ready.
type Logins struct {
	mu      sync.Mutex
	kept    map[Account]Credentials
	refused map[Account]Credentials
	tried   map[string]tried // by host:port
}

// Keep keeps the credentials for later fetches.
func (l *Logins) Keep(who Account, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = make(map[Account]Credentials)
	}
	l.kept[who] = c
	l.try(who.Addr, c)
}

// With returns a function that keeps credentials, for [protocols.Login].
func (l *Logins) With(who Account) func(user, password string) {
	return func(user, password string) { l.Keep(who, NewCredentials(user, password)) }
}

// Kept returns the credentials that are kept.
func (l *Logins) Kept(who Account) (c Credentials, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok = l.kept[who]
	return c, ok
}

// Refuse notes that the server refused c, and forgets c unless others replaced it.
func (l *Logins) Refuse(who Account, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept[who] == c {
		delete(l.kept, who)
	}
	if l.refused == nil {
		l.refused = make(map[Account]Credentials)
	}
	l.refused[who] = c
	l.try(who.Addr, c)
}

// Refused returns the credentials that the server refused last; zero if none.
func (l *Logins) Refused(who Account) Credentials {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[who]
}

// tried are the passwords that a server may have seen. Printing it prints none.
type tried struct {
	passwords []unique.Handle[string] // the latest last
	mask      func(text string) string
}

const maxTried = 16 // bounds the passwords that are remembered for one server

// Try notes that the server at addr is sent the password of c.
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
		l.tried = make(map[string]tried)
	}
	all := append(slices.Clone(old.passwords), c.password)
	all = all[max(0, len(all)-maxTried):]
	l.tried[addr] = tried{all, masker(all)}
}

// Mask returns text of the server at addr without the passwords sent to it. Text in
// which one could be read after cleaning, in another charset or with invisible
// characters, is left out.
func (l *Logins) Mask(addr, text string) string {
	l.mu.Lock()
	mask := l.tried[addr].mask
	l.mu.Unlock()
	if mask == nil {
		return text
	}
	return mask(text)
}

func masker(passwords []unique.Handle[string]) func(text string) string {
	var spellings secrets
	for _, p := range passwords {
		spellings = spellings.with(p.Value())
	}
	return func(text string) string {
		text = spellings.mask(text)
		for _, c := range append(charset.All(), charset.Auto) {
			shown := legible(c, text)
			for _, p := range passwords {
				if Mask(shown, legible(charset.Auto, p.Value())) != shown {
					return "(not shown: it repeats a password)"
				}
			}
		}
		return text
	}
}

// legible returns the text that the user sees for s, in one form for all encodings of it.
func legible(c charset.Charset, s string) string {
	return norm.NFC.String(strings.ReplaceAll(clean.Reading{Charset: c, All: true}.Text(s), `\`, ""))
}
