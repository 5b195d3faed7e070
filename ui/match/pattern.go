// Package match searches the lines of a page for a typed pattern: a text, words in any order,
// or a regular expression.
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
	"unicode/utf8"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/internal/text/textquery"
	"gofer/protocols"
)

// regexpPrefix starts a regular expression, as in vim.
const regexpPrefix = `\v`

// Pattern is a pattern to search for. Case matters only if the pattern has an upper-case letter.
type Pattern struct {
	Text  string // the typed text
	exact bool   // match case
	words []string
	terms []textquery.Term // of a search in texts, see NewFound
	any   bool             // one of the terms is enough
	re    *regexp.Regexp
	lower *regexp.Regexp // like re but for folded text, where it matches much faster; may be nil

	noteTexts []string // texts of the note of the current line
}

// New returns the pattern for typed text, or nil if the text has nothing to search for. A text that
// begins with regexpPrefix is a regular expression. If the parameter words is true, a line matches if it
// has each word of the text. Otherwise the line must have the whole text.
func New(typed string, words bool) (*Pattern, error) {
	p := &Pattern{Text: typed}
	if expr, ok := strings.CutPrefix(typed, regexpPrefix); ok {
		if expr == "" {
			return nil, nil
		}
		if !hasUpper(escapedCharacter().ReplaceAllString(expr, "")) {
			if !matchesUpper(expr) {
				p.lower, _ = regexp.Compile(expr)
			}
			expr = "(?i)" + expr
		}
		var err error
		if p.re, err = regexp.Compile(expr); err != nil {
			return nil, regexpError(err)
		}
		if isTooLarge(expr) {
			return nil, errors.New("expression too complex")
		}
		return p, nil
	}
	typed, _ = withoutJoiners(typed)
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

// NewFound returns the pattern for the words of a search in the texts of pages, or nil if no word is wanted. A line matches if it
// has all wanted terms, or, if the parameter anyTerm is true, one of them. Case and accents do not matter.
func NewFound(typed string, anyTerm bool) *Pattern {
	q := textquery.Parse(typed)
	if len(q.Wanted) == 0 {
		return nil
	}
	return &Pattern{Text: typed, terms: q.Wanted, any: anyTerm}
}

// maxRegexp is the largest number of instructions of a regular expression. maxRegexpLine is the largest
// number of octets of a line that are searched. The time to match is proportional to the product of
// both numbers.
const (
	maxRegexp     = 400
	maxRegexpLine = 16 << 10
)

func isTooLarge(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true
	}
	prog, err := syntax.Compile(re.Simplify())
	return err != nil || len(prog.Inst) > maxRegexp
}

// searchedPart returns the part of a line that is searched for a regular expression.
func searchedPart(s string) string { return s[:min(len(s), maxRegexpLine)] }

// matchesUpper reports whether a lower-case regular expression may match capitals by their code or
// class.
func matchesUpper(expr string) bool {
	return slices.ContainsFunc([]string{`\p`, `\P`, `\x`, `\Q`, `[:`}, func(s string) bool { return strings.Contains(expr, s) })
}

// regexpError returns the error of a regular expression. The error has at most a short part of the
// expression, because the screen already shows the whole expression.
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

// escapedCharacter matches an escaped character such as \S.
var escapedCharacter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\.`) })

// IsRegexp reports whether p is a regular expression, which takes much longer to match.
func (p *Pattern) IsRegexp() bool { return p.re != nil }

// Narrows reports whether old matches every line that p matches. If this is not certain, Narrows
// returns false.
func (p *Pattern) Narrows(old *Pattern) bool {
	return old != nil && p.words != nil && old.words != nil && strings.HasPrefix(p.Text, old.Text)
}

// Match reports whether a line with a text and a note matches. It also returns the offset of the match
// in the text, or 0 if only the note matches.
func (p *Pattern) Match(r clean.Reading, text string, note protocols.Note) (at int, ok bool) {
	at = -1
	p.noteTexts = p.noteTexts[:0]
	for i := range p.parts() {
		here, n := p.find(i, text)
		found := n >= 0
		if found && at < 0 {
			at = here
		}
		if !found && note != nil {
			if len(p.noteTexts) == 0 {
				p.noteTexts = p.appendNoteTexts(r, p.noteTexts, note)
			}
			found = slices.ContainsFunc(p.noteTexts, func(s string) bool { _, n := p.find(i, s); return n >= 0 })
		}
		if found == p.any {
			return max(at, 0), found
		}
	}
	return max(at, 0), !p.any
}

// parts returns the number of words or terms; a regular expression is one.
func (p *Pattern) parts() int { return max(len(p.words), len(p.terms), 1) }

// find returns the offset and the length of the match of word or term i, or of the regular expression, in s. A
// match of a regular expression may have the length 0. If s does not match, find returns -1.
func (p *Pattern) find(i int, s string) (at, octets int) {
	switch {
	case p.terms != nil:
		if from, to := p.terms[i].Find(s); from >= 0 {
			return from, to - from
		}
	case p.re != nil:
		s = searchedPart(s)
		if p.lower != nil && !p.lower.MatchString(Fold(s)) {
			return -1, -1
		}
		if loc := p.re.FindStringIndex(s); loc != nil {
			return loc[0], loc[1] - loc[0]
		}
	default:
		s, offsets := withoutJoiners(s)
		at, octets := strings.Index(s, p.words[i]), len(p.words[i])
		if !p.exact {
			at, octets = IndexFold(s, p.words[i])
		}
		if at >= 0 {
			from, to := offsets.place(at, at+octets)
			return from, to - from
		}
	}
	return -1, -1
}

// joiners are characters that a text may have or lack without being another text: ZERO WIDTH NON-JOINER,
// ZERO WIDTH JOINER and SOFT HYPHEN.
const joiners = "\u200c\u200d\u00ad"

// offsets are the offsets in a text of the octets of the same text without joiners. nil means that it has none.
type offsets []int

// withoutJoiners returns s without joiners.
func withoutJoiners(s string) (string, offsets) {
	if !strings.ContainsAny(s, joiners) {
		return s, nil
	}
	b, at := make([]byte, 0, len(s)), make(offsets, 0, len(s))
	for i, r := range s {
		if strings.ContainsRune(joiners, r) {
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		for j := range n {
			b, at = append(b, s[i+j]), append(at, i+j)
		}
	}
	return string(b), at
}

// place returns the place in the text with joiners of a place that is not empty in the text without.
func (o offsets) place(from, to int) (int, int) {
	if o == nil || to <= from {
		return from, to
	}
	return o[from], o[to-1] + 1
}

// maxMarks is the largest number of matches of a regular expression that are marked in a text.
const maxMarks = 256

// Marks returns the beginning and the end of each match in s, in order. It merges matches that overlap, and
// leaves out empty ones.
func (p *Pattern) Marks(s string) (places [][2]int) {
	if p == nil {
		return nil
	}
	if p.re != nil {
		for _, loc := range p.re.FindAllStringIndex(searchedPart(s), maxMarks) {
			if loc[1] > loc[0] {
				places = append(places, [2]int{loc[0], loc[1]})
			}
		}
		return places
	}
	s, offsets := withoutJoiners(s)
	for i := range p.parts() {
		for from := 0; ; {
			at, n := p.find(i, s[from:])
			if at < 0 {
				break
			}
			first, end := offsets.place(from+at, from+at+n)
			places = append(places, [2]int{first, end})
			from += at + n
		}
	}
	if p.parts() == 1 {
		return places
	}
	slices.SortFunc(places, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	merged := places[:0]
	for _, m := range places {
		if last := len(merged) - 1; last >= 0 && m[0] < merged[last][1] {
			merged[last][1] = max(merged[last][1], m[1])
			continue
		}
		merged = append(merged, m)
	}
	return merged
}

// appendNoteTexts appends the texts of a note that the screen shows after the text of a line, and the
// message ID of an article.
func (p *Pattern) appendNoteTexts(r clean.Reading, texts []string, note protocols.Note) []string {
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
		case protocols.UnreadDate:
			texts = append(texts, r.Short(string(v)))
		case protocols.Encoded:
			texts = append(texts, mimeheader.Text(r, string(v)))
		case protocols.Mailbox:
			texts = append(texts, mimeheader.Text(r, string(v)))
			if p.re != nil { // p.re may match the whole name
				texts = append(texts, mimeheader.Author(r, string(v)))
			}
		}
	}
	if a, ok := note.(*protocols.ArticleNote); ok && a.MessageID != "" {
		id := a.MessageID
		if strings.Contains(p.Text, "<") {
			id = "<" + id + ">"
		}
		texts = append(texts, id)
	}
	return texts
}
