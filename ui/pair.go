package ui

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/room"
)

const (
	// pairBesideWidth is the least width of a screen that shows the tabs of a pair side by side, and pairStackedWidth the
	// least width of one that shows them one above the other. A narrower screen shows only the tab that has the focus.
	pairBesideWidth, pairStackedWidth = 100, 60
)

// pair is two tabs that are on the screen together. Both are ordinary tabs, and the one that has the focus is [Model.tab], so
// that most code does not know of the pair. The pair is shown while one of its tabs is [Model.tab]. The zero value is no pair.
type pair struct {
	first, second *tab  // on the left or above, and on the right or below
	marks         marks // of a comparison of their directories
}

// has reports whether t is one of the two tabs.
func (p *pair) has(t *tab) bool { return p.first != nil && (t == p.first || t == p.second) }

// other returns the tab beside t, or nil if t is not in the pair.
func (p *pair) other(t *tab) *tab {
	switch {
	case !p.has(t):
		return nil
	case t == p.first:
		return p.second
	}
	return p.first
}

// otherPane returns the tab beside the tab that has the focus, also if the screen is too narrow to show it; or nil.
func (m *Model) otherPane() *tab { return m.pair.other(m.tab) }

// shownTabs returns the tabs whose pages are on the screen, the one that has the focus first.
func (m *Model) shownTabs() []*tab {
	if other := m.otherPane(); other != nil && !m.showsOnePane() {
		return []*tab{m.tab, other}
	}
	return []*tab{m.tab}
}

// isShown reports whether the page of t is on the screen.
func (m *Model) isShown(t *tab) bool { return t == m.tab || t == m.otherPane() && !m.showsOnePane() }

// pairAreas returns the cells of the screen for the pages of the pair. They are the same if only one page has room.
func (m *Model) pairAreas() (first, second image.Rectangle) {
	r := m.regions()
	rows := r.rows - m.questionRows()
	first = image.Rect(0, r.page, m.width, r.page+rows)
	second = first
	switch {
	case m.width >= pairBesideWidth:
		first.Max.X = (m.width - 1) / 2
		second.Min.X = first.Max.X + 1
	case m.width >= pairStackedWidth && rows >= minPaneRows:
		first.Max.Y = r.page + (rows-1)/2
		second.Min.Y = first.Max.Y + 1
	}
	return first, second
}

// showsOnePane reports whether the screen has room for only one tab of a pair.
func (m *Model) showsOnePane() bool {
	first, second := m.pairAreas()
	return first == second
}

// pageArea returns the cells of the screen for the page of t, which is not the tab of the preview.
func (m *Model) pageArea(t *tab) image.Rectangle {
	if m.pair.has(t) {
		first, second := m.pairAreas()
		if t == m.pair.second {
			return second
		}
		return first
	}
	r, p := m.regions(), m.panes()
	return image.Rect(0, r.page, p.width, r.page+p.rows)
}

func pairActions() []action {
	return []action{
		{[]string{"ctrl+o"}, "pair", "show two tabs side by side, or one alone", (*Model).togglePair, currentLine, always},
		{[]string{"alt+shift+u"}, "swap panes", "swap the two tabs on the screen", (*Model).swapPanes, anytime, always},
		{[]string{"alt+shift+s"}, "same directory", "show the page of this tab in the other one too", (*Model).showInOther, currentLine, always},
		{[]string{"alt+shift+c"}, "copy across", "copy the item or tagged items to the other directory", func(m *Model) tea.Cmd { return m.changes.CopyAcross(false) }, currentLine, unlessRestricted | changes},
		{[]string{"alt+shift+m"}, "move across", "move the item or tagged items to the other directory", func(m *Model) tea.Cmd { return m.changes.CopyAcross(true) }, currentLine, unlessRestricted | changes},
		{[]string{"alt+="}, "compare", "mark what differs in two directories; then show only it", (*Model).compare, wholePage, unlessRestricted},
		{[]string{"alt++"}, "compare contents", "compare two directories by reading the files of both", (*Model).compareContents, wholePage, unlessRestricted},
	}
}

// togglePair shows two tabs together, or only one again.
func (m *Model) togglePair() tea.Cmd {
	if m.otherPane() != nil {
		m.closePair()
		return nil
	}
	return m.openPair()
}

// openPair shows the tab beside the next one; without another tab, beside a new tab with the same page. If the preview is
// open, the item in it becomes the page of a new tab.
func (m *Model) openPair() tea.Cmd {
	i, cmd := m.tabIndex(), tea.Cmd(nil)
	u, _ := m.tab.PageURL()
	switch item := m.peek.url; {
	case m.panes().paneWidth > 0 && item != nil:
		cmd = m.openBeside(i+1, room.Target{URL: item}, room.How{})
	case len(m.tabs) > 1:
		first := min(i, len(m.tabs)-2)
		m.setPair(m.tabs[first], m.tabs[first+1])
		cmd = m.wake(m.otherPane())
	case u == nil:
		cmd = m.openBeside(i+1, room.Target{URL: m.opts.Home}, room.How{})
	default:
		cmd = m.openBeside(i+1, room.Target{URL: u}, room.How{})
	}
	return cmd
}

// openBeside opens a target in a new tab beside the tab on the screen, see [Model.addTab].
func (m *Model) openBeside(i int, target room.Target, how room.How) tea.Cmd {
	t, cmd := m.openTab(i, target, how, nil)
	if t != nil {
		m.setPair(m.tab, t)
	}
	return cmd
}

// openSecond opens the page beside the first one.
func (m *Model) openSecond() tea.Cmd {
	if m.opts.Beside == "" {
		return nil
	}
	u, err := m.opts.Guess(strings.TrimSpace(m.opts.Beside))
	if err != nil {
		return m.notify(err.Error())
	}
	return m.openBeside(1, readTyped(u, m.opts.Beside), room.How{Typed: true})
}

// setPair makes two tabs a pair, in place of an earlier pair and of the preview.
func (m *Model) setPair(first, second *tab) {
	m.closePeek()
	m.pair = pair{first: first, second: second}
	m.memory.Use(&m.otherPane().Session)
	m.memory.Use(&m.tab.Session)
	m.resize(m.width, m.height)
}

// closePair leaves the tab that has the focus alone on the screen. The other one stays a tab.
func (m *Model) closePair() {
	m.pair = pair{}
	m.resize(m.width, m.height)
}

// swapPanes swaps the places of the two tabs on the screen.
func (m *Model) swapPanes() tea.Cmd {
	if m.otherPane() == nil {
		return m.notify(m.noPairText())
	}
	m.pair.first, m.pair.second = m.pair.second, m.pair.first
	m.resize(m.width, m.height)
	return nil
}

// showInOther opens the page of the tab in the other tab of the pair.
func (m *Model) showInOther() tea.Cmd {
	other := m.otherPane()
	u, _ := m.tab.PageURL()
	switch {
	case other == nil:
		return m.notify(m.noPairText())
	case u == nil:
		return m.notify("there is no page here yet")
	}
	return m.visit(room.Target{URL: u}, room.How{Tab: &other.Viewer})
}

// noPairText is the notice for a key that needs two tabs on the screen.
func (m *Model) noPairText() string {
	return "no directory beside this page: " + m.keys.keyOf("pair") + " shows two tabs"
}

// wake makes t ready to be shown: a page without its lines is loaded again. The parameter t may be nil.
func (m *Model) wake(t *tab) tea.Cmd {
	if t == nil {
		return nil
	}
	t.unseen = false
	m.memory.Use(&t.Session)
	if p := t.Session.Page(); p != nil && p.Dropped {
		t.Show() // the lines of the page were dropped
		if t.Session.Loading() == nil {
			return m.reloadTab(t)
		}
	}
	return nil
}

// isBesideDirectory reports whether the page and the one beside it have items, and one of them is a directory.
func (m *Model) isBesideDirectory() bool {
	other := m.otherPane()
	if other == nil || !m.tab.hasFiles() || !other.hasFiles() {
		return false
	}
	_, here := m.tab.directory()
	_, there := other.directory()
	return here || there
}

// hasFiles reports whether the page of t may lead to files.
func (t *tab) hasFiles() bool {
	p := t.Session.Page()
	return p != nil && p.Failed == nil && (p.Layout == protocols.LayoutDirectory || p.Layout == protocols.LayoutMenu || t.Pager.HasLinksInText())
}

// isLoading reports whether a page on the screen is loading.
func (m *Model) isLoading() bool {
	return slices.ContainsFunc(m.shownTabs(), func(t *tab) bool { return t.Session.Loading() != nil })
}

// focusPaneAt moves the focus to the tab of the pair at a cell of the screen.
func (m *Model) focusPaneAt(x, y int) tea.Cmd {
	if other := m.otherPane(); other != nil && !m.showsOnePane() && image.Pt(x, y).In(m.pageArea(other)) {
		return m.showTab(other)
	}
	return nil
}
