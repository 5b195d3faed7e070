package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// readingTime is the time without keys in which the user reads a prompt. It is longer than the time between two keys
// of a word or of a held key, and than people need to notice a change and stop typing, about a quarter of a second.
const readingTime = 400 * time.Millisecond

// shownPrompt is the prompt that the user sees.
//
// A key answers a prompt only if the user has seen it. A prompt takes keys at once if a key has opened it, also one that
// has waited, or if it asks for the words of an item that was known to need them. All other prompts are unread: those that
// come with the answer of a server, in whatever tab and behind whatever prompt, the yes-or-no questions that a command
// in the background opens, unless the user expects them, and the destructive ones about a page that was not on the screen
// when their key was pressed. Keys before an unread prompt are dropped, and so are keys behind it
// until it has been on the screen for readingTime without a key. Over a long line that begins when the terminal says that it
// has drawn the prompt. The keys that are obeyed at once are still obeyed. No key sends a form that was drawn after the key.
type shownPrompt struct {
	prompt  ask.Prompt // nil if there is none
	drawn   time.Time  // when it was drawn first, or when the terminal has shown it
	awaited ask.Prompt // the unread prompt whose sight is awaited, or nil
	seen    bool       // the terminal has shown awaited
}

// seenMsg reports that the terminal has shown a prompt.
type seenMsg struct{ prompt ask.Prompt }

// InBackground marks seenMsg as a message that does not redraw the screen.
func (seenMsg) InBackground() {}

func (msg seenMsg) apply(m *Model) tea.Cmd {
	if s := &m.shown; s.awaited == msg.prompt && !s.seen {
		s.seen, s.drawn = true, m.now()
	}
	return nil
}

// awaitSight returns the command that waits until the user can see an unread prompt, or nil.
func (m *Model) awaitSight() tea.Cmd {
	s, p := &m.shown, m.openPrompt()
	if !m.isUnread() {
		s.awaited = nil
		return nil
	}
	if s.awaited == p {
		return nil
	}
	done := make(chan struct{}, 1)
	s.awaited, s.seen = p, !m.terminal.CallWhenSeen(func() {
		select {
		case done <- struct{}{}:
		default:
		}
	})
	if s.seen {
		return nil
	}
	return func() tea.Msg {
		select {
		case <-done:
			return seenMsg{p}
		case <-m.ctx.Done():
			return nil
		}
	}
}

// noteDrawn is called when the screen has been drawn.
func (m *Model) noteDrawn() {
	if p := m.openPrompt(); p != m.shown.prompt {
		m.shown.prompt, m.shown.drawn = p, m.now()
	}
	for _, t := range m.shownTabs() {
		if p := t.Session.Page(); p != nil && p.Lines.Len() > 0 {
			t.drawn = p
		}
	}
}

// openByKey runs the action of a key. A prompt that the action opens takes keys, but a question only if the function
// takesKeys says so or if the user expects it.
func (m *Model) openByKey(takesKeys func(*ask.Question) bool, act func() tea.Cmd) tea.Cmd {
	tabs := [...]*tab{m.tab, m.peek.tab}
	before := [...]ask.Prompt{m.tab.Prompt, m.peek.tab.Prompt}
	cmd := act()
	for i, t := range tabs {
		p := t.Prompt
		if q, isQuestion := p.(*ask.Question); p != nil && p != before[i] && p != t.Waited && (!isQuestion || q.Expected || takesKeys(q)) {
			t.read = p
		}
	}
	return cmd
}

// focusQuestion moves the focus to the other tab of a pair if it is on the screen and has a prompt, which is shown and
// answered in the tab that has the focus only.
func (m *Model) focusQuestion() tea.Cmd {
	other := m.otherPane()
	if other == nil || other.Prompt == nil || !m.isShown(other) || m.openPrompt() != nil {
		return nil
	}
	return m.showTab(other)
}

// handKeysTo gives the keys that wait for the answer to a load of t, and later keys, to the prompt asked, if u was known
// to lead to a prompt. Behind an open prompt, asked has to wait and gets no keys.
func (m *Model) handKeysTo(t *tab, u urlcore.URL, asked ask.Prompt) {
	if t.Prompt != asked || !protocols.KindOf(u).NeedsAnswers() {
		return
	}
	if t.read = asked; t == m.typeahead.tab {
		m.typeahead.prompt = asked
	}
}

// handKeysToExpected gives the keys that wait for t to the question that has opened there, if the user expects it and the first of
// them answers it. It reports whether it has done so.
func (m *Model) handKeysToExpected(t *tab) bool {
	p := t.Prompt
	q, isQuestion := p.(*ask.Question)
	c, isChoice := p.(*ask.Choose)
	if t != m.tab || p != m.openPrompt() || !(isQuestion && q.Expected || isChoice && c.Expected) {
		return false
	}
	if keys := &m.typeahead; t == keys.tab && len(keys.keys) > 0 {
		k, isKey := keys.keys[0].msg.(tea.KeyPressMsg)
		a := m.keys.tables[p.KeyContext()][keyName(k)]
		if !isKey || (a == nil || a.do != nil) && (!isChoice || k.Text == "") {
			return false
		}
		keys.prompt = p
	}
	t.read = p
	return true
}

// isUnread reports whether the open prompt takes no keys yet.
func (m *Model) isUnread() bool {
	p := m.openPrompt()
	return p != nil && p != m.promptTab().read && p != ask.Prompt(m.bar) && p != ask.Prompt(m.promptHelp)
}

// readPrompt is called before a key, a paste or a click. It reports whether the user has had the time to read the open
// prompt, if there is one.
func (m *Model) readPrompt() bool {
	if p := m.openPrompt(); m.isUnread() {
		if s := &m.shown; p != s.prompt || p != s.awaited || !s.seen || m.isTyping() || m.now().Sub(s.drawn) < readingTime {
			return false
		}
		m.promptTab().read = p
	}
	return true
}

// isOnUnseenButton reports whether the keys that wait would send a form, which was drawn after they were pressed.
func (m *Model) isOnUnseenButton() bool {
	q := &m.typeahead
	f, ok := m.openPrompt().(*ask.Form)
	return ok && f.IsOnButton() && (m.shown.prompt != q.prompt || q.since.Before(m.shown.drawn))
}

// isTyping reports whether keys wait or a key has come within readingTime.
func (m *Model) isTyping() bool {
	return len(m.typeahead.keys) > 0 || m.now().Sub(m.lastKeyTime) < readingTime
}
