package charset

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// commonBonus is how much likelier the charset of most items of a list is for any of
	// them, as a logarithm.
	commonBonus = 2
	// goodScore is the likelihood of an octet, as a logarithm, from which on a text is taken to
	// be in one of the charsets that other items have, without a look at all charsets.
	goodScore = -4.6
	// A text with fewer octets beyond ASCII than shortEastern is less likely to be in a
	// charset of two octets a character, by shortCost: nearly all octets can be read so.
	shortEastern, shortCost = 6, 3
)

// Items finds the charset of each item of a list whose items have several authors. Its
// methods may be called from any goroutine.
type Items struct {
	common Charset
	likely []Charset // of the items that have been seen

	mu    sync.Mutex
	found map[string]Charset // of the beginnings of texts that read badly in all likely charsets
}

// maxFound bounds the texts that are tried in all charsets, which takes a hundred times as
// long as the likely ones. The others of a longer list are read in the likely charsets.
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

// Of returns the charset of the text of an item: UTF8, or else the likeliest one.
func (it *Items) Of(s string) Charset {
	if of := it.common.OfLine(s); of == UTF8 || IsASCII(s) {
		return of
	}
	if mostlyUTF8(s) {
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

// likeliest returns which of some charsets s, which is not UTF-8, is likeliest in, or of all
// charsets if there are none, and whether it reads well. Most of the texts beside it are in
// common, unless it is Auto.
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
	best, most := Windows1252, math.Inf(-1)
	for _, c := range charsets {
		score := c.score(sample).score
		if c == common {
			score += commonBonus
		}
		if c.table() == nil && octets < shortEastern {
			score -= shortCost
		}
		if score > most {
			best, most = c, score
		}
	}
	return best, most >= goodScore*float64(octets)
}
