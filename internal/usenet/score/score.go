// Package score parses the score files of slrn (see slrn's doc/score.txt) and scores
// articles by their rules.
package score

import (
	"strings"
	"time"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// Rules are the rules for one group. They are safe for concurrent use.
type Rules struct {
	group string
	rules []rule
	now   time.Time
}

// rule gives a score to the articles that pass its tests.
type rule struct {
	score int
	final bool // score replaces the sum, and no further rule is tried
	tests tests
}

// tests is a group of tests. An article passes it by passing all tests or, if the field any is set,
// one of them.
type tests struct {
	any  bool
	list []test
}

// test is a single test or a group of tests.
type test struct {
	header header
	not    bool
	number int64   // for a header that is compared with a number
	match  matcher // for any other header
	group  *tests  // nil for a single test
}

// header is a keyword of a score file.
type header uint8

const (
	none header = iota
	subject
	from
	date
	messageID
	references
	xref
	newsgroup
	lines
	octets
	age
	hasBody
)

func headerOf(keyword string) header {
	return map[string]header{
		"subject": subject, "from": from, "date": date, "message-id": messageID, "references": references, "xref": xref,
		"newsgroup": newsgroup, "lines": lines, "bytes": octets, "age": age, "has-body": hasBody,
	}[strings.ToLower(keyword)]
}

// isNumber reports whether the header is compared with a number.
func (h header) isNumber() bool { return h >= lines }

// article is an article being scored. It caches the headers that the tests have asked for.
type article struct {
	*protocols.ArticleNote
	rules  *Rules
	texts  [lines]string // decoded
	folded [lines]string // decoded and case-folded
	known  [lines]bool
}

// IsEmpty reports whether there are no rules.
func (r *Rules) IsEmpty() bool { return r == nil || len(r.rules) == 0 }

// Score returns the sum of the scores of the rules that the article passes, or the score of the
// first final rule that it passes.
func (r *Rules) Score(note *protocols.ArticleNote) int {
	if r.IsEmpty() {
		return 0
	}
	a := &article{ArticleNote: note, rules: r}
	sum := 0
	for i := range r.rules {
		rule := &r.rules[i]
		if !a.passes(&rule.tests) {
			continue
		}
		if rule.final {
			return rule.score
		}
		sum = min(max(sum+rule.score, -maxScore), maxScore)
	}
	return sum
}

// maxAge is the largest age in a test, in days. A time.Duration cannot be longer than 292 years.
const maxAge = 100_000

const maxScore = 1_000_000_000

func (a *article) passes(t *tests) bool {
	for i := range t.list {
		if a.passesOne(&t.list[i]) == t.any {
			return t.any
		}
	}
	return !t.any
}

func (a *article) passesOne(t *test) bool {
	switch {
	case t.group != nil:
		return a.passes(t.group) != t.not
	case t.header.isNumber():
		return a.passesNumber(t) != t.not
	}
	text, folded := a.headerText(t.header)
	return text != "" && t.match.matches(text, folded) != t.not || text == "" && t.not
}

// passesNumber reports whether the article passes a test with a number. It assumes that all articles
// have a body.
func (a *article) passesNumber(t *test) bool {
	switch t.header {
	case lines:
		return a.Lines >= t.number
	case octets:
		return a.Bytes >= t.number
	case age:
		return !a.Date.IsZero() && a.rules.now.Sub(a.Date) <= time.Duration(min(max(t.number, -maxAge), maxAge))*24*time.Hour
	}
	return t.number == 1
}

// headerText returns the decoded text of a header of the article, and the text in folded case.
func (a *article) headerText(h header) (text, folded string) {
	if !a.known[h] {
		s := a.raw(h)
		if h == subject || h == from {
			s = mimeheader.Decode(s)
		}
		a.texts[h], a.folded[h], a.known[h] = s, strings.ToLower(s), true
	}
	return a.texts[h], a.folded[h]
}

func (a *article) raw(h header) string {
	switch h {
	case subject:
		return a.Subject
	case from:
		return a.From
	case date:
		if a.Date.IsZero() {
			return string(a.DateText)
		}
		return a.Date.Format(time.RFC1123Z)
	case messageID:
		return "<" + a.MessageID + ">"
	case references:
		if len(a.References) == 0 {
			return ""
		}
		return "<" + strings.Join(a.References, "> <") + ">"
	case xref:
		return a.Xref
	}
	return a.rules.group
}
