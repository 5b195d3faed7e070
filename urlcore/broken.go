package urlcore

import "strings"

// findsReadings reports whether p finds all readings of broken URLs.
func (p Parser) findsReadings() bool { return p.Readings && !p.Strict && p.Dialect == RFC1738 }

// maxBroken is the largest number of lines that continue a URL without angle brackets.
const maxBroken = 5

// continuedEnd returns the end of the URL text[start:end], which has no angle brackets, or end if the
// URL is not broken over lines. There are two signs of a broken URL: its line ends with a hyphen, or
// the URL and the words that continue it, one a line, are a paragraph of their own.
func continuedEnd(text string, start, end int) int {
	result := end
	_, authority, _ := strings.Cut(text[start:end], "//")
	alone := startsParagraph(text[:start]) && (authority == "" || strings.Contains(authority, "/")) // hosts are short
	for range maxBroken {
		rest := strings.TrimLeft(text[end:], " \t")
		if rest != "" && rest[0] != '\n' && rest[0] != '\r' {
			return result
		}
		from := len(text) - len(strings.TrimLeft(afterLineEnd(rest), " \t"))
		word := text[from:bareEnd(text, from)]
		hyphen := end-start > 1 && text[end-1] == '-' && (isLetter(text[end-2]) || isDigit(text[end-2]))
		plain := withoutProse(word)
		switch {
		case alone && word == "" && (from == len(text) || text[from] == '\n' || text[from] == '\r'):
			return end // the paragraph ends
		case hyphen && plain != "" && (isLetter(word[0]) || isDigit(word[0])) && !beginsURL(word):
			if result = from + len(plain); plain != word {
				return result
			}
		case !alone || !continuesURL(word):
			return result
		}
		end = from + len(word)
		alone = alone && plain == word
	}
	return result
}

// startsParagraph reports whether the text before a URL ends with an empty line and the indentation of
// the URL.
func startsParagraph(before string) bool {
	before = strings.TrimRight(before, " \t")
	if before == "" {
		return true
	}
	rest := strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	rest = strings.TrimRight(rest, " \t")
	return rest != strings.TrimRight(before, " \t") && (rest == "" || strings.HasSuffix(rest, "\n") || strings.HasSuffix(rest, "\r"))
}

// afterLineEnd returns s without the line end at its start.
func afterLineEnd(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
}

func beginsURL(word string) bool { return hasURLPrefix(word) || hasBareScheme(word) }

// continuesURL reports whether a word that is a line of its own can be a part of a URL. A rule of
// hyphens, an address and another URL cannot.
func continuesURL(word string) bool {
	return word != "" && !beginsURL(word) && withoutProse(word) != "" && word[0] != '(' && word[0] != '[' &&
		!strings.Contains(word, "@") && strings.IndexFunc(word, func(r rune) bool { return r >= 0x80 || isLetter(byte(r)) || isDigit(byte(r)) }) >= 0
}

// spacedReading returns s with its blanks escaped. A line break is a blank too if it follows a letter or
// a digit. At other characters, such as a slash, programs break URLs without a blank.
func spacedReading(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i + 1
		for isSpace(s[i]) && end < len(s) && isSpace(s[end]) {
			end++
		}
		switch {
		case !isSpace(s[i]):
			b.WriteByte(s[i])
		case !strings.ContainsAny(s[i:end], "\r\n"):
			b.WriteString(strings.Repeat("%20", end-i))
		case i > 0 && (isLetter(s[i-1]) || isDigit(s[i-1])):
			b.WriteString("%20")
		}
		i = end
	}
	return b.String()
}
