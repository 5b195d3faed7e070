package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/page"
)

// fold folds or unfolds what the page has to be folded.
func (m *Model) fold() tea.Cmd {
	if m.isArticle() {
		return m.toggleQuotes()
	}
	return m.foldThread()
}

// toggleQuotes folds the long quotes of articles to one line each, or shows them,
// in all tabs.
func (m *Model) toggleQuotes() tea.Cmd {
	fold := !m.pager.FoldQuotes
	for _, t := range m.allTabs() {
		v := &t.pager
		v.FoldQuotes, v.Quotes.Opened = fold, nil
		v.Invalidate()
		t.resetSearch()
		p := v.Page
		if p == nil {
			continue
		}
		if b, folded := v.FoldedQuote(p.Top); folded {
			p.Top, p.TopRow = b.From, 0
		}
		if _, folded := v.FoldedQuote(p.Cursor); folded {
			p.Link = 0
		}
		v.Fill()
	}
	return m.sayState(fold, "quotes of more than "+strconv.Itoa(page.FoldedFrom-1)+" lines are folded", "all quotes are shown")
}

// toggleROT13 shifts the letters of a text by 13, or back.
func (m *Model) toggleROT13() tea.Cmd {
	p := m.session.Page()
	if p == nil || p.Layout != protocols.LayoutText {
		return m.say("this page is not a text")
	}
	p.ROT13 = !p.ROT13
	m.pager.Invalidate()
	m.resetSearch()
	return m.sayState(p.ROT13, "ROT13 on", "ROT13 off")
}
