package compose

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// minFlowed is the smallest width, in characters, of a text with soft line breaks.
const minFlowed = 50

// signatureMark is the line above a signature (RFC 3676, section 4.3).
const signatureMark = "-- "

// flow converts a body to format=flowed (RFC 3676). It removes trailing spaces that are not soft
// line breaks, such as the ones in tables and programs. If the body has no soft line break, flow
// returns the body unchanged and false.
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

// prose matches a line of running text, which has neither an indent nor columns. The groups
// are the quote mark, the text and the trailing spaces.
var prose = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(|>+ ?)([^ >\t|](?:[^ \t|]| [^ \t|]|[.?!:] {2}[^ \t|])*)( *)$`)
})

// breaksSoftly reports whether the space at the end of line is a soft line break: line and next are
// running text of the same quote depth, and the first word of next did not fit into line.
func breaksSoftly(line, next string) bool {
	a, b := prose().FindStringSubmatch(line), prose().FindStringSubmatch(next)
	if a == nil || b == nil || a[3] == "" || line == signatureMark || next == signatureMark || strings.TrimSpace(a[1]) != strings.TrimSpace(b[1]) {
		return false
	}
	word, _, _ := strings.Cut(b[2], " ")
	return utf8.RuneCountInString(line+word) > minFlowed
}
