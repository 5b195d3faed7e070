package ui

import (
	"cmp"
	"errors"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
)

const (
	// twoPaneScreen is the least width of the screen for two panes, a list and its item.
	twoPaneScreen = 150
	// minListPane and minItemPane are the least widths of the panes. maxListPane is the largest
	// default width of the list. paneStep is the change of the width by a key.
	minListPane, minItemPane, maxListPane, paneStep = 40, 50, 90, 8
)

// listWidth returns the width of the page beside the pane.
func (m *Model) listWidth() int {
	if m.width < twoPaneScreen {
		return m.width / 2
	}
	return min(max(cmp.Or(m.peek.listWidth, min(m.width/2, maxListPane)), minListPane), m.width-minItemPane)
}

// hidesPane reports whether the pane is hidden, because a document or a page of gofer has replaced the list on the screen.
// The document for whose links the pane was opened does not hide it.
func (m *Model) hidesPane() bool {
	if u, _ := m.tab.PageURL(); m.tab.Pager.IsDocument() {
		return u != m.peek.document
	}
	return m.peek.ofList && m.tab.Pager.IsProse()
}

// hasTwoPanes reports whether the focus can move to the pane.
func (m *Model) hasTwoPanes() bool { return m.width >= twoPaneScreen && m.panes().paneWidth > 0 }

// isPaneFocused reports whether keys act in the pane.
func (m *Model) isPaneFocused() bool { return m.peek.focused && m.hasTwoPanes() }

// focusedTab returns the tab on which keys act: the tab of the pane if the pane has the focus and a
// page, else the tab on the screen.
func (m *Model) focusedTab() *tab {
	if m.isPaneFocused() && m.peek.tab.Pager.Page != nil {
		return m.peek.tab
	}
	return m.tab
}

// isInPane reports whether a cell of the screen belongs to the pane.
func (m *Model) isInPane(x, y int) bool {
	at, p := m.pageOrigin(m.peek.tab), m.panes()
	return p.paneWidth > 0 && (x >= p.width || !p.side) && y >= at.Y-1 && y < at.Y+p.paneRows
}

// goToNextLink moves the focus to the other pane. If there is only one pane, it moves to the next
// link, or to the previous one if dir is negative. In a pair, only the key of the next link moves the focus.
func (m *Model) goToNextLink(dir int) tea.Cmd {
	if other := m.otherPane(); other != nil && dir > 0 {
		return m.showTab(other)
	}
	if !m.hasTwoPanes() {
		return m.tab.JumpToLink(dir)
	}
	m.peek.focus(!m.peek.focused)
	return nil
}

// focus puts the cursor into the pane, or removes it from the pane.
func (p *peek) focus(on bool) {
	page := p.tab.Pager.Page
	switch {
	case p.focused == on || page == nil:
	case on:
		page.Cursor, page.Link = max(p.place.Cursor, 0), p.place.Link
		p.tab.Pager.SelectFirstLink()
	default:
		p.place = page.Place
		page.Cursor, page.Link = -1, 0
	}
	p.focused = on
}

// resizePanes widens the list, or the pane if dir is negative.
func (m *Model) resizePanes(dir int) tea.Cmd {
	if !m.hasTwoPanes() {
		return m.notify("only one pane: press " + m.keys.keyOf("peek") + " on a list; two panes need 150 columns")
	}
	m.peek.listWidth = m.listWidth() + dir*paneStep
	m.peek.listWidth = m.listWidth() // listWidth limits the width
	return nil
}

// runAction runs an action on pages, in the pane if it has the focus.
func (m *Model) runAction(a *action) tea.Cmd {
	if m.isPaneFocused() {
		return m.actInPane(a)
	}
	return a.do(m)
}

// actInPane runs an action while the pane has the focus.
func (m *Model) actInPane(a *action) tea.Cmd {
	page := m.peek.tab.Pager.Page
	switch {
	case a.availability.has(opensInPane):
		return m.followFocused()
	case a.availability.has(clearsFilter) && page != nil && page.Filter != nil:
		return m.peek.tab.ClearFilter()
	case a.availability.has(leavesPane):
		m.peek.focus(false)
		return nil
	case a.availability.has(readsPane):
		return m.peek.tab.PageBy(1)
	}
	if why := m.reasonNotInPane(a); why != "" {
		return m.notify(why)
	}
	return a.do(m)
}

// reasonNotInPane returns the reason why an action does nothing in the pane, or "".
func (m *Model) reasonNotInPane(a *action) string {
	page := m.peek.tab.Pager.Page
	switch {
	case a.availability.has(listOnly), a.availability.has(pictureOnly) && m.peek.tab.Picture() == nil:
		return cmp.Or(keyLabel(m.pressedKey), a.name) + " works in the list: press " + m.keys.keyOf("next link") + " to go there"
	case page == nil && !a.availability.has(withoutPage):
		return "no page in the pane"
	case a.availability.has(wholeItem) && errors.Is(page.Err, nav.ErrStopped):
		return "the pane has only the beginning of the item: press " + m.keys.keyOf("open") + " to open it"
	}
	return ""
}

// followFocused opens the link under the cursor of the pane. If the pane has no focus or no link,
// it opens the item under the cursor of the page.
func (m *Model) followFocused() tea.Cmd {
	t := m.focusedTab()
	line, ok := t.Pager.Current()
	if _, action := line.Note.(protocols.Action); t == m.tab || !ok || action {
		return m.follow()
	}
	return m.visit(t.linkTarget(&line), room.How{OnPage: true})
}

// clickInPane moves the focus to the pane and opens the link at cell (x, y) of the screen.
func (m *Model) clickInPane(x, y int) tea.Cmd {
	t, at := m.peek.tab, m.pageOrigin(m.peek.tab)
	if m.peek.focus(m.hasTwoPanes()); m.focusedTab() != t {
		return nil
	}
	if t.Pager.HasLinksInText() {
		return m.clickInText(t, x-at.X, y-at.Y)
	}
	if t.Pager.Page.Cursor = t.Pager.LineAt(y - at.Y); !t.Pager.IsLink(t.Pager.Page.Cursor) {
		return nil
	}
	return m.followFocused()
}
