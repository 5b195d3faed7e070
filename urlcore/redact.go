package urlcore

import "strings"

// Redact returns u without its password, for showing and keeping. It asks the
// method Redact() URL of the URL's type, if there is one.
func Redact(u URL) URL {
	if r, ok := u.(interface{ Redact() URL }); ok {
		return r.Redact()
	}
	return u
}

// MaskPassword is for showing a text that was refused as a URL. It puts a star
// for each octet of what could be a password, so that all else stays in its
// place: what is between the first colon that ends no scheme and the last "@",
// each of them as it is or escaped. What was meant cannot be known, so it
// rather masks too much.
func MaskPassword(text string) string {
	end := max(strings.LastIndexByte(text, '@'), strings.LastIndex(text, "%40"))
	for i := schemeEnd(text); i < end; i++ {
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

// schemeEnd is the length of the scheme of a text that may be no URL, of its
// colon, and of what may stand before it.
func schemeEnd(text string) int {
	s := strings.TrimLeft(text, whiteSpace+"<")
	for hasURLPrefix(s) {
		s = strings.TrimLeft(s[4:], whiteSpace)
	}
	n := knownScheme(s)
	if i := strings.Index(s, "://"); n == 0 && i >= 0 && all(s[:i], inScheme) {
		n = i + 1
	}
	return len(text) - len(s) + n
}
