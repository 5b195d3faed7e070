package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s in lower case. Folded words can be compared without regard to case.
func Fold(s string) string { return strings.ToLower(s) }

// IndexFold finds word in s without regard to case. It returns the offset and the length of the match,
// or -1 and 0 if there is none or word is "". The parameter word must be folded.
func IndexFold(s, word string) (at, octets int) {
	if word == "" {
		return -1, 0
	}
	first := word[0]
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
		if n := prefixFold(s[i:], word); n >= 0 {
			return i, n
		}
	}
	return -1, 0
}

// prefixFold returns the length of the prefix of s that equals word without regard to case, or -1 if
// there is none. The parameter word must be folded.
func prefixFold(s, word string) int {
	n := 0
	for len(word) > 0 {
		if n >= len(s) {
			return -1
		}
		if c := s[n]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != word[0] {
				return -1
			}
			n++
			word = word[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		want, wsize := utf8.DecodeRuneInString(word)
		if unicode.ToLower(r) != want {
			return -1
		}
		n += size
		word = word[wsize:]
	}
	return n
}
