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
		if strings.HasPrefix(s, "file:///") {
			return st.quickMarks(s[7:]) && st.fileURL(&File{}, s[7:], 0) == nil
		}
	case 'n':
		if strings.HasPrefix(s, "news:") {
			return st.quickNews(s[5:])
		}
		if strings.HasPrefix(s, "nntp://") {
			return st.quickNNTP(s[7:])
		}
	}
	return st.quickRare(s)
}

// quickRare is quick for the other schemes.
func (st *state) quickRare(s string) bool {
	switch s[0] {
	case 'm':
		if strings.HasPrefix(s, "mailto:") {
			return st.quickMailto(s[7:])
		}
	case 't':
		if strings.HasPrefix(s, "telnet://") {
			u := Telnet{Name: "telnet"}
			path, ok := quickLogin(&u.Server, s[9:], 23)
			return ok && st.telnetURL(&u, path, 0) == nil
		}
	case 'w':
		if strings.HasPrefix(s, "wais://") {
			u := WAIS{}
			path, ok := quickHostPort(&u.HostPort, s[7:], 210)
			return ok && st.quickMarks(path) && st.waisURL(&u, path, 0) == nil
		}
	case 'p':
		if strings.HasPrefix(s, "prospero://") {
			u := Prospero{}
			path, ok := quickHostPort(&u.HostPort, s[11:], 1525)
			return ok && st.quickMarks(path) && st.prosperoURL(&u, path, 0) == nil
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

// quickNews reads a newsgroup, or a Message-ID without special characters at a
// plain host.
func (st *state) quickNews(s string) bool {
	if isLetter(s[0]) && all(s, inGroup) {
		st.url = News{Group: s}
		return true
	}
	at := strings.IndexByte(s, '@')
	if at <= 0 || at == len(s)-1 || s[0] == '/' || !all(s[:at], inMessageID) || quickHost(s[at+1:]) != len(s)-at-1 {
		return false
	}
	st.url = News{MessageID: s}
	return true
}

// quickMailto reads an address like that of a plain host at a plain host.
func (st *state) quickMailto(s string) bool {
	at := quickHost(s)
	if at == 0 || at >= len(s)-1 || s[at] != '@' || quickHost(s[at+1:]) != len(s)-at-1 {
		return false
	}
	st.url = Mailto{s}
	return true
}

// quickNNTP reads what follows "nntp://".
func (st *state) quickNNTP(s string) bool {
	u := NNTP{}
	path, ok := quickHostPort(&u.HostPort, s, 119)
	if !ok || len(path) < 2 {
		return false
	}
	u.Group = path[1:]
	if i := strings.IndexByte(u.Group, '/'); i >= 0 {
		if u.Article, u.HasArticle = articleNumber(u.Group[i+1:]); !u.HasArticle {
			return false
		}
		u.Group = u.Group[:i]
	}
	if u.Group == "" || !isLetter(u.Group[0]) || !all(u.Group, inGroup) {
		return false
	}
	st.url = u
	return true
}

// quickLogin reads a user and a password without special characters, if there
// are any, and quickHostPort.
func quickLogin(u *Server, s string, standard uint16) (path string, ok bool) {
	if path, ok = quickHostPort(&u.HostPort, s, standard); ok {
		return path, true
	}
	at := len(u.Host)
	if at == 0 || s[at] != '@' {
		if at = strings.IndexByte(s, '@'); at < 0 {
			return "", false
		}
	}
	u.User, u.HasUser = s[:at], true
	if i := strings.IndexByte(u.User, ':'); i >= 0 {
		u.User, u.Password, u.HasPassword = s[:i], s[i+1:at], true
	}
	if !all(u.User, inGroup) || !all(u.Password, inGroup) {
		// The "@" may stand in the path.
		return "", false
	}
	u.Port = 0
	return quickHostPort(&u.HostPort, s[at+1:], standard)
}

// quickHostPort reads a host name in lower case and a port. What follows is ""
// or begins with "/".
func quickHostPort(h *HostPort, s string, standard uint16) (path string, ok bool) {
	i := quickHost(s)
	if i == 0 {
		return "", false
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

// What quickHost knows of an octet: what it is, in the lower four bits, and
// what may not follow it, in the upper.
const (
	hostDigit  = 1
	hostHyphen = 2
	hostDot    = 4
	hostEnd    = 8
)

// quickHost is the length of the plain host name that s begins with: at most 63
// small letters, digits, hyphens and dots, no part of which begins with a
// digit; 0 is none. All in one loop, for the length of the parts is hard to
// guess for the processor, too.
func quickHost(s string) int {
	i, bad := 0, uint8(0)
	last := hosts['.']
	for i < len(s) {
		next := hosts[s[i]]
		if next == hostEnd {
			break
		}
		bad |= last >> 4 & next
		last = next
		i++
	}
	if bad|last>>4&hostDot != 0 || i > 63 {
		return 0
	}
	return i
}

// hosts tells what quickHost knows of an octet; TestHosts spells it out.
var hosts = [256]uint8{
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0x42, 0x74, 8,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
}
