package urlcore

import "strings"

// Up returns the URL one level up, for going from a document to the directory
// it is in: a menu for Gopher, a ;type=d directory for FTP, the group for an
// article. It is false at the top and for what has no levels. It asks the
// method Up() (URL, bool) of the URL's type, if there is one.
func Up(u URL) (URL, bool) {
	if l, ok := u.(interface{ Up() (URL, bool) }); ok {
		return l.Up()
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

// lastName is the last part of a path that is not empty, or "".
func lastName(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
