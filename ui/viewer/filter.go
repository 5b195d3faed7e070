package viewer

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
)

// AskFilter asks for a filter and applies it while it is typed.
func (v *Viewer) AskFilter() tea.Cmd {
	page := v.Session.Page()
	if page == nil {
		return nil
	}
	start, old := v.location(), ""
	if page.Filter != nil {
		old = page.Filter.Pattern
	}
	p := ask.NewLine(ask.Head{Title: "Show only lines with"}, ask.Field{Label: "Filter", Value: old})
	p.History, p.Scroll, p.State = v.host.Patterns, v.scrollBy, v.filterText
	p.Leave = func(answers []string) tea.Cmd {
		var restored tea.Cmd
		if old == "" || len(answers) == 0 || answers[0] == "" || v.Session.Page() != page {
			v.removeFilter()
		} else if answers[0] != old {
			restored, _ = v.filterTyped(old)
		}
		v.returnTo(start)
		return restored
	}
	p.Changed = func(typed string) (tea.Cmd, error) {
		if typed == "" {
			p.Leave(nil)
			return v.Scan(), nil
		}
		return v.filterTyped(typed)
	}
	p.Finish = func(answers []string) tea.Cmd {
		if p.HasError() {
			v.Prompt = p
			return nil
		}
		v.host.Patterns.Add(answers[0])
		return nil
	}
	return v.Ask(p)
}

// filterTyped shows only the lines of the page that match the typed pattern.
func (v *Viewer) filterTyped(typed string) (tea.Cmd, error) {
	p, err := match.New(typed, true)
	page := v.Session.Page()
	if p == nil || page == nil {
		return nil, err
	}
	old := page.Filter
	narrows := old != nil && p.Narrows(v.filterPattern())
	page.Filter, v.filter = &nav.Matches{Pattern: typed}, p
	page.Top, page.TopRow, page.Left = 0, 0, 0
	v.ResetSearch()
	if narrows {
		v.widerMatches = old
	}
	v.To.toFirst = true
	v.filterPortion(newBudget(p))
	return v.Scan(), nil
}

// filterPattern returns the pattern of the page's filter.
func (v *Viewer) filterPattern() *match.Pattern {
	if typed := v.Session.Page().Filter.Pattern; v.filter == nil || v.filter.Text != typed {
		v.filter, _ = match.New(typed, true)
	}
	return v.filter
}

// filterPortion applies the filter to a portion of the page. If a wider filter has been applied before,
// filterPortion skips the lines that the wider filter has hidden.
func (v *Viewer) filterPortion(b *budget) (changed bool) {
	pager, page, p := &v.Pager, v.Session.Page(), v.filterPattern()
	f := page.Filter
	_, last := pager.VisibleLines()
	full := last >= 0 && pager.LineBelow(last) < page.Lines.Len()
	v.matchPortion(f, p, b, func(i int) int {
		if v.widerMatches == nil || i >= v.widerMatches.Searched {
			return i
		}
		if next := v.widerMatches.After(i - 1); next >= 0 {
			return next
		}
		return v.widerMatches.Searched
	})
	pager.Show(page)
	if v.To.toFirst {
		pager.ToTop()
	}
	pager.SelectFirstLink()
	if b.hasRest() {
		v.widerMatches, v.To.toFirst = nil, false
	}
	return b.hasRest() || !full || isDrawStep(f.Searched)
}

// FilterStates shows only the lines that have one of the bits of states, or all lines if states is 0. The parameter name names
// them. The filter ends when the page is loaded again.
func (v *Viewer) FilterStates(states nav.State, name string) {
	page := v.Session.Page()
	if page == nil {
		return
	}
	v.removeFilter()
	if states == 0 {
		return
	}
	f := &nav.Matches{Pattern: name, States: states, Searched: page.Lines.Len()}
	for i := range page.Lines.Len() {
		if page.Lines.State(i)&states != 0 {
			f.Lines = append(f.Lines, uint32(i))
		}
	}
	page.Filter, page.Top, page.TopRow = f, 0, 0
	v.ResetSearch()
	v.Pager.Show(page)
	v.Pager.ToTop()
	v.Pager.SelectFirstLink()
}

func (v *Viewer) removeFilter() {
	page := v.Session.Page()
	if page == nil || page.Filter == nil {
		return
	}
	page.Filter = nil
	v.ResetSearch()
	v.Pager.Show(page)
}

// ClearFilter removes the filter. If the cursor is visible, it stays on its line. Otherwise the first
// visible line stays at the top of the screen.
func (v *Viewer) ClearFilter() tea.Cmd {
	pager := &v.Pager
	first, last := pager.VisibleLines()
	v.removeFilter()
	if cursor := pager.Page.Cursor; cursor >= first && cursor <= last {
		pager.OpenFold(cursor)
		pager.Center(cursor)
	} else if last >= first {
		pager.Page.Top = first
	}
	pager.Fill()
	return v.Scan()
}

// filterText returns the number of lines that the filter shows, as in "12 of 2021".
func (v *Viewer) filterText() string {
	p := v.Session.Page()
	if p == nil || p.Filter == nil {
		return ""
	}
	plus := ""
	if p.Filter.Searched < p.Lines.Len() || p.IsLoading() {
		plus = "+"
	}
	return fmt.Sprintf("%d%s of %d%s", len(p.Filter.Lines), plus, p.Lines.Len(), plus)
}
