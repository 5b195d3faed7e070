package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/newsreader"
	"gofer/ui/room"
	"gofer/urlcore"
)

// result is a message that a command returns.
type result interface {
	// apply changes the Model, and returns the next command.
	apply(m *Model) tea.Cmd
}

// background marks a message after which the screen is not drawn again, unless the handler of the
// message clears Model.drawn.
type background interface {
	// InBackground only marks the type. It is never called.
	InBackground()
}

func (linesMsg) InBackground()  {}
func (markedMsg) InBackground() {}
func (saveMsg) InBackground()   {}

// resultFunc is a result whose apply method calls the function.
type resultFunc func() tea.Cmd

func (f resultFunc) apply(*Model) tea.Cmd { return f() }

// runInBackground returns a command whose message is the result of do. The function do must not touch the
// Model.
func runInBackground(do func() resultFunc) tea.Cmd {
	return func() tea.Msg { return toMessage(do()) }
}

// toMessage returns f as a message, or nil if f is nil.
func toMessage(f resultFunc) tea.Msg {
	if f == nil {
		return nil
	}
	return f
}

// writeInBackground calls the function write in a goroutine. The program does not end before write has
// returned. The returned command only waits for the result, because Bubble Tea drops commands when the
// program ends.
func (m *Model) writeInBackground(write func() resultFunc) tea.Cmd {
	done := make(chan tea.Msg, 1)
	m.writes.Go(func() {
		defer close(done)
		defer m.panics.Catch()
		done <- toMessage(write())
	})
	return func() tea.Msg { return <-done }
}

// change makes a change of the user in the background, after the changes that were begun before it. It adds the undo
// that do returns to Model.undos. Keys wait for the change, since they may be meant for what it leaves on the screen.
func (m *Model) change(do func() (undo *room.Undo, next func() tea.Cmd)) tea.Cmd {
	return m.holdKeys(m.writeInOrder(&m.lastChange, func() resultFunc {
		undo, next := do()
		m.undos.Push(undo)
		return next
	}))
}

// writeInOrder is like writeInBackground, but first waits for the earlier calls with the same last, which is closed when
// the latest of them has ended.
func (m *Model) writeInOrder(last *chan struct{}, write func() resultFunc) tea.Cmd {
	earlier, done := *last, make(chan struct{})
	*last = done
	return m.writeInBackground(func() resultFunc {
		defer close(done)
		if earlier != nil {
			<-earlier
		}
		return write()
	})
}

// noticeResult returns a result that shows text as a notice.
func (m *Model) noticeResult(text string) resultFunc {
	return func() tea.Cmd { return m.notify(text) }
}

// answerMsg has the answer of the server to a load of a tab.
type answerMsg struct {
	tab  *tab
	load *nav.Load
	head protocols.Head
	err  error
}

// waitAnswer returns the command that waits for the answer to l.
func (t *tab) waitAnswer(l *nav.Load) tea.Cmd {
	return func() tea.Msg {
		head, err := l.Wait()
		return answerMsg{t, l, head, err}
	}
}

// linesMsg has the next lines of a load of a tab, or the error that ends the load.
type linesMsg struct {
	tab   *tab
	load  *nav.Load
	lines nav.Lines
	links *linkCollector     // the links of all lines so far, or nil
	score *newsreader.Scorer // scores the lines, or nil
	err   error
}

// waitLines returns the command that waits for the next lines of l.
func (t *tab) waitLines(l *nav.Load, links *linkCollector, s *newsreader.Scorer) tea.Cmd {
	return func() tea.Msg {
		lines, err := l.Next()
		links.add(&lines)
		s.Add(&lines)
		return linesMsg{t, l, lines, links, s, err}
	}
}

// tickMsg is sent ten times a second while the tab on the screen is loading, and while a download or a
// change runs.
type tickMsg struct{}

const tickInterval = 100 * time.Millisecond

// tick returns the command that updates the status line after tickInterval. It returns nil if nothing
// runs and no key waits, or if a tickMsg is pending.
func (m *Model) tick() tea.Cmd {
	if _, n := m.downloads.Active(); m.ticking || !m.isLoading() && n == 0 && !m.changes.IsRunning() && !m.inbox.IsRunning() && len(m.typeahead.keys) == 0 {
		return nil
	}
	m.ticking = true
	return m.after(tickInterval, tickMsg{})
}

func (tickMsg) apply(m *Model) tea.Cmd {
	m.ticking = false
	return m.tick()
}

// endNoticeMsg removes a notice.
type endNoticeMsg struct{ id int }

// noticeTime is the time after which a notice disappears if no key is pressed.
const noticeTime = 8 * time.Second

// notify shows a notice in the status line for a while.
func (m *Model) notify(text string) tea.Cmd {
	return m.notifyURL(text, nil)
}

// notifyState shows the text whenOn as a notice if the parameter on is set, otherwise the text whenOff.
func (m *Model) notifyState(on bool, whenOn, whenOff string) tea.Cmd {
	if on {
		return m.notify(whenOn)
	}
	return m.notify(whenOff)
}

// ring tells the user that something has ended that took a while, as the setting notify says.
func (m *Model) ring(text string) tea.Cmd {
	switch m.opts.Config.Notify {
	case "desktop":
		return m.notifier.Notify(m.ctx, text)
	case "bell":
		return m.notifier.Ring()
	}
	return nil
}

// notifyBesideHint shows a notice and leaves room for a key hint beside the notice.
func (m *Model) notifyBesideHint(text string) tea.Cmd {
	cmd := m.notify(text)
	m.sharesRow = true
	return cmd
}

// notifyURL shows a notice with u after text. The URL is shortened to the free space.
func (m *Model) notifyURL(text string, u urlcore.URL) tea.Cmd {
	m.noticeID++
	m.notice, m.noticeURL, m.sharesRow = text, u, false
	return m.after(noticeTime, endNoticeMsg{m.noticeID})
}

func (msg endNoticeMsg) apply(m *Model) tea.Cmd {
	if msg.id == m.noticeID {
		m.notice = ""
	}
	return nil
}

// sendAfter returns the command that sends msg after d.
func sendAfter(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
