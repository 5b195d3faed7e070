package nntp

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	searchStep = 10_000              // articles between two progress reports
	maxHits    = 50_000              // articles on the page of a search
	maxGap     = 20                  // candidates at most this many articles apart are requested as one span
	dateMargin = 14 * 24 * time.Hour // assumed maximal error of the date of an article
	minOlder   = 20                  // number of too old articles after which a search ends; some dates may be wrong
)

// search is a search in a group. It begins with the newest articles. The articles that may match are
// called candidates. The client requests their overview, decodes it, and compares it with the search
// terms. XPAT (RFC 2980, section 2.9) finds the candidates. XPAT compares headers without decoding them,
// so the patterns must match encoded words too. If the server does not support XPAT, the client requests
// one header field of all articles by HDR (RFC 3977, section 8.5) or XHDR (RFC 2980, section 2.6). If the
// server supports none of these commands, the client requests the overview of all articles.
type search struct {
	terms         urlcore.NewsSearch
	hits          []*protocols.ArticleNote
	yield         func(protocols.Line) bool // called with each article found
	comparedCount int                       // number of articles in the overview that were compared
	searchedFrom  uint64                    // the lowest article number that was searched
	newer         time.Time                 // the date of the last article that was compared and has one
}

// newSearch returns the search that u names, or nil.
func newSearch(u urlcore.URL) *search {
	if terms := urlcore.SearchOf(u); terms != (urlcore.NewsSearch{}) {
		return &search{terms: terms}
	}
	return nil
}

// title returns the title of a group, or of a search in it.
func (t target) title() string {
	terms, _ := url.PathUnescape(strings.NewReplacer("=", " ", "&", ", ").Replace(urlcore.NewsGroup(t.url).Search))
	return strings.TrimSuffix(t.group+": "+terms, ": ")
}

// matching yields the articles that match, in falling order of their numbers. The articles are in rising
// order, and precede those of earlier calls. An article whose date cannot be read was written between the
// dates of the articles that arrived before and after it, as their numbers tell.
func (s *search) matching(articles []*protocols.ArticleNote) iter.Seq[*protocols.ArticleNote] {
	before := make([]time.Time, len(articles)) // the date of the article or of the last one before it that has one
	var last time.Time
	for i, a := range articles {
		if !a.Date.IsZero() {
			last = a.Date
		}
		before[i] = last
	}
	return func(yield func(*protocols.ArticleNote) bool) {
		for i, a := range slices.Backward(articles) {
			if !a.Date.IsZero() {
				s.newer = a.Date
			}
			if s.dateMatches(before[i], s.newer) && s.headerMatches(0, a.From) && s.headerMatches(1, a.Subject) &&
				s.headerMatches(2, a.MessageID) && !yield(a) {
				return
			}
		}
	}
}

// dateMatches reports whether an article that was written between two times may be of a day that is searched.
// A zero Time is unknown.
func (s *search) dateMatches(from, to time.Time) bool {
	since, before := s.terms[3], s.terms[4]
	return (to.IsZero() || since <= to.UTC().Format(time.DateOnly)) &&
		(before == "" || from.IsZero() || from.UTC().Format(time.DateOnly) < before)
}

// headerMatches reports whether a header contains all words of search term i.
func (s *search) headerMatches(i int, header string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(s.terms[i])) {
		if !strings.Contains(strings.ToLower(mimeheader.Decode(header)), word) {
			return false
		}
	}
	return true
}

// patterns returns the XPAT patterns for search term i. The first pattern matches the longest run of
// ASCII characters in the term. The second pattern matches every encoded word. A header that contains
// the term matches at least one of the patterns. If the term has no ASCII characters, patterns returns
// nil.
func (s *search) patterns(i int) []string {
	runs := strings.FieldsFunc(strings.ToLower(s.terms[i]), func(r rune) bool { return r <= ' ' || r >= 0x7f })
	if len(runs) == 0 {
		return nil
	}
	pattern := ""
	for _, c := range slices.MaxFunc(runs, func(a, b string) int { return len(a) - len(b) }) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			pattern += "[" + strings.ToUpper(string(c)) + string(c) + "]"
		} else {
			pattern += "?" // ? stands for a character that may be special in a pattern
		}
	}
	return []string{"*" + pattern + "*", "*=[?]*[?]*"}
}

// runSearch searches with the first command that the server supports. If the server supports none of the
// commands, it searches the overview of all articles.
func (o *overview) runSearch() error {
	saved := o.copy
	o.copy, o.newest = nil, maxOlder
	for _, command := range [...]string{"XPAT", "HDR", "XHDR"} {
		if known, err := o.searchBy(command); known || err != nil {
			return err
		}
	}
	o.copy = saved
	_, err := o.searchBy("")
	return err
}

// searchBy reads and searches the overview of the articles that the command finds, or of all articles if
// command is "". The result known is false if the command cannot be used.
func (o *overview) searchBy(command string) (known bool, err error) {
	step := o.marks.numbersOf(searchStep)
	o.span = o.marks.newest(step)
	for o.useCopy(); ; o.span = o.spanBefore(step) {
		searched, spans := o.span, []span{o.span}
		if command != "" {
			if spans, err = o.findCandidates(command); spans == nil || err != nil {
				return false, err
			}
		}
		for i := range spans {
			if i == 1 { // the request for spans[0] has set o.method
				var commands []string
				for _, s := range spans[1:] {
					commands = append(commands, o.method+" "+s.String())
				}
				o.ses.queue(commands...)
			}
			o.span = spans[i]
			if err = o.requestSpan(); err == nil {
				err = o.readReply()
			}
			if err != nil {
				return true, err
			}
		}
		o.span = searched
		for more := true; more; more = o.copy != nil && o.copy.isCurrent && o.copy.segmentsLeft > 0 {
			o.addFromCopy(len(o.articles) + 1)
			if older, err := o.matchArticles(); !older {
				return true, err
			}
		}
	}
}

// findCandidates returns spans that contain the candidates in o.span and small gaps between them. It
// returns nil if the command cannot be used.
func (o *overview) findCandidates(command string) (spans []span, err error) {
	var found map[uint64]bool
	for i, header := range [...]string{"From", "Subject", "Message-ID"} {
		numbers, patterns := map[uint64]bool{}, []string{""}
		if command == "XPAT" {
			patterns = o.search.patterns(i)
		} else if o.search.terms[i] == "" || found != nil { // HDR requests only one header field
			patterns = nil
		}
		for _, pattern := range patterns {
			r, err := o.ses.runCommand(strings.TrimSpace(command + " " + header + " " + o.span.String() + " " + pattern))
			switch {
			case err != nil || r.isUnknown():
				return nil, err
			case r.reason() == protocols.NotFound:
				continue
			case r.code != 221 && r.code != 225:
				return nil, r.error("search in " + o.ses.group)
			}
			err = o.readText(func(line string) {
				number, value, _ := strings.Cut(line, " ")
				n, err := strconv.ParseUint(number, 10, 64)
				if err == nil && n >= o.span.first && n <= o.span.last && (found == nil || found[n]) && (pattern != "" || o.search.headerMatches(i, value)) {
					numbers[n] = true
				}
			})
			if err != nil {
				return nil, err
			}
		}
		if len(patterns) > 0 {
			found, spans = numbers, []span{}
		}
	}
	gap := o.marks.numbersOf(maxGap)
	for _, n := range slices.Sorted(maps.Keys(found)) {
		if k := len(spans) - 1; k >= 0 && n-spans[k].last <= gap {
			spans[k].last = n
		} else {
			spans = append(spans, span{n, n})
		}
	}
	return spans, nil
}

// matchArticles compares the newly read articles with the search terms and yields those that match. The
// result older reports whether older articles must be searched too.
func (o *overview) matchArticles() (older bool, err error) {
	s := o.search
	recent, old := 0, 0
	articles := o.articles[s.comparedCount:]
	for _, a := range articles {
		if a.Date.Add(dateMargin).UTC().Format(time.DateOnly) >= s.terms[3] {
			recent++
		} else if !a.Date.IsZero() {
			old++
		}
	}
	for a := range s.matching(articles) {
		if a.Number < o.marks.low || a.Number > o.marks.high {
			continue
		}
		s.hits = append(s.hits, a)
		if shown := *a; !s.yield(o.articleLine(&shown)) {
			return false, context.Canceled
		}
	}
	s.comparedCount, s.searchedFrom, o.unparsedLines, o.size = len(o.articles), o.span.first, nil, 0
	if o.copy == nil || o.copy.isCurrent { // otherwise verify still needs the articles
		s.comparedCount, o.articles = 0, o.articles[:0]
	}
	protocols.ProgressFrom(o.ses.ctx).SetSearched(o.searchedCount(), o.marks.count)
	finished := recent == 0 && old >= minOlder
	return !finished && !o.fewHeads && o.span.first > o.marks.newest(o.marks.numbersOf(maxOlder)).first && len(s.hits) < maxHits, nil
}

// searchedCount estimates how many articles were searched.
func (o *overview) searchedCount() uint64 {
	return uint64(float64(o.marks.high-o.search.searchedFrom+1) / float64(o.marks.high-o.marks.low+1) * float64(o.marks.count))
}

// foundText returns a text with n, the number of articles found, and the number of articles searched.
func (o *overview) foundText(n int) string {
	among := "about"
	if o.search.searchedFrom > o.marks.low {
		among = fmt.Sprintf("the newest %d of about", o.searchedCount())
	}
	return fmt.Sprintf("Found %d in %s %d articles.", n, among, o.marks.count)
}
