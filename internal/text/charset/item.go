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
	commonBonus = 3
	// A text with fewer octets beyond ASCII than shortEastern is less likely to be in a
	// charset of two octets a character, by shortCost: nearly all octets can be read so.
	shortEastern, shortCost = 6, 3
)

// Items finds the charset of each item of a list whose items have several authors. Its
// methods may be called from any goroutine.
type Items struct {
	common Charset
	mutex  sync.Mutex
	found  map[string]Charset // of texts that are not UTF-8
}

// maxFound bounds how many texts an Items remembers.
const maxFound = 4096

// NewItems returns an Items for a list most of whose items are in common, unless it is
// Auto.
func NewItems(common Charset) *Items {
	return &Items{common: common, found: make(map[string]Charset)}
}

// Of returns the charset of the text of an item: UTF8, or else the likeliest one.
func (it *Items) Of(s string) Charset {
	if of := it.common.OfLine(s); of == UTF8 || IsASCII(s) {
		return of
	}
	if mostlyUTF8(s) {
		return UTF8
	}
	it.mutex.Lock()
	defer it.mutex.Unlock()
	c, ok := it.found[s]
	if !ok {
		if len(it.found) >= maxFound {
			clear(it.found)
		}
		c = likeliest(s, it.common)
		it.found[strings.Clone(s)] = c
	}
	return c
}

// likeliest returns the charset in which s, which is not UTF-8, is likeliest. Most of the
// texts beside it are in common, unless it is Auto.
func likeliest(s string, common Charset) Charset {
	sample := []byte(s[:min(len(s), maxScored)])
	octets := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			octets++
		}
	}
	best, most := Windows1252, math.Inf(-1)
	for c := Windows1252; c < numCharsets; c++ {
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
	return best
}
