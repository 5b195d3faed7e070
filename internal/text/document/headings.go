package document

import (
	"regexp"
	"strings"
	"unicode"

	"gofer/protocols"
)

// HeadingLines are the lines of a page. The type Lines of package nav implements HeadingLines.
type HeadingLines interface {
	Len() int
	WithoutLink(i int) protocols.Line
	HasLink(i int) bool
}

// Headings finds the headings of a page. A hypertext marks its headings. In texts, articles and
// menus, Headings recognizes the conventions of RFCs, Markdown and mail.
type Headings struct {
	lines     HeadingLines
	text      func(i int) string
	menu      bool
	hypertext bool
	number    *regexp.Regexp
}

// NewHeadings returns the Headings of a page with the given layout and media type. The function
// text returns line i as it is shown.
func NewHeadings(lines HeadingLines, layout protocols.Layout, media string, text func(i int) string) *Headings {
	return &Headings{
		lines: lines, text: text,
		menu: !layout.IsDocument(), hypertext: IsHypertext(media), number: regexp.MustCompile(numberedHeading),
	}
}

// numberedHeading matches a heading in the style of RFCs: "3.2.1. Title", "Appendix A. Title".
const numberedHeading = `^ {0,4}((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?|(?:Appendix|Chapter|Section|Part) [0-9A-Z]{1,4}[.:]?) +[^\s\d]`

// At returns the title and the depth of line i if the line is a heading, and "" otherwise. The
// parameter text is line i as it is shown.
func (h *Headings) At(i int, text string) (title string, depth int) {
	line := h.lines.WithoutLink(i)
	text = strings.TrimRight(text, " ")
	title = strings.TrimLeft(text, " ")
	if note, ok := line.Note.(*protocols.Hypertext); ok && note.Level > 0 && title != "" {
		return title, note.Level - 1
	}
	if h.hypertext { // a hypertext marks its headings itself
		return "", 0
	}
	switch {
	case title == "" || len(title) > 120 && line.Kind != protocols.Quote:
		return "", 0
	case line.Kind == protocols.Heading, line.Kind == protocols.Info && strings.HasPrefix(line.Text, "[attachment "):
		return title, 0
	case line.Kind == protocols.Header, line.Kind == protocols.Failure, line.Kind == protocols.Problem:
		return "", 0
	}
	if h.menu {
		return h.findMenuHeading(i, title, h.textAt(i-1), h.textAt(i+1))
	}
	if title, depth, ok := h.findReply(i, title); ok {
		return title, depth
	}
	if line.Kind == protocols.Quote || isNoHeading(title) {
		return "", 0
	}
	return h.findTextHeading(i, text, title)
}

// isNoHeading reports whether a line of a text cannot be a heading: it has no letter, or is a line of a table of contents
// or the foot of a page.
func isNoHeading(title string) bool {
	return !hasLetter(title) || strings.Contains(title, "[Page ") || strings.Contains(title, " . .") || strings.Contains(title, "...")
}

// findTextHeading returns the title and the depth of line i of a text if the line is a heading: it is above a horizontal
// rule, or below an empty line and in the style of Markdown or RFCs.
func (h *Headings) findTextHeading(i int, text, title string) (string, int) {
	prev, next := h.textAt(i-1), h.textAt(i+1)
	if depth, ok := depthOfRule(title, next); ok {
		return title, depth
	}
	if prev != "" {
		return "", 0
	}
	isIndented := len(text) > len(title)
	if rest, depth, ok := markdownHeading(title, next); ok && !isIndented {
		return rest, depth
	}
	if next != "" || isTableRow(title) || strings.ContainsRune(".,;?", rune(title[len(title)-1])) && !isUpper(title) {
		return "", 0
	}
	if number := h.number.FindStringSubmatch(text); number != nil {
		return title, strings.Count(strings.TrimRight(number[1], "."), ".")
	}
	if !isIndented && len(title) <= 72 && (isUpper(title) || h.isOverIndented(i, title)) {
		return title, 0
	}
	return "", 0
}

// depthOfRule returns the depth of a title if the line below it is a horizontal rule of about the same length.
func depthOfRule(title, below string) (depth int, ok bool) {
	mark := ruleOf(below)
	if longer := len(strings.TrimSpace(below)) - len([]rune(title)); mark == 0 || longer <= -4 || longer >= 9 {
		return 0, false
	}
	if mark != '=' {
		depth = 1
	}
	return depth, true
}

// markdownHeading returns the text and the depth of a heading that begins with one to six "#" and a blank. The line below
// does not begin with "#", as it does in the comments of programs.
func markdownHeading(title, below string) (text string, depth int, ok bool) {
	rest := strings.TrimLeft(title, "#")
	marks := len(title) - len(rest)
	if marks < 1 || marks > 6 || !strings.HasPrefix(rest, " ") || strings.HasPrefix(below, "#") {
		return "", 0, false
	}
	return strings.Trim(rest, " #"), marks - 1, true
}

// isTableRow reports whether a line has columns after its number.
func isTableRow(title string) bool {
	return strings.Contains(strings.TrimLeft(title, "0123456789. "), "   ")
}

// textAt returns the text of line i, or "" if there is no such line.
func (h *Headings) textAt(i int) string {
	if i < 0 || i >= h.lines.Len() {
		return ""
	}
	return strings.TrimRight(h.text(i), " ")
}

// findMenuHeading returns the title of line i of a menu if the line is a heading. A heading has no
// link. It is above a horizontal rule, above links, or between ornaments. In the last two cases, the
// line before it must be empty, a link or missing. A heading above links may instead end in a colon.
func (h *Headings) findMenuHeading(i int, title, prev, next string) (string, int) {
	if h.lines.HasLink(i) || len(title) > 72 || !hasLetter(title) {
		return "", 0
	}
	plain := strings.Trim(title, "-=*_~#+|[]<> ")
	above := i == 0 || prev == "" || h.lines.HasLink(i-1)
	gap := i + 1
	if next == "" && !strings.ContainsRune(".,;!?", rune(title[len(title)-1])) {
		gap++
	}
	below := gap < h.lines.Len() && h.lines.HasLink(gap)
	switch {
	case ruleOf(next) != 0 && ruleOf(title) == 0, below && (above || strings.HasSuffix(title, ":")), above && len(plain)+4 <= len(title) && !strings.HasPrefix(title, "["):
		return plain, 0
	}
	return "", 0
}

// findReply reports whether line i of an article begins a quotation, or a reply after a quotation.
// It returns a title and the quote depth of the line.
func (h *Headings) findReply(i int, title string) (string, int, bool) {
	level := func(i int) int {
		if i < 0 || h.lines.WithoutLink(i).Kind != protocols.Quote {
			return 0
		}
		quotes := strings.ReplaceAll(h.textAt(i), " ", "")
		return len(quotes) - len(strings.TrimLeft(quotes, ">|"))
	}
	before := i - 1
	for before >= 0 && i-before < 4 && h.textAt(before) == "" {
		before--
	}
	here, was := level(i), level(before)
	if here == was {
		return "", 0, false
	}
	if said := h.textAt(before); here > 0 && was == 0 && strings.HasSuffix(said, ":") {
		title = strings.TrimSpace(said)
	}
	return title, here, strings.Trim(title, ">| ") != ""
}

// isOverIndented reports whether line i begins with a capital letter and the text below it is
// indented. The caller knows that the lines next to line i are empty.
func (h *Headings) isOverIndented(i int, title string) bool {
	if first := []rune(title)[0]; !unicode.IsUpper(first) || strings.HasSuffix(title, ":") {
		return false
	}
	for k := i + 2; k < i+4; k++ {
		if below := h.textAt(k); below != "" {
			return strings.HasPrefix(below, "  ")
		}
	}
	return false
}

// ruleOf returns the repeated character of a line that is a horizontal rule, such as "----", or 0 for
// other lines.
func ruleOf(s string) byte {
	s = strings.TrimSpace(s)
	if len(s) < 3 || strings.IndexByte("=-~^*_", s[0]) < 0 || strings.Trim(s, s[:1]) != "" {
		return 0
	}
	return s[0]
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// isUpper reports whether s has at least four letters and no small letter.
func isUpper(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n >= 4
}
