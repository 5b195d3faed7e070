package ui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/pictureview"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

const (
	// maxTabs is the largest number of tabs.
	maxTabs = 100
	// maxClosedTabs is the largest number of closed tabs that can be opened again.
	maxClosedTabs = 20
)

// closedTab is a tab that can be opened again in its old position.
type closedTab struct {
	tab     *tab
	index   int
	waiting urlcore.URL // the URL of a load without an answer, or nil
}

func tabActions() []action {
	return []action{
		{[]string{"t"}, "open in a tab", "open the link or tagged links in background tabs", (*Model).followInTab, currentLine, listOnly},
		{[]string{"T", "ctrl+t"}, "new tab", "type the URL of a new tab, or Esc for the home page", (*Model).typeInTab, interrupts, always},
		{[]string{"W", "ctrl+w"}, "close tab", "close the tab; quit with the last one", (*Model).closeTab, interrupts, always},
		{[]string{"U"}, "undo close", "reopen the last closed tab, then the last session", (*Model).reopenTab, interrupts, always},
		{[]string{"alt+u"}, "restore", "open the tabs of the last session", (*Model).restore, interrupts, always},
		{[]string{"}"}, "tab right", "move the tab to the right", bindArg(1, (*Model).moveTab), interrupts, always},
		{[]string{"{"}, "tab left", "move the tab to the left", bindArg(-1, (*Model).moveTab), interrupts, always},
	}
}

// nextTabActions returns actions on tabs that also work while a question is open.
func nextTabActions() []action {
	return []action{
		{[]string{"]"}, "next tab", "go to the next tab", bindArg(1, (*Model).switchTab), interrupts, always},
		{[]string{"["}, "previous tab", "go to the previous tab", bindArg(-1, (*Model).switchTab), interrupts, always},
	}
}

// tabSwitchActions returns the actions on tabs that also work in prompts.
func tabSwitchActions() []action {
	return []action{
		{[]string{"ctrl+pgdown"}, "next tab", "go to the next tab, from a prompt too", bindArg(1, (*Model).switchTab), interrupts, always},
		{[]string{"ctrl+pgup"}, "previous tab", "go to the previous tab, from a prompt too", bindArg(-1, (*Model).switchTab), interrupts, always},
		{[]string{"alt+1..9"}, "tab by number", "go to the tab of that number; Alt-9 to the last", (*Model).showNumberedTab, interrupts, always},
	}
}

// newTab returns a tab with the settings of the tab on the screen.
func (m *Model) newTab() *tab {
	t := newTab(&m.host)
	t.Session.Inherit(&m.tab.Session)
	t.Pager.Settings = m.tab.Pager.Settings
	m.resizeTab(t)
	return t
}

// addTab inserts an empty tab at index i. The parameter opener is the tab with the link, or nil.
// addTab returns nil if there are too many tabs.
func (m *Model) addTab(i int, opener *tab) *tab {
	if len(m.tabs) >= maxTabs {
		return nil
	}
	t := m.newTab()
	t.opener = opener
	m.tabs = slices.Insert(m.tabs, i, t)
	m.memory.Use(&t.Session)
	m.memory.Use(&m.tab.Session) // the current tab stays the most recently used
	return t
}

// openTab opens a target in a new tab, see addTab.
func (m *Model) openTab(i int, target room.Target, how room.How, opener *tab) (*tab, tea.Cmd) {
	t := m.addTab(i, opener)
	if t == nil {
		return nil, m.notify(fmt.Sprintf("there are %d tabs: %s closes this one", maxTabs, m.keys.keyOf("close tab")))
	}
	how.Tab = &t.Viewer
	return t, m.visit(target, how)
}

// openAndShowTab opens a target in a new tab and shows the tab.
func (m *Model) openAndShowTab(i int, target room.Target, how room.How) tea.Cmd {
	t, cmd := m.openTab(i, target, how, nil)
	if t == nil {
		return cmd
	}
	return tea.Batch(m.showTab(t), cmd)
}

// followInTab opens the link under the cursor, or the tagged links, in new tabs. They come after the
// tabs that were opened from the same tab before.
func (m *Model) followInTab() tea.Cmd {
	if t := m.tab.Items(); t.Tagged {
		return m.openTagged(t)
	}
	line, ok := m.tab.Pager.Current()
	if !ok {
		return m.notify(m.noLinkText())
	}
	if _, ok := line.Note.(protocols.Action); ok {
		return m.follow()
	}
	i := m.indexBehind()
	t, cmd := m.openTab(i, m.tab.linkTarget(&line), room.How{}, m.tab)
	if t == nil {
		return cmd
	}
	return tea.Batch(cmd, m.notifyURL(fmt.Sprintf("opened in tab %d:", i+1), line.Link))
}

// indexBehind returns the index behind the tab on the screen and the next tabs that were opened from it.
func (m *Model) indexBehind() int {
	i := m.tabIndex() + 1
	for i < len(m.tabs) && m.tabs[i].opener == m.tab {
		i++
	}
	return i
}

const (
	// maxUnaskedTabs is the largest number of tagged items that are opened without a question.
	maxUnaskedTabs = 20
	// maxTabsLoading is the number of tabs that load at the same time if several were opened at
	// once. Servers limit the connections of a client.
	maxTabsLoading = 2
)

// openTagged opens the tagged items in tabs.
func (m *Model) openTagged(t *viewer.Items) tea.Cmd {
	open := func() tea.Cmd {
		links, text := t.Links(), "opened in tabs: "+t.Description()
		for i, u := range links {
			opened := m.addTab(m.indexBehind(), m.tab)
			if opened == nil {
				text = fmt.Sprintf("opened %d of %s: the limit is %d tabs", i, t.Description(), maxTabs)
				links = links[:i]
				break
			}
			opened.Session.Restore([]*nav.Page{{Head: protocols.Head{URL: u, Title: t.Text(i)}, LinkTitle: clean.Short(t.Text(i))}}, 0)
			opened.To.GoTo(nil, t.Lines[i].Fragment())
			opened.To.GoToWords(m.tab.foundWords(&t.Lines[i]))
			m.unloadedTabs = append(m.unloadedTabs, opened)
		}
		t.Untag(links...)
		return m.notify(text)
	}
	if len(t.Lines) > maxUnaskedTabs {
		return m.tab.Ask(t.Question("Open", " in tabs", false, open))
	}
	return open()
}

// loadTabs starts loads of tabs that were opened together, up to maxTabsLoading. It skips tabs that
// were closed or shown in the meantime.
func (m *Model) loadTabs() (cmd tea.Cmd) {
	for len(m.unloadedTabs) > 0 && m.loadingTabs() < maxTabsLoading {
		t := m.unloadedTabs[0]
		m.unloadedTabs = m.unloadedTabs[1:]
		if slices.Contains(m.tabs, t) && t.Session.Loading() == nil && t.Session.Page().Dropped {
			cmd = tea.Batch(cmd, m.visit(room.Target{}, room.How{Tab: &t.Viewer, Again: true, First: true}))
		}
	}
	return cmd
}

// typeInTab opens the home page in a new tab, and then the URL bar.
func (m *Model) typeInTab() tea.Cmd {
	n := len(m.tabs)
	cmd := m.openAndShowTab(n, room.Target{URL: m.opts.Home}, room.How{})
	if len(m.tabs) > n {
		cmd = tea.Batch(cmd, m.typeURL(""))
	}
	return cmd
}

// loadingTabs returns the number of tabs that load. The number is not stored, because lines added
// to one tab may end the loads of other tabs when memory runs out.
func (m *Model) loadingTabs() (n int) {
	for _, t := range m.tabs {
		if t.Session.Loading() != nil {
			n++
		}
	}
	return n
}

// allTabs returns the tabs and the tab of the pane.
func (m *Model) allTabs() []*tab { return append(slices.Clip(m.tabs), m.peek.tab) }

// tabIndex returns the index of the tab on the screen.
func (m *Model) tabIndex() int { return slices.Index(m.tabs, m.tab) }

// showTab shows t. A page without its lines is loaded again.
func (m *Model) showTab(t *tab) tea.Cmd {
	m.tab.Pager.Invalidate() // a hidden page needs no layout
	m.bar, m.promptHelp = nil, nil
	m.previewTheme("")
	left := m.dropPrompt(m.peek.tab)
	m.tab = t
	reload := tea.Batch(m.wake(m.otherPane()), m.wake(t))
	return tea.Batch(left, reload, m.news.MarkShown(&t.Viewer), m.tick())
}

// switchTab shows the tab n places to the right, and wraps around.
func (m *Model) switchTab(n int) tea.Cmd {
	if len(m.tabs) == 1 {
		return m.notify("only one tab: " + m.keys.keyOf("open in a tab") + " opens a link in another")
	}
	return m.showTab(m.tabs[(m.tabIndex()+n+len(m.tabs))%len(m.tabs)])
}

func (m *Model) chooseTab() tea.Cmd {
	var choices []ask.Choice
	for i, t := range m.tabs {
		choices = append(choices, ask.Choice{Text: m.newScreen().tabTitle(t, m.width), Key: strconv.Itoa(i + 1), Do: func() tea.Cmd {
			if !slices.Contains(m.tabs, t) { // the tab was closed with the mouse
				return m.notify("this tab is closed: " + m.keys.keyOf("undo close") + " opens it again")
			}
			return m.showTab(t)
		}})
	}
	return m.tab.Choose("Tabs", "Tab", ask.NewList(choices, false, m.tabIndex()))
}

// showNumberedTab shows the tab whose number is the pressed digit, or the last tab for the digit 9.
// If the action was chosen from a list and not by a key, showNumberedTab lists the tabs.
func (m *Model) showNumberedTab() tea.Cmd {
	if m.pressedKey == "" {
		return m.chooseTab()
	}
	i := int(m.pressedKey[len(m.pressedKey)-1]-'0') - 1
	if i == 8 {
		i = len(m.tabs) - 1
	}
	if i >= len(m.tabs) {
		return m.notify(fmt.Sprintf("there is no tab %d", i+1))
	}
	return m.showTab(m.tabs[i])
}

func (m *Model) moveTab(n int) tea.Cmd {
	i := m.tabIndex()
	if j := i + n; j >= 0 && j < len(m.tabs) {
		m.tabs[i], m.tabs[j] = m.tabs[j], m.tabs[i]
	}
	return nil
}

func (m *Model) closeTab() tea.Cmd { return m.close(m.tab) }

// close closes a tab and stops its load. Closing the last tab quits the program.
func (m *Model) close(t *tab) tea.Cmd {
	if len(m.tabs) == 1 {
		return m.quit()
	}
	c := closedTab{tab: t}
	if t.Session.IsWaiting() {
		c.waiting = t.Session.Loading().URL
	}
	t.Session.Stop()
	t.Finder.Search, t.opener = nil, nil
	i := m.removeTab(t)
	c.index = i
	m.closedTabs = append(m.closedTabs, c)
	if len(m.closedTabs) > maxClosedTabs {
		m.forgetTab(m.closedTabs[0].tab)
		m.closedTabs = slices.Delete(m.closedTabs, 0, 1)
	}
	var cmd tea.Cmd
	if t == m.tab {
		cmd = m.showTab(m.tabs[min(i, len(m.tabs)-1)])
	}
	return tea.Batch(cmd, m.replaceDrawing(t, pictureview.Drawing{}), m.notify("tab closed: "+m.keys.keyOf("undo close")+" opens it again"))
}

// removeTab removes t from the tabs and returns its index.
func (m *Model) removeTab(t *tab) (index int) {
	if index = slices.Index(m.tabs, t); m.pair.has(t) {
		m.closePair()
	}
	m.tabs = slices.Delete(m.tabs, index, index+1)
	for _, other := range m.tabs {
		if other.opener == t {
			other.opener = nil
		}
	}
	return index
}

// forgetTab releases the memory of a tab that cannot be opened again.
func (m *Model) forgetTab(t *tab) {
	m.memory.Remove(&t.Session)
	m.news.Forget(&t.Viewer)
	m.writes.Go(t.Session.Close)
}

// reopenTab opens the tab that was closed last. Without closed tabs it opens the tabs of the last session.
func (m *Model) reopenTab() tea.Cmd {
	last := len(m.closedTabs) - 1
	switch {
	case last < 0 && m.opts.Sessions != nil:
		return m.restore()
	case last < 0:
		return m.notify("no tab was closed")
	case len(m.tabs) >= maxTabs:
		return m.notify(fmt.Sprintf("there are %d tabs: close one first", maxTabs))
	}
	c := m.closedTabs[last]
	m.closedTabs = slices.Delete(m.closedTabs, last, last+1)
	m.tabs = slices.Insert(m.tabs, min(c.index, len(m.tabs)), c.tab)
	c.tab.Pager.Cells = m.tab.Pager.Cells
	m.resizeTab(c.tab)
	cmd := m.showTab(c.tab)
	m.tab.Show()
	if c.waiting != nil {
		prompt := m.tab.Prompt
		cmd = m.visit(room.Target{URL: c.waiting}, room.How{Typed: m.tab.hasTyped(c.waiting)})
		m.tab.Prompt = prompt
	}
	return cmd
}

// closeSessions ends the loads of all tabs and waits for them.
func (m *Model) closeSessions() {
	for _, t := range m.tabs {
		t.Session.Close()
	}
	for _, c := range m.closedTabs {
		c.tab.Session.Close()
	}
}

// notifyIn shows a notice about a tab. The notice has the number of the tab if the tab is open
// but not on the screen.
func (m *Model) notifyIn(t *tab, text string) tea.Cmd {
	if i := slices.Index(m.tabs, t); t != m.tab && i >= 0 {
		text = fmt.Sprintf("tab %d: %s", i+1, text)
	}
	return m.notify(text)
}
