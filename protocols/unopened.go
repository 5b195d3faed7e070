package protocols

import (
	"net/url"
	"strings"

	"gofer/urlcore"
)

// unopenedPage begins the text after "about:" of the page of a link that cannot be opened.
const unopenedPage = "link?"

// UnopenedLink returns the URL of the page that says why a link of a page cannot be opened. The
// parameter ref is the reference as the page writes it. A password in it is masked.
func UnopenedLink(ref string) urlcore.URL {
	rest := unopenedPage + urlcore.EscapeQuery(urlcore.MaskPassword(ref))
	u, err := urlcore.Canon(urlcore.Generic{Name: "about", Rest: rest})
	if err != nil {
		return nil
	}
	return u
}

// UnopenedReference returns the reference in a URL made by [UnopenedLink].
func UnopenedReference(u urlcore.URL) (ref string, ok bool) {
	g, _ := u.(urlcore.Generic)
	rest, ok := strings.CutPrefix(g.Rest, unopenedPage)
	if !ok || g.Name != "about" {
		return "", false
	}
	ref, err := url.PathUnescape(rest)
	return ref, err == nil
}

// LinkText returns the text of a link for other programs and for files: its URL without the password,
// and its fragment, which may be "". For a link that cannot be opened it returns the reference of the
// page. A fragment is part of the reference, not of the URL, so no server gets it (RFC 3986, section 3.5).
func LinkText(u urlcore.URL, fragment string) string {
	if ref, ok := UnopenedReference(u); ok {
		return ref
	}
	s := urlcore.Redact(u).String()
	if fragment == "" {
		return s
	}
	return s + "#" + escapeFragment(fragment)
}

// escapeFragment escapes the octets of a fragment that end a URL in a text or are not ASCII. All
// others, "#" and escapes included, stay as the page writes them.
func escapeFragment(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
