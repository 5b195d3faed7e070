package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
)

// chooseOrder asks for the column to sort by. The current order is selected; choosing it again
// reverses the order.
func (m *Model) chooseOrder() tea.Cmd {
	p := m.tab.Session.Page()
	switch {
	case p == nil:
		return nil
	case m.isInbox():
		return m.toggleSource()
	}
	columns, current, index := p.Orders(), p.CurrentOrder(), 0
	if columns == nil {
		return m.notify("this page has no columns to sort by")
	}
	var choices []ask.Choice
	add := func(c ask.Choice, o nav.Order) {
		c.Do = func() tea.Cmd { return m.sortPage(p, o, c.Text+", "+c.About) }
		choices = append(choices, c)
	}
	for i, column := range columns {
		c, o := ask.Choice{Text: orderName(p, column.Head)}, nav.Order{By: column.Head, Flat: current.Flat}
		if column.Head == current.By {
			index, o.Reversed = i, !current.Reversed
			c.Key = "now " + describeOrder(column, current.Reversed)
		}
		c.About = describeOrder(column, o.Reversed)
		add(c, o)
	}
	if p.Layout == protocols.LayoutArticles {
		c, o := ask.Choice{Text: "flat", About: "each article by itself"}, nav.Order{By: current.By, Reversed: current.Reversed, Flat: !current.Flat}
		if current.Flat {
			if o.By == nav.ByNumber {
				o.By, o.Reversed = nav.ArrivalOrder, !current.Reversed
			}
			c = ask.Choice{Text: "threads", About: "each answer below the article that it answers"}
		}
		add(c, o)
	}
	return m.tab.Choose("Sort by", "Column", ask.NewList(choices, true, index))
}

// orderName returns the name of an order of the page.
func orderName(p *nav.Page, column string) string {
	switch {
	case p.Layout == protocols.LayoutArticles && column == nav.ArrivalOrder:
		return "age"
	case p.Layout == protocols.LayoutArticles && column == nav.ByName:
		return "subject"
	case p.Layout == protocols.LayoutGroups && column == nav.ArrivalOrder && p.URL.Scheme() == "about":
		return "file order"
	}
	return column
}

// sortPage sorts the page and shows a notice. The parameter text describes the order.
func (m *Model) sortPage(p *nav.Page, o nav.Order, text string) tea.Cmd {
	switch {
	case m.tab.Session.Page() != p:
		return nil
	case !m.tab.Session.Sort(p, o):
		return m.notify("this list is too long to be sorted")
	case p.IsLoading():
		return tea.Batch(m.notify("will be sorted by "+text+" when the page has loaded"), m.keepOrder(p, o))
	}
	m.tab.ShowRearranged(p)
	return tea.Batch(m.notify("sorted by "+text), m.keepOrder(p, o), m.tab.Scan())
}

// keepOrder keeps an order for the pages of the kind of p, also for those of later runs of the program.
func (m *Model) keepOrder(p *nav.Page, o nav.Order) tea.Cmd {
	keep := m.opts.KeepOrder
	if m.private || keep == nil {
		return nil
	}
	text := o.String() + m.orderOrigin(p.Kind())
	return m.change(func() (*room.Undo, func() tea.Cmd) {
		if err := keep(p.Kind(), text); err != nil {
			return nil, m.noticeResult("order not kept: " + err.Error())
		}
		return nil, nil
	})
}

// orderOrigin returns what follows the kept order of a kind of pages: for articles, the order in the settings that the
// user has replaced. A kept order is not used after its origin has changed.
func (m *Model) orderOrigin(kind string) string {
	if o := articleOrder(&m.opts.Config); kind == nav.KindOf(protocols.LayoutArticles) && o != (nav.Order{}) {
		return "/" + o.String()
	}
	return ""
}

// useKeptOrders sets the orders of the pages that t opens to the kept ones.
func (m *Model) useKeptOrders(t *tab) {
	for kind, text := range m.opts.Orders {
		if order, ok := strings.CutSuffix(text, m.orderOrigin(kind)); ok {
			t.Session.SetOrder(kind, nav.ParseOrder(order))
		}
	}
}

// describeOrder returns a description of the order of a column's values, such as "largest first".
func describeOrder(c protocols.Column, reversed bool) string {
	words := [2]string{"largest first", "smallest first"}
	switch c.Value.(type) {
	case time.Time, protocols.LocalTime, protocols.Day, protocols.UnreadDate:
		words = [2]string{"newest first", "oldest first"}
	case string, protocols.Encoded, protocols.Mailbox:
		words = [2]string{"A to Z", "Z to A"}
	}
	if c.Head == nav.ArrivalOrder {
		words = [2]string{"first to last", "last to first"}
		if c.Value != nil { // on a list of articles
			words = [2]string{"oldest first", "newest first"}
		}
	}
	if reversed {
		return words[1]
	}
	return words[0]
}

// sortedSign returns the sign that follows the head of the column by which the page is sorted. It
// returns "" for other columns.
func (s *screen) sortedSign(head string) string {
	switch current := s.m.tab.Session.Page().CurrentOrder(); {
	case head == "" || current.By != head:
		return ""
	case current.Reversed:
		return s.m.glyphs.Reversed
	}
	return s.m.glyphs.Sorted
}
