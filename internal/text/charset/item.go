package charset

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// commonBonus is added to the likelihood, as a logarithm, of the charset of most items
	// of a list.
	commonBonus = 2
	// goodScore is the likelihood of an octet, as a logarithm, that is good enough to accept
	// the charset of other items without trying all charsets.
	goodScore = -4.6
	// shortCost is subtracted from the likelihood of a charset of two octets a character if
	// the text has fewer octets beyond ASCII than shortEastern: nearly any octets are valid in
	// such a charset.
	shortEastern, shortCost = 6, 3
)

// Items finds the charset of each item of a list whose items have several authors. It is safe
// for concurrent use.
type Items struct {
	common Charset
	likely []Charset // charsets of the items seen before

	mu    sync.Mutex
	found map[string]Charset // charsets of the texts that fit no likely charset, by their first octets
}

// maxFound is the largest number of texts of a list that are compared with all charsets. Further
// texts are compared only with the likely charsets, in a hundredth of the time.
const maxFound = 2000

// items returns an Items for the list whose lines were added to e.
func (e *Evidence) items() *Items {
	it := &Items{found: make(map[string]Charset)}
	for c, n := range e.votes {
		if n > 0 {
			it.likely = append(it.likely, Charset(c))
		}
		if n > e.votes[it.common] {
			it.common = Charset(c)
		}
	}
	return it
}

// Of returns the charset of the text s of an item. It is UTF8 if s is in UTF-8, else the most
// likely charset.
func (it *Items) Of(s string) Charset {
	if of := it.common.OfLine(s); of == UTF8 || IsASCII(s) {
		return of
	}
	if isMostlyUTF8(s) {
		return UTF8
	}
	c, good := likeliest(s, it.common, it.likely)
	if good {
		return c
	}
	s = s[:min(len(s), maxScored)]
	it.mu.Lock()
	defer it.mu.Unlock()
	if known, ok := it.found[s]; ok {
		return known
	}
	if len(it.found) < maxFound {
		c, _ = likeliest(s, it.common, nil)
		it.found[strings.Clone(s)] = c
	}
	return c
}

// likeliest returns the most likely of the given charsets for s, and whether it is likely enough. s
// is not UTF-8. If charsets is empty, likeliest tries all charsets. common is the charset of most
// other texts, or Auto.
func likeliest(s string, common Charset, charsets []Charset) (best Charset, good bool) {
	if len(charsets) == 0 {
		charsets = All()[1:] // without UTF8
	}
	sample := []byte(s[:min(len(s), maxScored)])
	octets := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			octets++
		}
	}
	best, bestScore := Windows1252, math.Inf(-1)
	for _, c := range charsets {
		score := c.score(sample).score
		if c == common {
			score += commonBonus
		}
		if c.table() == nil && octets < shortEastern {
			score -= shortCost
		}
		if score > bestScore {
			best, bestScore = c, score
		}
	}
	return best, bestScore >= goodScore*float64(octets)
}
