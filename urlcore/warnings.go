package urlcore

import "strings"

// Warnings are properties of a URL that are legal but worth telling (RFC 1738,
// section 6).
type Warnings uint8

// The warnings.
const (
	EncodedControl Warnings = 1 << iota // it holds control characters: show the URL, never the octets
	NondefaultPort                      // the port is not the scheme's
	Not1738                             // it has a form of a later RFC or of common use
	Password                            // it holds a password, for anybody to read
	ReservedPort                        // the port is not the scheme's, and below 1024
)

var warningNames = [...]string{"encoded-control", "nondefault-port", "not-1738", "password", "reserved-port"}

// Names are the warnings' names, sorted.
func (w Warnings) Names() []string {
	names := []string{}
	for i, n := range warningNames {
		if w&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// WarningsOf returns the warnings of a canonical URL.
func WarningsOf(u URL) Warnings {
	if w, ok := u.(interface{ warnings() Warnings }); ok {
		return w.warnings()
	}
	return 0
}

func (h HostPort) warn(scheme string) Warnings {
	switch {
	case h.Port == 0 || h.Port == DefaultPort(scheme):
		return 0
	case h.Port < 1024:
		return NondefaultPort | ReservedPort
	}
	return NondefaultPort
}

func (s Server) warnLogin() Warnings {
	w := warnOctets(s.User) | warnOctets(s.Password)
	if s.HasPassword {
		w |= Password
	}
	return w
}

func warnOctets(s string) Warnings {
	if s != "" && scan(s)&markControl != 0 {
		return EncodedControl
	}
	return 0
}

// warnSecure is for the schemes that are another one by TLS.
func warnSecure(secure bool) Warnings {
	if secure {
		return Not1738
	}
	return 0
}

// warnGroup looks for octets that RFC 5536 lets a newsgroup name have, and RFC
// 1738 does not.
func warnGroup(s string) Warnings {
	if scan(s)&markEight != 0 {
		return Not1738
	}
	return 0
}

// warnText looks for the escapes of control characters.
func warnText(s string) Warnings {
	_, escapes, _ := strings.Cut(s, "%")
	for text := range strings.SplitSeq(escapes, "%") {
		if len(text) >= 2 && (text[0] <= '1' || text[:2] == "7F") {
			return EncodedControl
		}
	}
	return 0
}
