package urlcore

import "strings"

// Warnings are properties of a valid URL that the user should know (RFC 1738, section 6).
type Warnings uint8

// The warnings.
const (
	EncodedControl Warnings = 1 << iota // the URL contains escaped control characters: never show the octets
	NondefaultPort                      // the port is not the default port of the scheme
	Not1738                             // the URL has a form of a later RFC or of common use
	Password                            // the URL contains a password that anyone can read
	ReservedPort                        // the port is below 1024 and not the default port of the scheme
)

var warningNames = [...]string{"encoded-control", "nondefault-port", "not-1738", "password", "reserved-port"}

// Names returns the sorted names of the warnings.
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
	w := warnExtension(strings.IndexByte(h.Host, '_') >= 0)
	switch {
	case h.Port == 0 || h.Port == DefaultPort(scheme):
		return w
	case h.Port < 1024:
		return w | NondefaultPort | ReservedPort
	}
	return w | NondefaultPort
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

// warnExtension returns Not1738 if isExtension is true, which means that RFC 1738 lacks the form of
// the URL. For example, RFC 1738 has no schemes with TLS.
func warnExtension(isExtension bool) Warnings {
	if isExtension {
		return Not1738
	}
	return 0
}

// warnGroup returns Not1738 if s contains octets that RFC 1738 does not allow in the name of a
// newsgroup. RFC 5536 allows them.
func warnGroup(s string) Warnings {
	if scan(s)&markEight != 0 {
		return Not1738
	}
	return 0
}

// warnText returns EncodedControl if s contains escapes of control characters.
func warnText(s string) Warnings {
	_, escapes, _ := strings.Cut(s, "%")
	for text := range strings.SplitSeq(escapes, "%") {
		if len(text) >= 2 && (text[0] <= '1' || text[:2] == "7F") {
			return EncodedControl
		}
	}
	return 0
}
