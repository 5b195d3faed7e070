// Package textquery reads the words of a search in the texts of pages that were read, and finds them in lines.
//
// It states once what a word of a text is. Therefore the index of the texts and the marks in an opened page agree.
package textquery

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTerms is the largest number of terms of a search.
const maxTerms = 16

// Query is a search in texts: a text must have all wanted terms and none of the unwanted ones.
type Query struct {
	Wanted, Unwanted []Term
}

// Term is a word, or a phrase of words that follow each other.
type Term struct {
	Words  []string // folded; at least one
	Prefix bool     // the last word may be the beginning of a longer one
}

// Parse reads what a user has typed. Words in double quotes are a phrase, and a term after a minus sign is unwanted. The last
// wanted term is a prefix, unless it is in quotes. Characters that are neither letters nor digits only separate words.
func Parse(typed string) (q Query) {
	rest := Fold(typed)
	for range maxTerms {
		rest = strings.TrimSpace(rest)
		if rest == "" {
			break
		}
		term, isUnwanted, isQuoted := "", false, false
		if rest, isUnwanted = strings.CutPrefix(rest, "-"); rest == "" {
			break
		}
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			term, rest, _ = strings.Cut(quoted, `"`)
			isQuoted = true
		} else if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
			term, rest = rest[:end], rest[end:]
		} else {
			term, rest = rest, ""
		}
		var words []string
		for w := range wordsOf(term) {
			words = append(words, w.text)
		}
		switch {
		case len(words) == 0:
		case isUnwanted:
			q.Unwanted = append(q.Unwanted, Term{Words: words})
		default:
			q.Wanted = append(q.Wanted, Term{words, !isQuoted})
		}
	}
	for i := range len(q.Wanted) - 1 {
		q.Wanted[i].Prefix = false
	}
	return q
}

// Find returns the place of the first match of t in a text that need not be folded, or -1, -1. The place ends at the end of
// a word. Find reads the text only up to there.
func (t Term) Find(text string) (from, to int) {
	var latest []word
	for w := range wordsOf(text) {
		if latest = append(latest, w); len(latest) > len(t.Words) {
			latest = latest[1:]
		}
		if len(latest) == len(t.Words) && t.matches(latest) {
			return latest[0].from, w.to
		}
	}
	return -1, -1
}

// matches reports whether t has the given words, as many as t has.
func (t Term) matches(words []word) bool {
	for i, w := range words {
		if w.text != t.Words[i] && (!t.Prefix || i < len(words)-1 || !strings.HasPrefix(w.text, t.Words[i])) {
			return false
		}
	}
	return true
}

// word is a word of a text: folded, and its place in the text.
type word struct {
	text     string
	from, to int
}

// wordsOf yields the words of a text as the index has them.
func wordsOf(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		begin := -1
		end := func(i int) bool {
			w := word{from: begin, to: i}
			if begin = -1; w.from >= 0 {
				w.text = Fold(text[w.from:i])
			}
			return w.text == "" || yield(w) // "": a mark alone
		}
		for i, r := range text {
			isWord := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
			switch unspaced := IsUnspaced(r); {
			case (unspaced || !isWord) && !end(i):
				return
			case unspaced:
				if begin = i; !end(i + utf8.RuneLen(r)) {
					return
				}
			case isWord && begin < 0:
				begin = i
			}
		}
		end(len(text))
	}
}

// Lower returns valid UTF-8 in lower case: texts that differ only in case or in invalid UTF-8 become equal.
func Lower(text string) string {
	return strings.ToLower(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD"))
}

// Fold is like [Lower] without accents and other marks.
func Fold(text string) string {
	text = Lower(text)
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text)))
}

// Split puts blanks around the characters of scripts that are written without blanks between words, so that an index of words
// finds words inside a sentence.
func Split(text string) string {
	if strings.IndexFunc(text, IsUnspaced) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if IsUnspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// IsUnspaced reports whether r is of a script that is written without blanks between words.
func IsUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
