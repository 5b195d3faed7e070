package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
)

// chooseOrder asks for the column to sort by. The current order is selected; choosing it again
// reverses the order.
func (m *Model) chooseOrder() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil {
		return nil
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
		return m.notify("will be sorted by " + text + " when the page has loaded")
	}
	m.tab.ShowRearranged(p)
	return tea.Batch(m.notify("sorted by "+text), m.tab.Scan())
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
