package identities

import (
	"net/url"
	"strings"

	"gofer/urlcore"
)

// Scope is where an identity is sent: a server, and a path with all below it.
type Scope struct {
	Addr string // "host:port", in lower case
	Path string // as in a URL, or "": the whole server
}

// Includes reports whether the scope has path at addr. A path with "." or ".." is in no scope but that of the whole server,
// because the server may read it as another path.
func (s Scope) Includes(addr, path string) bool {
	if s.Addr != strings.ToLower(addr) {
		return false
	}
	if s.Path == "" || s.Path == path {
		return true
	}
	return strings.HasPrefix(path, strings.TrimSuffix(s.Path, "/")+"/") && !hasDots(path)
}

// overlaps reports whether one of two scopes has the other.
func (s Scope) overlaps(other Scope) bool {
	return s.Includes(other.Addr, other.Path) || other.Includes(s.Addr, s.Path)
}

// hasDots reports whether a path has a segment "." or "..", perhaps encoded, or with parameters, which some servers remove.
func hasDots(path string) bool {
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return true
	}
	for segment := range strings.FieldsFuncSeq(decoded, func(r rune) bool { return r == '/' || r == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

func (s Scope) String() string { return s.Addr + s.Path }

// ScopeOf returns the scope to propose for an identity for u: in Gemini its path and all below it, otherwise the whole server.
// It returns ok = false if the scheme has no TLS.
func ScopeOf(u urlcore.URL) (s Scope, ok bool) {
	addr, ok := urlcore.Addr(u)
	if !ok {
		return s, false
	}
	s.Addr = strings.ToLower(addr)
	switch u.Scheme() {
	case "https":
		s.Path = "/"
		return s, true
	case "gemini", "titan":
		s.Path = urlcore.UploadTarget(u).Path
		return s, true
	case "gophers", "ftp", "ftps", "news", "snews", "nntp", "nntps":
		return s, true
	}
	return s, false
}

// parseScope parses a scope of a file. It returns ok = false if s is none.
func parseScope(s string) (scope Scope, ok bool) {
	addr, path, hasPath := strings.Cut(strings.TrimSpace(s), "/")
	if hasPath {
		path = "/" + path
	}
	return Scope{strings.ToLower(addr), path}, strings.Contains(addr, ":") && !strings.ContainsAny(s, "\x00\r")
}
