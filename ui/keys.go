package ui

import (
	tea "charm.land/bubbletea/v2"
)

// key takes a key to what is being typed, or to the action table.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	m.notice, m.revealURL = "", nil
	switch {
	case m.bar.editing:
		return m.barKey(k)
	case m.prompt != nil:
		return m.promptKey(k)
	}
	a, ok := m.keys[k.String()]
	if !ok {
		return nil
	}
	return a.do(m)
}

func (m *Model) paste(s string) {
	switch {
	case m.bar.editing:
		m.bar.paste(s)
	case m.prompt != nil:
		m.prompt.line.insert(s)
	}
}

func (m *Model) resize(width, height int) {
	m.width, m.height = max(width, 0), max(height, 0)
	for _, t := range m.tabs {
		t.resize(m.width, m.height, m.regions().rows)
	}
}

func (m *Model) down() tea.Cmd         { m.pager.step(1); return nil }
func (m *Model) up() tea.Cmd           { m.pager.step(-1); return nil }
func (m *Model) nextLink() tea.Cmd     { m.pager.jump(1); return nil }
func (m *Model) previousLink() tea.Cmd { m.pager.jump(-1); return nil }
func (m *Model) pageDown() tea.Cmd     { m.pager.leaf(max(1, m.pager.height-1)); return nil }
func (m *Model) pageUp() tea.Cmd       { m.pager.leaf(-max(1, m.pager.height-1)); return nil }
func (m *Model) halfDown() tea.Cmd     { m.pager.leaf(max(1, m.pager.height/2)); return nil }
func (m *Model) halfUp() tea.Cmd       { m.pager.leaf(-max(1, m.pager.height/2)); return nil }
func (m *Model) top() tea.Cmd          { m.pager.toTop(); return nil }
func (m *Model) bottom() tea.Cmd       { m.pager.toEnd(); return nil }

func (m *Model) panRight() tea.Cmd {
	if m.pager.wrap() {
		return m.say("long lines are wrapped: w unwraps them")
	}
	m.pager.pan(panStep)
	return nil
}

func (m *Model) panLeft() tea.Cmd { m.pager.pan(-panStep); return nil }

// toggleWrap is for all pages of the kind that is on the screen.
func (m *Model) toggleWrap() tea.Cmd {
	wrap := !m.pager.wrap()
	if m.pager.prose() {
		m.pager.wrapText = wrap
	} else {
		m.pager.wrapLists = wrap
	}
	if p := m.session.Page(); p != nil {
		p.Left, p.TopRow = 0, 0
	}
	m.pager.invalidate()
	if wrap {
		return m.say("long lines are wrapped")
	}
	return m.say("long lines are not wrapped: > and < pan")
}

// wheelStep is how many rows the mouse wheel scrolls.
const wheelStep = 3

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	switch msg.Mouse().Button {
	case tea.MouseWheelDown:
		m.pager.scroll(wheelStep)
	case tea.MouseWheelUp:
		m.pager.scroll(-wheelStep)
	}
}

// click follows a link, or begins to edit the URL.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	mouse := msg.Mouse()
	if mouse.Button != tea.MouseLeft || m.bar.editing || m.prompt != nil {
		return nil
	}
	r := m.regions()
	if mouse.Y == r.bar {
		return m.editURL()
	}
	i := m.pager.at(mouse.Y - r.page)
	if !m.pager.linked(i) {
		return nil
	}
	m.session.Page().Cursor = i
	return m.follow()
}
