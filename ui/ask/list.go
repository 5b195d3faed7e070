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
	width   int // width of the widest text
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
	l.width = max(l.width, c.Depth*2+cell.Cells{}.Width(c.Text))
}

// Narrow shows the choices that match every typed word, the best match first ([match.Class]), and selects
// the first of them. A word matches if Text or About contains it or, unless the list is exact, if Text
// contains its letters in this order.
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
		} else if at, _ := match.IndexFold(c.About, word); at >= 0 {
			m.class = described
		} else {
			continue
		}
		kept = append(kept, m)
	}
	l.visible = kept
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

// positionText returns the position of the selection as in "3/12", or "none" if no choice
// matches.
func (l *List) positionText() string {
	if len(l.visible) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", l.index+1, len(l.visible))
}

// drawRow draws row y of the list, which has the given number of rows on the screen. It reports whether
// the row shows the selected choice.
func (l *List) drawRow(w *cell.RowWriter, y, rows int, st *cell.Styles, g *cell.Glyphs) (selected bool) {
	l.top = max(min(l.top, l.index, len(l.visible)-rows), l.index-rows+1, 0)
	i := l.top + y
	if i >= len(l.visible) {
		return false
	}
	c := &l.Choices[l.visible[i].index]
	selected = i == l.index
	if selected && st.Tint != "" {
		w.BaseStyle, st = st.Tint, st.OnTint
	}
	w.PutGutter(selected, st, g)
	w.PadTo(w.Col + min(2*c.Depth, w.Width/3))
	key, taken := w.Cells.Fit(c.Key, c.keyWidth(w), g.Cut)
	inner := *w
	if inner.Width--; key != "" {
		inner.Width -= taken + 1
	}
	if c.Spans != nil && w.BaseStyle == "" {
		for _, s := range c.Spans(inner.Width - inner.Col) {
			inner.Put(s.Style, s.Text)
		}
	} else {
		seen, _ := w.Cells.Fit(c.Text, inner.Width-inner.Col, g.Cut)
		inner.PutMarked(seen, l.visible[i].marks, "", st.Found)
	}
	if column := cell.GutterWidth + min(l.width, w.Width/2) + cell.ColumnGap; c.About != "" && inner.Col < column && column+minAboutWidth <= inner.Width && w.Width >= wideScreen {
		inner.PadTo(column)
		about, n := w.Cells.Fit(c.About, inner.Width-inner.Col, g.Cut)
		inner.PutMeasured(st.Dim, about, n)
	}
	w.Col = inner.Col
	w.PadTo(w.Width - 1 - taken)
	if w.PutMeasured(st.Dim, key, taken); w.BaseStyle != "" {
		w.PadTo(w.Width)
	}
	return selected
}

// keyWidth returns the room for Key. On a narrow screen Key gets only the room that a colored text, which
// is a URL, leaves.
func (c *Choice) keyWidth(w *cell.RowWriter) int {
	if c.Spans == nil {
		return w.Width / 3
	}
	room := w.Width - 2
	free := room - w.Cells.Width(c.Text) - cell.ColumnGap
	if w.Width >= wideScreen {
		free = max(free, room/3)
	}
	if free < minAboutWidth {
		return 0
	}
	return free
}

// Choose asks for a choice from a list, and runs the choice.
type Choose struct {
	Line
	List  *List
	Again string // typed first, it runs the selected choice: the key that opened the list; or ""
}

// NewChoose returns a prompt with the given label for a choice from l.
func NewChoose(h Head, label string, l *List) *Choose {
	c := &Choose{Line: *NewLine(h, Field{Label: label}), List: l}
	c.State = l.positionText
	c.Changed = func(typed string) (tea.Cmd, error) {
		l.Narrow(typed)
		return nil, nil
	}
	return c
}

func (c *Choose) Key(action string, s *Screen) tea.Cmd {
	page := max(c.rows(s), 2)
	step, moves := map[string]int{"down": 1, "up": -1, "page down": page, "page up": -page}[action]
	i, selected := c.List.Selected()
	switch {
	case moves:
		c.List.move(step)
	case action != "done":
		return c.Line.Key(action, s)
	case selected:
		c.end(c.List.Choices[i].Do)
	}
	return nil
}

// Scroll moves the selection by n choices.
func (c *Choose) Scroll(n int) { c.List.move(n) }

// Click runs the choice in a row of the screen, counted from the status line upwards. There may be none.
func (c *Choose) Click(row int, s *Screen) {
	n := c.rows(s)
	if i := c.List.top + n - row; row >= 1 && row <= n && i < len(c.List.visible) {
		c.List.index = i
		c.Key("done", s)
	}
}

// Insert inserts text that was typed or pasted, or runs the selected choice.
func (c *Choose) Insert(text string, s *Screen) tea.Cmd {
	if i, selected := c.List.Selected(); selected && text == c.Again && c.line.String() == "" {
		c.end(c.List.Choices[i].Do)
		return nil
	}
	return c.Line.Insert(text, s)
}

// rows returns the number of rows for choices, at the end of the page.
func (c *Choose) rows(s *Screen) int {
	if s.Height < 2 {
		return 0
	}
	return min(len(c.List.Choices), s.Rows-s.Rows/4)
}

func (c *Choose) Draw(s *Screen) Drawing {
	d := Drawing{Rule: c.drawRule(s), Status: c.drawStatus(s), Selects: true}
	n := c.rows(s)
	for y := range n {
		d.Last = append(d.Last, func(w *cell.RowWriter) { c.List.drawRow(w, y, n, s.Styles, s.Glyphs) })
	}
	return d
}
