package urlcore

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Found is a URL in running text.
type Found struct {
	Parsed
	// Start and End are the offsets of the URL in the text, including the angle brackets and
	// "URL:".
	Start, End int
	// Alternatives are other readings of a URL that contains line breaks, or with Parser.Readings of
	// a URL that contains white space.
	Alternatives []URL
}

// Extract finds the URLs in running text, in order (RFC 1738, appendix). It skips malformed URLs.
// Its time is proportional to the length of the text.
//
// The strict parser finds <URL:...>, <known-scheme:...> and URL:... . The lenient parser also finds
// known-scheme://..., mailto:..., news:..., nntp:..., mid:...@... and cid:...@... without brackets. Extract removes white space in
// angle brackets (RFC 1738). In the drafts of October 1993 and March 1994 blanks are data, so
// Extract removes only line breaks and the indentation after them. For RFC 1738 it keeps a hyphen
// before a line break, and the readings without the hyphen are in Alternatives.
//
// With Parser.Readings, Extract also joins a URL without brackets that is broken over lines, see
// continuedEnd, and removes the quote marks of mail ("> ") in angle brackets that open in a quote.
func (p Parser) Extract(text string) []Found {
	var found []Found
	line := quoteMarks{text: text}
	for i := 0; i < len(text); {
		c := text[i]
		next := i + 1
		switch {
		case c == '<':
			var f Found
			var ok bool
			if f, next, ok = p.parseWrapped(text, i, p.findsReadings() && line.hasMark(i)); ok {
				found = append(found, f)
			}
		case c|0x20 == 'u' && isWordStart(text, i) && hasURLPrefix(text[i:]):
			next = i + 4
			if end := bareEnd(text, next); end > next {
				next = end
				found = p.appendBare(found, text, i, i+4, end)
			}
		case !p.Strict && isLetter(c) && isWordStart(text, i) && hasBareScheme(text[i:]):
			next = bareEnd(text, i)
			found = p.appendBare(found, text, i, i, next)
		}
		i = next
	}
	return found
}

// isWordStart reports whether no letter or digit is before text[i].
func isWordStart(text string, i int) bool {
	return i == 0 || !isLetter(text[i-1]) && !isDigit(text[i-1])
}

// bareEnd returns the end of the URL at i, which has no angle brackets. The end is the index of the
// first white space, control character, quotation mark, angle bracket, or punctuation beyond ASCII.
func bareEnd(text string, i int) int {
	for i < len(text) && text[i] > ' ' && text[i] != 0x7F && text[i] != '<' && text[i] != '>' && text[i] != '"' {
		n := 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			if r, n = utf8.DecodeRuneInString(text[i:]); unicode.IsPunct(r) || unicode.IsSpace(r) {
				break
			}
		}
		i += n
	}
	return i
}

// withoutProse returns the URL at the start of s. The URL ends before the first closing bracket that
// has no opening one in it, and without the punctuation at its end.
func withoutProse(s string) string {
	var open [3]int
	for i := range len(s) {
		if k := strings.IndexByte("([{", s[i]); k >= 0 {
			open[k]++
		} else if k := strings.IndexByte(")]}", s[i]); k >= 0 {
			if open[k]--; open[k] < 0 {
				s = s[:i]
				break
			}
		}
	}
	return strings.TrimRight(s, `.,;:!?'"`)
}

// withoutMark returns s without the marks of emphasis or code at its end that are also before the URL:
// *http://h/*, `http://h/`.
func withoutMark(s string, mark byte) string {
	for strings.IndexByte("*_`|~", mark) >= 0 && s != "" && s[len(s)-1] == mark {
		s = strings.TrimRight(s[:len(s)-1], `.,;:!?'"`)
	}
	return s
}

// appendBare appends the URL text[begin:end] to found. It omits the prose at the end of the URL.
// The parameter start is begin, or the offset of the "URL:" before it.
func (p Parser) appendBare(found []Found, text string, start, begin, end int) []Found {
	s := withoutProse(text[begin:end])
	if !p.Strict && start > 0 {
		s = withoutMark(s, text[start-1])
	}
	if s == "" || hasURLPrefix(s) || strings.EqualFold(s, "file://") {
		return found // "file://" stands in templates such as file://<host>/<path>
	}
	parsed, err := p.parse(s, true)
	if err != nil {
		return found
	}
	f := Found{Parsed: parsed, Start: start, End: begin + len(s)}
	if p.findsReadings() && begin+len(s) == end {
		if more := continuedEnd(text, start, end); more > end {
			if broken, ok := p.parseTexts(p.readings(text[begin:more])); ok {
				broken.addAlternative(f.URL)
				broken.Start, broken.End = start, more
				f = broken
			}
		}
	}
	return append(found, f)
}

// parseWrapped parses a URL in angle brackets, which open at i. The parameter quoted is true if the line of i begins
// with a quote mark that counts. The result next is the index where Extract continues.
func (p Parser) parseWrapped(text string, i int, quoted bool) (f Found, next int, ok bool) {
	inside := text[i+1:]
	n := closingIndex(inside, quoted)
	closed := n >= 0 && inside[n] == '>'
	if n >= 0 {
		inside = inside[:n]
	}
	if !hasWrapperStart(inside) {
		return f, i + 1, false
	}
	if !closed {
		if p.Strict {
			return f, i + 1 + len(inside), false
		}
		return f, i + 1, false
	}
	next = i + 1 + len(inside) + 1
	if strings.Contains(inside, ">") {
		inside = withoutQuoteMarks(inside)
	}
	if f, ok = p.parseReadings(beforePageEnd(inside)); ok {
		f.Start, f.End = i, next
	}
	return f, next, ok
}

// quoteMarks finds the quote marks at the starts of the lines of a text. It looks at each line once.
type quoteMarks struct {
	text   string
	end    int  // the text before this offset has been looked at
	marked bool // the line that contains end begins with a quote mark
}

// hasMark reports whether the line that contains i begins with a quote mark. The next i must be greater.
func (q *quoteMarks) hasMark(i int) bool {
	if n := strings.LastIndexByte(q.text[q.end:i], '\n'); n >= 0 || q.end == 0 {
		q.marked = quoteMarkLength(q.text[q.end+n+1:i]) > 0
	}
	q.end = i
	return q.marked
}

// quoteMarkLength returns the length of the quote mark at the start of a line of mail, such as "> > ", or 0.
func quoteMarkLength(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "> "))
	if strings.IndexByte(line[:n], '>') < 0 {
		return 0
	}
	return n
}

// closingIndex returns the index of the first angle bracket in s, or -1. If the line before s has a quote
// mark, the quote marks of the next lines do not count.
func closingIndex(s string, quoted bool) int {
	n := strings.IndexAny(s, "<>")
	for quoted && n > 0 && s[n] == '>' {
		start := strings.LastIndexByte(s[:n], '\n') + 1
		if start == 0 || strings.Trim(s[start:n], " ") != "" {
			return n
		}
		from := start + quoteMarkLength(s[start:])
		more := strings.IndexAny(s[from:], "<>")
		if more < 0 {
			return -1
		}
		n = from + more
	}
	return n
}

// withoutQuoteMarks removes the quote marks of the lines of s after the first.
func withoutQuoteMarks(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = lines[i][quoteMarkLength(lines[i]):]
	}
	return strings.Join(lines, "")
}

// beforePageEnd returns the text of s before a form feed or an empty line. In an RFC, the end of a page with its
// footer and header may be in a URL.
func beforePageEnd(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\f':
			return s[:i]
		case '\n':
			rest := strings.TrimLeft(s[i+1:], " \t\r")
			if rest != "" && (rest[0] == '\n' || rest[0] == '\f') {
				return s[:i]
			}
		}
	}
	return s
}

// hasWrapperStart reports whether s, without white space, starts with "URL:" or a known scheme.
func hasWrapperStart(s string) bool {
	var buf [12]byte // longer than any scheme
	b := buf[:0]
	for i := 0; i < len(s) && len(b) < len(buf); i++ {
		if !isSpace(s[i]) {
			b = append(b, s[i])
		}
	}
	return hasURLPrefix(string(b)) || bareSchemeLength(string(b)) > 0
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

const whiteSpace = " \t\n\v\f\r"

// parseReadings parses all plausible readings of a text in angle brackets.
func (p Parser) parseReadings(s string) (f Found, ok bool) { return p.parseTexts(p.readings(s)) }

// parseTexts returns the first of the texts that is a URL, with the others as alternatives.
func (p Parser) parseTexts(texts []string) (f Found, ok bool) {
	for _, t := range texts {
		if hasURLPrefix(t) {
			for t = t[4:]; strings.HasPrefix(t, "%20"); {
				t = t[3:]
			}
		}
		if hasURLPrefix(t) {
			continue
		}
		parsed, err := p.parse(t, true)
		if err != nil {
			continue
		}
		if !ok {
			f, ok = Found{Parsed: parsed}, true
			continue
		}
		f.addAlternative(parsed.URL)
	}
	return f, ok
}

func (f *Found) addAlternative(u URL) {
	if u != f.URL && !slices.Contains(f.Alternatives, u) {
		f.Alternatives = append(f.Alternatives, u)
	}
}

// readings returns the texts that s may mean, the likeliest first.
func (p Parser) readings(s string) []string {
	s = strings.Trim(s, whiteSpace)
	if p.Dialect == Draft199310 || p.Dialect == Draft199403 {
		return blankReadings(s)
	}
	if p.Dialect == Draft199307 {
		return []string{removeSpace(s)}
	}
	if p.findsReadings() && strings.ContainsAny(s, whiteSpace) {
		return append(hyphenReadings(s), blankReadings(s)[0], spacedReading(s))
	}
	return hyphenReadings(s)
}

func removeSpace(s string) string {
	if !strings.ContainsAny(s, whiteSpace) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if !isSpace(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// blankReadings returns two readings of s. In the first, line breaks and their indentation are
// removed. In the second, each line break is an escaped blank. Other blanks are escaped in both.
func blankReadings(s string) []string {
	var joined, spaced []byte
	for i := 0; i < len(s); {
		if !isSpace(s[i]) {
			joined, spaced = append(joined, s[i]), append(spaced, s[i])
			i++
			continue
		}
		end := i
		for end < len(s) && isSpace(s[end]) {
			end++
		}
		if strings.ContainsAny(s[i:end], "\r\n") {
			spaced = append(spaced, "%20"...)
		} else {
			for ; i < end; i++ {
				joined, spaced = append(joined, "%20"...), append(spaced, "%20"...)
			}
		}
		i = end
	}
	return []string{string(joined), string(spaced)}
}

// hyphenReadings returns readings of s without white space. The first reading has all hyphens. The
// others omit some of the first three hyphens that end a line.
func hyphenReadings(s string) []string {
	var hyphens []int // offsets in the text without white space
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case !isSpace(s[i]):
			b = append(b, s[i])
		case (s[i] == '\n' || s[i] == '\r') && len(b) > 0 && b[len(b)-1] == '-' && len(hyphens) < 3:
			if n := len(hyphens); n == 0 || hyphens[n-1] != len(b)-1 {
				hyphens = append(hyphens, len(b)-1)
			}
		}
	}
	readings := make([]string, 0, 1<<len(hyphens))
	for drop := range 1 << len(hyphens) {
		r := make([]byte, 0, len(b))
		done := 0
		for k, h := range hyphens {
			if drop>>(len(hyphens)-1-k)&1 != 0 {
				r = append(r, b[done:h]...)
				done = h + 1
			}
		}
		readings = append(readings, string(append(r, b[done:]...)))
	}
	return readings
}
