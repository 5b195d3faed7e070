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

// PartOfSubject finds the last "(2/5)" or "(part 2 of 5)" in a Subject, or else the last "[2/5]".
func PartOfSubject(subject string) SubjectPart {
	for _, brackets := range [...]string{"()", "[]"} {
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
			inner, after := after[:length], after[length+1:]
			n, total, slash := strings.Cut(strings.Replace(strings.TrimPrefix(inner, "part "), " of ", "/", 1), "/")
			part, err := strconv.Atoi(strings.TrimSpace(n))
			parts, err2 := strconv.Atoi(strings.TrimSpace(total))
			if !slash || err != nil || err2 != nil || part < 1 || part > parts || parts > MaxParts {
				continue
			}
			rest := strings.Join(strings.Fields(subject[:start]+brackets[:1]+"/"+strconv.Itoa(parts)+brackets[1:]+after), " ")
			return SubjectPart{Part: part, Parts: parts, Rest: rest}
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
