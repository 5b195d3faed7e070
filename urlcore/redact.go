package urlcore

import "strings"

// Redact returns u without its password, so that u can be shown and stored. It calls the method
// Redact() URL of u if u has this method.
func Redact(u URL) URL {
	if r, ok := u.(interface{ Redact() URL }); ok {
		return r.Redact()
	}
	return u
}

// MaskPassword returns text, which is a URL as typed, with a star in place of each octet of a
// password. The offsets of the other octets do not change. In a URL that [Guess] parses, only the
// userinfo can contain a password. In any other text MaskPassword masks everything from the first
// colon after the scheme up to the last "@". The colon and the "@" may also be escapes.
// MaskPassword masks too much rather than too little.
func MaskPassword(text string) string {
	from, to := schemeEnd(text), len(text)
	if hasScheme := from > 0 && text[from-1] == ':'; isUnderstood(text, hasScheme) {
		from, to = userinfoAndHost(text, from, hasScheme)
	}
	end := max(strings.LastIndexByte(text[:to], '@'), strings.LastIndex(text[:to], "%40"))
	for i := from; i < end; i++ {
		var from int
		switch {
		case text[i] == ':':
			from = i + 1
		case text[i] == '%' && strings.EqualFold(text[i+1:min(i+3, end)], "3a"):
			from = i + 3
		default:
			continue
		}
		return text[:from] + strings.Repeat("*", end-from) + text[end:]
	}
	return text
}

// isUnderstood reports whether text is a URL whose userinfo is the only place for a password. It
// returns false for a text with a fragment, because "#" could be part of a password.
func isUnderstood(text string, hasScheme bool) bool {
	f, err := guess(text, "")
	if err != nil || strings.Contains(text, "#") {
		return false
	}
	if g, ok := f.URL.(Generic); ok {
		_, _, ok = g.Server()
		return ok
	}
	addr, _ := Addr(f.URL)
	return addr != "" || hasScheme
}

// userinfoAndHost returns the start and the end of the userinfo and host in text. For a URL without
// a host, both offsets are equal. The parameter from is the result of schemeEnd.
func userinfoAndHost(text string, from int, hasScheme bool) (begin, end int) {
	begin = from
	if strings.HasPrefix(text[from:], "//") {
		begin += len("//")
	} else if hasScheme {
		return from, from
	}
	if i := strings.IndexByte(text[begin:], '/'); i >= 0 {
		return begin, begin + i
	}
	return begin, len(text)
}

// schemeEnd returns the index after the scheme and its colon. White space, "<" and "URL:" may come
// before the scheme. A known scheme before "//" needs no colon.
func schemeEnd(text string) int {
	s := strings.TrimLeft(text, whiteSpace+"<")
	for hasURLPrefix(s) {
		s = strings.TrimLeft(s[4:], whiteSpace)
	}
	n := bareSchemeLength(s)
	if i := strings.Index(s, "://"); n == 0 && i >= 0 && hasOnly(s[:i], inScheme) {
		n = i + 1
	} else if i = strings.Index(s, "//"); n == 0 && i >= 0 && isScheme(s[:i]) {
		n = i
	}
	return len(text) - len(s) + n
}
