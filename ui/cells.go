package ui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster bounds, in octets, what is measured and drawn as one character:
// Unicode lets some letters join without end.
const maxCluster = 32

// cells measures text with the tables that the renderer uses at the moment:
// rune by rune until the terminal has confirmed grapheme clusters (mode 2027).
// Its text is clean: no control characters in it.
type cells struct {
	method ansi.Method
}

// next returns the length in octets and the width in cells of the first
// character of s, which is not empty.
func (c cells) next(s string) (octets, width int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	if len(s) > maxCluster {
		end := maxCluster
		for end > maxCluster-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	cluster, width := ansi.FirstGraphemeCluster(s, c.method)
	if len(cluster) == 0 {
		return 1, 0
	}
	if c.method == ansi.WcWidth && width > 2 {
		return c.base(cluster)
	}
	return len(cluster), width
}

// base returns the length and the width of the first character of a cluster
// with the marks on it, for a terminal that draws the others in cells of their
// own. The two halves of a flag stay together.
func (c cells) base(cluster string) (octets, width int) {
	for i, r := range cluster {
		w := c.method.StringWidth(string(r))
		if w > 0 && i > 0 && (r < 0x1f1e6 || r > 0x1f1ff) {
			return i, width
		}
		width += w
	}
	return len(cluster), width
}

// width returns how many cells s takes.
func (c cells) width(s string) int {
	if ascii(s) {
		return len(s)
	}
	if c.method == ansi.WcWidth {
		return c.method.StringWidth(s)
	}
	all := 0
	for s != "" {
		n, w := c.next(s)
		all += w
		s = s[n:]
	}
	return all
}

// cut returns what of s is seen from column left on in at most width cells,
// how many cells that takes, and whether something is left over at the right.
// Half a wide character at an edge becomes a blank.
func (c cells) cut(s string, left, width int) (seen string, taken int, more bool) {
	if width <= 0 {
		return "", 0, s != ""
	}
	if end := left + width; len(s) <= end || s[end] < 0x80 {
		head := s[:min(len(s), end)]
		if ascii(head) {
			if left >= len(head) {
				return "", 0, false
			}
			return head[left:], len(head) - left, len(s) > end
		}
	}
	return c.cutClusters(s, left, width)
}

func (c cells) cutClusters(s string, left, width int) (seen string, taken int, more bool) {
	var b strings.Builder
	for col := 0; s != ""; {
		n, w := c.next(s)
		cluster := s[:n]
		s = s[n:]
		switch {
		case col+w <= left:
			col += w
			continue
		case col < left:
			w -= left - col
			col = left
			cluster = blanks(min(w, width))
		}
		if taken+w > width {
			b.WriteString(blanks(width - taken))
			return b.String(), width, true
		}
		if w == 0 {
			continue
		}
		col += w
		taken += w
		b.WriteString(cluster)
	}
	return b.String(), taken, false
}

// A place is where a character begins in a line: its octet and its column.
type place struct{ octet, column int }

// placeEvery is how many columns the places that are kept of a line are apart.
const placeEvery = 256

// seek returns the last character of s that does not begin right of column.
// It goes on from the places of s that are known and adds to them.
func (c cells) seek(s string, known []place, column int) (place, []place) {
	i, _ := slices.BinarySearchFunc(known, column+1, func(p place, column int) int { return p.column - column })
	var at place
	if i > 0 {
		at = known[i-1]
	}
	for at.octet < len(s) {
		n, w := c.next(s[at.octet:])
		if at.column+w > column {
			break
		}
		at = place{at.octet + n, at.column + w}
		if at.column >= placeEvery*(len(known)+1) {
			known = append(known, at)
		}
	}
	return at, known
}

// fit is s if it fits into width cells, else its beginning and a mark.
func (c cells) fit(s string, width int, mark string) (string, int) {
	seen, taken, more := c.cut(s, 0, width)
	if !more || width < 2 {
		return seen, taken
	}
	seen, taken, _ = c.cut(s, 0, width-1)
	return seen + mark, taken + 1
}

// middle is s if it fits into width cells, else its beginning and its end
// with a mark between them.
func (c cells) middle(s string, width int, mark string) (string, int) {
	all := c.width(s)
	if all <= width {
		return s, all
	}
	if width < 8 {
		return c.fit(s, width, mark)
	}
	head, a, _ := c.cut(s, 0, (width-1)*2/3)
	rest := width - 1 - a
	tail, b, _ := c.cut(s, all-rest, rest)
	return head + mark + tail, a + 1 + b
}

// leastWord is how many cells of a name are left at least when a text is
// shortened.
const leastWord = 8

// longWord is how many cells a word of a language has at most.
const longWord = 16

// isName reports whether a word is none of a language, but a path or a name.
func isName(word string) bool {
	inner := strings.TrimFunc(word, unicode.IsPunct)
	return strings.ContainsFunc(inner, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' })
}

// shorten is s if it fits into width cells. Else its longest words, which are
// paths and names, lose of their middle as much as has to go, and only then words
// are left out.
func (c cells) shorten(s string, width int, mark string) (string, int) {
	over := c.width(s) - width
	if over <= 0 {
		return s, over + width
	}
	words := strings.Split(s, " ")
	for over > 0 {
		longest, size := 0, 0
		for i, word := range words {
			if n := c.width(word); n > size && (n > longWord || isName(word)) {
				longest, size = i, n
			}
		}
		if size <= leastWord {
			break
		}
		short, n := c.middle(words[longest], max(size-over, leastWord), mark)
		words[longest], over = short, over-(size-n)
	}
	if over > 0 {
		return c.leaveOut(words, width, mark)
	}
	text := strings.Join(words, " ")
	return text, c.width(text)
}

// leaveOut joins those words from the beginning, and from the end, for which
// width cells have room.
func (c cells) leaveOut(words []string, width int, mark string) (string, int) {
	first, last := 0, len(words)
	room := width - c.width(mark)
	take := func(word string, limit int) bool {
		n := c.width(word) + 1
		if room-n < limit {
			return false
		}
		room -= n
		return true
	}
	for first < last && take(words[first], width/4) {
		first++
	}
	for first < last && take(words[last-1], 0) {
		last--
	}
	if first == 0 || last == len(words) {
		return c.middle(strings.Join(words, " "), width, mark)
	}
	text := strings.Join(words[:first], " ") + " " + mark + " " + strings.Join(words[last:], " ")
	return text, c.width(text)
}

// wrap returns the octet offset at which each row of s begins when no row may
// take more than width cells. Rows break after blanks where they can; the
// blanks may hang over the edge.
func (c cells) wrap(s string, width, hang int) []int {
	rows := []int{0}
	if width <= 0 || len(s) <= width {
		return rows
	}
	col, start, word, wordCol := 0, 0, 0, 0
	blank, ink := false, false // what is before i in this row
	for i := 0; i < len(s); {
		n, w := c.next(s[i:])
		isBlank := s[i] == ' '
		for isBlank && i+n+1 < len(s) && s[i+n] == ' ' && s[i+n+1] < utf8.RuneSelf {
			n, w = n+1, w+1
		}
		if blank && ink && !isBlank {
			word, wordCol = i, col
		}
		if col+w > width && i > start && !isBlank {
			at := i
			if word > start && col-wordCol+w <= width {
				at = word
				col -= wordCol
			} else {
				col = 0
			}
			if len(rows) == 1 {
				width = max(1, width-hang)
			}
			rows = append(rows, at)
			start = at
			word, wordCol, ink = at, 0, at < i
		}
		blank, ink = isBlank, ink || !isBlank
		col += w
		i += n
	}
	return rows
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

const blank64 = "                                                                "

func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blank64) {
		return blank64[:n]
	}
	return strings.Repeat(" ", n)
}
