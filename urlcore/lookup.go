package urlcore

import "strings"

// Lookup is a query that a server answers with a text. Finger (RFC 1288) answers queries about
// people, whois (RFC 3912) about names and addresses, whois++ (RFC 1835) about the records of a directory, and dict
// (RFC 2229, section 5) about words:
//
//	finger://<host>:<port>/<query>
//	whois://<host>:<port>/<query>
//	whois++://<host>:<port>/<query>
//	dict://<user>@<host>:<port>/<d or m>:<word>:<database>:...
type Lookup struct {
	Name string // the scheme: "finger", "whois", "whois++" or "dict"
	Server
	Path string // canonical text, with its leading slash; may be empty
}

func (u Lookup) Scheme() string { return u.Name }

func (u Lookup) Addr() string { return u.addr(u.Name) }

// HasWords is false for finger: the others answer questions about words and names.
func (u Lookup) HasWords() bool { return u.Name != "finger" }

// Query returns the decoded octets after the slash.
func (u Lookup) Query() string { return unescape(strings.TrimPrefix(u.Path, "/")) }

// WithQuery returns the URL of another query to the same server. The parameter query is
// decoded text.
func (u Lookup) WithQuery(query string) Lookup {
	u.Path = "/" + escape(query, inSearch)
	return u
}

func (u Lookup) String() string {
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Name...), "://"...)
	return join(u.append(b), u.Path)
}

// parseLookup parses a finger, whois, whois++ or dict URL. In finger://user@host/ the user is the query.
func (st *state) parseLookup(name, s string, off int) *Error {
	if !strings.HasPrefix(s, "//") {
		return st.parseGeneric(name, s, off)
	}
	u := Lookup{Name: name}
	path, err := st.parseLogin(&u.Server, s, off, name)
	if err != nil {
		return err
	}
	u.Path = recodeText(path, 0)
	if name == "finger" && len(path) < 2 && u.HasUser && !u.HasPassword {
		u = Lookup{Name: name, Server: Server{HostPort: u.HostPort}}.WithQuery(u.User)
	}
	if err := u.checkQuery(); err != nil {
		err.Offset = off
		return err
	}
	st.url = u
	return nil
}

func (u Lookup) checkQuery() *Error {
	if u.Name != "dict" && u.HasUser || u.HasPassword {
		return fail(UserinfoNotAllowed, 0, "this scheme has no user and password")
	}
	if hasEscapedLineEnd(u.Path) {
		return fail(IllegalOctet, 0, "a query cannot contain a line end")
	}
	return nil
}

func (u Lookup) canon() (URL, *Error) {
	if k := schemeOf(u.Name); k == nil || k.form != formLookup {
		return nil, fail(BadScheme, 0, "a query URL is finger, whois, whois++ or dict")
	}
	var err *Error
	if u.Server, err = u.Server.canon(u.Name); err != nil {
		return nil, err
	}
	if u.Path != "" && u.Path[0] != '/' {
		return nil, fail(BadPath, 0, `the query begins with "/"`)
	}
	if badEscapeIndex(u.Path) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the query`)
	}
	if scan(u.Path)&(markControl|markHash) != 0 {
		return nil, fail(IllegalChar, 0, `a control character or "#" must be encoded`)
	}
	u.Path = recodeText(u.Path, 0)
	if err := u.checkQuery(); err != nil {
		return nil, err
	}
	return u, nil
}

func (u Lookup) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Up returns the URL of the server without a query.
func (u Lookup) Up() (URL, bool) {
	ok := len(u.Path) > 1 && (u.Name == "finger" || u.Name == "dict") // the others only ask for words there
	u.Path = "/"
	return u, ok
}

// FileName returns the decoded query, or the last name in it if it contains slashes.
func (u Lookup) FileName() string { return lastName(u.Query()) }

// Kind returns "text" for finger and "menu" for a page of links. If the user must enter words
// first, it returns "search".
func (u Lookup) Kind() string {
	q := strings.TrimPrefix(u.Path, "/")
	switch {
	case u.Name == "finger":
		return "text"
	case (u.Name == "whois" || u.Name == "whois++") && q == "", u.Name == "dict" && (q == "d:" || q == "m:" || strings.HasPrefix(q, "d::") || strings.HasPrefix(q, "m::")):
		return "search"
	}
	return "menu"
}

func (u Lookup) warnings() Warnings { return u.warn(u.Name) | u.warnLogin() | warnText(u.Path) }

var lookupRules = map[string]string{
	"finger": "RFC 1288, section 2.3", "whois": "RFC 3912, section 2", "whois++": "October 1993 draft, WHOIS", "dict": "RFC 2229, section 5",
}

func (u Lookup) parts(b *partList) {
	b.addUserinfo(u.Server)
	b.addHostPort(u.HostPort, u.Name)
	if u.Path == "" {
		return
	}
	b.addDelimiter("/", "3.1", "ends the host; it is not part of the path")
	if u.Path != "/" {
		b.rule = lookupRules[u.Name]
		b.addEncoded("query", u.Path[1:], "", "the query for the server")
	}
}
