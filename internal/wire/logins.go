package wire

import (
	"sync"
	"unique"
)

// Credentials are a user name and, if it is known, a password. They can be
// compared. Printing them, or what holds them, does not print the password.
type Credentials struct {
	User     string
	password unique.Handle[string] // package fmt prints its address
}

// NewCredentials returns credentials with a password, which may be empty.
func NewCredentials(user, password string) Credentials {
	return Credentials{user, unique.Make(password)}
}

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
	// Scheme keeps those for a secure server from being sent in the clear.
	Scheme string
	Addr   string // host:port of the server
	User   string // that the URL names
	Named  bool   // whether it names one, which may be empty
}

// Logins are credentials in memory. The zero value is ready and safe for
// concurrent use.
type Logins struct {
	mu      sync.Mutex
	kept    map[Account]Credentials
	refused map[Account]Credentials
}

// Keep keeps the credentials for later fetches.
func (l *Logins) Keep(who Account, c Credentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = make(map[Account]Credentials)
	}
	l.kept[who] = c
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

// Refuse notes that the server refused the credentials. They are no longer
// kept, unless others have come in their place.
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
}

// Refused returns the credentials that the server refused last; zero if none.
func (l *Logins) Refused(who Account) Credentials {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[who]
}
