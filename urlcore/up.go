package urlcore

import "strings"

// Up returns the URL one level up, for going from a document to the directory
// it is in: a menu for Gopher, a ;type=d directory for FTP, the group for an
// article. It is false at the top and for what has no levels. Gopher selectors
// need not be hierarchical (RFC 1738, section 3.4), so there it is a guess.
func Up(u URL) (URL, bool) {
	switch u := u.(type) {
	case Gopher:
		return u.up()
	case FTP:
		path, ok := upFTP(u.Path)
		u.Path, u.Type = path, 'd'
		return u, ok
	case News:
		return News{Group: "*"}, u.Group != "*"
	case NNTP:
		ok := u.HasArticle
		u.Article, u.HasArticle = 0, false
		return u, ok
	case HTTP:
		path, ok := upText(u.Path)
		ok = ok || u.HasQuery
		u.Path, u.Query, u.HasQuery = path, "", false
		return u, ok
	case File:
		path, ok := upText("/" + u.Path)
		u.Path = path[1:]
		return u, ok
	case WAIS:
		ok := u.HasSearch || u.HasDocument
		return WAIS{HostPort: u.HostPort, Database: u.Database}, ok
	case Prospero:
		path, ok := upText("/" + u.Object)
		u.Object, u.Fields = path[1:], ""
		return u, ok
	case Generic:
		s, path, ok := u.Server()
		if !ok {
			return u, false
		}
		path, ok = upText(path)
		u.Rest = genericText(s, path)
		return u, ok
	}
	return u, false
}

// upText cuts "/a/b" and "/a/b/" to "/a/".
func upText(path string) (string, bool) {
	if path == "" || path == "/" {
		return path, false
	}
	return path[:strings.LastIndexByte(path[:len(path)-1], '/')+1], true
}

// upFTP cuts "a/b" and "a/b/" to "a", and "%2Fa" to "%2F", the root.
func upFTP(path string) (string, bool) {
	path = strings.TrimSuffix(path, "/")
	if path == "" || path == "%2F" {
		return path, false
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], true
	}
	path = strings.TrimSuffix(path, "%2F")
	if i := strings.LastIndex(path, "%2F"); i > 0 {
		return path[:i], true
	} else if i == 0 {
		return "%2F", path != "%2F"
	}
	return "", true
}

func (u Gopher) up() (URL, bool) {
	s := strings.TrimRight(u.Selector, "/")
	top := s == "" && u.Type == '1'
	// Some servers repeat the type in front of the selector.
	repeated := len(s) >= 2 && s[0] == u.Type && s[1] == '/'
	if i := strings.LastIndexByte(s, '/'); i > 0 && !(repeated && i == 1) {
		s = s[:i]
		if repeated {
			s = "1" + s[1:]
		}
	} else {
		s = ""
	}
	return Gopher{HostPort: u.HostPort, Type: '1', Selector: s}, !top
}
