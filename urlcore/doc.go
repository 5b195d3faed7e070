// Package urlcore parses and formats Uniform Resource Locators as defined by RFC 1738 and the
// three drafts before it. It uses only the standard library and never the network.
//
// # A type for each scheme
//
// A [URL] is one of [Gopher], [FTP], [HTTP], [News], [NNTP], [Telnet],
// [Mailto], [WAIS], [File], [Prospero] or [Generic], each a small value with the fields of its
// section of RFC 1738. The fields hold decoded octets, as they are sent to the server, so the
// meaning of a "?" in a Gopher selector or a "%2F" in an FTP path is decided by the parser.
// Where the text matters (an HTTP path, an FTP path whose "%2F" is not a separator), the field
// holds canonical text and says so.
//
// Gopher, FTP, HTTP, News and NNTP have a field Secure for the same protocol by TLS: the schemes
// gophers, ftps, https, snews and nntps.
//
// The standard library's [net/url] is not used: it splits "?" out of Gopher
// selectors, decodes "%2F" in FTP paths and leaves news: URLs opaque.
//
// Values are comparable. Canonical values are equal if and only if they name the same item.
// [Parse] returns canonical values; [Canon] makes built values canonical:
//
//	u, err := urlcore.Canon(urlcore.Gopher{HostPort: urlcore.HostPort{Host: "Example.org"}, Type: '0', Selector: "a b"})
//	u.String() // gopher://example.org/0a%20b
//
// Properties of some schemes are methods of their types: Addr, the host:port to dial; Up, the URL
// one level up; Redact, the URL without its password; FileName, the octets of the last name. [Up],
// [Redact], [Parts] and [WarningsOf] find them by type assertion, also for types of other packages.
//
// # Text
//
// String always writes canonical RFC 1738: the scheme and the host in small
// letters, no default port, escapes only where they are needed and in capitals.
// For a canonical u, Parse(u.String()) == u; a fuzz test checks this.
//
// # Parsing
//
// [Parse] is lenient and follows RFC 1738. A [Parser] is strict or lenient and follows one of four
// dialects, because the same text can mean different things: gopher://h/7i?x is a search in 1993
// and a selector "i?x" in RFC 1738. The dialect is never guessed. A text that the strict parser
// accepts has the same result with the lenient one, which also repairs common faults. An [*Error]
// has a category, an offset, and a sentence for the user.
//
// [Parser.Resolve] parses partial forms, [Parser.Extract] finds URLs in running text, [Guess]
// parses the input of the URL bar, [Parts] splits a URL for showing, [Up] returns the URL one level
// up, [Redact] removes a password, and [MaskPassword] masks a password in an invalid URL.
//
// # Sources
//
// Types and productions name their section of RFC 1738 (December 1994). Comments say where the
// drafts of July 1993, October 1993 and March 1994 differ. The only extension is IPv6 addresses in
// brackets (RFC 2732), which only the lenient parser accepts.
package urlcore
