// Package cell measures text in cells of the terminal, and writes rows of styled text
// that never become wider than the screen.
package cell

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster is the largest number of octets that are measured and drawn as one character. Unicode
// itself sets no limit.
const maxCluster = 32

// Cells measures text with the tables of the renderer. It measures rune by rune until the terminal has
// confirmed that it draws grapheme clusters (mode 2027). The text must have no control characters.
type Cells struct {
	Method ansi.Method
}

// Next returns the length in octets and the width in cells of the first character of s. The text s must
// not be empty.
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

// baseCharacter returns the length and the width of the first character of a cluster, with its
// combining marks. It is used if the terminal draws the other characters in separate cells. The two
// halves of a flag stay together.
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

// Cut returns the part of s that begins at the column given by left and fits in width cells. It also
// returns the width of this part, and whether more text follows. Half a wide character at an edge
// becomes a blank.
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

// Place is the position of a character in a line, as an octet offset and as a column.
type Place struct{ Octet, Column int }

// placeInterval is the distance in columns between two cached places of a line.
const placeInterval = 256

// Seek returns the place of the character of s that covers the given column, or the end of s. It starts
// from the last cached place that is not after the column. It also returns the cached places with the
// new ones added.
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

// Fit returns s and its width. If s is wider than width cells, Fit replaces its end with mark, or cuts it
// off without a mark if width is less than 2.
func (c Cells) Fit(s string, width int, mark string) (string, int) {
	seen, taken, more := c.Cut(s, 0, width)
	if !more || width < 2 {
		return seen, taken
	}
	seen, taken, _ = c.Cut(s, 0, width-1)
	return seen + mark, taken + 1
}

// Wrap breaks s into rows of at most width cells, and returns the octet offset of each row. The rows
// after the first are narrower by hang cells. Rows break after blanks if possible, and these blanks may
// extend beyond the edge.
func (c Cells) Wrap(s string, width, hang int) []int {
	rows := []int{0}
	if width <= 0 || len(s) <= width {
		return rows
	}
	col, start, word, wordCol := 0, 0, 0, 0
	blank := false // the character before i is a blank
	ink := false   // the row has a character before i that is not a blank
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

// Rows breaks a part of text into rows of at most width cells. It returns the octet offset of each row,
// and the offset of the end of the part. The part is the line that contains the given offset, with n
// lines before it and n lines after it.
func (c Cells) Rows(text string, offset, n, width int) (starts []int, end int) {
	from, end := offset, offset
	for range n + 1 {
		from = strings.LastIndexByte(text[:max(from, 0)], '\n')
	}
	for range n + 1 {
		if i := strings.IndexByte(text[min(end, len(text)):], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text) + 1
		}
	}
	from, end = from+1, end-1
	offset, text = from, text[from:end]
	for line := range strings.SplitSeq(text, "\n") {
		for _, from := range c.Wrap(line, width, 0) {
			starts = append(starts, offset+from)
		}
		offset += len(line) + 1
	}
	return starts, end
}

// Row returns row i of text. The parameter starts has the offset of each row.
func Row(text string, starts []int, i int) string {
	end := len(text)
	if i+1 < len(starts) {
		end = starts[i+1]
	}
	return strings.TrimSuffix(text[starts[i]:end], "\n")
}

// RowAt returns the index of the row that contains the octet at the given offset. The parameter starts
// has the offset of each row.
func RowAt(starts []int, offset int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > offset }) - 1
}

// GutterWidth is the width of the gutter of menus and lists.
const GutterWidth = 3

// Margin returns the width of the blank margin at each end of a row. Narrow screens have none.
func Margin(width int) int {
	if width < 24 {
		return 0
	}
	return 1
}
