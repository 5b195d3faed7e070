package urlcore

import "slices"

// URL is a Uniform Resource Locator. A type may have further methods. Callers find them by type
// assertion, so that each scheme is implemented in one place:
//
//	Addr() string                         the host:port to dial, or "" for the user's own news server
//	At(host string, port uint16) URL      the same item on another server; port 0 is the default
//	Up() (URL, bool)                      one level up, see [Up]
//	Redact() URL                          without a password, see [Redact]
//	FileName() string                     the name for saving the item, decoded
//	Kind() string                         the kind of the item in JSON output; "file" is a binary file and
//	                                      "page" a hypertext, unless the file name says otherwise
//	HasWords() bool                       words that the user may have typed, see [HasWords]
//	ByTLS() (URL, bool)                   the same item with TLS at the same port
//	Alternatives() []Alternative          other URLs to try if this one fails
//
// The types of this package are comparable. Two canonical URLs are equal if and only if their texts
// are equal. [Parse] and [Canon] return canonical URLs. Values are safe for concurrent use.
type URL interface {
	// Scheme returns the scheme in lower case (RFC 1738, section 2.1).
	Scheme() string
	// String returns the text of RFC 1738. For a canonical u, the text is canonical and
	// Parse(u.String()) returns u.
	String() string
}

// FileURL is the URL of an item in a tree of files, whose path has the names that the server has: FTP or NFS.
type FileURL interface {
	URL
	FileName() string
	// Names returns the decoded names of the path. It leaves out empty ones.
	Names() []string
}

var (
	_ FileURL = FTP{}
	_ FileURL = NFS{}
)

// Addr returns the host:port of the server of u, or "" for the user's own news server. It returns
// false if u has no method Addr, like a [File], a [Mailto] or a [Generic].
func Addr(u URL) (addr string, ok bool) {
	if a, ok := u.(interface{ Addr() string }); ok {
		return a.Addr(), true
	}
	return "", false
}

// HasWords reports whether u has words of a search, the fields of a form or another query, which the user may have typed. A
// URL without a method HasWords may have any.
func HasWords(u URL) bool {
	w, ok := u.(interface{ HasWords() bool })
	return !ok || w.HasWords()
}

// Alternative is another URL to try, with a description.
type Alternative struct {
	URL  URL
	Text string
}

// Dialect is the document that defines the syntax of URLs. The same text can mean different things
// in different dialects, so the dialect is never guessed.
type Dialect uint8

// The dialects.
const (
	RFC1738     Dialect = iota // RFC 1738, December 1994
	Draft199307                // the draft of 14 July 1993
	Draft199310                // the draft of October 1993
	Draft199403                // the draft of March 1994
)

var dialectNames = [...]string{"1738", "1993-07", "1993-10", "1994-03"}

// String returns the short name of the dialect: "1738", "1993-07", "1993-10", "1994-03".
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return "unknown"
}

// ParseDialect returns the dialect with the given short name. The name "" means RFC 1738.
func ParseDialect(name string) (Dialect, bool) {
	if name == "" {
		return RFC1738, true
	}
	i := slices.Index(dialectNames[:], name)
	return Dialect(max(i, 0)), i >= 0
}

// is1993 reports whether d is a draft of 1993. In these drafts "?" begins a search in every scheme,
// "+" separates the words of a search, and ";" is an ordinary character.
func (d Dialect) is1993() bool { return d == Draft199307 || d == Draft199310 }

// legalSet returns the set of characters that need no escape.
func (d Dialect) legalSet() uint32 {
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

// Parser parses URLs. The zero Parser is lenient and follows RFC 1738. A Parser is safe for
// concurrent use.
type Parser struct {
	// Dialect is the document that defines the syntax.
	Dialect Dialect
	// Strict accepts only texts that follow the grammar. If Strict is false, the parser repairs
	// common faults: it encodes unsafe characters, removes "URL:" and cuts off a fragment. A text
	// that the strict parser accepts has the same result if Strict is false.
	Strict bool
	// NewsHost is the host or host:port for nntp:group/number, a form of the drafts that names no
	// server.
	NewsHost string
	// OwnNNTP accepts nntp:group/number if NewsHost is empty, as [Parse] does. The URL then has no
	// host. It has no effect if Strict is true and Dialect is RFC1738.
	OwnNNTP bool
	// MailFields allows several addresses and header fields in mailto: URLs (RFC 6068), as [Parse]
	// does. It has an effect only if Strict is false and Dialect is RFC1738. RFC 1738 itself allows
	// only one address.
	MailFields bool
	// Readings makes Extract find all readings of a broken URL, for a user who can choose: it joins
	// URLs without angle brackets, and a blank may also be a part of the URL. It has an effect only
	// if Dialect is RFC1738.
	Readings bool
}

// Parsed is a URL with its fragment and warnings.
type Parsed struct {
	URL URL
	// Fragment is the canonical text after "#", which is not part of a URL (RFC 1738, section 2.2).
	// If HasFragment is true, Fragment is not empty.
	Fragment    string
	HasFragment bool
	Warnings    Warnings
}

// Parse parses a full URL with a lenient Parser for RFC 1738. It drops a fragment. The error is an
// *[Error].
func Parse(s string) (URL, error) {
	st := state{input: s, mailFields: true, ownNNTP: true}
	if err := st.parse(s); err != nil {
		return nil, err
	}
	return st.url, nil
}

// Parse parses a full URL. The error is an *[Error].
func (p Parser) Parse(s string) (Parsed, error) {
	return p.parse(s, false)
}

// parse parses a full URL. The parameter inText is true for a URL in running text and for a URL
// that [Parser.Resolve] parses. Such a URL may have a fragment and needs no "URL:".
func (p Parser) parse(s string, inText bool) (Parsed, error) {
	st := state{input: s, dialect: p.Dialect, strict: p.Strict, newsHost: p.NewsHost, inText: inText, mailFields: p.MailFields, ownNNTP: p.OwnNNTP}
	if err := st.parse(s); err != nil {
		return Parsed{}, err
	}
	return Parsed{st.url, st.fragment, st.fragment != "", WarningsOf(st.url) | st.warnings}, nil
}
