package score

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// matcher is a regular expression of S-Lang as slrn uses it. It ignores case unless the expression
// says otherwise.
type matcher struct {
	words string         // the case-folded text if the expression is plain text, else ""
	re    *regexp.Regexp // nil for plain text
}

func (m *matcher) matches(text, folded string) bool {
	if m.re == nil {
		return strings.Contains(folded, m.words)
	}
	return m.re.MatchString(text)
}

// maxPattern is the largest size of a regular expression, in octets.
const maxPattern = 1 << 10

// compile compiles a regular expression. If there is an error, offset is the offset of the mistake
// in s.
func compile(s string) (m matcher, offset int, err error) {
	if len(s) > maxPattern {
		return m, maxPattern, fmt.Errorf("the regular expression is longer than %d octets", maxPattern)
	}
	if plain, ok := plainText(s); ok {
		return matcher{words: strings.ToLower(plain)}, 0, nil
	}
	re, offset, err := translate(s)
	if err != nil {
		return m, offset, err
	}
	if m.re, err = regexp.Compile(re); err != nil {
		return m, 0, fmt.Errorf("%q is not a regular expression: %s", s, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return m, 0, nil
}

// special contains the characters that have a special meaning in an expression.
const special = `\.*+?[]^$`

// plainText returns the text that s matches. It returns false if s has a character with a special meaning.
func plainText(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
		} else if strings.IndexByte(special, s[i]) >= 0 {
			return "", false
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// translate translates an expression of S-Lang into one of Go.
func translate(s string) (re string, offset int, err error) {
	var b strings.Builder
	b.WriteString("(?i)")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '[':
			n := classLength(s[i:])
			if n == 0 {
				return "", i, errors.New("[ without ]")
			}
			inside := s[i+1 : i+n-1]
			b.WriteString("[")
			if rest, ok := strings.CutPrefix(inside, "^"); ok {
				b.WriteString("^")
				inside = rest
			}
			b.WriteString(strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(inside) + "]")
			i += n - 1
		case c == '\\' && i+1 == len(s):
			return "", i, errors.New(`\ at the end`)
		case c == '\\':
			i++
			switch c := s[i]; c {
			case '<', '>':
				b.WriteString(`\b`)
			case '(', ')', '{', '}':
				b.WriteByte(c)
			case 'd':
				b.WriteString("[0-9]")
			case 'c':
				b.WriteString("(?-i)")
			case 'C':
				b.WriteString("(?i)")
			case '1', '2', '3', '4', '5', '6', '7', '8', '9':
				return "", i - 1, errors.New(`\1 to \9 cannot be used here`)
			default:
				b.WriteString(regexp.QuoteMeta(s[i : i+1]))
			}
		case strings.IndexByte("(){}|", c) >= 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), 0, nil
}

// classLength returns the length of the character class at the start of s, or 0 if the class has no
// end.
func classLength(s string) int {
	start := 1
	if strings.HasPrefix(s[start:], "^") {
		start++
	}
	if strings.HasPrefix(s[start:], "]") {
		start++
	}
	end := strings.IndexByte(s[start:], ']')
	if end < 0 {
		return 0
	}
	return start + end + 1
}

// Quote returns an expression that matches every text that contains s.
func Quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
