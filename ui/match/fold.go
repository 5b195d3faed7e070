package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s in lower case. Folded words can be compared without regard to case.
func Fold(s string) string { return strings.ToLower(s) }

// IndexFold finds the text lower in s without regard to case. It returns the offset and the length of
// the match, or -1 and 0 if there is none. The text lower must be folded.
func IndexFold(s, lower string) (at, octets int) {
	if lower == "" {
		return -1, 0
	}
	first := lower[0]
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
		if n := prefixFold(s[i:], lower); n >= 0 {
			return i, n
		}
	}
	return -1, 0
}

// prefixFold returns the length of the prefix of s that equals lower without regard to case, or -1 if
// there is none. The text lower must be folded.
func prefixFold(s, lower string) int {
	n := 0
	for len(lower) > 0 {
		if n >= len(s) {
			return -1
		}
		if c := s[n]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != lower[0] {
				return -1
			}
			n++
			lower = lower[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		want, wsize := utf8.DecodeRuneInString(lower)
		if unicode.ToLower(r) != want {
			return -1
		}
		n += size
		lower = lower[wsize:]
	}
	return n
}
