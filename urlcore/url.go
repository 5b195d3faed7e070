package urlcore

import "slices"

// URL is a Uniform Resource Locator. Types may have further methods, which callers find by type
// assertion, so that a scheme is implemented in one place:
//
//	Addr() string                         host:port for dialling, "" where the reader's own server is meant
//	At(host string, port uint16) URL      the same on another server; port 0 is the scheme's own
//	Up() (URL, bool)                      one level up, see [Up]
//	Redact() URL                          without a password, see [Redact]
//	FileName() string                     a name to save it under, decoded from the URL
//	Kind() string                         the kind of the item in JSON output; "file" and "page" mean that the file
//	                                      name decides, and a page without a known suffix is html
//	ByTLS() (URL, bool)                   the same by TLS, if it has such a URL with the same port
//	Alternatives() []Alternative          other URLs to try where it does not work
//
// Every type of this package is comparable: two URLs are the same item if and
// only if == says so, once they are canonical (see [Canon]; what [Parse] returns
// always is). Values may be shared freely between goroutines.
type URL interface {
	// Scheme is the scheme's name in lower case (RFC 1738, section 2.1).
	Scheme() string
	// String is the canonical RFC 1738 text. For a canonical u,
	// Parse(u.String()) returns u.
	String() string
}

// Addr is the host:port that u is fetched from, "" if that is the reader's own
// server. It is false where no server is asked.
func Addr(u URL) (addr string, ok bool) {
	if a, ok := u.(interface{ Addr() string }); ok {
		return a.Addr(), true
	}
	return "", false
}

// Alternative is another URL to try, and its description.
type Alternative struct {
	URL  URL
	Text string
}

// Dialect is the document that a text is read by. The same text means
// different things in different dialects, so it is never guessed.
type Dialect uint8

// The dialects.
const (
	RFC1738     Dialect = iota // RFC 1738, December 1994
	Draft199307                // the draft of 14 July 1993
	Draft199310                // the draft of October 1993
	Draft199403                // the draft of March 1994
)

var dialectNames = [...]string{"1738", "1993-07", "1993-10", "1994-03"}

// String is the dialect's short name: "1738", "1993-07", "1993-10", "1994-03".
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return "unknown"
}

// ParseDialect finds a dialect by its short name; "" is RFC 1738.
func ParseDialect(name string) (Dialect, bool) {
	if name == "" {
		return RFC1738, true
	}
	i := slices.Index(dialectNames[:], name)
	return Dialect(max(i, 0)), i >= 0
}

// draft1993 reports whether "?" begins a search and "+" joins its words
// everywhere, and ";" is an ordinary character.
func (d Dialect) draft1993() bool { return d == Draft199307 || d == Draft199310 }

// legal is the set of characters that may stand raw.
func (d Dialect) legal() uint32 {
	switch d {
	case Draft199307:
		return legal199307
	case Draft199310:
		return legal199310
	case Draft199403:
		return legal199403
	}
	return legal1738
}

// Parser reads URLs. The zero Parser is lenient and reads RFC 1738. A Parser
// may be used by many goroutines at once.
type Parser struct {
	// Dialect is the document to go by.
	Dialect Dialect
	// Strict accepts the grammar only. Without it the repairs of
	// everyday life are made: unsafe characters are encoded, "URL:" is taken
	// off, a fragment is split off, ... What strict accepts, lenient accepts
	// with the same result.
	Strict bool
	// NewsHost is the host (and port) for nntp:group/number, the form of the
	// drafts that names no server.
	NewsHost string
	// MailFields lets mailto: URLs have several addresses and header fields
	// (RFC 6068), as [Parse] does, where RFC 1738 has one address only.
	MailFields bool
}

// Parsed is a URL with its fragment and warnings.
type Parsed struct {
	URL URL
	// Fragment is the canonical text after "#", which is not part of a URL
	// (RFC 1738, section 2.2). It is never empty if HasFragment.
	Fragment    string
	HasFragment bool
	// Warnings are things that are legal but worth telling.
	Warnings Warnings
}

// Parse reads a full URL, leniently and by RFC 1738. A fragment is dropped.
// The error is an *[Error].
func Parse(s string) (URL, error) {
	st := state{input: s, mailFields: true}
	if err := st.parse(s); err != nil {
		return nil, err
	}
	return st.url, nil
}

// Parse reads a full URL. The error is an *[Error].
func (p Parser) Parse(s string) (Parsed, error) {
	return p.parse(s, false)
}

// parse reads a full URL; inText is one that was found in running text or made
// from a partial form, where fragments are allowed and "URL:" is not wanted.
func (p Parser) parse(s string, inText bool) (Parsed, error) {
	st := state{input: s, dialect: p.Dialect, strict: p.Strict, newsHost: p.NewsHost, inText: inText, mailFields: p.MailFields}
	if err := st.parse(s); err != nil {
		return Parsed{}, err
	}
	return Parsed{st.url, st.fragment, st.fragment != "", WarningsOf(st.url) | st.warnings}, nil
}
