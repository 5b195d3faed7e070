package urlcore

import (
	"slices"
	"strings"
)

// Scheme is what is known about the URLs of a scheme.
type Scheme struct {
	Name    string
	Port    uint16 // the default port (RFC 1738, section 3), or 0 if it has none
	Class   Class
	Section string // the document that defines the URLs, and the section, such as "RFC 1738, 3.4"; "" for schemes that are not listed
	Example string // a URL that may be used in documentation

	// Object, Document and Instead are set if gofer only explains the URLs: what a URL identifies, the section in full, and
	// what opens the same or the nearest today, or "" if nothing does: a URL or, if there are blanks in it, a command. Words
	// in capitals, such as HOST, stand for parts of the explained URL.
	Object, Document, Instead string

	form   form     // the type of the URLs
	recent bool     // the drafts of RFC 1738 do not know the scheme
	bare   bareForm // how Extract finds the URLs
	ports  []uint16 // the ports of hosts for which Guess chooses the scheme
	labels []string // the first labels of such hosts
}

// Class is a class of schemes.
type Class uint8

// The classes of schemes.
const (
	OtherScheme   Class = iota
	NetworkScheme       // a network protocol that gofer speaks
	WebScheme           // the web or mail, which most programs open
)

// form is the type of the URLs of a scheme.
type form uint8

// The forms are named for their types. The form of phone books has the type [Gopher].
const (
	formGeneric form = iota
	formGopher
	formPhonebook
	formFTP
	formHTTP
	formNews
	formNNTP
	formMailto
	formTelnet
	formWAIS
	formFile
	formProspero
	formLookup
	formZ3950
	formLDAP
	formNFS
)

// bareForm is the text after the colon of a scheme by which Extract finds a URL without angle brackets and without
// "URL:".
type bareForm uint8

const (
	notBare     bareForm = iota
	withSlashes          // "//"
	withAny              // any text
	withAt               // a text with an "@", as the Message-ID in mid: and cid: (RFC 2392)
)

// schemes has one row for each scheme that gofer opens or explains, for schemes of
// telephone numbers, and for schemes that are not misspelled although others are similar. [Guess] never
// reads such a name as a host if a colon or two slashes follow.
var schemes = [...]Scheme{
	{
		Name: "gopher", Port: 70, Class: NetworkScheme, Section: "RFC 1738, 3.4", form: formGopher, bare: withSlashes, labels: []string{"gopher"},
	},
	{
		Name: "gophers", Port: 70, Class: NetworkScheme, Section: "gopher by TLS", Example: "gophers://gopher.example.org/",
		form: formGopher, recent: true, bare: withSlashes,
	},
	{
		Name: "ftp", Port: 21, Class: NetworkScheme, Section: "RFC 1738, 3.2", form: formFTP, bare: withSlashes, ports: []uint16{21, 2121}, labels: []string{"ftp"},
	},
	{
		Name: "ftps", Port: 990, Class: NetworkScheme, Section: "ftp by TLS", Example: "ftps://ftp.example.org/", form: formFTP, recent: true, bare: withSlashes,
	},
	{
		Name: "sftp", Port: 22, Class: NetworkScheme, Section: "ftp by SSH", Example: "sftp://oscar@host.example/pub/", form: formFTP, recent: true, bare: withSlashes,
		ports: []uint16{22}, labels: []string{"sftp"},
	},
	{
		Name: "nfs", Port: 2049, Class: NetworkScheme, Section: "RFC 2224, 1", Example: "nfs://host.example/pub/",
		form: formNFS, bare: withSlashes, ports: []uint16{2049}, labels: []string{"nfs"},
	},
	{
		Name: "http", Port: 80, Class: WebScheme, Section: "RFC 1738, 3.3", Example: "http://www.example.org/",
		form: formHTTP, bare: withSlashes, ports: []uint16{80, 8000, 8080}, labels: []string{"www"},
	},
	{
		Name: "https", Port: 443, Class: WebScheme, Section: "RFC 9110, 4.2.2", Example: "https://www.example.org/",
		form: formHTTP, bare: withSlashes, ports: []uint16{443},
	},
	{Name: "news", Port: 119, Class: NetworkScheme, Section: "RFC 1738, 3.6", Example: "news:*", form: formNews, bare: withAny},
	{
		Name: "nntp", Port: 119, Class: NetworkScheme, Section: "RFC 1738, 3.7", form: formNNTP, bare: withAny,
		ports: []uint16{119, 433, 1119}, labels: []string{"news", "nntp", "nntps", "usenet"},
	},
	{
		Name: "snews", Port: 563, Class: NetworkScheme, Section: "news by TLS", Example: "snews://news.example.org/*",
		form: formNews, recent: true, bare: withSlashes,
	},
	{
		Name: "nntps", Port: 563, Class: NetworkScheme, Section: "nntp by TLS", Example: "nntps://news.example.org/comp.misc",
		form: formNNTP, recent: true, bare: withSlashes,
	},
	{Name: "mid", Section: "RFC 2392, 2", Example: "mid:plain@demo.example.invalid", bare: withAt},
	{Name: "cid", Section: "RFC 2392, 2", Example: "cid:part.1@demo.example.invalid", bare: withAt},
	{
		Name: "mailto", Class: WebScheme, Section: "RFC 6068, 2", Example: "mailto:oscar@example.invalid?subject=The%20river",
		form: formMailto, bare: withAny,
	},
	{Name: "mailserver", Section: "RFC 6196, 2", Example: "mailserver:oscar@example.invalid/index", bare: withAt},
	{Name: "telnet", Port: 23, Class: NetworkScheme, Section: "RFC 1738, 3.8", form: formTelnet, bare: withSlashes, ports: []uint16{23}},
	{Name: "rlogin", Port: 513, Section: "March 1994 draft", Example: "rlogin://oscar@host.example/", form: formTelnet, bare: withSlashes},
	{Name: "tn3270", Port: 23, Section: "RFC 6270, 2", Example: "tn3270://host.example/", form: formTelnet, bare: withSlashes},
	{Name: "wais", Port: 210, Class: NetworkScheme, Section: "RFC 1738, 3.9", form: formWAIS, bare: withSlashes, ports: []uint16{210}},
	{Name: "file", Section: "RFC 1738, 3.10", Example: "file:///", form: formFile, bare: withSlashes},
	{Name: "prospero", Port: 1525, Class: NetworkScheme, Section: "RFC 1738, 3.11", form: formProspero, bare: withSlashes},
	{Name: "finger", Port: 79, Class: NetworkScheme, Section: "RFC 1288, 2.3", form: formLookup, bare: withSlashes, ports: []uint16{79}},
	{Name: "whois", Port: 43, Class: NetworkScheme, Section: "RFC 3912, 2", form: formLookup, bare: withSlashes, ports: []uint16{43}},
	{Name: "whois++", Port: 63, Class: NetworkScheme, Section: "Oct. 1993 draft", form: formLookup, bare: withSlashes, ports: []uint16{63}},
	{Name: "dict", Port: 2628, Class: NetworkScheme, Section: "RFC 2229, 5", form: formLookup, bare: withSlashes, ports: []uint16{2628}},
	{
		Name: "ldap", Port: 389, Class: NetworkScheme, Section: "RFC 4516, 2", Example: "ldap://ldap.example.org/o=Example", form: formLDAP, recent: true,
		bare: withSlashes, ports: []uint16{389}, labels: []string{"ldap"},
	},
	{
		Name: "ldaps", Port: 636, Class: NetworkScheme, Section: "ldap by TLS", Example: "ldaps://ldap.example.org/o=Example", form: formLDAP, recent: true,
		bare: withSlashes, ports: []uint16{636},
	},
	{
		Name: "gemini", Port: 1965, Class: NetworkScheme, Section: "gemini 1.2", Example: "gemini://example.org/",
		form: formHTTP, recent: true, bare: withSlashes,
	},
	{
		Name: "titan", Port: 1965, Class: NetworkScheme, Section: "titan", Example: "titan://example.org/page",
		form: formHTTP, recent: true, bare: withSlashes,
	},
	{
		Name: "spartan", Port: 300, Class: NetworkScheme, Section: "spartan", Example: "spartan://example.org/",
		form: formHTTP, recent: true, bare: withSlashes,
	},
	{
		Name: "z39.50", Port: 210, Class: NetworkScheme, Section: "RFC 1738, 4", Example: "z39.50://host.example/books",
		form: formZ3950, bare: withSlashes,
	},
	{
		Name: "z39.50r", Port: 210, Class: NetworkScheme, Section: "RFC 2056, 4", Example: "z39.50r://host.example/books?1",
		form: formZ3950, bare: withSlashes,
	},
	{
		Name: "z39.50s", Port: 210, Class: NetworkScheme, Section: "RFC 2056, 3", Example: "z39.50s://host.example/books",
		form: formZ3950, bare: withSlashes,
	},
	{Name: "about", Section: "RFC 6694", Example: "about:home"},
	{
		Name: "afs", Section: "RFC 1738, 4", Example: "afs://cell.example/usr/doc",
		Object: "a file in the Andrew File System, by its cell and path; OpenAFS and kAFS mount it at /afs", Document: "RFC 1738, section 4", Instead: "file:///afs/HOSTPATH",
	},
	{
		Name: "x500", Section: "Oct. 1993 draft", Example: "x500:c=us",
		Object: "an entry of an X.500 directory; its form was never specified", Document: "October 1993 draft, X500", Instead: "ldap://HOST/DN",
	},
	{
		Name: "hytelnet", Section: "no document", Example: "hytelnet://host.example/",
		Object: "a telnet service in the lists of the program HYTELNET", Instead: "telnet://SERVER/",
	},
	{
		Name: "archie", Section: "no document", Example: "archie://host.example/river.txt",
		Object: "a search of an archie server for files of FTP servers by their names", Document: "RFC 2151, section 6.1", Instead: "prospero://HOST/ARCHIE/MATCH(100,0,S)/WORDS",
	},
	{
		Name: "veronica", Section: "no document", Example: "veronica://host.example/otter",
		Object: "a search in the titles of all Gopher menus", Document: "RFC 2151, section 6.3", Instead: "gopher://gopher.floodgap.com/7/v2/vs%09WORDS",
	},
	{
		Name: "rwhois", Port: 4321, Section: "expired draft", Example: "rwhois://host.example/",
		Object: "a query of an RWhois server", Document: "draft-mealling-rwhoisurl-01", Instead: "whois://HOST:PORT/WORDS",
	},
	{
		Name: "vemmi", Section: "RFC 2122", Example: "vemmi://host.example/service",
		Object: "a videotex service", Document: "RFC 2122",
	},
	{
		Name: "shttp", Section: "RFC 2660", Example: "shttp://host.example/",
		Object: "a web page by Secure HTTP, which https has replaced", Document: "RFC 2660", Instead: "https://HOSTPATH",
	},
	{
		Name: "tftp", Section: "RFC 3617", Example: "tftp://host.example/boot",
		Object: "a file of a TFTP server", Document: "RFC 3617", Instead: "curl -O tftp://SERVERPATH",
	},
	{
		Name: "irc", Section: "expired draft", Example: "irc://host.example/channel",
		Object: "a channel or a person of an IRC network", Document: "draft-butcher-irc-url-04", Instead: "weechat irc://SERVERPATH",
	},
	{
		Name: "ircs", Section: "expired draft", Example: "ircs://host.example/channel",
		Object: "a channel or a person of an IRC network, by TLS", Document: "draft-butcher-irc-url-04", Instead: "weechat ircs://SERVERPATH",
	},
	{
		Name: "ssh", Section: "expired draft", Example: "ssh://oscar@host.example/",
		Object: "a session with a host by SSH", Document: "draft-salowey-secsh-uri-00", Instead: "ssh ssh://SERVER",
	},
	{
		Name: "rsync", Section: "RFC 5781", Example: "rsync://host.example/pub/",
		Object: "files of an rsync server", Document: "RFC 5781", Instead: "rsync rsync://SERVERPATH",
	},
	{
		Name: "git", Section: "git-clone(1)", Example: "git://host.example/river.git",
		Object: "a Git repository", Document: "git-clone(1)", Instead: "git clone git://SERVERPATH",
	},
	{
		Name: "imap", Section: "RFC 5092", Example: "imap://host.example/INBOX",
		Object: "a mailbox or a message of an IMAP server", Document: "RFC 5092", Instead: "mutt -f imap://SERVERPATH",
	},
	{
		Name: "pop", Section: "RFC 2384", Example: "pop://host.example/",
		Object: "a mailbox of a POP server", Document: "RFC 2384", Instead: "mutt -f pop://SERVERPATH",
	},
	{
		Name: "rtsp", Section: "RFC 2326", Example: "rtsp://host.example/radio",
		Object: "a stream of sound or pictures", Document: "RFC 2326", Instead: "mpv rtsp://SERVERPATH",
	},
	{
		Name: "xmpp", Section: "RFC 5122", Example: "xmpp:oscar@host.example", bare: withAt,
		Object: "a person or a room of an XMPP network", Document: "RFC 5122", Instead: "gajim URL",
	},
	{
		Name: "nex", Port: 1900, Section: "nex", Example: "nex://host.example/",
		Object: "a page of a Nex server", Document: "nex://nightfall.city/nex/info/specification.txt", Instead: "gopher://HOST:PORT/0PATH",
	},
	{
		Name: "misfin", Section: "misfin", Example: "misfin://oscar@host.example", bare: withAt,
		Object: "a mailbox for short messages with certificates", Document: "gemini://misfin.org/specification.gmi", Instead: "python -m misfin send-as IDENTITY.pem ADDRESS MESSAGE",
	},
	{
		Name: "data", Section: "RFC 2397", Example: "data:text/plain,otter",
		Object: "a document that the URL itself contains", Document: "RFC 2397", Instead: "w3m URL",
	},
	{
		Name: "view-source", Section: "no document", Example: "view-source:http://www.example.org/",
		Object: "the source of a page", Instead: "REST",
	},
	{Name: "cso", Class: NetworkScheme, form: formPhonebook, recent: true, bare: withSlashes},
	{Name: "fsp"},
	{Name: "form"},
	{Name: "urn"},
	{Name: "fax"},
	{Name: "modem"},
	{Name: "sms"},
	{Name: "tel"},
}

// Schemes returns the schemes that gofer opens or explains, in a fixed order.
func Schemes() []Scheme {
	return slices.DeleteFunc(slices.Clone(schemes[:]), func(s Scheme) bool { return s.Section == "" })
}

var schemesByName = func() map[string]*Scheme {
	m := make(map[string]*Scheme, len(schemes))
	for i := range schemes {
		m[schemes[i].Name] = &schemes[i]
	}
	return m
}()

// schemeOf returns the scheme with a name in lower case, or nil.
func schemeOf(name string) *Scheme { return schemesByName[name] }

// maxSchemeName is at least the length of the longest name of a scheme in schemes.
const maxSchemeName = 12

// DefaultPort returns the default port of a scheme (RFC 1738, section 3), or 0 if it has none.
func DefaultPort(scheme string) uint16 {
	if k := schemeOf(scheme); k != nil {
		return k.Port
	}
	return 0
}

// ClassOf returns the class of a scheme.
func ClassOf(scheme string) Class {
	if k := schemeOf(scheme); k != nil {
		return k.Class
	}
	return OtherScheme
}

// findBareScheme returns the scheme before a colon at the start of s if Extract finds its URLs without "URL:", or nil.
func findBareScheme(s string) *Scheme {
	n := strings.IndexByte(s[:min(len(s), maxSchemeName+1)], ':')
	if n <= 0 {
		return nil
	}
	if k := schemeOf(strings.ToLower(s[:n])); k != nil && k.bare != notBare {
		return k
	}
	return nil
}

// bareSchemeLength returns the length of such a scheme and its colon at the start of s, or 0.
func bareSchemeLength(s string) int {
	if k := findBareScheme(s); k != nil {
		return len(k.Name) + 1
	}
	return 0
}

// maxIDLeft is the largest length of the part of a Message-ID before its "@" in a URL, in octets: a Message-ID has up
// to 250 octets (RFC 5536, section 3.1.3), and each may be escaped.
const maxIDLeft = 3 * 250

// hasBareScheme reports whether s starts with a scheme whose URLs need no angle brackets.
func hasBareScheme(s string) bool {
	k := findBareScheme(s)
	if k == nil {
		return false
	}
	rest := s[len(k.Name)+1:]
	switch k.bare {
	case withAny:
		return true
	case withAt:
		at := strings.IndexByte(rest[:min(len(rest), maxIDLeft+1)], '@')
		return at > 0 && bareEnd(rest[:at], 0) == at
	}
	return strings.HasPrefix(rest, "//")
}

// MayContainURL reports whether a text may contain a URL that [Parser.Extract] finds. It does not parse URLs, so it is
// fast.
func MayContainURL(text string) bool {
	if strings.IndexByte(text, '<') >= 0 {
		return true
	}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], ':')
		if n < 0 {
			return false
		}
		i += n + 1
		if strings.HasPrefix(text[i:], "//") || hasSuffixFold(text[:i], "url:") {
			return true
		}
		for k := range schemes {
			if schemes[k].bare > withSlashes && hasSuffixFold(text[:i-1], schemes[k].Name) {
				return true
			}
		}
	}
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
