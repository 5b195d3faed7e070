package urlcore

import "strings"

// Reference returns the text of u without its password, with a fragment, as [WithFragment] does.
func Reference(u URL, fragment string) string { return WithFragment(Outward(u).String(), fragment) }

// Outward returns u as it leaves gofer, for other programs, for files and for other people: without its
// password. A Gopher item loses the Gopher+ string "+", which other programs take for a part of the
// selector and whose answer they show with its header. A view, a form or attributes stay, because without
// their Gopher+ strings the URL would be another one.
func Outward(u URL) URL {
	u = Redact(u)
	g, ok := u.(Gopher)
	if !ok || !g.HasPlus || g.Plus != "+" {
		return u
	}
	return g.WithoutPlus()
}

// WithFragment returns the text of a URL with a fragment as it was written, which may be "". A fragment is part of
// a reference and not of a URL, so no server gets it (RFC 3986, section 3.5). WithFragment escapes the octets of the fragment that end a URL in a text or are not ASCII. All others,
// "#" included, stay as they are.
func WithFragment(url, fragment string) string {
	b := []byte(url)
	if fragment != "" {
		b = append(b, '#')
	}
	for i := range len(fragment) {
		if c := fragment[i]; c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>", c) >= 0 {
			b = appendEscape(b, c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// WrittenFragment returns the fragment of f as text writes it, without the white space that brackets
// allow. The parameter text is the text in which f was found.
func (f *Found) WrittenFragment(text string) string {
	if !f.HasFragment {
		return ""
	}
	return WrittenFragment(text[f.Start:f.End])
}

// WrittenFragment returns what follows the first "#" in the text of a URL, or "": without the brackets
// around the URL, and without the white space that brackets and line ends allow.
func WrittenFragment(text string) string {
	text = strings.TrimSpace(text)
	bracketed := strings.HasPrefix(text, "<")
	if bracketed {
		text = strings.TrimSuffix(text, ">")
	}
	_, fragment, _ := strings.Cut(text, "#")
	if bracketed || strings.ContainsAny(fragment, "\r\n") { // broken over lines
		fragment = strings.Join(strings.Fields(fragment), "")
	}
	return fragment
}

// TypedFragment returns the fragment of a typed text that [Guess] has parsed as u, as it was typed, or
// "". In the texts of files and of RFC 1738's own schemes, "#" may be part of a name.
func TypedFragment(u URL, typed string) string {
	switch u.(type) {
	case HTTP, Generic:
		return WrittenFragment(typed)
	}
	return ""
}
