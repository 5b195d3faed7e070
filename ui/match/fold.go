package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s in lower case, to compare words.
func Fold(s string) string { return strings.ToLower(s) }

// IndexFold finds words in s without regard to case, and returns the offset and the length of the match.
// The argument words must be folded. If s does not contain the words, the offset is -1.
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

// prefixFold returns the length of the prefix of s that equals words without regard to case, or -1 if
// there is none. The argument words must be folded.
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
