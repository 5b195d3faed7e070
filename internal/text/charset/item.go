package charset

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// commonBonus is added to the score of the charset that most items of a list have.
	commonBonus = 2
	// goodScore is the smallest good score, divided by the number of octets beyond ASCII. If a text
	// has a good score in a charset of other items, Items does not try all charsets.
	goodScore = -4.6
	// shortCost is subtracted from the score of a charset with two octets for each character, if
	// the text has fewer than shortEastern octets beyond ASCII. Nearly any octets are valid in such
	// a charset.
	shortEastern, shortCost = 6, 3
)

// Items finds the charset of each item of a list whose items have several authors. It is safe
// for concurrent use.
type Items struct {
	common Charset
	likely []Charset // charsets of the items that were added to the Evidence

	mu    sync.Mutex
	found map[string]Charset // charsets by the first octets of a text, for texts that fit no charset in likely
}

// maxFound is the largest number of texts that Items tries in all charsets. For further texts it
// tries only the likely charsets, which takes a hundredth of the time.
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

// Of returns the charset of s, the text of an item. It returns UTF8 if s is UTF-8, and otherwise the
// most likely charset.
func (it *Items) Of(s string) Charset {
	if of := it.common.OfLine(s); of == UTF8 || IsASCII(s) {
		return of
	}
	if isMostlyUTF8(s) {
		return UTF8
	}
	c, good := findLikeliest(s, it.common, it.likely)
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
		c, _ = findLikeliest(s, it.common, nil)
		it.found[strings.Clone(s)] = c
	}
	return c
}

// findLikeliest returns the most likely of the given charsets for s, which is not UTF-8. If charsets
// is empty, findLikeliest tries all charsets. The parameter common is the charset of most other
// texts, or Auto. The result good reports whether best is likely enough to try no other charset.
func findLikeliest(s string, common Charset, charsets []Charset) (best Charset, good bool) {
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
