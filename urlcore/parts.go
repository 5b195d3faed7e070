package urlcore

import (
	"cmp"
	"strconv"
	"strings"
)

// Part is a piece of the canonical text of a URL. An empty piece, such as the user in "ftp://@h/"
// or the argument of the CWD between two slashes, has an empty Text. A missing piece has no Part.
type Part struct {
	// Name is the term of RFC 1738, such as "scheme", "host" or "selector". The characters between
	// two such pieces have the name "delimiter".
	Name string
	// Text is u.String()[Start:End] for the URL u.
	Text string
	// Value is Text after decoding. It is not masked. Callers must mask the part with the name
	// "password" before they show it.
	Value      string
	Start, End int
	// Rule names the document and the section that define the part.
	Rule string
	// Meaning explains the part to the user.
	Meaning string
}

// Parts splits a URL into its parts. The parts cover u.String() without gaps.
func Parts(u URL) []Part {
	b := partList{}
	b.addText("scheme", u.Scheme(), "2.1", "the protocol")
	b.addDelimiter(":", "2.1", "ends the scheme")
	if p, ok := u.(interface{ parts(b *partList) }); ok {
		p.parts(&b)
	} else {
		b.addEncoded("schemepart", u.String()[b.end:], "2.1", unknownMeaning)
	}
	return b.parts
}

const unknownMeaning = "text that only this scheme defines"

type partList struct {
	parts []Part
	end   int
	rule  string // of the parts that follow; "": their section of RFC 1738
}

func (b *partList) add(name, text, value, section, meaning string) {
	b.parts = append(b.parts, Part{name, text, value, b.end, b.end + len(text), cmp.Or(b.rule, "RFC 1738, section "+section), meaning})
	b.end += len(text)
}

// addText adds a part whose text contains no escapes.
func (b *partList) addText(name, text, section, meaning string) {
	b.add(name, text, text, section, meaning)
}

func (b *partList) addDelimiter(text, section, meaning string) {
	b.add("delimiter", text, text, section, meaning)
}

// addEncoded adds a part whose text is canonical.
func (b *partList) addEncoded(name, text, section, meaning string) {
	b.add(name, text, unescape(text), section, meaning)
}

// addOctets adds a part whose decoded value is value. It escapes the octets outside set.
func (b *partList) addOctets(name, value string, set uint32, section, meaning string) {
	b.add(name, escape(value, set), value, section, meaning)
}

func (b *partList) addSlashes() { b.addDelimiter("//", "3.1", "begins the common Internet syntax") }

func (b *partList) addHostPort(h HostPort, scheme string) {
	b.add("host", hostText(h.Host), h.Host, "3.1", "the host to connect to")
	if h.Port == 0 {
		return
	}
	meaning := "the port"
	if d := DefaultPort(scheme); d != 0 {
		meaning = "the port; " + scheme + " has " + strconv.Itoa(int(d))
	}
	b.addDelimiter(":", "3.1", "ends the host")
	b.addText("port", strconv.Itoa(int(h.Port)), "3.1", meaning)
}

// addHost adds "//", the host and the slash after it.
func (b *partList) addHost(h HostPort, scheme, section string) {
	b.addSlashes()
	b.addHostPort(h, scheme)
	b.addDelimiter("/", section, "ends the host")
}

func hostText(host string) string {
	return string((&HostPort{Host: host}).appendHost(nil))
}

// addLogin adds "//", the user, the password, the host, the port, and the slash after them.
func (b *partList) addLogin(s Server, scheme string) {
	b.addUserinfo(s)
	b.addHostPort(s.HostPort, scheme)
	b.addDelimiter("/", "3.1", "ends the host; it is not part of the path")
}

// addUserinfo adds "//", the user and the password.
func (b *partList) addUserinfo(s Server) {
	b.addSlashes()
	if !s.HasUser && !s.HasPassword {
		return
	}
	b.addOctets("user", s.User, inUser, "3.1", "the user name")
	if s.HasPassword {
		b.addDelimiter(":", "3.1", "ends the user name")
		b.addOctets("password", s.Password, inUser, "3.1", "the password, readable by anyone")
	}
	b.addDelimiter("@", "3.1", "ends the login")
}

// addPath adds the segments of a canonical path.
func (b *partList) addPath(path, dir, name, section, dirMeaning, nameMeaning string) {
	for {
		segment, rest, more := strings.Cut(path, "/")
		if !more {
			b.addEncoded(name, segment, section, nameMeaning)
			return
		}
		b.addEncoded(dir, segment, section, dirMeaning)
		b.addDelimiter("/", section, "ends a segment")
		path = rest
	}
}
