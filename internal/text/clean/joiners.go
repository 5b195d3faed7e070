package clean

import (
	"unicode"
	"unicode/utf8"
)

// Joiners says which invisible characters within words stay in a text. The zero value keeps none, for names, titles
// and URLs, where such a character makes two texts look alike.
type Joiners uint8

const (
	// JoinersInWords keeps the joiner and the non-joiner between letters whose shapes they change, as in Persian and
	// Hindi. Terminals show no cell for them there.
	JoinersInWords Joiners = 1 + iota
	// AllJoiners also keeps soft hyphens and the characters that join emoji. It is for files, because terminals
	// disagree on the widths of such texts.
	AllJoiners
)

const (
	nonJoiner, joiner = 0x200c, 0x200d // ZWNJ and ZWJ (The Unicode Standard, section 23.2)
	softHyphen        = 0xad
)

// keeps reports whether the character r stays between the end of before and the beginning of after.
func (k Joiners) keeps(before []byte, r rune, after string) bool {
	if k == 0 || !isJoiner(r) {
		return false
	}
	last, _ := utf8.DecodeLastRune(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case (r == joiner || r == nonJoiner) && unicode.In(last, joiningScripts...) && unicode.In(next, joiningScripts...):
		return true
	case k != AllJoiners || isJoiner(last) && last != 0xfe0f && !isSkinTone(last):
		return false
	case r == softHyphen:
		return unicode.IsLetter(last) && unicode.IsLetter(next)
	case r == joiner || r == nonJoiner:
		return last >= 0x80 && next >= 0x80 && !isJoiner(next) && last != utf8.RuneError && next != utf8.RuneError
	}
	return last >= 0x80 && last != utf8.RuneError // a skin tone or the style of an emoji
}

// isJoiner reports whether r is one of the characters that a value of Joiners may keep.
func isJoiner(r rune) bool {
	return r == nonJoiner || r == joiner || r == softHyphen || r == 0xfe0e || r == 0xfe0f || isSkinTone(r)
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// joiningScripts are the scripts whose letters change their shapes beside a joiner.
var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer,
}
