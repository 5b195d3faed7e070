package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// typeahead is the queue of the keys that were pressed before gofer could run them. There is one queue, for three
// reasons to wait:
//
//   - A command in the background will open a prompt (expectPrompt). All keys and pastes wait for the prompt.
//   - A command in the background will visit a page, or complete or change the page on the screen (holdKeys), or the tab
//     on the screen waits for a page that replaces the page on the screen, or for the new lines of a list that has
//     changed. Keys for pages wait, also for the first page. The keys of an action that is marked anytime do not: their
//     effect is the same before and after the answer.
//   - The page has been answered but does not have the lines yet that the key needs, see isComplete. A page that
//     loads longer than patience has waited long enough, so that an endless page does not lock the user out. A
//     reloaded page takes keys until its new lines come.
//
// The keys leave the queue one at a time, each as if it were pressed then: it may open a prompt for the keys behind it,
// or ask for a page for which they wait. A paste waits only behind keys. Esc, Ctrl-C, the other keys that stop or cancel
// and the keys of actions marked interrupts are obeyed at once, and drop the keys that wait; but a key that has another
// action on some pages waits, because it may be meant for the next page. A click drops the keys too, because the user
// points at what is on the screen. Keys for a page that has failed are dropped. The status line shows what waits, and what
// was dropped.
//
// A key answers a prompt only if the user has seen it. A prompt takes keys at once if a key has opened it, also one that
// has waited, or if it asks for the words of an item that was known to need them. All other prompts are unread: those that
// come with the answer of a server, in whatever tab and behind whatever prompt, and the yes-or-no questions that a command
// in the background opens. Keys
// before an unread prompt are dropped, and so are keys behind it until it has been on the screen for readingTime without a
// key. The keys that are obeyed at once are still obeyed. No key sends a form that was drawn after the key.
type typeahead struct {
	tab       *tab       // the tab of the keys
	keys      []tea.Msg  // keys and pastes, the oldest first
	prompt    ask.Prompt // the prompt that the keys are for, or nil for a page
	since     time.Time  // when the oldest key was pressed
	jobs      []*keyJob  // commands in the background for which keys wait
	releasing bool       // a releaseMsg is under way
	seen      ask.Prompt // the prompt on the screen, or nil
	drawn     time.Time  // when seen was drawn first
}

// keyJob is a command in the background for which the keys of a tab wait.
type keyJob struct {
	tab    *tab
	prompt bool // the command opens a prompt
}

const (
	// maxTypeahead is the largest number of keys that wait.
	maxTypeahead = 256
	// maxShownKeys is the largest number of waiting keys that the status line shows.
	maxShownKeys = 8
	// patience is the longest time that keys wait for the rest of a page after its answer.
	patience = 3 * time.Second
	// readingTime is the time without keys in which the user reads a prompt. It is longer than the time between two keys
	// of a word or of a held key, and than people need to notice a change and stop typing, about a quarter of a second.
	readingTime = 400 * time.Millisecond
)

// expectPrompt returns a command that calls the function do, whose result opens a prompt. Keys wait for the prompt.
// Esc cancels the prompt.
func (m *Model) expectPrompt(do func() resultFunc) tea.Cmd {
	q := &m.typeahead
	q.jobs = slices.DeleteFunc(q.jobs, func(j *keyJob) bool { return j.prompt })
	job := q.begin(&keyJob{m.tab, true})
	return runInBackground(func() resultFunc {
		open := do()
		return func() tea.Cmd {
			if !q.end(job) {
				return nil // canceled, or another prompt is expected
			}
			cmd := m.openByKey(false, open)
			if q.prompt = m.openPrompt(); q.prompt == nil {
				q.keys = nil
			}
			return cmd
		}
	})
}

// holdKeys returns a command that does the same as cmd. Keys for pages wait until the result of cmd has been applied.
func (m *Model) holdKeys(cmd tea.Cmd) tea.Cmd {
	job := m.typeahead.begin(&keyJob{m.tab, false})
	return func() tea.Msg {
		msg := cmd()
		return resultFunc(func() tea.Cmd {
			m.typeahead.end(job)
			if r, ok := msg.(result); ok {
				return r.apply(m)
			}
			return nil
		})
	}
}

func (q *typeahead) begin(j *keyJob) *keyJob {
	q.jobs = append(q.jobs, j)
	return j
}

// end removes a job. It reports whether keys have waited for the job until now.
func (q *typeahead) end(j *keyJob) bool {
	i := slices.Index(q.jobs, j)
	if i >= 0 {
		q.jobs = slices.Delete(q.jobs, i, i+1)
	}
	return i >= 0
}

// has reports whether the keys of t wait for a job.
func (q *typeahead) has(t *tab, prompt bool) bool {
	return slices.ContainsFunc(q.jobs, func(j *keyJob) bool { return j.tab == t && j.prompt == prompt })
}

// bufferKey puts a key or a paste into the queue if it must wait. It reports whether it has handled msg.
func (m *Model) bufferKey(msg tea.Msg) bool {
	q := &m.typeahead
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if len(q.keys) == 0 && len(q.jobs) == 0 {
			break
		}
		if stops := m.isStop(msg); stops || m.interrupts(msg) {
			stops = stops && (len(q.keys) > 0 || q.has(m.tab, true))
			q.keys = nil
			q.jobs = slices.DeleteFunc(q.jobs, func(j *keyJob) bool { return j.tab == m.tab })
			return stops && m.tab.Session.Loading() == nil
		}
	case tea.PasteMsg:
	case tea.MouseClickMsg:
		q.keys = nil
		return false
	default:
		return false
	}
	if len(q.keys) == 0 {
		if !m.mustWait(msg) {
			return false
		}
		q.tab, q.prompt, q.since = m.tab, m.openPrompt(), m.now()
	}
	if len(q.keys) < maxTypeahead {
		q.keys = append(q.keys, msg)
	}
	return true
}

// actionOf returns the action of a key, or nil if it has none or may be the first of two presses.
func (m *Model) actionOf(k tea.KeyPressMsg) *action {
	table, name := m.keys.tables[m.context()], keyName(k)
	if table[name+name] != nil {
		return nil
	}
	return table[name]
}

// isActionAnywhere reports whether k has the same action on all pages, and the action has one of the values.
func (m *Model) isActionAnywhere(k tea.KeyPressMsg, values availability) bool {
	a, name := m.actionOf(k), keyName(k)
	return a != nil && a.availability.has(values) && (!isPageContext(m.context()) || m.keys.tables[contextPage][name] == m.keys.tables[contextNews][name])
}

// isStop reports whether k stops what runs.
func (m *Model) isStop(k tea.KeyPressMsg) bool {
	name := keyName(k)
	a := m.keys.tables[m.context()][name]
	return name == "esc" || name == "ctrl+c" || a != nil && slices.Contains([]string{"stop", "stop or quit", "cancel"}, a.name)
}

// interrupts reports whether k is obeyed at once although keys wait. A key that is text is not if a key before it
// may open a prompt for it: a letter may begin a word for each key but those that move, and brackets do not follow
// the key that opens a link.
func (m *Model) interrupts(k tea.KeyPressMsg) bool {
	if !m.isActionAnywhere(k, interrupts) {
		return false
	}
	if k.Text == "" {
		return true
	}
	return !m.typeahead.has(m.tab, true) && !slices.ContainsFunc(m.typeahead.keys, func(msg tea.Msg) bool {
		before, _ := msg.(tea.KeyPressMsg)
		a := m.keys.tables[contextPage][keyName(before)]
		return a == nil || !a.availability.has(moves) && (a.name != "open" || unicode.IsLetter([]rune(k.Text)[0]))
	})
}

// dropKeys drops the keys that wait, and shows a notice that names them.
func (m *Model) dropKeys() tea.Cmd {
	q := &m.typeahead
	names := q.names()
	if q.keys = nil; names == "" {
		return nil
	}
	return m.notify("dropped: " + names)
}

// dropKeysOf drops the keys for the page that t waits for.
func (m *Model) dropKeysOf(t *tab) tea.Cmd {
	if t != m.typeahead.tab {
		return nil
	}
	return m.dropKeys()
}

// names returns the names of the keys that wait, or "".
func (q *typeahead) names() string {
	var names []string
	for _, msg := range q.keys[:min(len(q.keys), maxShownKeys)] {
		name := "paste"
		if k, ok := msg.(tea.KeyPressMsg); ok {
			name = keyLabel(keyName(k))
		}
		names = append(names, name)
	}
	if n := len(q.keys) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, " ")
}

// releaseMsg takes a key from the queue.
type releaseMsg struct{}

// InBackground marks releaseMsg as a message that does not redraw the screen by itself.
func (releaseMsg) InBackground() {}

// releaseKeys returns the command that takes the next key from the queue, or nil if the key must wait.
func (m *Model) releaseKeys() tea.Cmd {
	q := &m.typeahead
	switch {
	case len(q.keys) == 0 || q.releasing || q.has(q.tab, true):
		return nil
	case q.tab != m.tab, q.prompt != m.openPrompt(), m.isUnread(), m.isOnUnseenButton():
		m.drawn = false
		return m.dropKeys()
	case m.mustWait(q.keys[0]):
		return nil
	}
	q.releasing = true
	return func() tea.Msg { return releaseMsg{} }
}

func (releaseMsg) apply(m *Model) (cmd tea.Cmd) {
	q := &m.typeahead
	if q.releasing = false; m.releaseKeys() == nil {
		return nil
	}
	q.releasing, m.drawn = false, false
	msg := q.keys[0]
	q.keys = q.keys[1:]
	cmd = m.openByKey(true, func() tea.Cmd {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			return m.finishInput(m.pressKey(msg))
		case tea.PasteMsg:
			return m.pasteText(msg.Content)
		}
		return nil
	})
	q.tab, q.prompt = m.tab, m.openPrompt()
	return cmd
}

// handKeysTo gives the keys that wait for the answer to a load of t, and later keys, to the prompt of t, if u was known
// to lead to a prompt.
func (m *Model) handKeysTo(t *tab, u urlcore.URL) {
	if !protocols.KindOf(u).NeedsAnswers() {
		return
	}
	if t.read = t.Prompt; t == m.typeahead.tab {
		m.typeahead.prompt = t.Prompt
	}
}

// openByKey runs the action of a key. A prompt that the action opens takes keys, but a question only if its key was
// obeyed at once, not after a wait.
func (m *Model) openByKey(atOnce bool, act func() tea.Cmd) tea.Cmd {
	tabs := [...]*tab{m.tab, m.peek.tab}
	before := [...]ask.Prompt{m.tab.Prompt, m.peek.tab.Prompt}
	cmd := act()
	for i, t := range tabs {
		if p := t.Prompt; p != nil && p != before[i] && p != t.Waited && (atOnce || p.KeyContext() != contextQuestion) {
			t.read = p
		}
	}
	return cmd
}

// isUnread reports whether the open prompt takes no keys yet.
func (m *Model) isUnread() bool {
	p := m.openPrompt()
	return p != nil && p != m.promptTab().read && p != ask.Prompt(m.bar) && p != ask.Prompt(m.promptHelp)
}

// noteDrawn is called when the screen has been drawn.
func (m *Model) noteDrawn() {
	if p, q := m.openPrompt(), &m.typeahead; p != q.seen {
		q.seen, q.drawn = p, m.now()
	}
}

// isOnUnseenButton reports whether the keys that wait would send a form, which was drawn after they were pressed.
func (m *Model) isOnUnseenButton() bool {
	q := &m.typeahead
	f, ok := m.openPrompt().(*ask.Form)
	return ok && f.IsOnButton() && (q.seen != q.prompt || q.since.Before(q.drawn))
}

// isTyping reports whether keys wait or a key has come within readingTime.
func (m *Model) isTyping() bool {
	return len(m.typeahead.keys) > 0 || m.now().Sub(m.lastKeyTime) < readingTime
}

// dropUnread drops a key, a paste or a click for an unread prompt, with a notice that names it. It reports whether it
// has dropped msg.
func (m *Model) dropUnread(msg tea.Msg) (notice tea.Cmd, dropped bool) {
	q := &m.typeahead
	if !m.isUnread() {
		return nil, false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if a := m.actionOf(msg); m.isStop(msg) || a != nil && a.availability.has(interrupts) {
			return nil, false
		}
	case tea.PasteMsg:
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft || msg.Y == m.regions().rule {
			return nil, false
		}
	default:
		return nil, false
	}
	if p := m.openPrompt(); p == q.seen && !m.isTyping() && m.now().Sub(q.drawn) >= readingTime {
		m.promptTab().read = p
		return nil, false
	}
	m.firstKey = nil
	if _, isClick := msg.(tea.MouseClickMsg); !isClick {
		q.keys = append(q.keys, msg)
	}
	return m.dropKeys(), true
}

// mustWait reports whether a key or a paste must wait, although none waits before it.
func (m *Model) mustWait(msg tea.Msg) bool {
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case m.typeahead.has(m.tab, true):
		return true
	case !isKey, !isPageContext(m.context()), m.firstKey != nil:
		return false
	}
	a := m.actionOf(k)
	if m.isActionAnywhere(k, interrupts) {
		return false
	}
	if m.isActionAnywhere(k, anytime) {
		return !m.isComplete(m.tab, a)
	}
	return m.typeahead.has(m.tab, false) || m.tab.awaitsPage() || m.awaitsPane(a) || !m.isComplete(m.tab, a)
}

// awaitsPage reports whether another page will replace the page of t, or the page has lost its lines or has outdated ones.
func (t *tab) awaitsPage() bool {
	p := t.Session.Page()
	return t.pendingURL() != nil || t.Session.IsWaiting() && p != nil && (p.Dropped || t.how.Changed)
}

// awaitsPane reports whether the action a acts in the pane, and the pane has no page yet.
func (m *Model) awaitsPane(a *action) bool {
	p := &m.peek
	return m.isPaneFocused() && p.tab.Pager.Page == nil && p.url != nil && p.message == "" &&
		(a == nil || !a.availability.has(withoutPage|leavesPane|opensInPane))
}

// isComplete reports whether the page of t has all that the action a, which may be nil, needs. A page that loads may
// still get the line under the cursor, or the place to which the cursor goes.
func (m *Model) isComplete(t *tab, a *action) bool {
	p, need := t.Session.Page(), always
	if a != nil {
		need = a.availability
	}
	switch {
	case need.has(anytime) && !need.has(wholePage):
		return true
	case t.Session.Loading() == nil:
		return !t.IsSearching(need.has(wholePage))
	case p == nil || t.Session.IsWaiting() || m.isPaneFocused() || m.now().Sub(t.answered) >= patience:
		return true
	case need.has(wholePage) || p.IsArrangedAtEnd() || !t.IsPlaced():
		return false
	case need.has(nextScreen):
		return t.Pager.HasRows(t.Pager.Height)
	case need.has(nextItem):
		return t.Pager.HasRows(1) || !t.Pager.HasLinksInText() && p.Cursor+1 < p.Lines.Len() && t.Pager.FindLink(p.Cursor+1, p.Lines.Len()-1) >= 0
	}
	_, onItem := t.Pager.Current()
	return onItem && !need.has(wholeScreen) || t.Pager.HasRows(1)
}
