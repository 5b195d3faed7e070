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

// upText returns the path one level up: "/a/" for "/a/b" and "/a/b/".
func upText(path string) (string, bool) {
	if path == "" || path == "/" {
		return path, false
	}
	return path[:strings.LastIndexByte(path[:len(path)-1], '/')+1], true
}

// lastName returns the last part of a path that is not empty, or "" if there is none.
func lastName(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
