package ui

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// rows returns the octet offset at which each row of a text begins when none may
// take more than width cells: of the line that has octet at, and of so many lines
// before and after it. The text they are of ends at end.
func (c cells) rows(text string, at, lines, width int) (starts []int, end int) {
	from, end := at, at
	for range lines + 1 {
		from = strings.LastIndexByte(text[:max(from, 0)], '\n')
	}
	for range lines + 1 {
		if i := strings.IndexByte(text[min(end, len(text)):], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text) + 1
		}
	}
	from, end = from+1, end-1
	at, text = from, text[from:end]
	for line := range strings.SplitSeq(text, "\n") {
		for _, from := range c.wrap(line, width, 0) {
			starts = append(starts, at+from)
		}
		at += len(line) + 1
	}
	return starts, end
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
	text, at := e.String(), e.octet()
	starts, end := c.rows(text, at, 1, width)
	text = text[:end]
	from := rowAt(starts, at)
	to := from + n
	if to < 0 || to >= len(starts) {
		return false
	}
	column := c.width(text[starts[from]:at])
	line, i := row(text, starts, to), 0
	for col := 0; i < len(line); {
		octets, cells := c.next(line[i:])
		if col += cells; col > column || to+1 < len(starts) && starts[to]+i+octets == starts[to+1] {
			break // the octet after the last one of a row begins the next
		}
		i += octets
	}
	e.at, e.all = utf8.RuneCountInString(text[:starts[to]+i]), false
	return true
}

// octet is that of the cursor in the text.
func (e *edit) octet() (n int) {
	for _, r := range e.text[:e.at] {
		n += utf8.RuneLen(r)
	}
	return n
}
