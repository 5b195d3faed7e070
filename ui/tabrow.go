package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/cell"
)

const (
	// leastLabel is the least width of a tab's label, unless the label is short. If the tabs need more space, the row scrolls.
	leastLabel = 10
	// goodLabel is the width of labels that leave the heads of columns their place.
	goodLabel = 14
	// labelGap is a space at each side of a label and a cell of the horizontal rule.
	labelGap = 3
)

// tabLabel is a tab in the row of tabs.
type tabLabel struct {
	tab   *tab
	col   int // the first column
	cells int
	text  string // the number, the state and the title
}

// layOutTabs returns the labels of the tabs that fit into the row, with the tab on the screen among
// them. The parameter width is the width of the row. The first label is for m.tabs[first].
func (s *screen) layOutTabs(width int) (labels []tabLabel, first int) {
	room := width - 2 // a cell at each edge
	if heads := s.columnHeads(); len(heads) > 0 {
		least := goodLabel
		if len(s.m.tabs) == 2 {
			least = leastLabel
		}
		if all, _ := s.longLabels(len(s.m.tabs), room); labelsWidth(all, least) <= heads[0].col-3 {
			room = heads[0].col - 3 // a cell of the rule before and after the tabs, and the space before the head
		}
	}
	labels, first = s.longLabels(1, room)
	for n := 2; n <= len(s.m.tabs); n++ {
		more, from := s.longLabels(n, room)
		if labelsWidth(more, leastLabel) > room {
			break
		}
		labels, first = more, from
	}
	s.shareRoom(labels, room)
	col := 1
	for i := range labels {
		l := &labels[i]
		l.col = col
		number := s.m.tab.Pager.Cells.Width(l.text)
		title := s.tabTitle(l.tab, l.cells-number)
		l.text, l.cells = l.text+title, number+s.m.tab.Pager.Cells.Width(title)
		col += l.cells + labelGap
	}
	return labels, first
}

// shareRoom shortens labels to the given room. Each label gets what it needs, if possible, and the label of the tab on the
// screen gets up to twice as much as the others.
func (s *screen) shareRoom(labels []tabLabel, room int) {
	need := make([]int, len(labels))
	for i := range labels {
		need[i] = labels[i].cells
		labels[i].cells = min(need[i], leastLabel)
	}
	for room -= labelsWidth(labels, room); room > 0; room-- {
		least := -1
		weigh := func(i int) int {
			if labels[i].tab == s.m.tab {
				return labels[i].cells
			}
			return 2 * labels[i].cells
		}
		for i := range labels {
			if labels[i].cells < need[i] && (least < 0 || weigh(i) < weigh(least)) {
				least = i
			}
		}
		if least < 0 {
			return
		}
		labels[least].cells++
	}
}

// longLabels returns the labels of the n tabs that begin at m.tabs[first] and include the tab on
// the screen. The text of a label has no title yet, but its width includes the title. No label is wider than room.
func (s *screen) longLabels(n, room int) (labels []tabLabel, first int) {
	first = min(max(s.m.tabIndex()-n/2, 0), len(s.m.tabs)-n)
	for i, t := range s.m.tabs[first : first+n] {
		l := tabLabel{tab: t, text: strconv.Itoa(first+i+1) + s.tabMark(t)}
		number := s.m.tab.Pager.Cells.Width(l.text)
		l.cells = number + s.m.tab.Pager.Cells.Width(s.tabTitle(t, room-number-labelGap+1))
		labels = append(labels, l)
	}
	return labels, first
}

// labelsWidth returns the total width of labels, each shortened to maxCells cells.
func labelsWidth(labels []tabLabel, maxCells int) int {
	sum := -1
	for _, l := range labels {
		sum += min(l.cells, maxCells) + labelGap
	}
	return sum
}

// tabTitle returns the title of the page, or else the URL, shortened to the parameter width.
func (s *screen) tabTitle(t *tab, width int) string {
	u, title := t.PageURL()
	if l := t.Session.Loading(); u == nil && l != nil {
		u = l.URL
	}
	if u == nil && t.Prompt != nil {
		u = t.Prompt.Subject()
	}
	if title == "" && u != nil {
		return s.m.glyphs.URL(u, width)
	}
	title, _ = s.m.tab.Pager.Cells.Fit(title, width, s.m.glyphs.Cut)
	return title
}

// tabMark returns the sign for the state of a tab, one cell wide.
func (s *screen) tabMark(t *tab) string {
	p := t.Session.Page()
	switch {
	case t.Prompt != nil && t != s.m.tab:
		return s.m.glyphs.Asking
	case t.Session.Loading() != nil:
		return s.m.glyphs.Loading
	case t.unseen && p != nil && p.Failed != nil:
		return s.m.glyphs.Failed
	case t.unseen:
		return s.m.glyphs.Loaded
	}
	return " "
}

// drawTabRow draws the tabs in the horizontal rule below the URL bar. A single tab is not drawn.
func (s *screen) drawTabRow(w *cell.RowWriter) {
	rule := s.m.glyphs.Rule
	if len(s.m.tabs) > 1 {
		labels, first := s.layOutTabs(w.Width)
		if first > 0 {
			w.Put(s.m.styles.Accent, s.m.glyphs.Left)
		}
		for _, l := range labels {
			w.Put(s.m.styles.Dim, strings.Repeat(rule, max(0, l.col-w.Col)))
			before, after, st := " ", " ", cell.Style("")
			if l.tab == s.m.tab {
				st = s.m.styles.Bold + s.m.styles.Selected
				if s.m.glyphs.Cursor != "" {
					before, after = "[", "]"
				}
			}
			w.Put(st, before+l.text+after)
		}
		if first+len(labels) < len(s.m.tabs) {
			w.Put(s.m.styles.Dim, strings.Repeat(rule, max(0, w.Width-1-w.Col)))
			w.Put(s.m.styles.Accent, s.m.glyphs.Right)
		}
	}
	s.drawColumnHeads(w)
	w.Put(s.m.styles.Dim, strings.Repeat(rule, max(0, w.Width-w.Col)))
}

// columnHead is the head of a column in the horizontal rule.
type columnHead struct {
	col  int
	text string
}

// columnHeads returns the heads of the row with the most columns, or of the row under the cursor if it has other columns, as
// the parts of a page can have.
func (s *screen) columnHeads() (heads []columnHead) {
	if s.prompt.Page != nil || len(s.m.shownTabs()) > 1 {
		return nil
	}
	v := &s.m.tab.Pager
	v.FitColumns()
	var cols []protocols.Column
	room := 0
	first, last := v.VisibleLines()
	for i := first; i <= last && v.Page != nil && i < v.Page.Lines.Len(); i = v.LineBelow(i) {
		if c, r := v.Columns(v.Page.Lines.WithoutLink(i).Note); len(c) > len(cols) {
			cols, room = c, r
		}
	}
	line, _ := v.Current()
	if c, r := v.Columns(line.Note); !hasHeadsOf(cols, c) {
		cols, room = c, r
	}
	edge := v.RightEdge() - room
	for _, c := range cols {
		text := c.Head + s.sortedSign(c.Head)
		at := edge + cell.ColumnGap
		if edge = at + c.Width; !c.Left {
			at = edge - v.Cells.Width(text)
		}
		if c.Head != "" {
			heads = append(heads, columnHead{at, text})
		}
	}
	return heads
}

// hasHeadsOf reports whether all heads of some are heads of the columns.
func hasHeadsOf(columns, some []protocols.Column) bool {
	for _, c := range some {
		if !slices.ContainsFunc(columns, func(other protocols.Column) bool { return other.Head == c.Head }) {
			return false
		}
	}
	return true
}

// drawColumnHeads draws the heads of the columns into the horizontal rule, where the tabs leave space for
// them.
func (s *screen) drawColumnHeads(w *cell.RowWriter) {
	for _, h := range s.columnHeads() {
		if h.col-1 >= w.Col && h.col+w.Cells.Width(h.text) < w.Width {
			w.Put(s.m.styles.Dim, strings.Repeat(s.m.glyphs.Rule, h.col-1-w.Col)+" "+h.text+" ")
		}
	}
}

// drawTabCount draws in the URL bar which of the tabs is on the screen, such as "2/5", if there are several
// tabs and no row for them.
func (s *screen) drawTabCount(w *cell.RowWriter) {
	if len(s.m.tabs) == 1 || s.m.regions().rule >= 0 {
		return
	}
	mark := " "
	for _, t := range s.m.tabs {
		if t != s.m.tab && mark == " " {
			mark = s.tabMark(t)
		}
	}
	w.Put(s.m.styles.Bold, fmt.Sprintf("%d/%d%s", s.m.tabIndex()+1, len(s.m.tabs), mark))
}

// clickTab shows the tab in column x of the row of tabs. If the parameter closes is set, it closes
// the tab instead.
func (m *Model) clickTab(x int, closes bool) tea.Cmd {
	if len(m.tabs) == 1 {
		return nil
	}
	labels, first := m.newScreen().layOutTabs(m.width)
	i := slices.IndexFunc(labels, func(l tabLabel) bool { return x >= l.col && x < l.col+l.cells+2 })
	switch {
	case i >= 0 && closes:
		return m.close(labels[i].tab)
	case i >= 0:
		return m.showTab(labels[i].tab)
	case x == 0 && first > 0:
		return m.showTab(m.tabs[first-1])
	case x >= m.width-1 && first+len(labels) < len(m.tabs):
		return m.showTab(m.tabs[first+len(labels)])
	}
	return nil
}
