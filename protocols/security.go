package protocols

// Security is the protection of a connection. The zero value is one in the clear.
type Security struct {
	Protocol    string // "TLS 1.3"; "" in the clear
	Trust       Trust
	Fingerprint string // of the server's certificate, "SHA-256 " and hexadecimal digits
}

// Secure reports whether the connection used TLS with a server whose certificate was
// verified or pinned.
func (s Security) Secure() bool { return s.Protocol != "" && s.Trust != Unverified }

// Trust is how the certificate of a server was verified.
type Trust uint8

// The kinds of trust.
const (
	Unverified Trust = iota
	Verified         // by an issuer that this system knows
	Pinned           // by the user, who agreed to it
)

// String returns the name in JSON output.
func (t Trust) String() string {
	switch t {
	case Verified:
		return "verified"
	case Pinned:
		return "pinned"
	}
	return "unverified"
}
