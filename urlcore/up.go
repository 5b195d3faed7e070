package urlcore

import "strings"

// Up returns the URL one level up. For Gopher this is a menu, for FTP a ;type=d directory, and for
// an article of an nntp: URL the group. Up returns false at the top and for URLs without levels. It
// calls the method Up() (URL, bool) of u if u has this method.
func Up(u URL) (URL, bool) {
	if l, ok := u.(interface{ Up() (URL, bool) }); ok {
		return l.Up()
	}
	return u, false
}

// parentPath returns the path one level up, such as "/a/" for "/a/b" and "/a/b/".
func parentPath(path string) (string, bool) {
	if path == "" || path == "/" {
		return path, false
	}
	return path[:strings.LastIndexByte(path[:len(path)-1], '/')+1], true
}

// lastName returns the last nonempty part of a path, or "" if there is none.
func lastName(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
