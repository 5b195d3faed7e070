package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// secrets are all forms of passwords, the longest first.
type secrets []string

func (s secrets) mask(text string) string {
	for _, spelling := range s {
		text = Mask(text, spelling)
	}
	return text
}

// add returns s with the forms of password: unchanged, in Latin-1 and in UTF-8, with Telnet's IAC
// doubled, and each of these in hexadecimal, percent-encoded and base64. It leaves out the encoded
// forms of a short password: they occur in any text.
func (s secrets) add(password string) secrets {
	inUTF8, _ := charmap.ISO8859_1.NewDecoder().String(password) // no error: every octet is a character
	plain := []string{password, strings.ReplaceAll(password, "\xff", "\xff\xff"), inUTF8}
	if p, err := charmap.ISO8859_1.NewEncoder().String(password); err == nil {
		plain = append(plain, p)
	}
	all := append(slices.Clone(s), plain...)
	for _, p := range plain {
		if len(p) < shortSecret {
			continue
		}
		code, path, query := hex.EncodeToString([]byte(p)), url.PathEscape(p), url.QueryEscape(p)
		all = append(all, code, strings.ToUpper(code), path, lowerHexDigits(path), query, lowerHexDigits(query), percentEncode(p))
		for n := range 3 {
			all = append(all, base64Core(base64.RawStdEncoding, p, n), base64Core(base64.RawURLEncoding, p, n))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// base64Core returns the base64 digits that depend on s alone. The parameter n is the number of
// octets before s, modulo 3.
func base64Core(e *base64.Encoding, s string, n int) string {
	text := e.EncodeToString([]byte(strings.Repeat("\x00", n) + s))
	return text[(n*8+5)/6 : (n+len(s))*8/6]
}

func percentEncode(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func lowerHexDigits(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c == '%' {
			copy(b[i+1:], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}
