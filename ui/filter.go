package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
)

// startFilter asks for a filter and narrows the page while it is typed.
func (t *reader) startFilter() tea.Cmd {
	page := t.session.Page()
	if page == nil {
		return nil
	}
	t, at, old := t, t.location(), ""
	if page.Filter != nil {
		old = page.Filter.Pattern
	}
	p := ask.NewLine(ask.Head{Title: "Show only lines with"}, ask.Field{Label: "Filter", Value: old})
	p.Recalled, p.Scroll, p.State = t.host.Patterns, t.scrollBy, t.filterText
	p.Changed = func(typed string) (tea.Cmd, error) {
		if typed == "" {
			t.showAll()
			t.goTo(at)
			return t.scan(), nil
		}
		return t.narrow(typed)
	}
	p.Leave = func([]string) {
		t.showAll()
		t.goTo(at)
	}
	p.Finish = func(answers []string) tea.Cmd {
		if p.Failed() {
			t.prompt = p
			return nil
		}
		t.host.Patterns.Add(answers[0])
		return nil
	}
	return t.ask(p)
}

// narrow shows only the lines of the page that match what is typed.
func (t *reader) narrow(typed string) (tea.Cmd, error) {
	p, err := match.New(typed, true)
	page := t.session.Page()
	if p == nil || page == nil {
		return nil, err
	}
	old := page.Filter
	narrows := old != nil && p.Narrows(t.filterPattern())
	page.Filter, t.filter = &nav.Matches{Pattern: typed}, p
	page.Top, page.TopRow, page.Left = 0, 0, 0
	t.resetSearch()
	if narrows {
		t.wider = old
	}
	t.to.first = true
	t.filterSlice(newBudget(p))
	return t.scan(), nil
}

// filterPattern is the pattern of the page's filter.
func (t *reader) filterPattern() *match.Pattern {
	if typed := t.session.Page().Filter.Pattern; t.filter == nil || t.filter.Text != typed {
		t.filter, _ = match.New(typed, true)
	}
	return t.filter
}

// filterSlice looks for lines to show in a slice of the page. It has to look at
// those only that an older filter has left, as far as that has come.
func (t *reader) filterSlice(b *budget) (changed bool) {
	v, page, p := &t.pager, t.session.Page(), t.filterPattern()
	f := page.Filter
	_, last := v.Visible()
	full := last >= 0 && v.After(last) < page.Lines.Len()
	for n := page.Lines.Len(); b.left() && f.Searched < n; {
		i := f.Searched
		if t.wider != nil && i < t.wider.Searched {
			if i = t.wider.After(i - 1); i < 0 {
				f.Searched = t.wider.Searched
				continue
			}
		}
		f.Searched = i + 1
		text, note, raw := v.Text(i)
		b.take(len(text), raw)
		if _, ok := p.Match(t.pager.Reading, text, note); ok {
			f.Lines = append(f.Lines, uint32(i))
		}
	}
	v.Show(page)
	if t.to.first {
		v.ToTop()
	}
	v.SelectFirstLink()
	if b.left() {
		t.wider, t.to.first = nil, false
	}
	return b.left() || !full || drawSometimes(f.Searched)
}

// showAll takes the filter away.
func (t *reader) showAll() {
	page := t.session.Page()
	if page == nil || page.Filter == nil {
		return
	}
	page.Filter = nil
	t.resetSearch()
	t.pager.Show(page)
}

// clearFilter takes the filter away. The cursor stays on its line or, where it
// is not on the screen, the first line of the screen stays the first.
func (t *reader) clearFilter() tea.Cmd {
	v := &t.pager
	first, last := v.Visible()
	t.showAll()
	if cursor := v.Page.Cursor; cursor >= first && cursor <= last {
		v.OpenFold(cursor)
		v.Center(cursor)
	} else if last >= first {
		v.Page.Top = first
	}
	v.Fill()
	return t.scan()
}

// filterText says how many lines of how many are shown: "12 of 2021".
func (t *reader) filterText() string {
	p := t.session.Page()
	if p == nil || p.Filter == nil {
		return ""
	}
	more := ""
	if p.Filter.Searched < p.Lines.Len() || p.Loading() {
		more = "+"
	}
	return fmt.Sprintf("%d%s of %d%s", len(p.Filter.Lines), more, p.Lines.Len(), more)
}
