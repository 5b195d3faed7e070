package urlcore

import "strings"

// Generic is a URL of any other scheme (RFC 1738, section 5: otherurl). If Rest begins with "//",
// it contains a [Server], which [Generic.Server] returns.
type Generic struct {
	Name string // the scheme
	Rest string // canonical text after the colon
}

func (u Generic) Scheme() string { return u.Name }
func (u Generic) String() string { return u.Name + ":" + u.Rest }

// Server splits the common Internet syntax (RFC 1738, section 3.1) into the login and the path,
// which begins with the slash after the login. It returns false for opaque text. An unknown scheme
// has no default port, so Port is 0 if the URL has no port.
func (u Generic) Server() (s Server, path string, ok bool) {
	if !strings.HasPrefix(u.Rest, "//") {
		return s, "", false
	}
	st := state{marks: scan(u.Rest)}
	path, err := st.parseLogin(&s, u.Rest, 0, "")
	return s, path, err == nil
}

// parseGeneric parses otherurl (RFC 1738, section 5). Text that begins with "//" has the common
// Internet syntax. Any other text is opaque.
func (st *state) parseGeneric(name, s string, off int) *Error {
	if st.strict && st.dialect == Draft199403 && name != "mid" && name != "cid" {
		return fail(NotAURL, max(0, off-len(name)-1), "the March 1994 draft has no such scheme")
	}
	rest, err := st.parseGenericRest(name, s, off)
	if err != nil {
		return err
	}
	if name == "mid" && st.strict && st.dialect == Draft199403 && !isAddrSpec(unescape(s), true) {
		return fail(BadAddress, off, "mid: requires a Message-ID, like name@host")
	}
	st.url = Generic{Name: name, Rest: rest}
	return nil
}

func (st *state) parseGenericRest(name, s string, off int) (string, *Error) {
	if s == "" {
		if DefaultPort(name) != 0 {
			return "", fail(Empty, off, "nothing follows the scheme; write "+name+"://host/")
		}
		return "", fail(Empty, off, "nothing follows the scheme")
	}
	if !strings.HasPrefix(s, "//") {
		return recodeText(s, 0), nil
	}
	server := Server{}
	st.plainHosts = true // the rules of unknown schemes for other names are unknown
	path, err := st.parseLogin(&server, s, off, "")
	if err != nil {
		return "", err
	}
	return genericText(server, recodeText(path, 0)), nil
}

// genericText is the inverse of [Generic.Server].
func genericText(s Server, path string) string {
	var buf [bufSize]byte
	return join(s.append(append(buf[:0], "//"...)), path)
}

func (u Generic) canon() (URL, *Error) {
	name := strings.ToLower(u.Name)
	if name == "" || !hasOnly(name, inScheme) {
		return nil, fail(BadScheme, 0, "a scheme has only letters, digits, + - and .")
	}
	st := state{input: u.Rest, marks: scan(u.Rest)}
	if st.marks&(markControl|markHash) != 0 {
		return nil, fail(IllegalChar, 0, `a control character or "#" must be encoded`)
	}
	if i := badEscapeIndex(u.Rest); i >= 0 {
		return nil, fail(BadEscape, i, `"%" begins no escape`)
	}
	if err := st.parseScheme(name, u.Rest, 0); err != nil {
		return nil, err
	}
	if _, ok := st.url.(Generic); !ok || name == "url" {
		return nil, fail(BadScheme, 0, "the scheme "+name+" has its own URL type")
	}
	return st.url, nil
}

// Kind returns the kind of the item. An about: page (RFC 6694) is a "file" if it is an attachment, an
// archive entry, a message of a mailbox or a joined file, and otherwise a "menu". A page of a bundle has the kind
// of its URL at the server. A form: URL is a "search", a mid: URL an "article" or a "file", and a mailserver: URL "mail". For other schemes Kind
// returns "".
func (u Generic) Kind() string {
	if u.Name == "about" {
		switch page, _, _ := strings.Cut(u.Rest, "/"); page {
		case "attachment", "entry", "join", "message":
			return "file"
		case "bundle":
			if of, ok := u.pageOfBundle().(interface{ Kind() string }); ok {
				return of.Kind()
			}
		}
		if strings.HasPrefix(u.Rest, "link?") { // the page that says why a link cannot be opened
			return ""
		}
		return "menu"
	}
	switch u.Name {
	case "form":
		return "search"
	case "mid":
		if !strings.Contains(u.Rest, "/") {
			return "article"
		}
		return "file"
	case "mailserver":
		return "mail"
	}
	return ""
}

// FileName returns the decoded last name in the path, without the search. The name may be empty.
func (u Generic) FileName() string {
	if of, ok := u.pageOfBundle().(interface{ FileName() string }); ok {
		return of.FileName()
	}
	_, path, ok := u.Server()
	if !ok {
		path = u.Rest
	}
	path, _, _ = strings.Cut(path, "?")
	return lastName(unescape(path))
}

// Up returns the URL one level up if u has a server or is an about: URL.
func (u Generic) Up() (URL, bool) {
	if u.Name == "about" {
		return u.upFromAbout()
	}
	s, path, ok := u.Server()
	if !ok {
		return u, false
	}
	path, ok = parentPath(path)
	u.Rest = genericText(s, path)
	return u, ok
}

// upFromAbout returns the URL one level above an about: page. The level above an archive entry is
// the list of the archive. The level above this list is the directory that contains the archive.
// The level above an attachment, a message or a joined file is the document in its URL, and the level
// above a page of the manual is the manual.
func (u Generic) upFromAbout() (URL, bool) {
	if bundle, in, ok := BundledIn(u); ok && in != nil {
		up, err := Bundled(bundle, nil)
		return up, err == nil
	} else if ok {
		return Up(bundle)
	}
	page, query, ok := strings.Cut(u.Rest, "?")
	page, part, _ := strings.Cut(page, "/")
	switch {
	case page == "manual" && part != "":
		u.Rest = page
		return u, true
	case !ok:
		return u, false
	case page == "entry":
		u.Rest = "archive?" + query
		return u, true
	}
	document, err := Parse(unescape(query))
	switch {
	case err != nil:
		return u, false
	case page == "attachment", page == "join", page == "message":
		return document, true
	case page == "archive":
		return Up(document)
	}
	return u, false
}

// Redact returns u without its password if u has a server.
func (u Generic) Redact() URL {
	if s, path, ok := u.Server(); ok && s.HasPassword {
		u.Rest = genericText(s.withoutPassword(), path)
	}
	return u
}

func (u Generic) warnings() Warnings {
	w := warnText(u.Rest)
	if s, _, ok := u.Server(); ok && s.HasPassword {
		w |= Password
	}
	return w
}

func (u Generic) parts(b *partList) {
	s, path, ok := u.Server()
	if !ok {
		b.addEncoded("schemepart", u.Rest, "2.1", unknownMeaning)
		return
	}
	b.addUserinfo(s)
	b.addHostPort(s.HostPort, u.Name)
	if path != "" {
		b.addEncoded("url-path", path, "3.1", unknownMeaning)
	}
}
