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
	About string                      // beside the text
	Key   string                      // at the right edge: a key, a date
	Depth int                         // how far the text is indented
	Spans func(width int) []cell.Span // the text in colours, in at most so many cells; nil: it has none
	Do    func() tea.Cmd              // what choosing it does
}

// List is some choices of which one is selected and what is typed narrows them.
type List struct {
	Choices []Choice
	ordered bool // they stay in order; else those that match best come first

	shown []hit
	at    int // the one of shown that is selected, or -1
	top   int // the first one of shown that is on the screen
	width int // of the widest text
}

// wideScreen is the width from which on a text in colours leaves room for a key.
const wideScreen = 60

// hit is a choice that matches what is typed.
type hit struct {
	index int   // of the choice
	marks []int // octets of its text that match
	score int
}

// NewList shows all choices and selects the one of that index.
func NewList(choices []Choice, ordered bool, selected int) *List {
	l := &List{ordered: ordered}
	for _, c := range choices {
		l.Add(c)
	}
	l.Narrow("")
	l.at = min(max(selected, 0), max(len(choices)-1, 0))
	return l
}

// Add adds a choice, which Narrow is to show.
func (l *List) Add(c Choice) {
	l.Choices = append(l.Choices, c)
	l.width = max(l.width, c.Depth*2+cell.Cells{}.Width(c.Text))
}

// Narrow shows the choices that match every word that is typed: whose letters
// stand in the text in this order or, in a list that is ordered, that the text
// has; or that is in what stands beside it. It selects the first.
func (l *List) Narrow(typed string) {
	l.shown, l.at, l.top = l.shown[:0], 0, 0
	for i := range l.Choices {
		l.shown = append(l.shown, hit{index: i})
	}
	for word := range strings.FieldsSeq(match.Fold(typed)) {
		l.match(word)
	}
	if !l.ordered {
		slices.SortStableFunc(l.shown, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	}
	for i := range l.shown {
		slices.Sort(l.shown[i].marks)
	}
}

// Len and String make what is shown a [fuzzy.Source].
func (l *List) Len() int            { return len(l.shown) }
func (l *List) String(i int) string { return l.Choices[l.shown[i].index].Text }

// aboutScore is how a choice is ranked that has a word only beside its text.
const aboutScore = -1000

// match drops what is shown that does not have word, which is folded.
func (l *List) match(word string) {
	similar := make(map[int]fuzzy.Match)
	if !l.ordered {
		for _, f := range fuzzy.FindFromNoSort(word, l) {
			similar[f.Index] = f
		}
	}
	kept := l.shown[:0]
	for i, m := range l.shown {
		c := &l.Choices[m.index]
		f, ok := similar[i]
		m.score += f.Score
		if at, n := match.IndexFold(c.Text, word); at >= 0 {
			for k := range n {
				m.marks = append(m.marks, at+k)
			}
		} else if ok {
			m.marks = append(m.marks, f.MatchedIndexes...)
		} else if at, _ := match.IndexFold(c.About, word); at >= 0 {
			m.score += aboutScore
		} else {
			continue
		}
		kept = append(kept, m)
	}
	l.shown = kept
}

// Selected returns the index of the choice that is selected.
func (l *List) Selected() (i int, ok bool) {
	if l.at < 0 || l.at >= len(l.shown) {
		return 0, false
	}
	return l.shown[l.at].index, true
}

// move selects the choice that is n further down. One step beyond an end leads
// to the other.
func (l *List) move(n int) {
	last := len(l.shown) - 1
	to := min(max(l.at+n, 0), max(last, 0))
	if to == l.at && (n == 1 || n == -1) && last > 0 {
		to = last - l.at
	}
	l.at = to
}

// Select selects the choice of that index of those that are shown.
func (l *List) Select(i int) { l.at = i }

// position is "3/12", "none" where nothing matches.
func (l *List) position() string {
	if len(l.shown) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", l.at+1, len(l.shown))
}

// row draws row y of so many, and reports whether it is that of the selected
// choice.
func (l *List) row(w *cell.RowWriter, y, rows int, st *cell.Styles, g *cell.Glyphs) (selected bool) {
	l.top = max(min(l.top, l.at, len(l.shown)-rows), l.at-rows+1, 0)
	i := l.top + y
	if i >= len(l.shown) {
		return false
	}
	c := &l.Choices[l.shown[i].index]
	selected = i == l.at
	w.Lead(selected, st, g)
	w.To(w.Col + min(2*c.Depth, w.Width/3))
	key, taken := w.Cells.Fit(c.Key, c.keyRoom(w), g.Cut)
	inner := *w
	if inner.Width--; key != "" {
		inner.Width -= taken + 1
	}
	if c.Spans != nil {
		for _, s := range c.Spans(inner.Width - inner.Col) {
			inner.Put(s.Style, s.Text)
		}
	} else {
		seen, _ := w.Cells.Fit(c.Text, inner.Width-inner.Col, g.Cut)
		inner.Marked(seen, l.shown[i].marks, "", st.Found)
	}
	if beside := cell.GutterWidth + min(l.width, w.Width/2) + cell.ColumnGap; c.About != "" && inner.Col < beside && beside+cell.LeastAbout <= inner.Width {
		inner.To(beside)
		about, n := w.Cells.Fit(c.About, inner.Width-inner.Col, g.Cut)
		inner.Raw(st.Dim, about, n)
	}
	w.Col = inner.Col
	w.To(w.Width - 1 - taken)
	w.Raw(st.Dim, key, taken)
	return selected
}

// keyRoom is the room at the right edge. On a narrow screen a text in colours, a
// URL, comes first.
func (c *Choice) keyRoom(w *cell.RowWriter) int {
	if c.Spans == nil {
		return w.Width / 3
	}
	room := w.Width - 2
	beside := room - w.Cells.Width(c.Text) - cell.ColumnGap
	if w.Width >= wideScreen {
		beside = max(beside, room/3)
	}
	if beside < cell.LeastAbout {
		return 0
	}
	return beside
}

// Choose asks for one of the choices of a list, and does what it does.
type Choose struct {
	Line
	List *List
}

// NewChoose asks for one of the choices of l, behind a label.
func NewChoose(h Head, label string, l *List) *Choose {
	c := &Choose{Line: *NewLine(h, Field{Label: label}), List: l}
	c.State = l.position
	c.Changed = func(typed string) (tea.Cmd, error) {
		l.Narrow(typed)
		return nil, nil
	}
	return c
}

// Key implements [Asking].
func (c *Choose) Key(action string, s *Screen) tea.Cmd {
	page := max(c.rows(s), 2)
	switch action {
	case "done":
		if i, ok := c.List.Selected(); ok {
			c.end(c.List.Choices[i].Do)
		}
	case "down":
		c.List.move(1)
	case "up":
		c.List.move(-1)
	case "page down":
		c.List.move(page)
	case "page up":
		c.List.move(-page)
	default:
		return c.Line.Key(action, s)
	}
	return nil
}

// rows is how many rows the choices take, over the last ones of the page.
func (c *Choose) rows(s *Screen) int {
	if s.Height < 2 {
		return 0
	}
	return min(len(c.List.Choices), s.Rows-s.Rows/4)
}

// Draw implements [Asking].
func (c *Choose) Draw(s *Screen) Drawing {
	d := Drawing{Rule: c.rule(s), Status: c.status(s)}
	n := c.rows(s)
	for y := range n {
		d.Last = append(d.Last, func(w *cell.RowWriter) { c.List.row(w, y, n, s.Styles, s.Glyphs) })
	}
	return d
}
