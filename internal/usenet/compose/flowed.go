package compose

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// leastFlowed is the narrowest text, in characters, whose lines may have soft breaks.
const leastFlowed = 50

// signatureMark is the line above a signature (RFC 3676, section 4.3).
const signatureMark = "-- "

// flow returns a body in format=flowed (RFC 3676), or the same body and false if it has no
// soft line break. Spaces at the ends of lines without one, as in tables and programs, are
// removed.
func flow(body string) (string, bool) {
	lines := strings.Split(body, "\n")
	flowed := false
	for i, line := range lines {
		if i+1 < len(lines) && breaksSoftly(line, lines[i+1]) {
			flowed = true
		} else if line != signatureMark {
			line = strings.TrimRight(line, " ")
		}
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "From ") {
			line = " " + line
		}
		lines[i] = line
	}
	if !flowed {
		return body, false
	}
	return strings.Join(lines, "\n"), true
}

// prose matches a line of running text, neither indented nor with columns: its quote mark,
// its text and the spaces at its end.
var prose = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(|>+ ?)([^ >\t|](?:[^ \t|]| [^ \t|]|[.?!:] {2}[^ \t|])*)( *)$`)
})

// breaksSoftly reports whether line, which ends in a space, has a soft line break: both
// lines are running text of the same quote depth, and a narrow line had no room for the word.
func breaksSoftly(line, next string) bool {
	a, b := prose().FindStringSubmatch(line), prose().FindStringSubmatch(next)
	if a == nil || b == nil || a[3] == "" || line == signatureMark || next == signatureMark || strings.TrimSpace(a[1]) != strings.TrimSpace(b[1]) {
		return false
	}
	word, _, _ := strings.Cut(b[2], " ")
	return utf8.RuneCountInString(line+word) > leastFlowed
}
