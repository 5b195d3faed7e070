package document

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"gofer/protocols"
)

// print yields the rows in columns.
func (t *table) print(h *htmlReader) {
	first := t.widths == nil
	if first {
		t.measure(cmp.Or(h.tableWidth, maxTable) - h.prefixWidth())
	}
	for i, row := range t.rows {
		t.printRow(h, row)
		if i == 0 && first && t.heads && len(t.rows) > 1 {
			rules := make([]string, len(t.widths))
			for k, w := range t.widths {
				rules[k] = strings.Repeat("─", w)
			}
			h.yieldLine(protocols.Line{Text: strings.Join(rules, "  ")}, protocols.Hypertext{Verbatim: true})
		}
	}
	t.rows = nil
}

// measure sets the widths of the columns, and finds the columns that contain only numbers. It
// narrows the widest columns until a row fits in the given number of terminal cells.
func (t *table) measure(cells int) {
	n := t.countColumns()
	words := make([]int, n) // by column: the width of its longest word
	t.widths, t.right = make([]int, n), make([]bool, n)
	for k := range n {
		numbers, others := 0, 0
		for i, row := range t.rows {
			if k >= len(row) || spanOf(row, k, n) > 1 {
				continue
			}
			for _, l := range row[k].lines {
				t.widths[k] = max(t.widths[k], displaywidth.String(l.text))
				for word := range strings.SplitSeq(l.text, " ") {
					words[k] = max(words[k], displaywidth.String(word))
				}
				if isNumber(l.text) {
					numbers++
				} else if i > 0 || !t.heads {
					others++
				}
			}
		}
		t.right[k] = numbers > 0 && others == 0
	}
	t.widenSpans(words)
	t.widths = narrowColumns(t.widths, words, cells-columnGap*(n-1))
}

// spanOf returns the number of columns of the cell in column k, of the n columns of a table.
func spanOf(row []cell, k, n int) int {
	span := 1
	for k+span < min(len(row), n) && row[k+span].size < 0 {
		span++
	}
	return span
}

// widenSpans makes the columns below each cell that spans several columns as wide as the text of the cell, and their
// longest words as wide as its longest word. Cells of fewer columns come first.
func (t *table) widenSpans(words []int) {
	n := len(t.widths)
	spanning := make([][][2]int, n+1) // by number of columns: row and column of the cells
	for i, row := range t.rows {
		for k := range min(len(row), n) {
			if span := spanOf(row, k, n); span > 1 && len(row[k].lines) > 0 {
				spanning[span] = append(spanning[span], [2]int{i, k})
			}
		}
	}
	for span, cells := range spanning {
		for _, at := range cells {
			k := at[1]
			for _, l := range t.rows[at[0]][k].lines {
				widen(t.widths[k:k+span], min(displaywidth.String(l.text), maxSpanned))
				for word := range strings.SplitSeq(l.text, " ") {
					widen(words[k:k+span], displaywidth.String(word))
				}
			}
		}
	}
	for k := range words {
		words[k] = min(words[k], t.widths[k])
	}
}

// widen increases the widths of columns equally until a cell of the given width that spans them has room.
func widen(widths []int, width int) {
	for _, w := range widths {
		width -= w
	}
	width -= columnGap * (len(widths) - 1)
	for k := range widths {
		more := max(0, (width+len(widths)-k-1)/(len(widths)-k))
		widths[k] += more
		width -= more
	}
}

// narrowColumns narrows the widest columns until their widths add up to at most room cells. It keeps each
// column as wide as its longest word. If there is no room for all words, it gives up the columns with the longest
// words first. If even columns of minColumn cells have no room, the screen has to be panned, and words of up to maxWord
// cells stay whole.
func narrowColumns(widths, words []int, room int) []int {
	narrow := func(limit, longest int) (narrowed []int, fits bool) {
		sum := 0
		for k, w := range widths {
			least := min(w, minColumn)
			if words[k] <= longest {
				least = words[k]
			}
			narrowed = append(narrowed, max(min(w, limit), least))
			sum += narrowed[k]
		}
		return narrowed, sum <= room
	}
	widest := slices.Max(append([]int{0}, widths...))
	longest := slices.Compact(slices.Sorted(slices.Values(words)))
	for _, longest := range slices.Backward(longest) {
		tooWide := sort.Search(widest, func(limit int) bool {
			_, fits := narrow(limit+1, longest)
			return !fits
		})
		if narrowed, fits := narrow(max(tooWide, 1), longest); fits {
			return narrowed
		}
	}
	narrowed, _ := narrow(minColumn, -1)
	for k := range narrowed {
		narrowed[k] = max(narrowed[k], min(words[k], maxWord))
	}
	return narrowed
}

// isNumber reports whether s is a number, which may have a sign, "%" or a currency sign.
func isNumber(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !strings.ContainsRune(".,+-%$€£ ", r):
			return false
		}
	}
	return digits > 0
}

// printRow yields a row. Its cells may have several lines.
func (t *table) printRow(h *htmlReader, row []cell) {
	cells, high := make([][]cellLine, len(row)), 0
	for k := range row {
		width := t.cellWidth(row, k)
		for _, l := range row[k].lines {
			cells[k] = append(cells[k], wrapLine(l, width)...)
		}
		high = max(high, len(cells[k]))
	}
	for i := range high {
		var b strings.Builder
		note := protocols.Hypertext{Verbatim: true}
		col, edge := 0, 0
		for k := range cells {
			if i < len(cells[k]) {
				l := cells[k][i]
				w, at := displaywidth.String(l.text), edge
				at += t.indent(row, k, w)
				b.WriteString(strings.Repeat(" ", max(0, at-col)))
				for _, link := range l.note.Links {
					link.From, link.To = link.From+b.Len(), link.To+b.Len()
					note.Links = append(note.Links, link)
				}
				note.IDs = append(note.IDs, l.note.IDs...)
				b.WriteString(l.text)
				col = max(col, at) + w
			}
			edge += t.columnWidth(k) + columnGap
			if col >= edge && k+1 < len(cells) && (k+1 >= len(row) || row[k+1].size >= 0) {
				b.WriteString(" ")
				col++
			}
		}
		h.yieldLine(protocols.Line{Text: b.String()}, note)
	}
}

// cellWidth returns the width of the cell in column k of a row.
func (t *table) cellWidth(row []cell, k int) int {
	width := t.columnWidth(k)
	for i := k + 1; i < k+spanOf(row, k, len(t.widths)); i++ {
		width += columnGap + t.columnWidth(i)
	}
	return width
}

// indent returns the number of blanks before a text of the given width in column k of a row.
func (t *table) indent(row []cell, k, width int) int {
	room := max(0, t.cellWidth(row, k)-width)
	switch row[k].align {
	case alignCenter:
		return room / 2
	case alignRight:
		return room
	case alignDefault:
		if k < len(t.right) && t.right[k] && spanOf(row, k, len(t.widths)) == 1 {
			return room
		}
	}
	return 0
}

// columnWidth returns the width of column k. It is minColumn for a column that was added after
// measuring.
func (t *table) columnWidth(k int) int {
	if k < len(t.widths) {
		return t.widths[k]
	}
	return minColumn
}

// wrapLine breaks a line between words. It breaks a word only if the word is longer than width.
func wrapLine(l cellLine, width int) []cellLine {
	width = max(width, 1)
	var all []cellLine
	add := func(from, to int) {
		part := cellLine{text: strings.TrimRight(l.text[from:to], " ")}
		for _, link := range l.note.Links {
			link.From, link.To = max(link.From-from, 0), min(link.To-from, len(part.text))
			if link.From < link.To {
				part.note.Links = append(part.note.Links, link)
			}
		}
		if from == 0 {
			part.note.IDs = l.note.IDs
		}
		all = append(all, part)
	}
	start, space, col := 0, -1, 0
	for i := 0; i < len(l.text); {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		w := displaywidth.Rune(r)
		if r == ' ' {
			space = i
		} else if col+w > width && i > start {
			end, next := i, i
			if space > start {
				end, next = space, space+1
			}
			add(start, end)
			start, space = next, -1
			col = displaywidth.String(l.text[start:i])
		}
		col += w
		i += n
	}
	add(start, len(l.text))
	return all
}
