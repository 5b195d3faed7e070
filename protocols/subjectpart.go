package protocols

import (
	"strconv"
	"strings"
)

// MaxParts is the maximal number of parts of a file. Each part is in one article.
const MaxParts = 10_000

// maxPartNumberLen is the maximal length of the number of a part with its closing bracket, in octets. This
// limit bounds the time for a Subject with many brackets.
const maxPartNumberLen = 64

// SubjectPart is the number of a part in the Subject of an article: "name.jpg (2/5)".
type SubjectPart struct {
	Part, Parts int    // counted from 1; 0 if the Subject has no number
	Rest        string // the Subject without the number, the same for all parts
}

// PartOfSubject finds the last "(2/5)" or "(part 2 of 5)" in a Subject, or else the last such text in
// other brackets, or else "2 of 5" or "part 2/5" without brackets. "File 2 of 5" is not a part of a file.
func PartOfSubject(subject string) SubjectPart {
	for _, brackets := range [...]string{"()", "[]", "{}", "<>"} {
		for end := len(subject); ; {
			start := strings.LastIndexByte(subject[:end], brackets[0])
			if start < 0 {
				break
			}
			end = start
			after := subject[start+1:]
			length := strings.Index(after[:min(len(after), maxPartNumberLen)], brackets[1:])
			if length < 0 {
				continue
			}
			if part, parts := parsePart(after[:length]); part > 0 {
				rest := subject[:start] + brackets[:1] + "/" + strconv.Itoa(parts) + brackets[1:] + after[length+1:]
				return SubjectPart{Part: part, Parts: parts, Rest: strings.Join(strings.Fields(rest), " ")}
			}
		}
	}
	return partInWords(subject)
}

// parsePart parses "2/5", "2 of 5" or "part 2 of 5". It returns 0 for any other text.
func parsePart(s string) (part, parts int) {
	if word := strings.TrimLeft(s, " "); len(word) > 4 && strings.EqualFold(word[:4], "part") {
		s = word[4:]
	}
	n, total, ok := strings.Cut(s, "/")
	if !ok {
		n, total, ok = cutOf(s)
	}
	part, err := strconv.Atoi(strings.TrimSpace(n))
	parts, err2 := strconv.Atoi(strings.TrimSpace(total))
	if !ok || err != nil || err2 != nil || part < 1 || part > parts || parts > MaxParts {
		return 0, 0
	}
	return part, parts
}

// cutOf cuts s around the word "of".
func cutOf(s string) (before, after string, ok bool) {
	for i := range len(s) - 3 {
		if s[i] == ' ' && s[i+3] == ' ' && strings.EqualFold(s[i+1:i+3], "of") {
			return s[:i], s[i+4:], true
		}
	}
	return s, "", false
}

// partInWords finds the last "2 of 5", "part 2 of 5" or "part 2/5" in a Subject.
func partInWords(subject string) SubjectPart {
	words := strings.Fields(subject)
	for i := len(words) - 1; i >= 0; i-- {
		text, n := words[i], 1
		switch before := i > 0; {
		case i+2 < len(words) && strings.EqualFold(words[i+1], "of"):
			text, n = words[i]+" of "+strings.TrimRight(words[i+2], ".,:;"), 3
			if before && strings.EqualFold(words[i-1], "file") {
				continue
			}
		case !before || !strings.EqualFold(words[i-1], "part"):
			continue
		}
		if part, parts := parsePart(text); part > 0 {
			rest := append(append(words[:i:i], "/"+strconv.Itoa(parts)), words[i+n:]...)
			return SubjectPart{Part: part, Parts: parts, Rest: strings.Join(rest, " ")}
		}
	}
	return SubjectPart{}
}

// FileName returns the name of a file in a Subject: the text in quotes, or else the last word with a suffix,
// or "".
func (s SubjectPart) FileName() string {
	if _, after, ok := strings.Cut(s.Rest, `"`); ok {
		if name, _, ok := strings.Cut(after, `"`); ok && name != "" {
			return name
		}
	}
	name := ""
	for word := range strings.FieldsSeq(s.Rest) {
		if i := strings.LastIndexByte(word, '.'); i > 0 && i < len(word)-1 && !strings.ContainsAny(word[i:], "/()[]") {
			name = word
		}
	}
	return name
}
