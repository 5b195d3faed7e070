package ui

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// rows returns the octet offset at which each row of a text of several lines
// begins when none may take more than width cells.
func (c cells) rows(text string, width int) (starts []int) {
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		for _, from := range c.wrap(line, width) {
			starts = append(starts, at+from)
		}
		at += len(line) + 1
	}
	return starts
}

// row is the i-th of the rows of text that begin at starts.
func row(text string, starts []int, i int) string {
	end := len(text)
	if i+1 < len(starts) {
		end = starts[i+1]
	}
	return strings.TrimSuffix(text[starts[i]:end], "\n")
}

// rowAt is the row that octet at is in.
func rowAt(starts []int, at int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at }) - 1
}

// step moves the cursor by n rows of a text that is shown in width cells; false
// if there are not that many.
func (e *edit) step(c cells, width, n int) bool {
	text, at := e.String(), len(string(e.text[:e.at]))
	starts := c.rows(text, width)
	from := rowAt(starts, at)
	to := from + n
	if to < 0 || to >= len(starts) {
		return false
	}
	column := c.width(text[starts[from]:at])
	line, col := row(text, starts, to), 0
	end := 0
	for end < len(line) {
		octets, cells := c.next(line[end:])
		if col+cells > column || to+1 < len(starts) && starts[to]+end+octets == starts[to+1] {
			break // the octet after the last one of a row begins the next
		}
		col += cells
		end += octets
	}
	e.at, e.all = utf8.RuneCountInString(text[:starts[to]+end]), false
	return true
}
