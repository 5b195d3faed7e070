package urlcore

import "strings"

// HTTP is an object of an HTTP server (RFC 1738, section 3.3):
//
//	http://<host>:<port>/<path>?<searchpart>
//
// The later schemes https, gemini, spartan and titan have the same form. The characters of the last three are those of RFC
// 3986.
//
// Path and Query contain canonical text and not decoded octets, because a reserved character and
// its escape have different meanings (RFC 1738, section 2.2; RFC 3986, section 2.2).
type HTTP struct {
	HostPort
	Path     string // canonical text, with its leading slash
	Query    string // canonical text after the "?"
	HasQuery bool
	Secure   bool   // the scheme is https
	Name     string // "gemini", "spartan" or "titan" for the schemes of these names, otherwise ""
}

func (u HTTP) Scheme() string {
	switch {
	case u.Name != "":
		return u.Name
	case u.Secure:
		return "https"
	}
	return "http"
}

func (u HTTP) Addr() string { return u.addr(u.Scheme()) }

func (u HTTP) HasWords() bool { return u.HasQuery }

func (u HTTP) String() string {
	if u.Path == "" {
		u.Path = "/"
	}
	var buf [bufSize]byte
	b := append(buf[:0], u.Scheme()...)
	b = u.append(append(b, "://"...))
	if !u.HasQuery {
		return join(b, u.Path)
	}
	return join(append(append(b, u.Path...), '?'), u.Query)
}

// parseHTTP parses httpurl (RFC 1738, section 5).
func (st *state) parseHTTP(name, s string, off int) *Error {
	u := HTTP{Secure: name == "https"}
	if !u.Secure && name != "http" {
		u.Name = name
	}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), !st.strict || st.dialect != RFC1738)
	if err != nil {
		return err
	}
	off += len(s) - len(path)
	if st.marks&markQuestion != 0 {
		path, u.Query, u.HasQuery = strings.Cut(path, "?")
	}
	if err := st.checkReserved(path, off, st.reservedIn1994("=;:")); err != nil {
		return err
	}
	if u.HasQuery {
		if err := st.checkReserved(u.Query, off+len(path)+1, "/?"+st.reservedIn1994("=;:")); err != nil {
			return err
		}
	}
	if path == "" {
		path = "/"
	}
	u.Path = path
	if st.marks&markOdd != 0 {
		u.recode()
	}
	st.url = u
	return nil
}

// recode makes the path and the search canonical.
func (u *HTTP) recode() {
	if u.Name != "" {
		u.Path, u.Query = recode3986(u.Path), recode3986(u.Query)
		return
	}
	u.Path, u.Query = recodeText(u.Path, 0), recodeText(u.Query, '+')
}

func (u HTTP) canon() (URL, *Error) {
	if u.Name != "" && (u.Secure || u.Name != "gemini" && u.Name != "spartan" && u.Name != "titan") {
		return nil, fail(BadScheme, 0, "a URL of this form is http, https, gemini, spartan or titan")
	}
	var err *Error
	if u.HostPort, err = u.HostPort.canon(u.Scheme()); err != nil {
		return nil, err
	}
	if u.Path == "" {
		u.Path = "/"
	}
	if u.Path[0] != '/' || strings.Contains(u.Path, "?") {
		return nil, fail(BadPath, 0, `an HTTP path begins with "/" and contains no "?"`)
	}
	if !u.HasQuery && u.Query != "" {
		return nil, fail(BadPath, 0, "Query is set, but HasQuery is not")
	}
	if badEscapeIndex(u.Path) >= 0 || badEscapeIndex(u.Query) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the path or search`)
	}
	if (scan(u.Path)|scan(u.Query))&markControl != 0 {
		return nil, fail(IllegalChar, 0, "a control character must be encoded")
	}
	u.recode()
	return u, nil
}

func (u HTTP) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Alternatives returns the URL of the same page with the other scheme, https or http. It returns
// nil for gemini and spartan, and for a URL with a port.
func (u HTTP) Alternatives() []Alternative {
	if u.Name != "" || u.Port != 0 {
		return nil
	}
	text := "Try without TLS"
	if u.Secure = !u.Secure; u.Secure {
		text = "Try with TLS"
	}
	return []Alternative{{u, text}}
}

// Kind returns "page". The caller derives the kind of the page from the file name. The default is
// hypertext.
func (u HTTP) Kind() string { return "page" }

// FileName returns the decoded last name in the path, which may be empty.
func (u HTTP) FileName() string { return lastName(unescape(u.Path)) }

// Up returns the URL one level up, without a search.
func (u HTTP) Up() (URL, bool) {
	path, ok := parentPath(u.Path)
	ok = ok || u.HasQuery
	u.Path, u.Query, u.HasQuery = path, "", false
	return u, ok
}

func (u HTTP) warnings() Warnings { return u.warn(u.Scheme()) | warnText(u.Path) | warnText(u.Query) }

func (u HTTP) parts(b *partList) {
	if u.Path == "" {
		u.Path = "/"
	}
	b.addSlashes()
	b.addHostPort(u.HostPort, u.Scheme())
	b.addEncoded("path", u.Path, "3.3", "the request to the server, as text")
	if u.HasQuery {
		b.addDelimiter("?", "3.3", "begins the search")
		b.addEncoded("searchpart", u.Query, "3.3", "the search, as text")
	}
}
