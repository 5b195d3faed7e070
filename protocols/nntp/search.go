package nntp

import (
	"context"
	"fmt"
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
	searchStep = 10_000              // numbers between two progress reports
	maxHits    = 50_000              // articles on the page of a search
	maxGap     = 20                  // numbers between two hits that are requested with them
	dateMargin = 14 * 24 * time.Hour // dates may disagree with the order of numbers by this time
	leastOld   = 20                  // a search ends after this number of older articles only: dates may be false
)

// search is a search in a group, the newest articles first. XPAT (RFC 2980, section 2.9)
// finds ASCII in headers as they stand, so it is asked for encoded words too. A server
// without XPAT sends one header of all articles (HDR; RFC 3977, section 8.5), or else the
// overview. Then the overview of these candidates is decoded and compared with the terms.
type search struct {
	terms urlcore.NewsSearch
	found []*protocols.ArticleNote
	show  func(protocols.Line) bool // called with each article found
	seen  int                       // articles of the overview that were compared
	from  uint64                    // the first number that was searched
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

func (s *search) matches(a *protocols.ArticleNote) bool {
	if !s.holds(0, a.From) || !s.holds(1, a.Subject) || !s.holds(2, a.MessageID) {
		return false
	}
	since, before, day := s.terms[3], s.terms[4], a.Date.UTC().Format(time.DateOnly)
	return since+before == "" || !a.Date.IsZero() && since <= day && (before == "" || day < before)
}

// holds reports whether a header has all words of field i.
func (s *search) holds(i int, header string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(s.terms[i])) {
		if !strings.Contains(strings.ToLower(mimeheader.Decode(header)), word) {
			return false
		}
	}
	return true
}

// patterns returns the patterns of XPAT for field i: the longest run of ASCII, and encoded words. A
// header with the search words matches one of them.
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
			pattern += "?" // this character may be special in a pattern
		}
	}
	return []string{"*" + pattern + "*", "*=[?]*[?]*"}
}

// find runs the search.
func (o *overview) find() error {
	copied := o.copied
	o.copied, o.newest = nil, maxOlder
	for _, how := range [...]string{"XPAT", "HDR", "XHDR"} {
		if known, err := o.findBy(how); known || err != nil {
			return err
		}
	}
	o.copied = copied
	_, err := o.findBy("")
	return err
}

// findBy reads the overview of the articles that a command selects, or of all. It
// returns false if the command is of no use.
func (o *overview) findBy(how string) (known bool, err error) {
	o.span = o.marks.newest(searchStep)
	for o.resume(); ; o.span = o.before(searchStep) {
		of, spans := o.span, []span{o.span}
		if how != "" {
			if spans, err = o.candidates(how); spans == nil || err != nil {
				return false, err
			}
		}
		for i := range spans {
			if i == 1 { // the first request found a command that the server knows
				var commands []string
				for _, s := range spans[1:] {
					commands = append(commands, o.method+" "+s.String())
				}
				o.ses.queue(commands...)
			}
			o.span = spans[i]
			if err = o.request(); err == nil {
				err = o.readReply()
			}
			if err != nil {
				return true, err
			}
		}
		o.span = of
		for more := true; more; more = o.copied != nil && o.copied.checked && o.copied.left > 0 {
			o.recall(len(o.articles) + 1)
			if older, err := o.take(); !older {
				return true, err
			}
		}
	}
}

// candidates returns the numbers of the span that may match, joined to spans, or nil if
// the command is of no use.
func (o *overview) candidates(how string) (spans []span, err error) {
	var found map[uint64]bool
	for i, header := range [...]string{"From", "Subject", "Message-ID"} {
		here, asked := map[uint64]bool{}, []string{""}
		if how == "XPAT" {
			asked = o.search.patterns(i)
		} else if o.search.terms[i] == "" || found != nil { // one header is enough
			asked = nil
		}
		for _, pattern := range asked {
			r, err := o.ses.ask(strings.TrimSpace(how + " " + header + " " + o.span.String() + " " + pattern))
			switch {
			case err != nil || r.isUnknown():
				return nil, err
			case r.reason() == protocols.NotThere:
				continue
			case r.code != 221 && r.code != 225:
				return nil, r.error("search in " + o.ses.group)
			}
			err = o.text(func(line string) {
				number, value, _ := strings.Cut(line, " ")
				n, err := strconv.ParseUint(number, 10, 64)
				if err == nil && n >= o.span.first && n <= o.span.last && (found == nil || found[n]) && (pattern != "" || o.search.holds(i, value)) {
					here[n] = true
				}
			})
			if err != nil {
				return nil, err
			}
		}
		if len(asked) > 0 {
			found, spans = here, []span{}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(found)) {
		if k := len(spans) - 1; k >= 0 && n-spans[k].last <= maxGap {
			spans[k].last = n
		} else {
			spans = append(spans, span{n, n})
		}
	}
	return spans, nil
}

// take compares the articles read with the terms. It returns false at the end of the search.
func (o *overview) take() (older bool, err error) {
	s := o.search
	recent, old := 0, 0
	for _, a := range slices.Backward(o.articles[s.seen:]) {
		if a.Date.Add(dateMargin).UTC().Format(time.DateOnly) >= s.terms[3] {
			recent++
		} else if !a.Date.IsZero() {
			old++
		}
		if a.Number < o.marks.low || a.Number > o.marks.high || !s.matches(a) {
			continue
		}
		s.found = append(s.found, a)
		if shown := *a; !s.show(o.line(&shown)) {
			return false, context.Canceled
		}
	}
	s.seen, s.from, o.odd, o.size = len(o.articles), o.span.first, nil, 0
	if o.copied == nil || o.copied.checked { // unchecked articles are needed to check the copy
		s.seen, o.articles = 0, o.articles[:0]
	}
	protocols.ProgressFrom(o.ses.ctx).SetSearched(o.searchedCount(), o.marks.count)
	past := recent == 0 && old >= leastOld
	return !past && !o.fewHeads && o.span.first > o.marks.newest(maxOlder).first && len(s.found) < maxHits, nil
}

// searchedCount estimates how many articles were searchedCount.
func (o *overview) searchedCount() uint64 {
	return uint64(float64(o.marks.high-o.search.from+1) / float64(o.marks.high-o.marks.low+1) * float64(o.marks.count))
}

// foundText returns a text with the number of articles found and of articles searched.
func (o *overview) foundText(n int) string {
	among := "about"
	if o.search.from > o.marks.low {
		among = fmt.Sprintf("the newest %d of about", o.searchedCount())
	}
	return fmt.Sprintf("Found %d in %s %d articles.", n, among, o.marks.count)
}
