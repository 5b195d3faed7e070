package urlcore

import "strings"

// quick reads the URLs that most of them are: of a scheme with a type of its
// own, in lower case, with a plain host. It takes nothing that the whole
// parser does not take with the same result, in the same mode; whatever else
// it meets, it leaves to it by returning false. It goes by RFC 1738.
func (st *state) quick(s string) bool {
	if len(s) < 8 || s[len(s)-1] == ' ' {
		return false
	}
	switch s[0] {
	case 'g':
		if strings.HasPrefix(s, "gopher://") {
			u := Gopher{}
			path, ok := quickHostPort(&u.HostPort, s[9:], 70)
			return ok && st.quickMarks(path) && st.gopherURL(&u, path, 0) == nil
		}
	case 'h':
		if strings.HasPrefix(s, "http://") {
			u := HTTP{}
			path, ok := quickHostPort(&u.HostPort, s[7:], 80)
			return ok && st.quickMarks(path) && st.httpURL(&u, path, 0) == nil
		}
		if strings.HasPrefix(s, "https://") {
			u := HTTP{Secure: true}
			path, ok := quickHostPort(&u.HostPort, s[8:], 443)
			return ok && st.quickMarks(path) && st.httpURL(&u, path, 0) == nil
		}
	case 'f':
		if strings.HasPrefix(s, "ftp://") {
			u := FTP{}
			path, ok := quickLogin(&u.Server, s[6:], 21)
			return ok && st.quickMarks(path) && st.ftpURL(&u, path, 0) == nil
		}
	case 't':
		if strings.HasPrefix(s, "telnet://") {
			u := Telnet{Name: "telnet"}
			path, ok := quickLogin(&u.Server, s[9:], 23)
			return ok && st.quickMarks(path) && st.telnetURL(&u, path, 0) == nil
		}
	case 'm':
		if strings.HasPrefix(s, "mailto:") {
			return st.quickMarks(s[7:]) && st.mailto(s[7:], 0) == nil
		}
	case 'n':
		if strings.HasPrefix(s, "news:") {
			return st.quickMarks(s[5:]) && st.news(s[5:], 0) == nil
		}
		if strings.HasPrefix(s, "nntp://") {
			u := NNTP{}
			path, ok := quickHostPort(&u.HostPort, s[7:], 119)
			return ok && st.quickMarks(path) && st.nntpURL(&u, path, 0) == nil
		}
	}
	return false
}

// quickMarks collects the marks of what follows the authority; it is false if
// there is something to refuse or to split off.
func (st *state) quickMarks(s string) bool {
	st.marks = scan(s)
	if st.marks&markOdd == 0 {
		return true
	}
	if st.marks&(markControl|markHash) != 0 || st.strict && st.marks&markUnsafe != 0 {
		return false
	}
	return st.marks&markPercent == 0 || badEscape(s) < 0
}

// quickLogin reads a user without special characters, and quickHostPort.
func quickLogin(u *Server, s string, standard uint16) (path string, ok bool) {
	i := 0
	for i < len(s) && octets[s[i]]&inLabel != 0 {
		i++
	}
	if i < len(s) && s[i] == '@' {
		u.User, u.HasUser = s[:i], true
		s = s[i+1:]
	}
	return quickHostPort(&u.HostPort, s, standard)
}

// quickHostPort reads a host name in lower case and a port. What follows is ""
// or begins with "/".
func quickHostPort(h *HostPort, s string, standard uint16) (path string, ok bool) {
	i := 0
	for {
		label := i
		for i < len(s) && octets[s[i]]&inLabel != 0 {
			i++
		}
		if i == label || i-label > 63 || s[label] == '-' || s[i-1] == '-' {
			return "", false
		}
		if i < len(s) && s[i] == '.' {
			i++
			continue
		}
		if i > 253 || isDigit(s[label]) {
			return "", false
		}
		break
	}
	h.Host, path = s[:i], s[i:]
	if path == "" || path[0] == '/' {
		return path, true
	}
	if path[0] != ':' {
		return "", false
	}
	n := 0
	for i = 1; i < len(path) && isDigit(path[i]); i++ {
		if n = n*10 + int(path[i]-'0'); n > 65535 {
			return "", false
		}
	}
	if n == 0 || i < len(path) && path[i] != '/' {
		return "", false
	}
	if h.Port = uint16(n); h.Port == standard {
		h.Port = 0
	}
	return path[i:], true
}
