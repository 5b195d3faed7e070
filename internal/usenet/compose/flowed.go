package compose

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// The width that a paragraph was broken at is between these, in characters.
const (
	leastFlowed = 40
	mostFlowed  = 72
)

// signatureMark is the line above a signature (RFC 3676, section 4.3).
const signatureMark = "-- "

// flow returns a body in format=flowed (RFC 3676), or the same body and false if it has no
// soft line break. A line that ends in a space has one if it is running text and had no room
// for the next word. Spaces at the ends of other lines, as in tables and programs, are
// removed.
func flow(body string) (string, bool) {
	lines := strings.Split(body, "\n")
	flowed := false
	for i := 0; i < len(lines); {
		end, width := i, leastFlowed // of the run of lines
		for ; end+1 < len(lines) && mayJoin(lines[end], lines[end+1]); end++ {
			width = max(width, roomOf(lines[end]))
		}
		width = min(max(width, roomOf(lines[end])), mostFlowed)
		for ; i <= end; i++ {
			line := lines[i]
			if i < end && utf8.RuneCountInString(line)+firstWord(lines[i+1]) > width {
				flowed = true
			} else if line != signatureMark {
				line = strings.TrimRight(line, " ")
			}
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "From ") {
				line = " " + line
			}
			lines[i] = line
		}
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

// mayJoin reports whether line may have a soft break: both lines are running text of the same
// quote depth.
func mayJoin(line, next string) bool {
	a, b := prose().FindStringSubmatch(line), prose().FindStringSubmatch(next)
	return a != nil && b != nil && a[3] != "" && line != signatureMark && next != signatureMark && strings.TrimSpace(a[1]) == strings.TrimSpace(b[1])
}

// roomOf returns the width that a line shows to be there: a single word is never broken.
func roomOf(line string) int {
	if m := prose().FindStringSubmatch(line); m != nil && strings.Contains(m[2], " ") {
		return utf8.RuneCountInString(m[1] + m[2])
	}
	return 0
}

// firstWord returns the length of the first word of a line of running text.
func firstWord(line string) int {
	word, _, _ := strings.Cut(prose().FindStringSubmatch(line)[2], " ")
	return utf8.RuneCountInString(word)
}
