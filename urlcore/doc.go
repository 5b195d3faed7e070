// Package urlcore parses and formats Uniform Resource Locators as defined by RFC 1738 and the
// three drafts before it. It uses only the standard library and never the network.
//
// # A type for each scheme
//
// A [URL] is one of [Gopher], [FTP], [HTTP], [News], [NNTP], [Telnet], [Lookup], [Mailto], [WAIS],
// [Z3950], [LDAP], [NFS], [File], [Prospero] or [Generic]. Each is a small value. Its fields are those that RFC 1738
// defines for the scheme. The fields contain decoded octets, as they are sent to the server. So the
// parser decides what a "?" or a "%2F" in a Gopher selector means. Some fields contain canonical
// text instead, because an escape and its character have different meanings there. Examples are the
// fields Path of HTTP and FTP. The comments of these fields say so.
//
// Gopher, FTP, HTTP, News and NNTP have a field Secure, which selects the same protocol with TLS.
// The schemes are then gophers, ftps, https, snews and nntps.
//
// Package [net/url] is not used, because it cuts Gopher selectors at a "?", decodes "%2F" in FTP
// paths, and does not parse news: URLs.
//
// Values are comparable. Two canonical values are equal if and only if their texts are equal.
// [Parse] returns canonical values, and [Canon] makes other values canonical:
//
//	u, err := urlcore.Canon(urlcore.Gopher{HostPort: urlcore.HostPort{Host: "Example.org"}, Type: '0', Selector: "a b"})
//	u.String() // gopher://example.org/0a%20b
//
// Properties of some schemes are methods of their types. Addr returns the host:port to dial. Up
// returns the URL one level up, and Redact returns the URL without its password. FileName returns
// the last name in the path, decoded. The functions [Addr], [Up] and [Redact] find these methods by
// type assertion, so types of other packages can have them too.
//
// # Text
//
// For a canonical value, String returns the canonical text of RFC 1738. The scheme and the host are
// in lower case, and the default port is omitted. Only octets that need an escape are escaped, and
// escapes are in upper case. For a canonical u, Parse(u.String()) == u; a fuzz test checks this.
//
// # Parsing
//
// [Parse] is lenient and follows RFC 1738. A [Parser] is strict or lenient and follows one of four
// dialects, because the same text can mean different things. For example, gopher://h/7i?x is a
// search in the drafts of 1993, and a selector "i?x" in RFC 1738. The dialect is never guessed. If
// the strict parser accepts a text, the lenient parser returns the same result. The lenient parser
// also repairs common faults. An [*Error] has a category, an offset, and a sentence for the user.
//
// [Parser.Resolve] parses partial forms, and [Parser.Extract] finds URLs in running text. [Guess]
// parses the input of the URL bar. [Parts] splits a URL into named parts. [Up] returns the URL one
// level up. [Redact] removes a password, and [MaskPassword] masks a password in an invalid URL.
//
// # Sources
//
// The comments of types and parsers name the section of RFC 1738 (December 1994). They say where
// the drafts of July 1993, October 1993 and March 1994 differ. The lenient parser also accepts
// forms of later RFCs, such as IPv6 addresses in brackets (RFC 2732).
package urlcore
