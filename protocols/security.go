package protocols

// Security is how the connection that an answer came over was protected. The
// zero value is one in the clear.
type Security struct {
	Protocol    string // "TLS 1.3"; "" in the clear
	Trust       Trust
	Fingerprint string // of the server's certificate, "SHA-256 " and hexadecimal digits
}

// Secure reports whether nobody but the server could read what was sent: the
// answer came by TLS, from a server that somebody vouches for.
func (s Security) Secure() bool { return s.Protocol != "" && s.Trust != Unverified }

// Trust is who vouches for the certificate of a server.
type Trust uint8

// The kinds of trust.
const (
	Unverified Trust = iota // nobody
	Verified                // an issuer that this system knows
	Pinned                  // the user, who has agreed to this certificate
)

// String is the name of the trust as JSON output has it.
func (t Trust) String() string {
	switch t {
	case Verified:
		return "verified"
	case Pinned:
		return "pinned"
	}
	return "unverified"
}
