// Package urlcore names things: it reads and writes Uniform Resource Locators
// as RFC 1738 and its drafts define them. It uses the standard library only
// and never the network.
package urlcore

// URL is one locator. Every type of this package is comparable: two URLs are
// the same item if and only if == says so, once they are canonical (see
// [Canon]; what [Parse] returns always is).
type URL interface {
	// Scheme is the scheme's name in lower case (RFC 1738, section 2.1).
	Scheme() string
	// String is the canonical RFC 1738 text. For a canonical u,
	// Parse(u.String()) returns u.
	String() string
}

// HostPort is the hostport of RFC 1738, section 5.
type HostPort struct {
	Host string // lower case; an IPv6 address has no brackets here
	Port uint16 // 0: the scheme's default
}

// Server is the login of RFC 1738, sections 3.1 and 5: a hostport, and perhaps
// a user and a password, which may be present and empty. They hold octets.
type Server struct {
	HostPort
	User, Password       string
	HasUser, HasPassword bool
}

// Gopher is a Gopher item (RFC 1738, section 3.4). The strings hold octets as
// they go over the wire.
type Gopher struct {
	HostPort
	Type      byte // the item type: '1' a menu, '0' a text, '7' a search, ...
	Selector  string
	Search    string
	Plus      string // the Gopher+ string
	HasSearch bool   // a search that is empty differs from none
	HasPlus   bool
}

// FTP is a file or directory on an FTP server (RFC 1738, section 3.2).
type FTP struct {
	Server
	// Path is the url-path without its leading slash and without ;type=, in
	// canonical encoding: each "/" ends the argument of one CWD, and "%2F" is
	// a slash inside one.
	Path string
	Type byte // 'a', 'i', 'd', or 0 if there is no ;type=
}

// News is a newsgroup or an article on the reader's own news server (RFC 1738,
// section 3.6). Exactly one field is set.
type News struct {
	Group     string // "*" means all groups
	MessageID string // without < >
}

// NNTP is a newsgroup or an article by its number on a named server (RFC 1738,
// section 3.7).
type NNTP struct {
	HostPort
	Group      string
	Article    uint64
	HasArticle bool
}

// Generic is a URL of any other scheme, kept whole.
type Generic struct {
	Name string // the scheme
	Rest string // canonical text after the colon
}
