package urlcore

import "strings"

// Up returns the URL one level up: for Gopher a menu, for FTP a ;type=d directory, for an
// article the group. It returns false at the top and for URLs without levels. It calls the
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
