package score

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Bounds of score files.
const (
	MaxSize     = 4 << 20 // size of a file, in octets
	maxFiles    = 32      // files, with the included ones
	maxDepth    = 16      // nested groups of tests
	maxProblems = 50
)

// Problem is a mistake in a line. The rule that contains the line is ignored.
type Problem struct {
	Path         string
	Line, Column int // from 1
	Text         string
}

// Error returns the path, the line, the column and the mistake, separated by colons.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Text)
}

// Reader reads a score file. The path is absolute or relative to the working directory.
type Reader func(path string) ([]byte, error)

// parser reads the rules for one group.
type parser struct {
	rules    *Rules
	read     Reader
	files    int
	problems []error

	path           string
	line           int
	inGroupSection bool     // in a section for the group
	inAnySection   bool     // in any section
	rule           *rule    // the rule that the next test belongs to, or nil
	openTests      []*tests // unclosed groups of tests; the first is the rule itself
	invalid        bool     // the rule has a mistake, or has expired
}

// Parse parses the rules for a group in the file at path. The error joins a *[Problem] for each
// mistake, at most maxProblems of them, or reports that the file cannot be read. The rules are valid
// even if there is an error.
func Parse(path, group string, now time.Time, read Reader) (*Rules, error) {
	p := &parser{rules: &Rules{group: group, now: now}, read: read}
	if err := p.parseFile(path); err != nil {
		return p.rules, err
	}
	return p.rules, errors.Join(p.problems...)
}

func (p *parser) parseFile(path string) error {
	if p.files++; p.files > maxFiles {
		return fmt.Errorf("more than %d files are included", maxFiles)
	}
	data, err := p.read(path)
	if err != nil {
		return err
	}
	outer, line, within, section := p.path, p.line, p.inGroupSection, p.inAnySection
	p.path, p.line, p.inAnySection = path, 0, false
	for s := range strings.SplitSeq(string(data), "\n") {
		p.line++
		text := strings.TrimLeft(strings.TrimRight(s, " \t\r"), " \t")
		if text == "" || text[0] == '%' {
			continue
		}
		p.parseLine(text, len(strings.TrimRight(s, " \t\r"))-len(text))
	}
	p.endRule()
	p.path, p.line, p.inGroupSection, p.inAnySection = outer, line, within, section
	return nil
}

// addProblem records a mistake. offset is its position in the line, in octets.
func (p *parser) addProblem(offset int, format string, args ...any) {
	p.invalid = true
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, &Problem{p.path, p.line, offset + 1, fmt.Sprintf(format, args...)})
	}
}

// parseLine parses a line without its indent. offset is the length of the indent.
func (p *parser) parseLine(text string, offset int) {
	switch {
	case text[0] == '[':
		p.endRule()
		p.inAnySection = true
		patterns, _, ok := strings.Cut(text[1:], "]")
		if !ok {
			p.addProblem(offset, "[ without ]")
		}
		p.inGroupSection = ok && sectionApplies(patterns, p.rules.group)
		return
	case strings.HasPrefix(text, "include ") || strings.HasPrefix(text, "include\t"):
		p.parseInclude(strings.TrimSpace(text[len("include "):]), offset)
		return
	case !p.inAnySection:
		p.addProblem(offset, "no section [group] begins before this line")
		return
	case text == "}":
		if len(p.openTests) < 2 {
			p.addProblem(offset, "} without {:")
			return
		}
		p.openTests = p.openTests[:len(p.openTests)-1]
		return
	}
	not := strings.HasPrefix(text, "~")
	if not {
		offset++
		text = text[1:]
	}
	keyword, value, ok := strings.Cut(text, ":")
	start := offset + len(keyword) + 1
	any := strings.HasPrefix(value, ":")
	if any {
		start, value = start+1, value[1:]
	}
	start += len(value) - len(strings.TrimLeft(value, " \t"))
	value = strings.TrimSpace(value)
	switch {
	case !ok:
		p.addProblem(offset, "expected a keyword, a colon and a value")
	case strings.EqualFold(keyword, "score"):
		p.beginRule(value, any, start)
	case p.rule == nil:
		p.addProblem(offset, "no Score: begins before this line")
	case keyword == "{":
		p.beginTests(any, not, offset)
	case strings.EqualFold(keyword, "expires"):
		p.parseExpiry(value, start)
	default:
		p.parseTest(keyword, value, not, offset, start)
	}
}

// beginRule begins a rule. The score in value may have a "=" before it and a name after it.
func (p *parser) beginRule(value string, any bool, offset int) {
	p.endRule()
	number, _, _ := strings.Cut(value, "%")
	number = strings.TrimSpace(number)
	rest, final := strings.CutPrefix(number, "=")
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	p.rule, p.invalid = &rule{score: min(max(n, -maxScore), maxScore), final: final, tests: tests{any: any}}, err != nil
	p.openTests = []*tests{&p.rule.tests}
	if err != nil {
		p.addProblem(offset, "%q is not a score: write a number, or = and a number", number)
	}
}

func (p *parser) endRule() {
	if len(p.openTests) > 1 {
		p.addProblem(0, "{: without } before this line")
	}
	if p.rule != nil && p.inGroupSection && !p.invalid && len(p.rule.tests.list) > 0 {
		p.rules.rules = append(p.rules.rules, *p.rule)
	}
	p.rule, p.openTests = nil, nil
}

func (p *parser) addTest(t test) {
	top := p.openTests[len(p.openTests)-1]
	top.list = append(top.list, t)
}

func (p *parser) beginTests(any, not bool, offset int) {
	if len(p.openTests) > maxDepth {
		p.addProblem(offset, "more than %d groups within each other", maxDepth)
		return
	}
	group := &tests{any: any}
	p.addTest(test{not: not, group: group})
	p.openTests = append(p.openTests, group)
}

// parseExpiry parses the expiry date of the rule.
func (p *parser) parseExpiry(value string, offset int) {
	for _, layout := range []string{"1/2/2006", "2-1-2006"} {
		if day, err := time.ParseInLocation(layout, value, p.rules.now.Location()); err == nil {
			p.invalid = p.invalid || !p.rules.now.Before(day)
			return
		}
	}
	p.addProblem(offset, "%q is not a date: write MM/DD/YYYY or DD-MM-YYYY", value)
}

func (p *parser) parseTest(keyword, value string, not bool, offset, start int) {
	t := test{header: headerOf(keyword), not: not}
	switch {
	case t.header == none:
		p.addProblem(offset, "%s is not a field of overviews: the rule is not used", keyword)
	case t.header.isNumber():
		n, err := strconv.ParseInt(value, 10, 32)
		if t.number = n; err != nil {
			p.addProblem(start, "%q is not a number", value)
		}
	default:
		m, in, err := compile(value)
		if t.match = m; err != nil {
			p.addProblem(start+in, "%v", err)
		}
	}
	p.addTest(t)
}

func (p *parser) parseInclude(name string, offset int) {
	p.endRule()
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(p.path), name)
	}
	if err := p.parseFile(name); err != nil {
		p.addProblem(offset, "include: %v", err)
	}
}

// sectionApplies reports whether a section with these patterns applies to group.
func sectionApplies(patterns, group string) bool {
	patterns = strings.TrimSpace(patterns)
	rest, not := strings.CutPrefix(patterns, "~")
	for pattern := range strings.SplitSeq(rest, ",") {
		if matchWildcard(strings.ToLower(strings.TrimSpace(pattern)), strings.ToLower(group)) {
			return !not
		}
	}
	return not
}

// matchWildcard reports whether s matches a pattern. A * in the pattern matches any text.
func matchWildcard(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
