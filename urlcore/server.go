package urlcore

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
)

// HostPort is the hostport of RFC 1738, section 5.
type HostPort struct {
	Host string // in lower case; an IPv6 address has no brackets
	Port uint16 // 0 for the default port of the scheme
}

// Server is the login of RFC 1738, sections 3.1 and 5. It is a hostport with an optional user and
// password, both decoded. A user or password that is present may be empty.
type Server struct {
	HostPort
	User, Password       string
	HasUser, HasPassword bool
}

func chooseScheme(secure bool, tls, clear string) string {
	if secure {
		return tls
	}
	return clear
}

// addr returns the host:port to dial.
func (h HostPort) addr(scheme string) string {
	if h.Port == 0 {
		h.Port = DefaultPort(scheme)
	}
	var buf [bufSize]byte
	return string(h.append(buf[:0]))
}

func (h *HostPort) appendHost(b []byte) []byte {
	if h.isIP6() {
		return append(append(append(b, '['), h.Host...), ']')
	}
	return append(b, h.Host...)
}

// isIP6 reports whether the host is an IPv6 address.
func (h *HostPort) isIP6() bool { return strings.IndexByte(h.Host, ':') >= 0 }

func (h *HostPort) append(b []byte) []byte {
	b = h.appendHost(b)
	if h.Port != 0 {
		b = strconv.AppendUint(append(b, ':'), uint64(h.Port), 10)
	}
	return b
}

func (s *Server) append(b []byte) []byte {
	if s.HasUser || s.HasPassword {
		b = appendEscaped(b, s.User, inUser)
		if s.HasPassword {
			b = appendEscaped(append(b, ':'), s.Password, inUser)
		}
		b = append(b, '@')
	}
	return s.HostPort.append(b)
}

// canon checks the hostport and makes it canonical.
func (h HostPort) canon(scheme string) (HostPort, *Error) {
	host, err := canonHost(h.Host)
	if err != nil {
		return h, err
	}
	h.Host = host
	if h.Port == DefaultPort(scheme) {
		h.Port = 0
	}
	return h, nil
}

// canon checks the login and makes it canonical.
func (s Server) canon(scheme string) (Server, *Error) {
	h, err := s.HostPort.canon(scheme)
	if err != nil {
		return s, err
	}
	s.HostPort = h
	if s.HasPassword && !s.HasUser {
		return s, fail(Unrepresentable, 0, "a password without a user has no URL")
	}
	if !s.HasUser && s.User != "" || !s.HasPassword && s.Password != "" {
		return s, fail(BadUser, 0, "a user or password is set, but its Has field is not")
	}
	if hasLineEnd(s.User) || hasLineEnd(s.Password) {
		return s, fail(IllegalOctet, 0, "a user or password cannot contain a line end")
	}
	return s, nil
}

// withoutPassword returns the login without its password. An empty password stays: it is not the same
// as none (RFC 1738, section 3.1), and no secret.
func (s Server) withoutPassword() Server {
	if s.Password != "" {
		s.Password, s.HasPassword = "", false
	}
	return s
}

// hasLineEnd reports whether s contains CR or LF.
func hasLineEnd(s string) bool {
	return strings.IndexByte(s, '\r') >= 0 || strings.IndexByte(s, '\n') >= 0
}

// hasEscapedLineEnd reports whether canonical text contains an escape of CR or LF.
func hasEscapedLineEnd(s string) bool {
	return strings.Contains(s, "%0A") || strings.Contains(s, "%0D")
}

// parseSlashes parses "//" and the authority (RFC 1738, section 3.1). It returns the authority and
// the path. The authority ends at the next "/", and at a "?" if the parameter query is true.
func (st *state) parseSlashes(s string, off int, query bool) (authority, path string, err *Error) {
	if len(s) < 2 || s[0] != '/' || s[1] != '/' {
		return "", "", fail(BadPath, off, `"//" and a host must follow the colon`)
	}
	end := strings.IndexByte(s[2:], '/') + 2
	if end < 2 {
		end = len(s)
	}
	if query && st.marks&markQuestion != 0 {
		host, _, _ := strings.Cut(s[2:end], "?")
		end = 2 + len(host)
	}
	if st.marks&markUnsafe != 0 || st.dialect != RFC1738 {
		err = st.checkAuthority(s[2:end], off+2)
	}
	return s[2:end], s[end:], err
}

// checkAuthority checks the characters of the authority a. Even the lenient parser does not repair
// illegal characters, but allows characters beyond ASCII in the host.
func (st *state) checkAuthority(a string, off int) *Error {
	legal := st.dialect.legalSet() | percentSet
	host := strings.LastIndexByte(a, '@') + 1
	for i := range len(a) {
		c := a[i]
		if octets[c]&legal != 0 || c >= utf8.RuneSelf && i >= host && !st.strict && !st.plainHosts || (c == '[' || c == ']') && strings.IndexByte(a[i:], '@') < 0 {
			continue
		}
		return fail(IllegalChar, off+i, "the character "+charName(a[i:])+" is not allowed before the path")
	}
	return nil
}

// parseHost parses "//" hostport for a scheme without logins and returns the path.
func (st *state) parseHost(h *HostPort, s string, off int, scheme string, query bool) (string, *Error) {
	if path, ok := parsePlainHost(h, s); ok {
		return path, nil
	}
	a, path, err := st.parseSlashes(s, off, query)
	if err == nil {
		err = st.parseHostPort(h, a, off+2, scheme)
	}
	return path, err
}

// parsePlainHost parses the most frequent form: "//" and a host name without a login and a port. It
// returns false for other forms.
func parsePlainHost(h *HostPort, s string) (path string, ok bool) {
	if !strings.HasPrefix(s, "//") {
		return "", false
	}
	host, path, err := parseHostName(s[2:], 0)
	if err != nil || path != "" && path[0] != '/' {
		return "", false
	}
	h.Host = host
	return path, true
}

// parseLogin parses "//" [user [":" password] "@"] hostport and returns the path.
func (st *state) parseLogin(u *Server, s string, off int, scheme string) (string, *Error) {
	if path, ok := parsePlainHost(&u.HostPort, s); ok {
		return path, nil
	}
	a, path, err := st.parseSlashes(s, off, false)
	if err != nil {
		return "", err
	}
	off += 2
	if st.marks&markAt != 0 {
		if i := strings.LastIndexByte(a, '@'); i >= 0 {
			if err := st.parseUserinfo(u, a[:i], off); err != nil {
				return "", err
			}
			a, off = a[i+1:], off+i+1
		}
	}
	return path, st.parseHostPort(&u.HostPort, a, off, scheme)
}

// parseUserinfo parses user [":" password].
func (st *state) parseUserinfo(s *Server, a string, off int) *Error {
	user, password, has := strings.Cut(a, ":")
	if st.strict {
		if i := strings.IndexByte(a, '@'); i >= 0 {
			return fail(ReservedChar, off+i, `"@" in a user or password must be written %40`)
		}
		if i := strings.IndexByte(password, ':'); i >= 0 {
			return fail(ReservedChar, off+len(user)+1+i, `":" in a password must be written %3A`)
		}
		if st.dialect == Draft199403 && (!isAlphanum2(user) || has && !isAlphanum2(password)) {
			return fail(BadUser, off, "in the March 1994 draft a user or password has only letters, digits, - _ . and +")
		}
	}
	s.User, s.Password = unescape(user), unescape(password)
	s.HasUser, s.HasPassword = true, has
	if st.marks&markPercent != 0 && (hasLineEnd(s.User) || hasLineEnd(s.Password)) {
		return fail(IllegalOctet, off+escapeIndex(a, "\r\n"), "a user or password cannot contain a line end")
	}
	return nil
}

// isAlphanum2 reports whether the March 1994 draft allows s as a user or password.
func isAlphanum2(s string) bool { return s != "" && hasOnly(s, inGroup) }

// parseHostPort parses host [":" port].
func (st *state) parseHostPort(h *HostPort, a string, off int, scheme string) (err *Error) {
	if st.marks&markAt != 0 {
		if i := strings.IndexByte(a, '@'); i >= 0 {
			return fail(UserinfoNotAllowed, off+i, "this scheme has no user and password")
		}
	}
	port := ""
	if a != "" && a[0] == '[' {
		end := strings.IndexByte(a, ']') + 1
		if end == 0 || end < len(a) && a[end] != ':' {
			return fail(BadHost, off, "an address in brackets must end with a bracket")
		}
		h.Host, err = parseIPv6(a[1:end-1], off+1)
		port = a[end:]
	} else {
		h.Host, port, err = parseHostName(a, off)
		if err == nil && port != "" && port[0] != ':' {
			err = hostCharError(off + len(a) - len(port))
		}
		if err != nil && !st.strict {
			h.Host, port, err = st.repairHost(a, off, err)
		}
	}
	if err != nil || port == "" {
		return err
	}
	if strings.IndexByte(port[1:], ':') >= 0 {
		if _, e := netip.ParseAddr(a); e == nil {
			return fail(BadHost, off, "an IPv6 address must be in brackets")
		}
	}
	h.Port, err = st.parsePort(port[1:], off+len(a)-len(port)+1)
	if h.Port == DefaultPort(scheme) {
		h.Port = 0
	}
	return err
}

// repairHost parses a host that parseHostName rejected with err. It decodes escapes, removes a
// final dot, and accepts names that RFC 1738 does not allow but the DNS or IDNA does.
func (st *state) repairHost(a string, off int, err *Error) (host, rest string, _ *Error) {
	given, _, _ := strings.Cut(a, ":")
	plain := strings.TrimSuffix(unescape(given), ".")
	switch {
	case isForeignHost(plain) && !st.plainHosts:
		if st.dialect.is1993() && !utf8.ValidString(plain) {
			plain = fromLatin1(plain)
		}
		host, err = parseForeignHost(plain, off)
		st.warnings |= Not1738
	case plain != given:
		host, err = parseOnlyHost(plain, off)
	}
	return host, a[len(given):], err
}

// fromLatin1 returns s, which is ISO Latin 1 in the drafts of 1993, as UTF-8.
func fromLatin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// parsePort parses a port number, 1 to 65535. The lenient parser reads an empty text as 0.
func (st *state) parsePort(s string, off int) (uint16, *Error) {
	if s == "" {
		if st.strict {
			return 0, fail(BadPort, off, "no port follows the colon")
		}
		return 0, nil
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, fail(BadPort, off+i, "a port has only digits")
		}
		if n = n*10 + int(s[i]-'0'); n > 65535 {
			return 0, fail(BadPort, off, "a port is a number up to 65535")
		}
	}
	if n == 0 {
		return 0, fail(BadPort, off, "there is no port 0")
	}
	return uint16(n), nil
}

// Host returns the host of the server of u. It returns "" if u has no server, also for a [File]. An
// IPv6 address has no brackets.
func Host(u URL) string {
	switch u := u.(type) {
	case Generic:
		server, _, _ := u.Server()
		return server.Host
	case interface{ Addr() string }:
		if host, _, err := net.SplitHostPort(u.Addr()); err == nil {
			return host
		}
	}
	return ""
}
