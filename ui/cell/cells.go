// Package cell measures text in cells of the terminal, and writes rows of styled text
// that never become wider than the screen.
package cell

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster bounds the octets measured and drawn as one character: Unicode lets some letters
// join without limit.
const maxCluster = 32

// Cells measures text with the tables of the renderer: rune by rune until the terminal has
// confirmed grapheme clusters (mode 2027). The text is clean: it has no control characters.
type Cells struct {
	Method ansi.Method
}

// Next returns the length in octets and the width in cells of the first character of s, which
// is not empty.
func (c Cells) Next(s string) (octets, width int) {
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
	cluster, width := ansi.FirstGraphemeCluster(s, c.Method)
	if len(cluster) == 0 {
		return 1, 0
	}
	if c.Method == ansi.WcWidth && width > 2 {
		return c.baseCharacter(cluster)
	}
	return len(cluster), width
}

// baseCharacter returns the length and the width of the first character of a cluster with its marks, for
// a terminal that draws the other characters in separate cells. The two halves of a flag stay
// together.
func (c Cells) baseCharacter(cluster string) (octets, width int) {
	for i, r := range cluster {
		w := c.Method.StringWidth(string(r))
		if w > 0 && i > 0 && (r < 0x1f1e6 || r > 0x1f1ff) {
			return i, width
		}
		width += w
	}
	return len(cluster), width
}

// Width returns the width of s in cells.
func (c Cells) Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	if c.Method == ansi.WcWidth {
		return c.Method.StringWidth(s)
	}
	all := 0
	for s != "" {
		n, w := c.Next(s)
		all += w
		s = s[n:]
	}
	return all
}

// Cut returns the part of s that begins at the column left and fits width cells, the width of this
// part, and whether there is more at the right. Half a wide character at an edge becomes a blank.
func (c Cells) Cut(s string, left, width int) (part string, cells int, more bool) {
	if width <= 0 {
		return "", 0, s != ""
	}
	if end := left + width; len(s) <= end || s[end] < 0x80 {
		head := s[:min(len(s), end)]
		if isASCII(head) {
			if left >= len(head) {
				return "", 0, false
			}
			return head[left:], len(head) - left, len(s) > end
		}
	}
	return c.cutClusters(s, left, width)
}

func (c Cells) cutClusters(s string, left, width int) (part string, cells int, more bool) {
	var b strings.Builder
	for col := 0; s != ""; {
		n, w := c.Next(s)
		cluster := s[:n]
		s = s[n:]
		switch {
		case col+w <= left:
			col += w
			continue
		case col < left:
			w -= left - col
			col = left
			cluster = strings.Repeat(" ", min(w, width))
		}
		if cells+w > width {
			b.WriteString(strings.Repeat(" ", width-cells))
			return b.String(), width, true
		}
		if w == 0 {
			continue
		}
		col += w
		cells += w
		b.WriteString(cluster)
	}
	return b.String(), cells, false
}

// Place is the octet and the column of a character in a line.
type Place struct{ Octet, Column int }

// placeInterval is the distance in columns of the known places of a line.
const placeInterval = 256

// Seek returns the last character of s that does not begin to the right of the given column. It starts
// from the nearest of the cached places, and returns these with the places that it has passed.
func (c Cells) Seek(s string, cached []Place, column int) (Place, []Place) {
	i, _ := slices.BinarySearchFunc(cached, column+1, func(p Place, column int) int { return p.Column - column })
	var at Place
	if i > 0 {
		at = cached[i-1]
	}
	for at.Octet < len(s) {
		n, w := c.Next(s[at.Octet:])
		if at.Column+w > column {
			break
		}
		at = Place{at.Octet + n, at.Column + w}
		if at.Column >= placeInterval*(len(cached)+1) {
			cached = append(cached, at)
		}
	}
	return at, cached
}

// Fit returns s and its width or, if it is wider than width cells, its beginning and a mark.
func (c Cells) Fit(s string, width int, mark string) (string, int) {
	seen, taken, more := c.Cut(s, 0, width)
	if !more || width < 2 {
		return seen, taken
	}
	seen, taken, _ = c.Cut(s, 0, width-1)
	return seen + mark, taken + 1
}

// ShortenMiddle returns s and its width or, if it is wider than width cells, its beginning and its end
// with a mark between them.
func (c Cells) ShortenMiddle(s string, width int, mark string) (string, int) {
	all := c.Width(s)
	if all <= width {
		return s, all
	}
	if width < 8 {
		return c.Fit(s, width, mark)
	}
	head, a, _ := c.Cut(s, 0, (width-1)*2/3)
	rest := width - 1 - a
	tail, b, _ := c.Cut(s, all-rest, rest)
	return head + mark + tail, a + 1 + b
}

// MinNameWidth is the least number of cells left of a shortened name.
const MinNameWidth = 8

// maxWordWidth is the greatest width of a word of a language.
const maxWordWidth = 16

// isName reports whether a word is a path or a name, not a word of a language.
func isName(word string) bool {
	inner := strings.TrimFunc(word, unicode.IsPunct)
	return strings.ContainsFunc(inner, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' })
}

// Shorten returns s and its width. If s is wider than width cells, its longest words, which are
// paths and names, are shortened in the middle first; then words are left out.
func (c Cells) Shorten(s string, width int, mark string) (string, int) {
	excess := c.Width(s) - width
	if excess <= 0 {
		return s, excess + width
	}
	words := strings.Split(s, " ")
	for excess > 0 {
		longest, size := 0, 0
		for i, word := range words {
			if n := c.Width(word); n > size && (n > maxWordWidth || isName(word)) {
				longest, size = i, n
			}
		}
		if size <= MinNameWidth {
			break
		}
		short, n := c.ShortenMiddle(words[longest], max(size-excess, MinNameWidth), mark)
		words[longest], excess = short, excess-(size-n)
	}
	if excess > 0 {
		return c.dropWords(words, width, mark)
	}
	text := strings.Join(words, " ")
	return text, c.Width(text)
}

// dropWords joins the first and the last words, as many as fit width cells.
func (c Cells) dropWords(words []string, width int, mark string) (string, int) {
	first, last := 0, len(words)
	room := width - c.Width(mark)
	take := func(word string, limit int) bool {
		n := c.Width(word) + 1
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
		return c.ShortenMiddle(strings.Join(words, " "), width, mark)
	}
	text := strings.Join(words[:first], " ") + " " + mark + " " + strings.Join(words[last:], " ")
	return text, c.Width(text)
}

// Wrap returns the octet offset of each row of s, where a row has at most width cells and the
// rows after the first are narrower by hang cells. Rows break after blanks if possible; the blanks
// may extend beyond the edge.
func (c Cells) Wrap(s string, width, hang int) []int {
	rows := []int{0}
	if width <= 0 || len(s) <= width {
		return rows
	}
	col, start, word, wordCol := 0, 0, 0, 0
	blank, ink := false, false // whether a blank is just before i; whether the row has another character before i
	for i := 0; i < len(s); {
		n, w := c.Next(s[i:])
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

// Lines breaks s into rows of at most width cells, like [Cells.Wrap].
func (c Cells) Lines(s string, width int) []string { return splitRows(s, c.Wrap(s, width, 0)) }

// Fills reports whether s is exactly width cells wide.
func (c Cells) Fills(s string, width int) bool {
	return len(s) >= width && len(s) <= maxCluster*width && c.Width(s) == width
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// ColumnGap is the space before each column.
const ColumnGap = 2

// Rows returns the octet offset of each row of a part of text, where a row has at most width
// cells. The part is the line that contains the octet with the offset at, and as many lines before
// and after it as the parameter lines says. The part ends at the offset end.
func (c Cells) Rows(text string, at, lines, width int) (starts []int, end int) {
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
		for _, from := range c.Wrap(line, width, 0) {
			starts = append(starts, at+from)
		}
		at += len(line) + 1
	}
	return starts, end
}

// Row returns the i-th of the rows of text that begin at starts.
func Row(text string, starts []int, i int) string {
	end := len(text)
	if i+1 < len(starts) {
		end = starts[i+1]
	}
	return strings.TrimSuffix(text[starts[i]:end], "\n")
}

// RowAt returns the index of the row that contains the octet with the offset at.
func RowAt(starts []int, at int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at }) - 1
}

// GutterWidth is the width of the gutter of menus and lists.
const GutterWidth = 3

// Margin returns the width of the blank margin at both ends of a row. Narrow screens have none.
func Margin(width int) int {
	if width < 24 {
		return 0
	}
	return 1
}
