package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/edit"
	"gofer/ui/page"
)

// key does what the table of actions has for a key where it is read, or types
// it.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	m.notice, m.tab.linkSearch = "", nil
	if !m.tab.session.Waiting() { // else it is for the page to come
		m.tab.revealURL, m.tab.fragment, m.tab.toUnread = nil, "", false
	}
	m.pressed, m.tab.revealCursor = k.String(), false
	in := m.context()
	if in == reading {
		m.tab.toFirst = false
	}
	if a, ok := m.keys.tables[in][m.pressed]; ok {
		return tea.Batch(a.do(m), m.tab.promptTyped())
	}
	switch {
	case in == asked:
		return m.tab.no()
	case in != reading && k.Text != "" && !k.Mod.Contains(tea.ModCtrl) && !k.Mod.Contains(tea.ModAlt):
		return tea.Batch(m.paste(k.Text), m.tab.promptTyped())
	case in == reading:
		return m.say(keyLabel(m.pressed) + " does nothing here: " + m.keys.keyOf("help") + " shows the keys")
	}
	return m.tab.promptTyped()
}

func (m *Model) context() keyContext {
	switch {
	case m.bar.editing:
		return addressed
	case m.tab.prompt == nil:
		return reading
	case m.tab.prompt.yes != nil:
		return asked
	case m.tab.prompt.form != nil:
		return filling
	}
	return prompted
}

// editing is an action on the line that is being typed.
func editing(do func(*edit.Line)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		line := &m.bar.line
		if !m.bar.editing {
			line = &m.tab.prompt.line
		}
		if p := m.tab.prompt; !m.bar.editing && p.form != nil {
			p.form.detached = false
		}
		before := line.String()
		do(line)
		line.All = false
		if !m.bar.editing {
			return nil
		}
		m.bar.err = ""
		if line.String() == before {
			return nil
		}
		return m.complete()
	}
}

// cancelTyping takes the list of completions away, else leaves the URL bar or
// the prompt.
func (m *Model) cancelTyping() tea.Cmd {
	if m.shownCompletions() > 0 {
		m.untake()
		m.bar.close()
		return nil
	}
	if m.bar.editing {
		m.bar = bar{}
		return nil
	}
	p := m.tab.prompt
	p.keepTyped()
	m.tab.prompt = nil
	if p.left != nil {
		p.left(p.answers)
	}
	return m.tab.scan()
}

func (m *Model) paste(s string) tea.Cmd {
	switch {
	case m.bar.editing:
		m.bar.err = ""
		m.bar.line.Insert(s)
		return m.complete()
	case m.tab.prompt != nil && m.tab.prompt.form != nil:
		return m.tab.typeInForm(s)
	case m.tab.prompt != nil:
		m.tab.prompt.line.Insert(s)
	}
	return nil
}

func (m *Model) resize(width, height int) {
	m.width, m.height = max(width, 0), max(height, 0)
	for _, t := range m.tabs {
		m.fit(t)
		t.relabel()
	}
	p := m.panes()
	m.peek.tab.resize(p.paneWidth, p.paneRows, p.paneRows)
}

// fit gives t the room that the pane leaves.
func (m *Model) fit(t *tab) {
	p := m.panes()
	t.resize(p.width, m.height, p.rows)
}

func (t *tab) top() tea.Cmd       { t.viewport().ToTop(); return nil }
func (t *tab) bottom() tea.Cmd    { t.viewport().ToEnd(); return nil }
func (t *tab) step(n int) tea.Cmd { t.viewport().Step(n); return nil }

// pageBy scrolls by screens, halfPageBy by half ones.
func (t *tab) pageBy(n int) tea.Cmd {
	t.viewport().PageBy(n * max(1, t.pager.Height-1))
	return nil
}

func (t *tab) halfPageBy(n int) tea.Cmd {
	t.viewport().PageBy(n * max(1, t.pager.Height/2))
	return nil
}

func (m *Model) panRight() tea.Cmd {
	if m.tab.picture() == nil && m.tab.pager.Wrap() {
		return m.say("long lines are wrapped: press " + m.keys.keyOf("wrap") + " to unwrap them")
	}
	m.tab.viewport().Pan(page.PanStep)
	return nil
}

func (t *tab) panLeft() tea.Cmd { t.viewport().Pan(-page.PanStep); return nil }

// wheelStep is how many rows the mouse wheel scrolls.
const wheelStep = 3

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	step := wheelStep
	switch msg.Mouse().Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		step = -wheelStep
	default:
		return
	}
	if m.tab.prompt != nil && m.tab.prompt.form != nil {
		m.scrollForm(step)
		return
	}
	m.tab.viewport().Scroll(step)
}

// click follows a link, shows a tab, takes a completion or begins to edit the URL.
// The middle button follows in a new tab, and closes one.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	mouse := msg.Mouse()
	if i := mouse.Y - m.regions().page; mouse.Button == tea.MouseLeft && i >= 0 && i < m.shownCompletions() {
		m.take(m.bar.list.top + i - m.bar.list.at)
		return nil
	}
	middle := mouse.Button == tea.MouseMiddle
	if mouse.Button != tea.MouseLeft && !middle || m.bar.editing {
		return nil
	}
	r := m.regions()
	if mouse.Y == r.rule {
		return m.clickTab(mouse.X, middle)
	}
	if m.tab.prompt != nil && m.tab.prompt.form != nil && !middle && mouse.Y >= r.page && mouse.Y < r.page+r.rows {
		return m.clickForm(mouse.Y - r.page)
	}
	if m.tab.prompt != nil {
		return nil
	}
	if mouse.Y == r.bar {
		return m.editURL()
	}
	if mouse.X >= m.tab.pager.Width {
		return nil // beside the page
	}
	if m.tab.pager.InText() {
		return m.clickInText(mouse.X, mouse.Y-r.page)
	}
	i := m.tab.pager.At(mouse.Y - r.page)
	if !m.tab.pager.Linked(i) {
		return nil
	}
	m.tab.session.Page().Cursor = i
	if middle {
		return m.followInTab()
	}
	return m.follow()
}
