package urlcore

import "strings"

// LDAP is an entry of a directory, or a search below it (RFC 4516, section 2):
//
//	ldap://<host>:<port>/<dn>?<attributes>?<scope>?<filter>?<extensions>
//
// The strings contain decoded octets, except Extensions.
type LDAP struct {
	Name       string // the scheme: "ldap" or "ldaps"
	HostPort          // without a host: the directory server that the client chooses
	DN         string // the name of the entry (RFC 4514)
	Attributes string // with commas between them; empty for all
	Scope      string // "one", "sub", or "" for the entry itself: "base" is the default
	Filter     string // RFC 4515
	Extensions string // canonical text with commas between the extensions
}

func (u LDAP) Scheme() string { return u.Name }

// Addr returns the host:port to dial, or "" without a host.
func (u LDAP) Addr() string {
	if u.Host == "" {
		return ""
	}
	return u.addr(u.Name)
}

func (u LDAP) HasWords() bool { return u.Filter != "" }

func (u LDAP) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// LDAPExtension is an extension of an LDAP URL (RFC 4516, section 2).
type LDAPExtension struct {
	Name     string // in lower case
	Value    string // decoded
	Critical bool   // with "!": a client that does not know the extension must not process the URL
}

// ExtensionList returns the extensions in their order.
func (u LDAP) ExtensionList() (list []LDAPExtension) {
	for text := range strings.SplitSeq(u.Extensions, ",") {
		name, value, _ := strings.Cut(text, "=")
		name, critical := strings.CutPrefix(unescape(name), "!")
		if name != "" {
			list = append(list, LDAPExtension{strings.ToLower(name), unescape(value), critical})
		}
	}
	return list
}

// LDAPWords is the extension of a URL that asks the user for the words of a search below its entry. It is gofer's own.
const LDAPWords = "x-words"

// octetAttributes are attributes whose values are shown as files, in lower case, with their kinds and the suffixes of
// file names (RFC 2798, section 2; RFC 4523, section 4).
var octetAttributes = map[string]struct{ kind, suffix string }{
	"jpegphoto": {"image", ".jpg"}, "thumbnailphoto": {"image", ".jpg"}, "photo": {"file", ""}, "audio": {"file", ""},
	"usercertificate;binary": {"file", ".cer"}, "cacertificate;binary": {"file", ".cer"}, "certificaterevocationlist;binary": {"file", ".crl"},
}

// IsOctets reports whether u names one attribute of its entry whose value is a file, such as a picture.
func (u LDAP) IsOctets() bool { return u.Kind() == "image" || u.Kind() == "file" }

// Kind returns "search" if u asks for words, the kind of the value if u names an attribute such as jpegPhoto, and else "menu".
func (u LDAP) Kind() string {
	if u.Scope+u.Filter == "" {
		if a, ok := octetAttributes[strings.ToLower(u.Attributes)]; ok {
			return a.kind
		}
	}
	for _, e := range u.ExtensionList() {
		if e.Name == LDAPWords {
			return "search"
		}
	}
	return "menu"
}

// FileName returns the first value in the name of the entry, with the suffix of the value that u names.
func (u LDAP) FileName() string {
	first, _ := CutDN(u.DN)
	_, value, _ := strings.Cut(first, "=")
	return UnescapeDN(value) + octetAttributes[strings.ToLower(u.Attributes)].suffix
}

// CutDN splits a name of an entry after its first part (RFC 4514, section 2): "cn=A" and "o=B" for "cn=A,o=B". The name
// of the entry above is rest.
func CutDN(dn string) (first, rest string) {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			return dn[:i], strings.TrimLeft(dn[i+1:], " ")
		}
	}
	return dn, ""
}

// UnescapeDN decodes the escapes of a value in a name (RFC 4514, section 2.4).
func UnescapeDN(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+2 < len(value) && hexValue(value[i+1])|hexValue(value[i+2]) < 16:
			c = hexValue(value[i+1])<<4 | hexValue(value[i+2])
			i += 2
		case c == '\\' && i+1 < len(value):
			i++
			c = value[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Up returns the entry of a search or of an attribute, and else the entry above. Above a domain (dc=example,dc=org) it is the
// server itself: the domains above seldom have entries.
func (u LDAP) Up() (URL, bool) {
	up := LDAP{Name: u.Name, HostPort: u.HostPort, DN: u.DN}
	if u != up {
		return up, true
	}
	_, up.DN = CutDN(u.DN)
	if isDomain(u.DN) {
		up.DN = ""
	}
	return up, u.DN != ""
}

// isDomain reports whether all parts of a name are domain components (RFC 2247).
func isDomain(dn string) bool {
	for first := ""; dn != ""; {
		if first, dn = CutDN(dn); len(first) < 3 || !strings.EqualFold(first[:3], "dc=") {
			return false
		}
	}
	return true
}

func (u LDAP) String() string {
	var buf [bufSize]byte
	b := append(u.append(append(append(buf[:0], u.Name...), "://"...)), '/')
	b = appendEscaped(b, u.DN, inSelector)
	marks := 0 // question marks that the next part needs in front
	for _, part := range u.optional() {
		if marks++; part != "" {
			for ; marks > 0; marks-- {
				b = append(b, '?')
			}
			b = append(b, part...)
		}
	}
	return string(b)
}

// optional returns the canonical texts of the parts after the name.
func (u LDAP) optional() [4]string {
	return [...]string{escape(u.Attributes, inSelector), u.Scope, escape(u.Filter, inSelector), u.Extensions}
}

// parseLDAP parses ldapurl (RFC 4516, section 2).
func (st *state) parseLDAP(name, s string, off int) *Error {
	u := LDAP{Name: name}
	path, ok := strings.CutPrefix(s, "//")
	if !ok || path != "" && path[0] != '/' && path[0] != '?' {
		var err *Error
		if path, err = st.parseHost(&u.HostPort, s, off, name, true); err != nil {
			return err
		}
	}
	off += len(s) - len(path)
	if st.strict && path != "" && path[0] == '?' {
		return fail(BadPath, off, `"/" must follow the host`)
	}
	if path != "" && path[0] == '/' {
		path, off = path[1:], off+1
	}
	parts := strings.SplitN(path, "?", 5)
	for i, part := range parts {
		switch i {
		case 0:
			u.DN = unescape(part)
		case 1:
			u.Attributes = unescape(part)
		case 2:
			u.Scope = strings.ToLower(unescape(part))
		case 3:
			u.Filter = unescape(part)
		case 4:
			if err := st.checkReserved(part, off, "?"); err != nil {
				return err
			}
			u.Extensions = part
		}
		if i < 3 {
			off += len(part) + 1
		}
	}
	canonical, err := u.canonParts()
	if err != nil {
		err.Offset = min(off, len(st.input))
		return err
	}
	st.url = canonical
	return nil
}

// canonParts checks the parts after the name and makes them canonical.
func (u LDAP) canonParts() (LDAP, *Error) {
	switch u.Scope {
	case "base":
		u.Scope = ""
	case "", "one", "sub":
	default:
		return u, fail(BadPath, 0, "the scope of a search is base, one or sub")
	}
	u.Extensions = recodeText(u.Extensions, ',')
	return u, nil
}

func (u LDAP) canon() (URL, *Error) {
	if k := schemeOf(u.Name); k == nil || k.form != formLDAP {
		return nil, fail(BadScheme, 0, "the URL of a directory is ldap or ldaps")
	}
	switch {
	case u.Host != "":
		var err *Error
		if u.HostPort, err = u.HostPort.canon(u.Name); err != nil {
			return nil, err
		}
	case u.Port != 0:
		return nil, fail(BadHost, 0, "a port needs a host")
	}
	if badEscapeIndex(u.Extensions) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the extensions`)
	}
	if scan(u.Extensions)&(markControl|markHash) != 0 {
		return nil, fail(IllegalChar, 0, `a control character or "#" must be encoded`)
	}
	u, err := u.canonParts()
	if err != nil {
		return nil, err
	}
	return u, nil
}

func (u LDAP) warnings() Warnings {
	return u.warn(u.Name) | warnOctets(u.DN) | warnOctets(u.Attributes) | warnOctets(u.Filter) | warnText(u.Extensions)
}

func (u LDAP) parts(b *partList) {
	b.addHost(u.HostPort, u.Name, "3.1")
	b.rule = "RFC 4516, section 2"
	b.addOctets("dn", u.DN, inSelector, "", "the name of the entry, the nearest part first; empty for the server itself")
	meanings := [...][2]string{
		{"attributes", "the attributes to return"},
		{"scope", "one: the entries directly below; sub: the entry and all below"},
		{"filter", "the entries that are meant (RFC 4515)"},
		{"extensions", `"!" marks one that a client must know`},
	}
	all := u.optional()
	last := len(all) - 1
	for last >= 0 && all[last] == "" {
		last--
	}
	for i := range last + 1 {
		b.addDelimiter("?", "", "begins the "+meanings[i][0])
		b.addEncoded(meanings[i][0], all[i], "", meanings[i][1])
	}
}
