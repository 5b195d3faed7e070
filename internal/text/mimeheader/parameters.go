package mimeheader

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/charset"
)

// Parameters are the parameters of a Content-Type or Content-Disposition field, by attribute in lower
// case.
type Parameters map[string]string

// ParseParameters splits a field into its value in lower case, such as "text/plain" or "attachment",
// and its parameters (RFC 2045, section 5.1; RFC 2183; RFC 6266). It joins values that are split over
// several parameters, and converts those with a charset to UTF-8 (RFC 2231). Other values keep their
// octets.
//
// ParseParameters accepts what real software sends: blanks and other special characters in a value
// without quotes, quotes that do not end, a missing semicolon and repeated attributes. The package mime
// returns no parameters at all for such fields.
func ParseParameters(field string) (value string, p Parameters) {
	s := strings.TrimRight(strings.TrimLeft(field, blanks+":"), blanks+";")
	if _, _, ok := cutAttribute(s); !ok {
		end := indexAny(s, blanks+";(,")
		value, s = strings.ToLower(strings.Trim(s[:end], `"`)), s[end:]
	}
	tail := len(s) - 1 - strings.LastIndexByte(s, '"') // octets after the last quote
	var all []section
	for {
		s = strings.TrimLeft(s, blanks+";,")
		if s == "" {
			return value, joinSections(all)
		}
		attribute, rest, ok := cutAttribute(s)
		if !ok {
			s = s[1+indexAny(s[1:], blanks+";,"):]
			continue
		}
		next := newSection(attribute)
		rest = strings.TrimLeft(rest, blanks)
		if strings.HasPrefix(rest, `"`) {
			next.value, s = cutQuoted(rest[1:], tail)
		} else {
			next.value, s = cutUnquoted(rest, next.attribute)
		}
		all = append(all, next)
	}
}

const blanks = " \t\r\n"

// maxAttribute is the largest length of an attribute, in octets.
const maxAttribute = 40

// cutAttribute returns the attribute before the first "=" of s, and the text after the "=". It returns
// false if s does not begin with an attribute.
func cutAttribute(s string) (attribute, rest string, ok bool) {
	n := 0
	for n < len(s) && n < maxAttribute && (isAlphanumeric(s[n]) || strings.IndexByte("*-_.", s[n]) >= 0) {
		n++
	}
	if n == 0 {
		return "", "", false
	}
	attribute, rest = strings.ToLower(s[:n]), s[n:]
	for len(rest) > 0 && len(s)-len(rest) < 2*maxAttribute {
		switch c := rest[0]; {
		case c == '=':
			return attribute, rest[1:], true
		case c == '*':
			attribute += "*"
		case !isBlank(c):
			return "", "", false
		}
		rest = rest[1:]
	}
	return "", "", false
}

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// indexAny returns the index of the first octet of s that is in chars, or the length of s.
func indexAny(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

// cutQuoted returns the value of a quoted string, and the text behind it. The opening quote was removed.
// A quote inside the value does not end it unless a parameter, a semicolon or the end of the field
// follows. The parameter tail is the number of octets after the last quote of the field.
func cutQuoted(s string, tail int) (value, rest string) {
	var b strings.Builder
	isPath := isWindowsPath(s)
	first, firstLen := -1, 0 // a quote that may be the last one, and the length of the value there
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\x1b':
			n := escapedLen(s[i:])
			b.WriteString(s[i : i+n])
			i += n - 1
			continue
		case c == '\\' && i+1 < len(s) && isQuotedPair(s, i, isPath):
			i++
		case c == '"':
			if endsQuoted(s[i+1:]) {
				return b.String(), s[i+1:]
			}
			if first < 0 {
				first, firstLen = i, b.Len()
			}
		case c == ';' && startsParameter(s[i+1:]):
			if first >= 0 {
				return b.String()[:firstLen], s[first+1:]
			}
			if len(s)-i <= tail { // the quoted string does not end
				return b.String(), s[i:]
			}
		}
		b.WriteByte(s[i])
	}
	if first >= 0 {
		return b.String()[:firstLen], s[first+1:]
	}
	return b.String(), ""
}

// isQuotedPair reports whether the backslash at s[i] quotes the next octet (RFC 5322, section 3.2.1). It
// does not in the paths that some software for Windows sends, or as the second octet of a character.
func isQuotedPair(s string, i int, isPath bool) bool {
	if c := s[i+1]; c == '"' || c == '\\' {
		return true
	}
	return !isPath && (i == 0 || s[i-1] < 0x80)
}

// isWindowsPath reports whether s begins like a path with backslashes.
func isWindowsPath(s string) bool {
	if len(s) > 2 && s[1] == ':' && s[2] == '\\' {
		return true
	}
	return strings.HasPrefix(strings.TrimLeft(s, "."), `\`)
}

// endsQuoted reports whether a quote before s is the last one of a quoted string.
func endsQuoted(s string) bool {
	t := strings.TrimLeft(s, blanks)
	return t == "" || strings.IndexByte(";,(", t[0]) >= 0 || startsParameter(t)
}

func startsParameter(s string) bool {
	_, _, ok := cutAttribute(strings.TrimLeft(s[:min(len(s), 3*maxAttribute)], blanks))
	return ok
}

// escapedLen returns the length of the text in ISO-2022-JP at the start of s, up to the escape sequence
// that returns to ASCII. Its octets may look like quotes, backslashes and semicolons.
func escapedLen(s string) int {
	if i := strings.Index(s[1:min(len(s), maxEscaped)], "\x1b("); i >= 0 && strings.HasPrefix(s, "\x1b$") {
		return 1 + i
	}
	return 1
}

const maxEscaped = 512

// knownAttributes are the attributes that end a value without quotes if the semicolon is missing.
var knownAttributes = [...]string{
	"filename", "name", "size", "charset", "type", "boundary", "format", "creation-date", "modification-date", "read-date", "x-unix-mode",
	"x-mac-type", "x-mac-creator",
}

// cutUnquoted returns the value at the start of s, which has no quotes, and the text behind it. A file
// name may have blanks, parentheses and semicolons.
func cutUnquoted(s, attribute string) (value, rest string) {
	isName := isName(attribute)
	end := len(s)
scan:
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\x1b':
			i += escapedLen(s[i:]) - 1
		case c == '=' && strings.HasPrefix(s[i:], "=?"):
			if _, _, n, ok := parseEncodedWord(s[i:]); ok {
				i += n - 1
			}
		case c == ';' && (!isName || startsParameter(s[i+1:]) || Suffix(strings.TrimRight(s[:i], blanks)) != ""),
			isBlank(c) && (startsKnown(s[i+1:]) || !isName && (attribute != "boundary" || strings.HasPrefix(s[i+1:], "("))):
			end = i
			break scan
		}
	}
	value = strings.Trim(s[:end], blanks)
	if isName {
		value = strings.TrimRight(strings.ReplaceAll(value, `"`, ""), blanks+",")
	} else {
		value = strings.Trim(value, `"`)
	}
	return value, s[end:]
}

// isName reports whether the value of an attribute is a file name.
func isName(attribute string) bool { return attribute == "filename" || attribute == "name" }

// mayHaveSuffix reports whether a file name has a suffix, or has encoded words.
func mayHaveSuffix(name string) bool { return IsEncoded(name) || Suffix(name) != "" }

// startsKnown reports whether s begins with a known attribute and "=".
func startsKnown(s string) bool {
	attribute, _, ok := cutAttribute(s[:min(len(s), 2*maxAttribute)])
	attribute, _, _ = strings.Cut(attribute, "*")
	return ok && slices.Contains(knownAttributes[:], attribute)
}

// section is a parameter. Its value may be a section of a longer value (RFC 2231, section 3).
type section struct {
	attribute string
	value     string
	number    int  // -1: the value is not split
	extended  bool // the value has a charset or percent-encoded octets (RFC 2231, section 4; RFC 8187)
}

// newSection parses an attribute such as "name", "name*", "name*0" or "name*0*".
func newSection(attribute string) section {
	name, extended := strings.CutSuffix(attribute, "*")
	c := section{attribute: name, number: -1, extended: extended}
	if base, number, ok := strings.Cut(name, "*"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			c.attribute, c.number = base, n
		}
	}
	return c
}

// joinSections returns the values of all parameters. If an attribute occurs in several forms, the value
// is the one that has a charset, else the one that is split, else the plain one; but a file name with a
// suffix is preferred. Of repeated parameters, the first with a value counts.
func joinSections(all []section) Parameters {
	slices.SortStableFunc(all, func(a, b section) int {
		whole := func(c section) int { // the order of the forms
			switch {
			case c.number >= 0:
				return 1
			case c.extended:
				return 0
			}
			return 2
		}
		return cmp.Or(strings.Compare(a.attribute, b.attribute), whole(a)-whole(b), cmp.Compare(a.number, b.number))
	})
	p := make(Parameters)
	for len(all) > 0 {
		n := 1
		for all[0].number >= 0 && n < len(all) && all[n].attribute == all[0].attribute && all[n].number >= 0 {
			n++
		}
		attribute, value := all[0].attribute, joinValue(all[:n])
		if old := p[attribute]; old == "" || isName(attribute) && !mayHaveSuffix(old) && mayHaveSuffix(value) {
			p[attribute] = value
		}
		all = all[n:]
	}
	return p
}

// joinValue joins the sections of a value. Of sections with the same number, the first one counts.
// Sections that are missing are ignored.
func joinValue(sections []section) string {
	var b strings.Builder
	name, extended, last := "", false, -2
	for _, c := range sections {
		switch {
		case c.number == last:
			continue
		case c.extended && !extended && b.Len() == 0:
			name, c.value = cutCharset(c.value)
		}
		if extended = extended || c.extended; c.extended {
			c.value = unescape(c.value)
		}
		last = c.number
		b.WriteString(c.value)
	}
	if e := charset.ByName(name); e != nil {
		return charset.ToUTF8(b.String(), name)
	}
	return b.String()
}

// cutCharset removes the charset and the language from an extended value, such as "utf-8'en'a.txt" (RFC
// 2231, section 4). Some software sends only one quote, or none.
func cutCharset(s string) (name, value string) {
	name, value, ok := strings.Cut(s, "'")
	if !ok || strings.ContainsAny(name, blanks+"%") {
		return "", s
	}
	language, after, two := strings.Cut(value, "'")
	_, known := charset.Parse(name)
	switch {
	case two && !strings.ContainsAny(language, blanks+"%."):
		return name, after
	case known:
		return name, value
	}
	return "", s
}

// unescape decodes percent-encoded octets. A "%" without two digits stays.
func unescape(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
