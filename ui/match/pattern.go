// Package match searches for a pattern that was typed in the lines of a page: a text,
// words in any order, or a regular expression.
package match

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// regexpPrefix begins a pattern that is a regular expression, as in vim.
const regexpPrefix = `\v`

// Pattern is what is searched for in lines: a text, or words that stand in any
// order, or a regular expression. The case of letters counts when one of them
// is upper case.
type Pattern struct {
	Text  string // as typed
	exact bool   // the case counts
	words []string
	re    *regexp.Regexp
	lower *regexp.Regexp // re for folded text, which is much faster; may be nil

	beside []string // of the line that is being matched
}

// New returns the pattern of what was typed, nil if nothing was. With words,
// a line has to have each of them, else all of the text as it stands.
func New(typed string, words bool) (*Pattern, error) {
	p := &Pattern{Text: typed}
	if expr, ok := strings.CutPrefix(typed, regexpPrefix); ok {
		if expr == "" {
			return nil, nil
		}
		if !hasUpper(escape().ReplaceAllString(expr, "")) {
			if !matchesUpper(expr) {
				p.lower, _ = regexp.Compile(expr)
			}
			expr = "(?i)" + expr
		}
		var err error
		if p.re, err = regexp.Compile(expr); err != nil {
			return nil, regexpError(err)
		}
		if tooLarge(expr) {
			return nil, errors.New("this expression would take too long")
		}
		return p, nil
	}
	p.exact = hasUpper(typed)
	p.words = []string{typed}
	if words {
		p.words = strings.Fields(typed)
	}
	if typed == "" || len(p.words) == 0 {
		return nil, nil
	}
	if !p.exact {
		for i, w := range p.words {
			p.words[i] = Fold(w)
		}
	}
	return p, nil
}

// The time of a regular expression is the product of its size, in instructions,
// and the length of the line, in octets.
const (
	maxRegexp     = 400
	maxRegexpLine = 16 << 10
)

func tooLarge(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true
	}
	prog, err := syntax.Compile(re.Simplify())
	return err != nil || len(prog.Inst) > maxRegexp
}

// beginning is what of a line a regular expression is looked for in.
func beginning(s string) string { return s[:min(len(s), maxRegexpLine)] }

// matchesUpper reports whether a regular expression of small letters may name
// capitals by their code or their class.
func matchesUpper(expr string) bool {
	return slices.ContainsFunc([]string{`\p`, `\P`, `\x`, `\Q`, `[:`}, func(s string) bool { return strings.Contains(expr, s) })
}

// regexpError says what is wrong with a regular expression, without the
// expression, which stands beside it.
func regexpError(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	if bad.Expr == "" || len(bad.Expr) > 16 {
		return errors.New(string(bad.Code))
	}
	return errors.New(string(bad.Code) + ": " + strings.TrimPrefix(bad.Expr, "(?i)"))
}

func hasUpper(s string) bool { return strings.IndexFunc(s, unicode.IsUpper) >= 0 }

// escape matches an escaped character such as \S.
var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\.`) })

// IsRegexp reports whether p is a regular expression, which takes much longer to match.
func (p *Pattern) IsRegexp() bool { return p.re != nil }

// Narrows reports whether p matches no line that old does not match.
func (p *Pattern) Narrows(old *Pattern) bool {
	return old != nil && p.re == nil && old.re == nil && strings.HasPrefix(p.Text, old.Text)
}

// Match reports whether a line of that text and note, which is read as r, matches, and where in the
// text the match begins: 0 if it is not there.
func (p *Pattern) Match(r clean.Reading, text string, note protocols.Note) (at int, ok bool) {
	at = -1
	p.beside = p.beside[:0]
	for i := range max(len(p.words), 1) {
		here, n := p.find(i, text)
		if n >= 0 {
			if at < 0 {
				at = here
			}
			continue
		}
		if len(p.beside) == 0 && note != nil {
			p.beside = appendBeside(r, p.beside, note)
		}
		if !slices.ContainsFunc(p.beside, func(s string) bool { _, n := p.find(i, s); return n >= 0 }) {
			return 0, false
		}
	}
	return max(at, 0), true
}

// find returns where word i, or the regular expression, is in s, and how many
// octets of s it takes, which are none where the expression matches nothing;
// -1 where it does not match.
func (p *Pattern) find(i int, s string) (at, octets int) {
	switch {
	case p.re != nil:
		s = beginning(s)
		if p.lower != nil && !p.lower.MatchString(Fold(s)) {
			return -1, -1
		}
		if loc := p.re.FindStringIndex(s); loc != nil {
			return loc[0], loc[1] - loc[0]
		}
	case p.exact:
		if at := strings.Index(s, p.words[i]); at >= 0 {
			return at, len(p.words[i])
		}
	default:
		if at, n := IndexFold(s, p.words[i]); at >= 0 {
			return at, n
		}
	}
	return -1, -1
}

// maxMarks bounds how many matches of a regular expression are marked in a text.
const maxMarks = 256

// Marks returns where the places to be marked in s begin and end, in order.
func (p *Pattern) Marks(s string) (places [][2]int) {
	if p == nil {
		return nil
	}
	if p.re != nil {
		for _, loc := range p.re.FindAllStringIndex(beginning(s), maxMarks) {
			if loc[1] > loc[0] {
				places = append(places, [2]int{loc[0], loc[1]})
			}
		}
		return places
	}
	for i := range p.words {
		for from := 0; ; {
			at, n := p.find(i, s[from:])
			if at < 0 {
				break
			}
			places = append(places, [2]int{from + at, from + at + n})
			from += at + n
		}
	}
	if len(p.words) == 1 {
		return places
	}
	slices.SortFunc(places, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	apart := places[:0]
	for _, m := range places {
		if last := len(apart) - 1; last >= 0 && m[0] < apart[last][1] {
			apart[last][1] = max(apart[last][1], m[1])
			continue
		}
		apart = append(apart, m)
	}
	return apart
}

// appendBeside appends the texts that stand beside that of a line.
func appendBeside(r clean.Reading, texts []string, note protocols.Note) []string {
	row := note.Row()
	for _, s := range []string{row.Description, row.Target} {
		if s != "" {
			texts = append(texts, r.Short(s))
		}
	}
	for _, c := range note.Columns() {
		switch v := c.Value.(type) {
		case string:
			texts = append(texts, r.Short(v))
		case protocols.Encoded:
			texts = append(texts, mimeheader.Text(r, string(v)))
		case protocols.Mailbox:
			texts = append(texts, mimeheader.Author(r, string(v)))
		}
	}
	return texts
}
