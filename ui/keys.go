package ui

import (
	"image"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/page"
	"gofer/ui/room"
	"gofer/urlcore"
)

// secondKeyTime is the longest time between the two presses of a double key such as gg.
const secondKeyTime = 500 * time.Millisecond

// takeInput handles a key, a paste or an event of the mouse, unless it must wait or is dropped.
func (m *Model) takeInput(msg tea.Msg) tea.Cmd {
	cmd, taken := m.holdInput(msg)
	found := tea.Cmd(nil)
	if _, ok := msg.(tea.KeyPressMsg); ok {
		found = m.findClientAfterPause()
	}
	if !taken {
		cmd = m.runInput(m.newInput(msg))
	}
	return tea.Batch(found, cmd)
}

// input is a key, a paste or an event of the mouse.
type input struct {
	msg  tea.Msg
	page urlcore.URL // the page that had the focus then, or nil
	rows *nav.Page   // the page of the tab whose rows were on the screen then, or nil
}

func (m *Model) newInput(msg tea.Msg) input { return input{msg, m.urlOnScreen(), m.tab.drawn} }

// sawRows reports whether the rows of the page of the tab were on the screen when the user gave the input.
func (m *Model) sawRows(in input) bool { return in.rows != nil && in.rows == m.tab.Session.Page() }

// keepItem makes the cursor of a list that is loading stay on the item that the user has seen there before a key.
func (m *Model) keepItem() {
	p := m.focusedTab().Session.Page()
	if isPageContext(m.context()) && p != nil && p.IsLoading() && p.Lines.Len() > 0 {
		p.KeepItem()
	}
}

// urlOnScreen returns the URL of the page that has the focus, or nil.
func (m *Model) urlOnScreen() urlcore.URL {
	if p := m.focusedTab().Session.Page(); p != nil {
		return p.URL
	}
	return nil
}

// runInput runs the action of an input.
func (m *Model) runInput(in input) tea.Cmd {
	sawPage := in.page == m.urlOnScreen()
	takesKeys := func(q *ask.Question) bool { return sawPage || !q.Destructive }
	m.keepItem()
	return m.openByKey(takesKeys, func() tea.Cmd {
		switch msg := in.msg.(type) {
		case tea.KeyPressMsg:
			return m.finishInput(m.pressKey(msg))
		case tea.MouseMsg:
			return m.finishInput(tea.Batch(m.endFirstKey(), m.handleMouse(msg)))
		case tea.PasteMsg:
			return tea.Batch(m.endFirstKey(), m.pasteText(msg.Content))
		}
		return nil
	})
}

// finishInput saves the tabs after a key or a mouse event.
func (m *Model) finishInput(cmd tea.Cmd) tea.Cmd {
	return tea.Batch(cmd, m.saveLater())
}

func (m *Model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.scrollWheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	}
	return nil
}

// pressKey runs the action of k. If another key waits for its second press, the action of that key
// runs first. If an action is bound to pressing k twice, k waits for the second press.
func (m *Model) pressKey(k tea.KeyPressMsg) tea.Cmd {
	name := keyName(k)
	twice := name + name
	double := m.keys.tables[m.context()][twice]
	switch first := m.firstKey; {
	case first != nil && m.isStop(k):
		m.firstKey = nil
		return nil
	case first != nil && double != nil && keyName(*first) == name:
		m.firstKey = nil
		return m.runKey(k, twice)
	case first != nil:
		return tea.Batch(m.endFirstKey(), m.pressKey(k))
	case double != nil:
		m.firstKey = &k
		return m.after(secondKeyTime, resultFunc(func() tea.Cmd {
			if m.firstKey != &k {
				return nil
			}
			return m.endFirstKey()
		}))
	}
	return m.runKey(k, name)
}

// endFirstKey runs the action of the key that waits for a second press, if any. If a prompt has
// opened in the meantime, the key has no effect.
func (m *Model) endFirstKey() tea.Cmd {
	k := m.firstKey
	if m.firstKey = nil; k == nil || m.openPrompt() != nil {
		return nil
	}
	return m.runKey(*k, keyName(*k))
}

// runKey runs the action bound to a key, or inserts the key as text.
func (m *Model) runKey(k tea.KeyPressMsg, name string) tea.Cmd {
	m.notice, m.focusedTab().LinkSearch = "", nil
	m.previousKey, m.pressedKey = m.pressedKey, name
	ctx := m.context()
	for _, t := range []*tab{m.tab, m.peek.tab} {
		t.To.KeyPressed(t.Session.IsWaiting(), isPageContext(ctx))
	}
	a, ok := m.keys.tables[ctx][m.pressedKey]
	if f := m.promptTab().Form(); !isPageContext(ctx) && ctx != contextQuestion && k.Text != "" && (m.bar != nil || f == nil || f.TakesText()) {
		ok = ok && a.name != "help" // the key is text
	}
	switch {
	case isPageContext(ctx) && m.erasingKey.repeats(name, m.now()):
		return nil
	case ok && a.do != nil && isPageContext(ctx):
		return m.runAction(a)
	case ok && a.do != nil:
		return a.do(m)
	case ok:
		cmd := m.answer(a.name)
		if a.name == "erase" && isPageContext(m.context()) {
			m.erasingKey = erasingKey{name, m.now()}
		}
		return cmd
	case isPageContext(ctx) && slices.Contains(m.keys.restrictedKeys, m.pressedKey):
		return m.notify(keyLabel(m.pressedKey) + ": " + room.NotAllowed)
	case isPageContext(ctx):
		return m.notify(keyLabel(m.pressedKey) + " does nothing here: " + m.keys.keyOf("help") + " shows the keys")
	case k.Text != "" && !k.Mod.Contains(tea.ModCtrl) && !k.Mod.Contains(tea.ModAlt):
		return m.insert(k.Text)
	}
	return nil
}

// erasingKey is the key that has closed a prompt because the prompt had no more text to erase. While the user holds the
// key, it does not go back on the page.
type erasingKey struct {
	name string
	last time.Time // when the key was pressed last
}

// repeats reports whether the key with this name is held since it has closed the prompt.
func (e *erasingKey) repeats(name string, now time.Time) bool {
	if name != e.name || now.Sub(e.last) >= secondKeyTime {
		e.name = ""
		return false
	}
	e.last = now
	return true
}

func (m *Model) context() string {
	p := m.openPrompt()
	if p == nil {
		return m.keys.currentContext()
	}
	return p.KeyContext()
}

func (m *Model) resize(width, height int) {
	if width < twoPaneScreen {
		m.peek.focus(false)
	}
	m.width, m.height = max(width, 0), max(height, 0)
	for _, t := range m.tabs {
		m.resizeTab(t)
		t.Relabel()
	}
	p := m.panes()
	m.peek.tab.Resize(p.paneWidth, p.paneRows, p.paneRows)
}

// resizeTab gives t the space that the pane or the other tab of a pair leaves free.
func (m *Model) resizeTab(t *tab) {
	area := m.pageArea(t)
	t.Resize(area.Dx(), m.height, area.Dy())
}

func (m *Model) panRight() tea.Cmd {
	t := m.focusedTab()
	if t.Picture() == nil && t.Pager.WrapsLines() && !t.Pager.IsPanned() {
		return m.notify("long lines are wrapped: press " + m.keys.keyOf("wrap") + " to unwrap them")
	}
	t.Viewport().Pan(page.PanStep)
	return nil
}

// scrollWheel moves in the open list, or else scrolls the form, or the page or the pane under the pointer.
func (m *Model) scrollWheel(msg tea.MouseWheelMsg) {
	step, ok := map[tea.MouseButton]int{tea.MouseWheelDown: 3, tea.MouseWheelUp: -3}[msg.Mouse().Button]
	if !ok {
		return
	}
	if l, ok := m.openPrompt().(interface{ Scroll(n int) }); ok {
		l.Scroll(step)
		return
	}
	if f := m.tab.Form(); f != nil && f.KeyContext() == "form" {
		f.Scroll(step, m.askScreen())
		return
	}
	t, mouse := m.tab, msg.Mouse()
	if m.isInPane(mouse.X, mouse.Y) {
		t = m.peek.tab
	}
	if other := m.otherPane(); other != nil && m.isShown(other) && image.Pt(mouse.X, mouse.Y).In(m.pageArea(other)) {
		t = other
	}
	t.Viewport().Scroll(step)
}

// click follows a link, shows a tab, runs a choice, chooses a completion or begins to edit the URL. The middle button opens a
// link in a new tab, or closes a tab. The right button and button 8 close a list or the help, and otherwise go back while no
// prompt is open; button 9 goes forward.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	mouse := msg.Mouse()
	r, middle := m.regions(), mouse.Button == tea.MouseMiddle
	navigate := map[tea.MouseButton]func() tea.Cmd{tea.MouseRight: m.goBack, tea.MouseBackward: m.goBack, tea.MouseForward: m.goForward}[mouse.Button]
	switch {
	case navigate != nil && m.openPrompt() == nil:
		return navigate()
	case navigate != nil && isList(m.openPrompt()):
		return m.answer("cancel")
	case m.openPrompt() == ask.Prompt(m.promptHelp):
		return nil
	case mouse.Button != tea.MouseLeft && !middle, m.bar != nil && middle:
		return nil
	case m.bar != nil:
		m.bar.Click(mouse.Y-r.page, m.askScreen())
		return nil
	case mouse.Y == r.rule:
		return m.clickTab(mouse.X, middle)
	}
	if f := m.tab.Form(); f != nil && f.KeyContext() == "form" && !middle && mouse.Y >= r.page && mouse.Y < r.page+r.rows {
		return tea.Batch(f.Click(mouse.Y-r.page, m.askScreen()), m.finishPrompt(m.tab, f))
	}
	switch p := m.openPrompt().(type) {
	case nil:
	case *ask.Choose:
		if !middle {
			row := r.status - mouse.Y
			if s := (screen{m: m, regions: r, prompt: p.Draw(m.askScreen())}); s.hasBox() {
				row-- // the border
			}
			p.Click(row, m.askScreen())
		}
		return m.finishPrompt(m.promptTab(), p)
	default:
		return nil
	}
	switch {
	case mouse.Y == r.bar:
		return m.editURL()
	case m.isInPane(mouse.X, mouse.Y):
		return m.clickInPane(mouse.X, mouse.Y)
	}
	focused := m.focusPaneAt(mouse.X, mouse.Y)
	return tea.Batch(focused, m.clickInPage(mouse.X, mouse.Y, middle))
}

// clickInPage follows the link at cell (x, y) of the screen, or opens it in a new tab. Beside a preview the first click on an
// item only selects it.
func (m *Model) clickInPage(x, y int, inTab bool) tea.Cmd {
	at := m.pageOrigin(m.tab)
	if m.otherPane() != nil && !image.Pt(x, y).In(m.pageArea(m.tab)) {
		return nil // the border
	}
	if m.tab.Pager.HasLinksInText() {
		return m.clickInText(m.tab, x-at.X, y-at.Y)
	}
	i := m.tab.Pager.LineAt(y - at.Y)
	if !m.tab.Pager.IsLink(i) {
		return nil
	}
	selected := m.tab.Session.Page().Cursor == i
	m.tab.Session.Page().Cursor = i
	if inTab {
		return m.followInTab()
	}
	if m.peek.focus(false); m.hasTwoPanes() && !selected {
		return nil // the pane shows the item
	}
	return m.follow()
}

// isList reports whether p lists choices, as the help does.
func isList(p ask.Prompt) bool {
	switch p.(type) {
	case *ask.Choose, *ask.Help:
		return true
	}
	return false
}
