package ui

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/page"
)

// maxHeadings bounds how many headings of a page are listed.
const maxHeadings = 5000

// outliner collects the headings of a page, a slice at a time.
type outliner struct {
	page   *nav.Page
	list   *ask.List
	lines  []int // of the headings
	next   int   // the line to look at
	number *regexp.Regexp
}

// outlinePrompt asks for a heading to go to.
type outlinePrompt struct {
	*ask.Choose
	outline *outliner
}

// numberedHeading is a heading as RFCs have it: "3.2.1. Title", "Appendix A. Title".
const numberedHeading = `^ {0,4}((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?|(?:Appendix|Chapter|Section|Part) [0-9A-Z]{1,4}[.:]?) +[^\s\d]`

// startOutline lists the headings of the page, of which one is gone to.
func (m *Model) startOutline() tea.Cmd {
	page := m.tab.session.Page()
	if page == nil {
		return nil
	}
	o := &outliner{page: page, list: ask.NewList(nil, true, 0), number: regexp.MustCompile(numberedHeading)}
	m.tab.prompt = &outlinePrompt{ask.NewChoose(ask.Head{Title: "Headings"}, "Go to", o.list), o}
	m.tab.outlineSlice(newBudget(nil))
	if len(o.lines) == 0 && o.next >= page.Lines.Len() {
		m.tab.prompt = nil
		return m.say("there are no headings in this page")
	}
	return m.tab.scan()
}

// outlining is the outline that is being collected for the page, or nil.
func (t *tab) outlining() *outliner {
	p, ok := t.prompt.(*outlinePrompt)
	if !ok || p.outline.page != t.session.Page() {
		return nil
	}
	return p.outline
}

// outlineSlice collects the headings in a slice of the page.
func (t *tab) outlineSlice(b *budget) (changed bool) {
	p := t.prompt.(*outlinePrompt)
	o, v := p.outline, &t.pager
	before, typed := len(o.lines), p.Typed()
	for n := o.page.Lines.Len(); b.left() && o.next < n; o.next++ {
		if !v.Shown(o.next) {
			continue
		}
		text, _, raw := v.Text(o.next)
		b.take(len(text), raw)
		title, depth := o.heading(v, o.next, text)
		if title == "" || len(o.lines) >= maxHeadings {
			continue
		}
		line := o.next
		o.lines = append(o.lines, line)
		o.list.Add(ask.Choice{Text: clean.Short(title), Key: fmt.Sprintf("%d%%", line*100/n), Depth: depth, Do: func() tea.Cmd {
			if t.session.Page() == o.page {
				t.pager.GoTo(line)
			}
			return nil
		}})
	}
	if len(o.lines) == before {
		return b.left()
	}
	at, moved := o.list.Selected()
	o.list.Narrow(typed)
	if typed == "" {
		if top := v.Start().Line; !moved || before == 0 || o.lines[at] <= top && o.lines[before] <= top {
			for at = 0; at+1 < len(o.lines) && o.lines[at+1] <= top; {
				at++
			}
		}
		o.list.Select(at)
	}
	return true
}

// heading returns the title that line i is, "" if it is none, and how deep it
// stands below others.
func (o *outliner) heading(v *page.Pager, i int, text string) (title string, depth int) {
	line := o.page.Lines.WithoutLink(i)
	text = strings.TrimRight(text, " ")
	title = strings.TrimLeft(text, " ")
	if note, ok := line.Note.(*protocols.Hypertext); ok && note.Level > 0 && title != "" {
		return title, note.Level - 1
	}
	if document.IsHypertext(o.page.Media) { // it has marked them
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
	prev, next := o.around(v, i-1), o.around(v, i+1)
	indent := len(text) - len(title)
	if !o.page.Layout.Document() {
		return o.menuHeading(i, title, prev, next)
	}
	if title, depth, ok := o.reply(v, i, title); ok {
		return title, depth
	}
	if line.Kind == protocols.Quote || !hasLetter(title) || strings.Contains(title, "[Page ") || strings.Contains(title, " . .") || strings.Contains(title, "...") {
		return "", 0
	}
	long := len(strings.TrimSpace(next)) - len([]rune(title))
	if mark := ruleOf(next); mark != 0 && -4 < long && long < 9 {
		if mark != '=' {
			depth = 1
		}
		return title, depth
	}
	if prev != "" {
		return "", 0
	}
	if rest := strings.TrimLeft(title, "#"); indent == 0 && len(rest) < len(title) && len(title)-len(rest) <= 6 && strings.HasPrefix(rest, " ") && !strings.HasPrefix(next, "#") {
		return strings.Trim(rest, " #"), len(title) - len(rest) - 1
	}
	if next != "" || strings.Contains(strings.TrimLeft(title, "0123456789. "), "   ") || strings.ContainsRune(".,;?", rune(title[len(title)-1])) && !isUpper(title) {
		return "", 0
	}
	if number := o.number.FindStringSubmatch(text); number != nil {
		return title, strings.Count(strings.TrimRight(number[1], "."), ".")
	}
	if indent == 0 && len(title) <= 72 && (isUpper(title) || o.overIndented(v, i, title)) {
		return title, 0
	}
	return "", 0
}

// around is the text of line i, "" beyond the page.
func (o *outliner) around(v *page.Pager, i int) string {
	if i < 0 || i >= o.page.Lines.Len() {
		return ""
	}
	text, _, _ := v.Text(i)
	return strings.TrimRight(text, " ")
}

// menuHeading is for a line of a menu: what leads nowhere and stands above
// links, after a gap, or is set off by a rule.
func (o *outliner) menuHeading(i int, title, prev, next string) (string, int) {
	if o.page.Lines.Linked(i) || len(title) > 72 || !hasLetter(title) {
		return "", 0
	}
	plain := strings.Trim(title, "-=*_~#+|[]<> ")
	above := i == 0 || prev == "" || o.page.Lines.Linked(i-1)
	gap := i + 1
	if next == "" && !strings.ContainsRune(".,;!?", rune(title[len(title)-1])) {
		gap++
	}
	below := gap < o.page.Lines.Len() && o.page.Lines.Linked(gap)
	switch {
	case ruleOf(next) != 0 && ruleOf(title) == 0, below && (above || strings.HasSuffix(title, ":")), above && len(plain)+4 <= len(title) && !strings.HasPrefix(title, "["):
		return plain, 0
	}
	return "", 0
}

// reply tells where what is quoted begins in an article, or is quoted from
// others, and where the author's own words go on.
func (o *outliner) reply(v *page.Pager, i int, title string) (string, int, bool) {
	level := func(i int) int {
		if i < 0 || o.page.Lines.WithoutLink(i).Kind != protocols.Quote {
			return 0
		}
		quotes := strings.ReplaceAll(o.around(v, i), " ", "")
		return len(quotes) - len(strings.TrimLeft(quotes, ">|"))
	}
	before := i - 1
	for before >= 0 && i-before < 4 && o.around(v, before) == "" {
		before--
	}
	here, was := level(i), level(before)
	if here == was {
		return "", 0, false
	}
	if said := o.around(v, before); here > 0 && was == 0 && strings.HasSuffix(said, ":") {
		title = strings.TrimSpace(said)
	}
	return title, here, strings.Trim(title, ">| ") != ""
}

// overIndented reports whether line i, which stands between empty lines, begins
// as a title does and has indented text below it.
func (o *outliner) overIndented(v *page.Pager, i int, title string) bool {
	if first := []rune(title)[0]; !unicode.IsUpper(first) || strings.HasSuffix(title, ":") {
		return false
	}
	for k := i + 2; k < i+4; k++ {
		if below := o.around(v, k); below != "" {
			return strings.HasPrefix(below, "  ")
		}
	}
	return false
}

// ruleOf returns the character of a line that is nothing but a rule, or 0.
func ruleOf(s string) byte {
	s = strings.TrimSpace(s)
	if len(s) < 3 || strings.IndexByte("=-~^*_", s[0]) < 0 || strings.Trim(s, s[:1]) != "" {
		return 0
	}
	return s[0]
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// isUpper reports whether s has some letters and all are capitals.
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
