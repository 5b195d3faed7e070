package urlcore

import "strings"

// knownScheme is a scheme whose URLs Extract finds without "URL:".
type knownScheme struct {
	name string
	bare bareForm
}

// bareForm is the text after the colon of a scheme by which Extract finds a URL without angle brackets.
type bareForm uint8

const (
	withSlashes bareForm = iota // "//"
	withAny                     // any text
	withAt                      // a text with an "@", as the Message-ID in mid: and cid: (RFC 2392)
)

// knownSchemes are the schemes of the URLs that Extract finds without "URL:".
var knownSchemes = [...]knownScheme{
	{"ftp", withSlashes},
	{"http", withSlashes},
	{"https", withSlashes},
	{"gopher", withSlashes},
	{"mailto", withAny},
	{"news", withAny},
	{"nntp", withAny},
	{"telnet", withSlashes},
	{"wais", withSlashes},
	{"file", withSlashes},
	{"prospero", withSlashes},
	{"tn3270", withSlashes},
	{"rlogin", withSlashes},
	{"mid", withAt},
	{"cid", withAt},
	{"finger", withSlashes},
	{"whois", withSlashes},
	{"dict", withSlashes},
	{"cso", withSlashes},
	{"gemini", withSlashes},
	{"spartan", withSlashes},
	{"gophers", withSlashes},
	{"ftps", withSlashes},
	{"snews", withSlashes},
	{"nntps", withSlashes},
	{"sftp", withSlashes},
}

// findKnownScheme returns the known scheme before a colon at the start of s, or nil.
func findKnownScheme(s string) *knownScheme {
	for i := range knownSchemes {
		k := &knownSchemes[i]
		if n := len(k.name); len(s) > n && s[n] == ':' && strings.EqualFold(s[:n], k.name) {
			return k
		}
	}
	return nil
}

// knownSchemeLength returns the length of a known scheme and its colon at the start of s, or 0.
func knownSchemeLength(s string) int {
	if k := findKnownScheme(s); k != nil {
		return len(k.name) + 1
	}
	return 0
}

// maxIDLeft is the largest length of the part of a Message-ID before its "@" in a URL, in octets: a Message-ID has up
// to 250 octets (RFC 5536, section 3.1.3), and each may be escaped.
const maxIDLeft = 3 * 250

// hasBareScheme reports whether s starts with a scheme whose URLs need no angle brackets.
func hasBareScheme(s string) bool {
	k := findKnownScheme(s)
	if k == nil {
		return false
	}
	rest := s[len(k.name)+1:]
	switch k.bare {
	case withAny:
		return true
	case withAt:
		at := strings.IndexByte(rest[:min(len(rest), maxIDLeft+1)], '@')
		return at > 0 && bareEnd(rest[:at], 0) == at
	}
	return strings.HasPrefix(rest, "//")
}

// MayContainURL reports whether a text may contain a URL that [Parser.Extract] finds. It does not parse URLs, so it is
// fast.
func MayContainURL(text string) bool {
	if strings.IndexByte(text, '<') >= 0 {
		return true
	}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], ':')
		if n < 0 {
			return false
		}
		i += n + 1
		if strings.HasPrefix(text[i:], "//") || hasSuffixFold(text[:i], "url:") {
			return true
		}
		for k := range knownSchemes {
			if knownSchemes[k].bare != withSlashes && hasSuffixFold(text[:i-1], knownSchemes[k].name) {
				return true
			}
		}
	}
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
