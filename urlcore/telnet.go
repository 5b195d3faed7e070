package urlcore

import "strings"

// Telnet is an interactive session (RFC 1738, section 3.8):
//
//	telnet://<user>:<password>@<host>:<port>/
//
// RFC 1738 calls the user and the password advisory. Gofer sends them in a telnet session only at
// the user's command. It passes the user of an rlogin URL to ssh. The schemes rlogin and tn3270 of
// the March 1994 draft have the same form.
type Telnet struct {
	Name string // the scheme "telnet", "rlogin" or "tn3270"; "" means "telnet"
	Server
}

func (u Telnet) Scheme() string {
	if u.Name == "" {
		return "telnet"
	}
	return u.Name
}

func (u Telnet) Addr() string { return u.addr(u.Scheme()) }

func (Telnet) HasWords() bool { return false }

func (u Telnet) String() string {
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Scheme()...), "://"...)
	return string(append(u.append(b), '/'))
}

// parseTelnet parses telneturl (RFC 1738, section 5).
func (st *state) parseTelnet(name, s string, off int) *Error {
	u := Telnet{Name: name}
	path, err := st.parseLogin(&u.Server, s, off, name)
	if err != nil {
		return err
	}
	if len(path) > 1 {
		return fail(BadPath, off+len(s)-len(path)+1, "nothing can follow the host of a terminal session")
	}
	st.url = u
	return nil
}

func (u Telnet) canon() (URL, *Error) {
	switch u.Name {
	case "":
		u.Name = "telnet"
	case "telnet", "rlogin", "tn3270":
	default:
		return nil, fail(BadScheme, 0, "a terminal session is telnet, rlogin or tn3270")
	}
	var err *Error
	if u.Server, err = u.Server.canon(u.Name); err != nil {
		return nil, err
	}
	return u, nil
}

func (u Telnet) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Redact returns the URL without its password.
func (u Telnet) Redact() URL {
	u.Server = u.withoutPassword()
	return u
}

// gopherItem returns the menu line that links to u. The type is 0 if a menu line cannot express the
// scheme or the login.
func (u Telnet) gopherItem() (typ byte, selector, host string, port uint16) {
	switch {
	case u.Name == "rlogin" || u.HasPassword || u.HasUser && u.User == "" || strings.ContainsAny(u.User, "\t\x00"):
	case u.Name == "tn3270":
		return 'T', u.User, u.Host, u.portOrDefault("tn3270")
	default:
		return '8', u.User, u.Host, u.portOrDefault("telnet")
	}
	return 0, "", "", 0
}

func (Telnet) Kind() string { return "session" }

func (u Telnet) warnings() Warnings { return u.warn(u.Scheme()) | u.warnLogin() }

func (u Telnet) parts(b *partList) { b.addLogin(u.Server, u.Scheme()) }
