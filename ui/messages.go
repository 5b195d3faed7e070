package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// result is a message that a command brings.
type result interface {
	// apply does what follows from it, for the Model.
	apply(m *Model) tea.Cmd
}

// background is a message after which the screen is drawn again only if it says so.
type background interface {
	// InBackground does nothing.
	InBackground()
}

func (linesMsg) InBackground()  {}
func (markedMsg) InBackground() {}
func (saveMsg) InBackground()   {}

// resultFunc is a result that is nothing but what follows from it.
type resultFunc func() tea.Cmd

func (f resultFunc) apply(*Model) tea.Cmd { return f() }

// async returns the command for do, which takes time and must not touch the
// Model, and for what it returns.
func async(do func() resultFunc) tea.Cmd {
	return func() tea.Msg { return message(do()) }
}

// message is f as a message, nil if nothing follows.
func message(f resultFunc) tea.Msg {
	if f == nil {
		return nil
	}
	return f
}

// saying is the result of which the reader is told.
func (m *Model) saying(text string) resultFunc {
	return func() tea.Cmd { return m.say(text) }
}

// answerMsg is what the server answered to a load of a tab.
type answerMsg struct {
	tab  *tab
	load *nav.Load
	head protocols.Head
	err  error
}

// wait returns the command that waits for the answer to l.
func (t *tab) wait(l *nav.Load) tea.Cmd {
	return func() tea.Msg {
		head, err := l.Wait()
		return answerMsg{t, l, head, err}
	}
}

// linesMsg is the next lines of a load of a tab, or why there are none.
type linesMsg struct {
	tab   *tab
	load  *nav.Load
	lines nav.Lines
	links *comparison // of all lines so far, or nil
	score *scoring    // of all lines, or nil
	err   error
}

// next returns the command that waits for the next lines of l.
func (t *tab) next(l *nav.Load, links *comparison, s *scoring) tea.Cmd {
	return func() tea.Msg {
		lines, err := l.Next()
		links.add(&lines)
		s.add(&lines)
		return linesMsg{t, l, lines, links, s, err}
	}
}

// tickMsg comes ten times a second while something is being loaded.
type tickMsg struct{}

const tickEvery = 100 * time.Millisecond

// tick returns the command that keeps the status line up to date, if it has
// something to tell and none is under way.
func (m *Model) tick() tea.Cmd {
	if _, n := m.downloads.Active(); m.ticking || m.tab.Session.Loading() == nil && n == 0 && !m.changes.Active() {
		return nil
	}
	m.ticking = true
	return m.after(tickEvery, tickMsg{})
}

func (tickMsg) apply(m *Model) tea.Cmd {
	m.ticking = false
	return m.tick()
}

// quietMsg takes a notice away.
type quietMsg struct{ id int }

// noticeTime is how long a notice stays when no key is pressed.
const noticeTime = 8 * time.Second

// say shows a notice in the status line for a while.
func (m *Model) say(text string) tea.Cmd {
	return m.sayOf(text, nil)
}

// sayState says what has been turned on or off.
func (m *Model) sayState(on bool, whenOn, whenOff string) tea.Cmd {
	if on {
		return m.say(whenOn)
	}
	return m.say(whenOff)
}

// sayOf is say with a URL at the end, shortened to what there is room for.
func (m *Model) sayOf(text string, u urlcore.URL) tea.Cmd {
	m.noticeID++
	m.notice, m.noticeOf = text, u
	return m.after(noticeTime, quietMsg{m.noticeID})
}

func (msg quietMsg) apply(m *Model) tea.Cmd {
	if msg.id == m.noticeID {
		m.notice = ""
	}
	return nil
}

// later returns the command that brings msg after d.
func later(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
