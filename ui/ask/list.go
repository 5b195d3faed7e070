package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"gofer/ui/cell"
	"gofer/ui/match"
)

// Choice is an item of a list. Its texts are clean.
type Choice struct {
	Text  string
	About string                      // description after the text
	Key   string                      // short text at the right edge, such as a key or a size
	Keys  []string                    // names of keys that find the choice too
	Depth int                         // levels of indentation
	Spans func(width int) []cell.Span // returns the colored text; nil for plain Text
	Do    func() tea.Cmd              // runs the choice
	Under string                      // heading of the choice in a [Help]
}

// minAboutWidth is the least width of a description after a text. In less space it is omitted.
const minAboutWidth = 12

// List is a list of choices. One of them is selected, and typed words narrow the list.
type List struct {
	Choices []Choice
	Moved   func(choice int) // called when a key has selected a choice; or nil
	exact   bool             // show only choices that contain the typed words, not similar ones

	visible []matchedChoice
	index   int // index in visible of the selected choice, or -1
	top     int // index in visible of the first choice on the screen
	widest  widths
}

// wideScreen is the smallest width of a screen that shows descriptions. On such a screen, each colored
// text leaves room for the Key of its choice.
const wideScreen = 60

// matchedChoice is a choice that matches the typed words.
type matchedChoice struct {
	index int   // index in Choices
	marks []int // offsets of the octets of Text that match
	class match.Class
	score int // order of the class similar
}

// typedKey is the class of choices that have the typed key, before those of [match.Class].
const typedKey = match.Exact - 1

// Classes of choices whose text does not contain the typed words, after those of [match.Class].
const (
	similar   = match.None + 1 + iota // the text has the letters of the words in their order
	described                         // a word is in the description
)

// NewList returns a list that shows all choices and selects the one at index selected. Unless exact is
// true, typed words also find choices with the letters of a word in their order.
func NewList(choices []Choice, exact bool, selected int) *List {
	l := &List{exact: exact}
	for _, c := range choices {
		l.Add(c)
	}
	l.Narrow("")
	l.index = min(max(selected, 0), max(len(choices)-1, 0))
	return l
}

// Add adds a choice. It is shown after the next call of Narrow.
func (l *List) Add(c Choice) {
	l.Choices = append(l.Choices, c)
	width := cell.Cells{}.Width
	l.widest = widths{max(l.widest.text, c.Depth*2+width(c.Text)), max(l.widest.about, width(c.About)), max(l.widest.key, width(c.Key))}
}

// Narrow shows the choices that match every typed word, the best match first ([match.Class]), and selects
// the first of them. A word matches if Text or About contains it, if one of Keys begins with it or, unless
// the list is exact, if Text contains its letters in this order.
func (l *List) Narrow(typed string) {
	l.visible, l.index, l.top = l.visible[:0], 0, 0
	for i := range l.Choices {
		l.visible = append(l.visible, matchedChoice{index: i})
	}
	words := strings.Fields(match.Fold(typed))
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		l.filterByWord(word)
	}
	for i := range l.visible {
		m := &l.visible[i]
		if slices.Sort(m.marks); m.class < match.None {
			m.class = match.Classify(strings.Trim(l.Choices[m.index].Text, `"`), typed) // without the quotation marks of clean.Name
		}
		if slices.Contains(l.Choices[m.index].Keys, strings.TrimSpace(typed)) {
			m.class = typedKey
		}
	}
	slices.SortStableFunc(l.visible, func(a, b matchedChoice) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.score, a.score))
	})
}

// Len and String implement [fuzzy.Source] for the choices that are shown.
func (l *List) Len() int            { return len(l.visible) }
func (l *List) String(i int) string { return l.Choices[l.visible[i].index].Text }

// filterByWord drops the shown choices that do not match word, which is folded.
func (l *List) filterByWord(word string) {
	found := make(map[int]fuzzy.Match)
	if !l.exact {
		for _, f := range fuzzy.FindFromNoSort(word, l) {
			found[f.Index] = f
		}
	}
	kept := l.visible[:0]
	for i, m := range l.visible {
		c := &l.Choices[m.index]
		if class, at, n := match.FindWord(c.Text, word); class < match.None {
			for k := range n {
				m.marks = append(m.marks, at+k)
			}
		} else if f, ok := found[i]; ok {
			m.class, m.score = max(m.class, similar), m.score+f.Score
			m.marks = append(m.marks, f.MatchedIndexes...)
		} else if at, _ := match.IndexFold(c.About, word); at >= 0 || c.hasKey(word) {
			m.class = described
		} else {
			continue
		}
		kept = append(kept, m)
	}
	l.visible = kept
}

// hasKey reports whether a key of the choice begins with word, which is folded.
func (c *Choice) hasKey(word string) bool {
	return slices.ContainsFunc(c.Keys, func(key string) bool { return strings.HasPrefix(match.Fold(key), word) })
}

// Selected returns the index of the selected choice.
func (l *List) Selected() (i int, ok bool) {
	if l.index < 0 || l.index >= len(l.visible) {
		return 0, false
	}
	return l.visible[l.index].index, true
}

// move moves the selection down by n. A single step beyond one end wraps to the other.
func (l *List) move(n int) {
	last := len(l.visible) - 1
	target := min(max(l.index+n, 0), max(last, 0))
	if target == l.index && (n == 1 || n == -1) && last > 0 {
		target = last - l.index
	}
	l.index = target
	if i, ok := l.Selected(); ok && l.Moved != nil {
		l.Moved(i)
	}
}

// Select selects the choice at index i among the shown choices.
func (l *List) Select(i int) { l.index = i }

// noMatchText is in place of the choices if none matches the typed words.
const noMatchText = "nothing matches"

// positionText returns the position of the selection as in "3/12", or "" if no choice matches.
func (l *List) positionText() string {
	if len(l.visible) == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", l.index+1, len(l.visible))
}

// widths has the widths of the widest texts, descriptions and keys of a list.
type widths struct{ text, about, key int }

// neededWidth returns the width that the list needs.
func (l *List) neededWidth() int {
	return cell.GutterWidth + l.widest.text + gapped(l.widest.about) + gapped(l.widest.key) + 1
}

// gapped returns the width of a column with the space before it, or 0 for no column.
func gapped(width int) int {
	if width > 0 {
		width += cell.ColumnGap
	}
	return width
}

// columns returns the widths of the columns of the list: of the texts, and of the descriptions with the keys. A list without
// descriptions, or on a narrow screen, has only one column.
func (l *List) columns(width int) []int {
	if width < wideScreen-2 || l.widest.about == 0 { // a box has a border
		return []int{width}
	}
	room := width - cell.GutterWidth - 1
	rest := min(gapped(l.widest.about)+gapped(l.widest.key), room/2)
	text := cell.GutterWidth + min(l.widest.text, room-rest)
	return []int{text, width - text}
}

// lines returns the n rows of the list on the screen, each of the given width.
func (l *List) lines(s *Screen, n, width int) []string {
	l.top = max(min(l.top, l.index, len(l.visible)-n), l.index-n+1, 0)
	cols := l.columns(width)
	var rows [][]string
	for i := l.top; i < min(l.top+n, len(l.visible)); i++ {
		rows = append(rows, l.cells(s, i, cols))
	}
	return drawTable(s, rows, cols, func(row, _ int) bool { return l.top+row == l.index })
}

// cells returns the cells of the row of a shown choice.
func (l *List) cells(s *Screen, i int, cols []int) (row []string) {
	c, st, selected := &l.Choices[l.visible[i].index], s.Styles, i == l.index
	base := cell.Style("")
	if selected && st.Tint != "" {
		base, st = st.Tint, st.OnTint
	}
	for col, width := range cols {
		w := &cell.RowWriter{Builder: new(strings.Builder), Cells: s.Cells, Width: width, BaseStyle: base}
		end, key, taken := width, "", 0
		if col == len(cols)-1 { // the key is at the end of the last column
			key, taken = s.Cells.Fit(c.Key, c.keyWidth(w, len(cols)), s.Glyphs.Cut)
			end = width - 1 - taken
		}
		inner := *w
		if inner.Width = end; key != "" {
			inner.Width--
		}
		if col == 0 {
			l.drawText(&inner, s, st, i, selected)
		} else if inner.PadTo(cell.ColumnGap); inner.Width-inner.Col >= min(minAboutWidth, l.widest.about) {
			about, n := s.Cells.Fit(c.About, inner.Width-inner.Col, s.Glyphs.Cut)
			inner.PutMeasured(st.Dim, about, n)
		}
		w.Col = inner.Col
		w.PadTo(end)
		w.PutMeasured(st.Dim, key, taken)
		row = append(row, w.Builder.String())
	}
	return row
}

// drawText draws the mark and the text of a shown choice.
func (l *List) drawText(w *cell.RowWriter, s *Screen, st *cell.Styles, i int, selected bool) {
	c := &l.Choices[l.visible[i].index]
	w.PutGutter(selected, st, s.Glyphs)
	w.PadTo(w.Col + min(2*c.Depth, w.Width/3))
	if c.Spans == nil || w.BaseStyle != "" {
		seen, _ := w.Cells.Fit(c.Text, w.Width-w.Col, s.Glyphs.Cut)
		w.PutMarked(seen, l.visible[i].marks, "", st.Found)
		return
	}
	for _, span := range c.Spans(w.Width - w.Col) {
		w.Put(span.Style, span.Text)
	}
}

// keyWidth returns the room for Key in the last of n columns. On a narrow screen Key gets only the room that a colored text,
// which is a URL, leaves.
func (c *Choice) keyWidth(w *cell.RowWriter, n int) int {
	room := w.Width - 2
	free := room - w.Cells.Width(c.Text) - cell.ColumnGap
	switch {
	case n > 1:
		return room - cell.ColumnGap
	case c.Spans == nil:
		return max(w.Width/3, free-cell.GutterWidth)
	case w.Width >= wideScreen:
		free = max(free, room/3)
	}
	if free < minAboutWidth {
		return 0
	}
	return free
}

// draw returns the functions that draw the n rows of the list on the screen.
func (l *List) draw(s *Screen, n int) (rows []func(w *cell.RowWriter)) {
	var lines []string
	for y := range n {
		rows = append(rows, func(w *cell.RowWriter) {
			if y == 0 && len(l.visible) == 0 {
				w.PadTo(cell.GutterWidth)
				w.Put(s.Styles.Dim, noMatchText)
			} else if lines == nil {
				lines = l.lines(s, n, w.Width)
			}
			if y < len(lines) {
				w.PutMeasured("", lines[y], w.Width)
			}
		})
	}
	return rows
}
