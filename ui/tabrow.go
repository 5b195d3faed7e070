package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/cell"
	"gofer/ui/page"
)

const (
	// leastLabel is to how many cells a tab is shortened; where there is no room
	// for all tabs, the row scrolls.
	leastLabel = 12
	// maxTabTitle is how many cells of a tab's title are shown at most.
	maxTabTitle = 28
)

// tabLabel is a tab in the row of tabs.
type tabLabel struct {
	tab   *tab
	at    int // the first column
	cells int
	text  string // the number, the state and the title
}

// tabLabels lays out the tabs that a row has room for, the one on the screen
// among them.
func (m *Model) tabLabels(width int) (labels []tabLabel, first int) {
	room := width - 2 // a cell at each edge
	n := min(len(m.tabs), max(1, room/(leastLabel+1)))
	labels, first = m.longLabels(n)
	for n < len(m.tabs) { // short titles leave room for more
		more, from := m.longLabels(n + 1)
		if labelsWidth(more, leastLabel-2) > room {
			break
		}
		n, labels, first = n+1, more, from
	}
	most := maxTabTitle + leastLabel
	for most > leastLabel-2 && labelsWidth(labels, most) > room {
		most-- // only the longest become shorter
	}
	at := 1
	for i := range labels {
		l := &labels[i]
		l.at = at
		number := m.tab.Pager.Cells.Width(l.text)
		title := m.tabTitle(l.tab, min(l.cells, most)-number)
		l.text, l.cells = l.text+title, number+m.tab.Pager.Cells.Width(title)
		at += l.cells + 3
	}
	return labels, first
}

// longLabels are n tabs with the one on the screen among them, of which the first
// is m.tabs[first]. They have no titles yet.
func (m *Model) longLabels(n int) (labels []tabLabel, first int) {
	first = min(max(m.index()-n/2, 0), len(m.tabs)-n)
	for i, t := range m.tabs[first : first+n] {
		l := tabLabel{tab: t, text: strconv.Itoa(first+i+1) + m.tabMark(t)}
		l.cells = m.tab.Pager.Cells.Width(l.text + m.tabTitle(t, maxTabTitle))
		labels = append(labels, l)
	}
	return labels, first
}

// labelsWidth is what labels take, each of them at most that many cells.
func labelsWidth(labels []tabLabel, most int) int {
	sum := -1
	for _, l := range labels {
		sum += min(l.cells, most) + 3 // a blank at each side and a rule
	}
	return sum
}

// tabTitle is the title of the page, or else the URL, in at most width cells.
func (m *Model) tabTitle(t *tab, width int) string {
	u, title := t.PageHere()
	if l := t.Session.Loading(); u == nil && l != nil {
		u = l.URL
	}
	if u == nil && t.Prompt != nil {
		u = t.Prompt.About()
	}
	if title == "" && u != nil {
		return m.glyphs.URL(u, width)
	}
	title, _ = m.tab.Pager.Cells.Middle(title, width, m.glyphs.Cut)
	return title
}

// tabMark is one cell that tells what a tab does or waits for.
func (m *Model) tabMark(t *tab) string {
	p := t.Session.Page()
	switch {
	case t.Prompt != nil && t != m.tab:
		return m.glyphs.Asking
	case t.Session.Loading() != nil:
		return m.glyphs.Loading
	case t.unseen && p != nil && p.Failed != nil:
		return m.glyphs.Failed
	case t.unseen:
		return m.glyphs.Loaded
	}
	return " "
}

// tabRow draws the tabs in the rule below the bar, or only the rule when there
// is one tab.
func (m *Model) tabRow(w *cell.RowWriter) {
	rule := m.glyphs.Rule
	if len(m.tabs) > 1 {
		labels, first := m.tabLabels(w.Width)
		if first > 0 {
			w.Put(m.styles.Accent, m.glyphs.Left)
		}
		for _, l := range labels {
			w.Put(m.styles.Dim, strings.Repeat(rule, max(0, l.at-w.Col)))
			before, after, st := " ", " ", cell.Style("")
			if l.tab == m.tab {
				st = m.styles.Bold + m.styles.Selected
				if m.glyphs.Cursor != "" {
					before, after = "[", "]"
				}
			}
			w.Put(st, before+l.text+after)
		}
		if first+len(labels) < len(m.tabs) {
			w.Put(m.styles.Dim, strings.Repeat(rule, max(0, w.Width-1-w.Col)))
			w.Put(m.styles.Accent, m.glyphs.Right)
		}
	}
	m.columnHeads(w)
	w.Put(m.styles.Dim, strings.Repeat(rule, max(0, w.Width-w.Col)))
}

// columnHeads draws into the rule what the columns below it are, those for which
// tabs leave room.
func (m *Model) columnHeads(w *cell.RowWriter) {
	if m.tab.Form() != nil {
		return
	}
	var cols []page.Column // of the row that has most
	room := 0
	first, last := m.tab.Pager.Visible()
	for i := first; i <= last && i < m.tab.Pager.Page.Lines.Len(); i = m.tab.Pager.After(i) {
		if c, r := m.tab.Pager.Columns(m.tab.Pager.Page.Lines.WithoutLink(i).Note); len(c) > len(cols) {
			cols, room = c, r
		}
	}
	edge := m.tab.Pager.Right() - room
	for _, c := range cols {
		head := c.Head + m.sortedSign(c.Head)
		width := w.Cells.Width(head)
		at := edge + cell.ColumnGap
		if edge = at + c.Width; !c.Left {
			at = edge - width
		}
		if c.Head != "" && at-1 >= w.Col && at+width < w.Width {
			w.Put(m.styles.Dim, strings.Repeat(m.glyphs.Rule, at-1-w.Col)+" "+head+" ")
		}
	}
}

// tabCount tells of the tabs in the bar where there is no row for them.
func (m *Model) tabCount(w *cell.RowWriter) {
	if len(m.tabs) == 1 || m.regions().rule >= 0 {
		return
	}
	mark := " "
	for _, t := range m.tabs {
		if t != m.tab && mark == " " {
			mark = m.tabMark(t)
		}
	}
	w.Put(m.styles.Bold, fmt.Sprintf("%d/%d%s", m.index()+1, len(m.tabs), mark))
}

// clickTab shows the tab in a column of the row of tabs, or closes it.
func (m *Model) clickTab(x int, closes bool) tea.Cmd {
	if len(m.tabs) == 1 {
		return nil
	}
	labels, first := m.tabLabels(m.width)
	i := slices.IndexFunc(labels, func(l tabLabel) bool { return x >= l.at && x < l.at+l.cells+2 })
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
