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

// Class says how well a text matches typed words. A lower class is a better match. Every list of choices
// shows its matches by class and keeps its own order within a class.
type Class int

// Classes, the best first.
const (
	Exact      Class = iota // the text is what was typed
	Word                    // each typed word is a word of the text
	Prefix                  // the text begins with a typed word
	WordPrefix              // a word of the text begins with a typed word
	Part                    // the text contains each typed word
	None                    // the text lacks a typed word
)

// Classify returns the class of text for what was typed. If typed has no words, the class is Word.
func Classify(text, typed string) Class {
	words := strings.Fields(Fold(typed))
	phrase, class := strings.Join(words, " "), Word
	switch {
	case phrase == "":
		return Word
	case Fold(text) == phrase:
		return Exact
	}
	for _, word := range words {
		c, _, _ := FindWord(text, word)
		class = max(class, c)
	}
	if prefixFold(text, phrase) >= 0 {
		class = min(class, Prefix)
	}
	return class
}

// FindWord returns the class of text for a single word, and the offset and length of the best match, or
// -1 and 0 if there is none. The parameter word must be folded.
func FindWord(text, word string) (best Class, at, octets int) {
	best, at = None, -1
	for from := 0; from < len(text) && best > Word; {
		i, n := IndexFold(text[from:], word)
		if i < 0 {
			break
		}
		i += from
		from = i + 1
		class := Part
		switch begins := beginsWord(text, i); {
		case begins && endsWord(text, i+n):
			class = Word
		case i == 0:
			class = Prefix
		case begins:
			class = WordPrefix
		}
		if class < best {
			best, at, octets = class, i, n
		}
	}
	return best, at, octets
}

// beginsWord reports whether a word of s begins at offset i. The sign in front of a negative number
// belongs to its word.
func beginsWord(s string, i int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:i])
	if before == '-' {
		next, _ := utf8.DecodeLastRuneInString(s[:i-size])
		return isWordRune(next)
	}
	return !isWordRune(before)
}

// endsWord reports whether a word of s ends at offset i.
func endsWord(s string, i int) bool {
	next, _ := utf8.DecodeRuneInString(s[i:])
	return !isWordRune(next)
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
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
