package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"gofer/ui/cell"
	"gofer/ui/match"
	"gofer/ui/page"
)

// choice is an item of a list. Its texts are clean.
type choice struct {
	text  string
	about string                      // beside the text
	key   string                      // at the right edge: a key, a date
	depth int                         // how far the text is indented
	spans func(width int) []cell.Span // the text in colours, in at most so many cells; nil: it has none
	do    func() tea.Cmd              // what choosing it does
}

// list is some choices of which one is selected and what is typed narrows them.
type list struct {
	choices []choice
	ordered bool // they stay in order; else those that match best come first

	shown []hit
	at    int // the one of shown that is selected, or -1
	top   int // the first one of shown that is on the screen
	width int // of the widest text
}

// hit is a choice that matches what is typed.
type hit struct {
	index int   // of the choice
	marks []int // octets of its text that match
	score int
}

// newList shows all choices and selects the one of that index.
func newList(choices []choice, ordered bool, selected int) *list {
	l := &list{ordered: ordered}
	for _, c := range choices {
		l.add(c)
	}
	l.narrow("")
	l.at = min(max(selected, 0), max(len(choices)-1, 0))
	return l
}

// add adds a choice, which narrow is to show.
func (l *list) add(c choice) {
	l.choices = append(l.choices, c)
	l.width = max(l.width, c.depth*2+cell.Cells{}.Width(c.text))
}

// narrow shows the choices that match every word that is typed: whose letters
// stand in the text in this order or, in a list that is ordered, that the text
// has; or that is in what stands beside it. It selects the first.
func (l *list) narrow(typed string) {
	l.shown, l.at, l.top = l.shown[:0], 0, 0
	for i := range l.choices {
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
func (l *list) Len() int            { return len(l.shown) }
func (l *list) String(i int) string { return l.choices[l.shown[i].index].text }

// aboutScore is how a choice is ranked that has a word only beside its text.
const aboutScore = -1000

// match drops what is shown that does not have word, which is folded.
func (l *list) match(word string) {
	similar := make(map[int]fuzzy.Match)
	if !l.ordered {
		for _, f := range fuzzy.FindFromNoSort(word, l) {
			similar[f.Index] = f
		}
	}
	kept := l.shown[:0]
	for i, m := range l.shown {
		c := &l.choices[m.index]
		f, ok := similar[i]
		m.score += f.Score
		if at, n := match.IndexFold(c.text, word); at >= 0 {
			for k := range n {
				m.marks = append(m.marks, at+k)
			}
		} else if ok {
			m.marks = append(m.marks, f.MatchedIndexes...)
		} else if at, _ := match.IndexFold(c.about, word); at >= 0 {
			m.score += aboutScore
		} else {
			continue
		}
		kept = append(kept, m)
	}
	l.shown = kept
}

// selected returns the index of the choice that is selected.
func (l *list) selected() (i int, ok bool) {
	if l.at < 0 || l.at >= len(l.shown) {
		return 0, false
	}
	return l.shown[l.at].index, true
}

// move selects the choice that is n further down. One step beyond an end leads
// to the other.
func (l *list) move(n int) {
	last := len(l.shown) - 1
	to := min(max(l.at+n, 0), max(last, 0))
	if to == l.at && (n == 1 || n == -1) && last > 0 {
		to = last - l.at
	}
	l.at = to
}

// position is "3/12", "none" where nothing matches.
func (l *list) position() string {
	if len(l.shown) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", l.at+1, len(l.shown))
}

// row draws row y of so many, and reports whether it is that of the selected
// choice.
func (l *list) row(w *cell.RowWriter, y, rows int, st *cell.Styles, g *cell.Glyphs) (selected bool) {
	l.top = max(min(l.top, l.at, len(l.shown)-rows), l.at-rows+1, 0)
	i := l.top + y
	if i >= len(l.shown) {
		return false
	}
	c := &l.choices[l.shown[i].index]
	selected = i == l.at
	w.Lead(selected, st, g)
	w.To(w.Col + min(2*c.depth, w.Width/3))
	key, taken := w.Cells.Fit(c.key, c.keyRoom(w), g.Cut)
	inner := *w
	if inner.Width--; key != "" {
		inner.Width -= taken + 1
	}
	if c.spans != nil {
		for _, s := range c.spans(inner.Width - inner.Col) {
			inner.Put(s.Style, s.Text)
		}
	} else {
		seen, _ := w.Cells.Fit(c.text, inner.Width-inner.Col, g.Cut)
		inner.Marked(seen, l.shown[i].marks, "", st.Found)
	}
	if beside := cell.GutterWidth + min(l.width, w.Width/2) + cell.ColumnGap; c.about != "" && inner.Col < beside && beside+cell.LeastAbout <= inner.Width {
		inner.To(beside)
		about, n := w.Cells.Fit(c.about, inner.Width-inner.Col, g.Cut)
		inner.Raw(st.Dim, about, n)
	}
	w.Col = inner.Col
	w.To(w.Width - 1 - taken)
	w.Raw(st.Dim, key, taken)
	return selected
}

// keyRoom is the room at the right edge. On a narrow screen a text in colours, a
// URL, comes first.
func (c *choice) keyRoom(w *cell.RowWriter) int {
	if c.spans == nil {
		return w.Width / 3
	}
	room := w.Width - 2
	beside := room - w.Cells.Width(c.text) - cell.ColumnGap
	if w.Width >= page.KindScreen {
		beside = max(beside, room/3)
	}
	if beside < cell.LeastAbout {
		return 0
	}
	return beside
}
