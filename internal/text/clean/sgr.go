package clean

import (
	"strconv"
	"strings"
)

// SGR contains the attributes that an SGR sequence sets (ECMA-48, section 8.3.117): colors, bold,
// faint, italic, underlined, reversed and crossed out. Other attributes, such as blinking and
// hiding, are ignored. The zero value means plain text.
type SGR struct {
	set        uint16 // bit n: parameter n of the sequence, such as 1 for bold
	foreground string // "31", "38;5;9" or "38;2;1;2;3"; "" is the default
	background string
}

// String returns the sequence that sets the attributes on plain text. It returns "" for the zero
// value.
func (g SGR) String() string {
	var params []string
	for n := 1; n < 10; n++ {
		if g.set&(1<<n) != 0 {
			params = append(params, strconv.Itoa(n))
		}
	}
	for _, c := range []string{g.foreground, g.background} {
		if c != "" {
			params = append(params, c)
		}
	}
	if params == nil {
		return ""
	}
	return "\x1b[" + strings.Join(params, ";") + "m"
}

// Apply returns the attributes after an SGR sequence with the given parameters. Apply ignores the
// parameters from the first one that is not a number.
func (g SGR) Apply(params string) SGR {
	numbers := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(numbers) == 0 {
		return SGR{}
	}
	for i := 0; i < len(numbers); i++ {
		n, err := strconv.Atoi(numbers[i])
		if err != nil {
			return g
		}
		switch {
		case n == 0:
			g = SGR{}
		case n >= 1 && n <= 4, n == 7, n == 9:
			g.set |= 1 << n
		case n == 22:
			g.set &^= 1<<1 | 1<<2
		case n == 23, n == 24, n == 27, n == 29:
			g.set &^= 1 << (n - 20)
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			g.foreground = strconv.Itoa(n)
		case n == 39:
			g.foreground = ""
		case n >= 40 && n <= 47, n >= 100 && n <= 107:
			g.background = strconv.Itoa(n)
		case n == 49:
			g.background = ""
		case n == 38 || n == 48:
			c, used := parseColor(numbers[i:])
			if i += used; n == 38 {
				g.foreground = c
			} else {
				g.background = c
			}
		}
	}
	return g
}

// ShowsBlanks reports whether a blank with the attributes differs from a plain blank.
func (g SGR) ShowsBlanks() bool { return g.background != "" || g.set&(1<<4|1<<7|1<<9) != 0 }

// parseColor returns the color at the beginning of numbers, or "" if it is invalid. used is the
// number of parameters that belong to the color, without the first one.
func parseColor(numbers []string) (color string, used int) {
	used = 4
	if len(numbers) > 1 && numbers[1] == "5" {
		used = 2
	}
	if len(numbers) <= used {
		return "", len(numbers)
	}
	for i, s := range numbers[:used+1] {
		n, err := strconv.Atoi(s)
		if err != nil || n > 255 {
			return "", used
		}
		if i > 0 {
			color += ";"
		}
		color += strconv.Itoa(n)
	}
	return color, used
}

// SGRSpan contains the attributes of a text from the offset At on.
type SGRSpan struct {
	At int
	SGR
}

const maxSpans = 4096

// SGRSpans returns the changes of attributes in the line s. The attributes at the start of the line
// are begin, and those at its end are end. The offsets refer to the result of
// [Reading.Line] with the field Stripped set.
func (r Reading) SGRSpans(s string, begin SGR) (spans []SGRSpan, end SGR) {
	end = begin
	if end != (SGR{}) {
		spans = append(spans, SGRSpan{0, end})
	}
	if !hasEscape(s) {
		return spans, end
	}
	r.strip(s, func(at int, params string) {
		if next := end.Apply(params); next != end {
			if end = next; len(spans) < maxSpans {
				spans = append(spans, SGRSpan{at, end})
			}
		}
	})
	return spans, end
}

func hasEscape(s string) bool { return strings.IndexByte(s, 0x1b) >= 0 || strings.Contains(s, c1CSI) }

const c1CSI = "\u009b"

// strip makes s safe to show and removes its control sequences. It shows the sequences for which
// parseSequence returns 0.
// If visit is not nil, strip calls visit for each SGR sequence, with an offset in the result and
// the parameters.
func (r Reading) strip(s string, visit func(at int, params string)) string {
	s = r.Decode(s)
	b := make([]byte, 0, len(s))
	var tabs tabStops
	for s != "" {
		i := strings.IndexAny(s, "\x1b\t"+c1CSI)
		if i < 0 {
			i = len(s)
		}
		b = append(b, makeSafe(s[:i], false, r.Joiners)...)
		if s = s[i:]; s == "" {
			break
		}
		if s[0] == '\t' {
			b, s = tabs.append(b), s[1:]
			continue
		}
		n, sgr := parseSequence(s)
		switch {
		case n == 0:
			n = 1
			if s[0] != 0x1b {
				n = len(c1CSI)
			}
			b = append(b, makeSafe(s[:n], false, 0)...)
		case sgr != "" && visit != nil:
			visit(len(b), strings.TrimSuffix(sgr, "m"))
		}
		s = s[n:]
	}
	return string(b)
}

// WithoutSequences returns the octets of s without the control sequences that [Reading.Line] removes if the field
// Stripped is set.
func WithoutSequences(s string) string {
	if !hasEscape(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for s != "" {
		n := 0
		if hasEscape(s[:min(len(s), len(c1CSI))]) {
			n, _ = parseSequence(s)
		}
		if n == 0 {
			n = 1
			b = append(b, s[0])
		}
		s = s[n:]
	}
	return string(b)
}

// The largest lengths of a sequence with parameters, and of a sequence with a string.
const (
	maxParameters = 128
	maxString     = 4096
)

// parseSequence returns the length of the control sequence at the beginning of s (ECMA-48, sections
// 5.4 and 5.6; ECMA-35, section 13.2). It returns 0 if the sequence is invalid, too long or has no
// end. For an SGR sequence, sgr contains the parameters and the final "m".
func parseSequence(s string) (n int, sgr string) {
	body, csi := strings.CutPrefix(s, c1CSI)
	if !csi {
		if len(s) < 2 {
			return 0, ""
		}
		body, csi = s[2:], s[1] == '['
	}
	before := len(s) - len(body)
	switch {
	case csi:
		for i := range min(len(body), maxParameters) {
			switch c := body[i]; {
			case c >= 0x40 && c <= 0x7e:
				if strings.Trim(body[:i+1], "0123456789;:") == "m" {
					sgr = body[:i+1]
				}
				return before + i + 1, sgr
			case c < 0x20 || c > 0x3f:
				return 0, ""
			}
		}
	case strings.IndexByte("]PX^_", s[1]) >= 0:
		body = body[:min(len(body), maxString)]
		if i := strings.IndexAny(body, "\a\x1b"); i >= 0 && body[i] == '\a' {
			return before + i + 1, ""
		} else if i >= 0 && strings.HasPrefix(body[i:], "\x1b\\") {
			return before + i + 2, ""
		}
	case s[1] >= 0x30 && s[1] <= 0x7e:
		return 2, ""
	case s[1] >= 0x20 && s[1] <= 0x2f:
		for i := range min(len(body), maxParameters) {
			if c := body[i]; c >= 0x30 && c <= 0x7e {
				return before + i + 1, ""
			} else if c < 0x20 || c > 0x2f {
				break
			}
		}
	}
	return 0, ""
}
