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
	// minLabelWidth is the least width of a tab. If the tabs need more space, the row scrolls.
	minLabelWidth = 12
	// maxTabTitle is the largest width of a tab's title.
	maxTabTitle = 28
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
	n := min(len(s.m.tabs), max(1, room/(minLabelWidth+1)))
	labels, first = s.longLabels(n)
	for n < len(s.m.tabs) { // short titles leave room for more tabs
		more, from := s.longLabels(n + 1)
		if labelsWidth(more, minLabelWidth-2) > room {
			break
		}
		n, labels, first = n+1, more, from
	}
	limit := maxTabTitle + minLabelWidth
	for limit > minLabelWidth-2 && labelsWidth(labels, limit) > room {
		limit-- // the longest labels are shortened first
	}
	col := 1
	for i := range labels {
		l := &labels[i]
		l.col = col
		number := s.m.tab.Pager.Cells.Width(l.text)
		title := s.tabTitle(l.tab, min(l.cells, limit)-number)
		l.text, l.cells = l.text+title, number+s.m.tab.Pager.Cells.Width(title)
		col += l.cells + 3
	}
	return labels, first
}

// longLabels returns the labels of the n tabs that begin at m.tabs[first] and include the tab on
// the screen. The text of a label has no title yet, but its width includes the title.
func (s *screen) longLabels(n int) (labels []tabLabel, first int) {
	first = min(max(s.m.tabIndex()-n/2, 0), len(s.m.tabs)-n)
	for i, t := range s.m.tabs[first : first+n] {
		l := tabLabel{tab: t, text: strconv.Itoa(first+i+1) + s.tabMark(t)}
		l.cells = s.m.tab.Pager.Cells.Width(l.text + s.tabTitle(t, maxTabTitle))
		labels = append(labels, l)
	}
	return labels, first
}

// labelsWidth returns the total width of labels, each shortened to maxCells cells.
func labelsWidth(labels []tabLabel, maxCells int) int {
	sum := -1
	for _, l := range labels {
		sum += min(l.cells, maxCells) + 3 // a space at each side and a cell of the horizontal rule
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
	title, _ = s.m.tab.Pager.Cells.ShortenMiddle(title, width, s.m.glyphs.Cut)
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

// drawColumnHeads draws the heads of the columns into the horizontal rule, where the tabs leave space for
// them.
func (s *screen) drawColumnHeads(w *cell.RowWriter) {
	if s.prompt.Page != nil {
		return
	}
	s.m.tab.Pager.FitColumns()
	var cols []protocols.Column // the columns of the row with the most columns
	room := 0
	first, last := s.m.tab.Pager.VisibleLines()
	for i := first; i <= last && i < s.m.tab.Pager.Page.Lines.Len(); i = s.m.tab.Pager.LineBelow(i) {
		if c, r := s.m.tab.Pager.Columns(s.m.tab.Pager.Page.Lines.WithoutLink(i).Note); len(c) > len(cols) {
			cols, room = c, r
		}
	}
	edge := s.m.tab.Pager.RightEdge() - room
	for _, c := range cols {
		head := c.Head + s.sortedSign(c.Head)
		width := w.Cells.Width(head)
		at := edge + cell.ColumnGap
		if edge = at + c.Width; !c.Left {
			at = edge - width
		}
		if c.Head != "" && at-1 >= w.Col && at+width < w.Width {
			w.Put(s.m.styles.Dim, strings.Repeat(s.m.glyphs.Rule, at-1-w.Col)+" "+head+" ")
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
