package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s in the form in which words are compared.
func Fold(s string) string { return strings.ToLower(s) }

// IndexFold returns where the folded words are in s, whatever the case there,
// and how many octets of s they take; -1 if they are not there.
func IndexFold(s, words string) (at, octets int) {
	if words == "" {
		return -1, 0
	}
	first := words[0]
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != first {
				continue
			}
		} else if !utf8.RuneStart(s[i]) {
			continue
		}
		if n := prefixFold(s[i:], words); n >= 0 {
			return i, n
		}
	}
	return -1, 0
}

// prefixFold returns how many octets of s the folded words take at its
// beginning, or -1.
func prefixFold(s, words string) int {
	n := 0
	for len(words) > 0 {
		if n >= len(s) {
			return -1
		}
		if c := s[n]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != words[0] {
				return -1
			}
			n++
			words = words[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		want, wsize := utf8.DecodeRuneInString(words)
		if unicode.ToLower(r) != want {
			return -1
		}
		n += size
		words = words[wsize:]
	}
	return n
}
