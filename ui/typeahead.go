package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
)

// typeahead is the queue of the keys that were pressed before gofer could run them. There is one queue, for four
// reasons to wait:
//
//   - A command in the background will open a prompt (expectPrompt). All keys and pastes wait for the prompt.
//   - A command in the background will visit a page, or complete or change the page on the screen (holdKeys), or the tab
//     on the screen waits for a page that replaces the page on the screen, or for the new lines of a list that has
//     changed. Keys for pages wait, also for the first page. The keys of an action that needs nothing (anytime) do not.
//     During uploads and other long jobs the user may read on, so keys wait for patience only; but a key that changes a
//     directory of a server waits until the change before it has ended.
//   - A command in the background will open a question about what it finds, as the number of files (holdKeysForQuestion).
//     All keys wait, also those that lead to another tab or page, so that the answer to the question does not go there.
//     They wait for patience only, and answer the question if it is an expected one. They do not act on the page: otherwise
//     they are dropped.
//   - The page has been answered but does not have the lines yet that the key needs, see isComplete. A page that
//     loads longer than patience has waited long enough, so that an endless page does not lock the user out. A
//     reloaded page takes keys until its new lines come. A list that is sorted when it is complete has two rules, because
//     its rows are on the screen before. A key that was pressed before its first rows were drawn is for the sorted list and
//     waits for it. A later key is for what the user sees: it acts on the rows that have come, and from then on the cursor
//     stays on its item, and the item on its row of the screen, when rows come and when they are sorted.
//
// The keys leave the queue one at a time, each as if it were pressed then: it may open a prompt for the keys behind it,
// or ask for a page for which they wait. A paste waits only behind keys. The keys of actions that stop or interrupt are
// obeyed at once, and drop the keys that wait; but a key that has another action on some pages waits, because it may be
// meant for the next page. A click drops the keys too, because the user points at what is on the screen. Keys for a page
// that has failed are dropped, unless the first of them leaves the error page, as the key that reads on through a list does.
// The status line shows what waits, and what was dropped.
type typeahead struct {
	tab    *tab       // the tab of the keys
	keys   []input    // keys and pastes, the oldest first
	prompt ask.Prompt // the prompt that the keys are for, or nil for a page
	since  time.Time  // when the oldest key was pressed
	jobs   []*keyJob  // commands in the background for which keys wait
	notice int        // number of the latest notice about keys for an unread prompt
}

// keyJob is a command in the background for which the keys of a tab wait.
type keyJob struct {
	tab      *tab
	prompt   bool // the command opens a prompt
	question bool // the command opens a question, which gets the keys only if it is an expected one
}

const (
	// maxTypeahead is the largest number of keys that wait.
	maxTypeahead = 256
	// maxShownKeys is the largest number of waiting keys that the status line shows.
	maxShownKeys = 8
	// patience is the longest time that keys wait for the rest of a page after its answer.
	patience = 3 * time.Second
)

// expectPrompt returns a command that calls the function do, whose result opens a prompt. Keys wait for the prompt.
// Esc cancels the prompt, and so does another call.
func (m *Model) expectPrompt(do func() resultFunc) tea.Cmd {
	q := &m.typeahead
	q.jobs = slices.DeleteFunc(q.jobs, func(j *keyJob) bool { return j.prompt })
	return m.holdFor(&keyJob{tab: m.tab, prompt: true}, runInBackground(do))
}

// holdKeys returns a command that does the same as cmd. Keys for pages wait until the result of cmd has been applied.
func (m *Model) holdKeys(cmd tea.Cmd) tea.Cmd { return m.holdFor(&keyJob{tab: m.tab}, cmd) }

// holdKeysBriefly is like holdKeys, but keys wait for patience at most.
func (m *Model) holdKeysBriefly(cmd tea.Cmd) tea.Cmd {
	job := &keyJob{tab: m.tab}
	return tea.Batch(m.holdFor(job, cmd), m.after(patience, resultFunc(func() tea.Cmd {
		m.typeahead.end(job)
		return nil
	})))
}

// holdKeysForQuestion is like holdKeys, for a cmd whose result opens a question that the user knows to come. The keys
// that have waited for it do not act on the page, also if no question opens or not within patience. An expected one takes them.
func (m *Model) holdKeysForQuestion(cmd tea.Cmd) tea.Cmd {
	job := &keyJob{tab: m.tab, question: true}
	held := m.holdFor(job, func() tea.Msg {
		msg := cmd()
		return resultFunc(func() tea.Cmd {
			r, ok := msg.(result)
			if !ok {
				return nil
			}
			notice := m.noticeID
			cmd := r.apply(m)
			if m.handKeysToExpected(job.tab) {
				return cmd
			}
			return tea.Batch(cmd, m.dropKeysBehind(job.tab, notice))
		})
	})
	return tea.Batch(held, m.after(patience, resultFunc(func() tea.Cmd {
		if !slices.Contains(m.typeahead.jobs, job) {
			return nil
		}
		m.typeahead.end(job)
		return m.dropKeys(job.tab)
	})))
}

// dropKeysBehind drops the keys that wait for t. If no prompt is open, the notice about them follows the notice that was
// shown since the one with the given ID.
func (m *Model) dropKeysBehind(t *tab, noticeID int) tea.Cmd {
	result := m.notice
	if cmd := m.dropKeys(t); cmd == nil || m.isUnread() || result == "" || noticeID == m.noticeID-1 {
		return cmd
	}
	return m.notify(result + "; " + m.notice)
}

func (q *typeahead) end(job *keyJob) {
	q.jobs = slices.DeleteFunc(q.jobs, func(j *keyJob) bool { return j == job })
}

func (m *Model) holdFor(job *keyJob, cmd tea.Cmd) tea.Cmd {
	q := &m.typeahead
	q.jobs = append(q.jobs, job)
	return func() tea.Msg {
		msg := cmd()
		return resultFunc(func() tea.Cmd {
			canceled := !slices.Contains(q.jobs, job)
			q.end(job)
			r, ok := msg.(result)
			switch {
			case !ok, job.prompt && canceled:
				return nil
			case !job.prompt:
				return r.apply(m)
			}
			cmd := m.openByKey(func(*ask.Question) bool { return false }, func() tea.Cmd { return r.apply(m) })
			if q.prompt = m.openPrompt(); q.prompt == nil {
				q.keys = nil
			}
			return cmd
		})
	}
}

// waits reports whether keys of t wait for a command that opens a prompt, or for one that does not.
func (q *typeahead) waits(t *tab, prompt bool) bool {
	return slices.ContainsFunc(q.jobs, func(j *keyJob) bool { return j.tab == t && j.prompt == prompt })
}

// expectsQuestion reports whether a command opens a question in t.
func (q *typeahead) expectsQuestion(t *tab) bool {
	return slices.ContainsFunc(q.jobs, func(j *keyJob) bool { return j.tab == t && j.question })
}

// holdInput puts a key or a paste into the queue if it must wait, and drops a key, a paste or a click for an unread
// prompt. It reports whether it has done so.
func (m *Model) holdInput(msg tea.Msg) (cmd tea.Cmd, held bool) {
	q := &m.typeahead
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if m.interrupts(msg) {
			stopped := m.isStop(msg) && (len(q.keys) > 0 || q.waits(m.tab, true)) && m.tab.Session.Loading() == nil
			q.keys = nil
			q.jobs = slices.DeleteFunc(q.jobs, func(j *keyJob) bool { return j.tab == m.tab })
			return nil, stopped
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && msg.Y != m.regions().rule && !m.readPrompt() {
			return m.dropKeys(m.tab), true
		}
		q.keys = nil
		return nil, false
	case tea.PasteMsg:
	default:
		return nil, false
	}
	isRead, in := m.readPrompt(), m.newInput(msg)
	switch {
	case isRead && len(q.keys) == 0 && !m.mustWait(in):
		return nil, false
	case len(q.keys) == 0:
		q.tab, q.prompt, q.since = m.tab, m.openPrompt(), m.now()
	case len(q.keys) == maxTypeahead:
		return m.tick(), true
	}
	if q.keys = append(q.keys, in); m.sawRows(q.keys[0]) {
		m.keepItem()
	}
	if !isRead {
		return m.dropKeys(m.tab), true
	}
	return m.tick(), true
}

// actionOf returns the action of a key, or nil if it has none or may be the first of two presses. It also reports whether
// k has the same action on all pages.
func (m *Model) actionOf(k tea.KeyPressMsg) (a *action, onAllPages bool) {
	table, name := m.keys.tables[m.context()], keyName(k)
	if table[name+name] == nil {
		a = table[name]
	}
	same := m.keys.tables[contextPage][name] == m.keys.tables[contextNews][name]
	if m.otherPane() != nil {
		same = same && m.keys.tables[contextPage][name] == m.keys.tables[contextFiles][name]
	}
	return a, same || !isPageContext(m.context())
}

// isStop reports whether k stops what runs. Ctrl-C does, even where it leaves a question.
func (m *Model) isStop(k tea.KeyPressMsg) bool {
	a := m.keys.tables[m.context()][keyName(k)]
	return keyName(k) == "ctrl+c" || a != nil && a.needs == stops && k.Text == ""
}

// interrupts reports whether k is obeyed at once although keys wait. A key that is text is not if a key before it may
// open a prompt for the text.
func (m *Model) interrupts(k tea.KeyPressMsg) bool {
	if m.isStop(k) {
		return true
	}
	a, onAllPages := m.actionOf(k)
	if a == nil || a.needs != interrupts || !onAllPages {
		return false
	}
	return k.Text == "" || !m.typeahead.waits(m.tab, true) && !slices.ContainsFunc(m.typeahead.keys, func(in input) bool {
		before, _ := in.msg.(tea.KeyPressMsg)
		a := m.keys.tables[contextPage][keyName(before)]
		return a == nil || !a.availability.has(moves)
	})
}

// dropKeys drops the keys that wait for t, and shows a notice that names them, and says why if a prompt is unread.
func (m *Model) dropKeys(t *tab) tea.Cmd {
	q := &m.typeahead
	names := q.names()
	if t != q.tab || names == "" {
		return nil
	}
	q.keys = nil
	if !m.isUnread() {
		return m.notify("dropped: " + names)
	}
	cmd := m.notify("dropped: " + names + " (typed before you could read this)")
	q.notice = m.noticeID
	return cmd
}

// leaveErrorPage reports whether the keys that wait for t, whose page has failed, begin with one that leaves the page.
func (m *Model) leaveErrorPage(t *tab) bool {
	q := &m.typeahead
	if t != m.tab || t != q.tab || len(q.keys) == 0 {
		return false
	}
	k, isKey := q.keys[0].msg.(tea.KeyPressMsg)
	if !isKey {
		return false
	}
	a, _ := m.actionOf(k)
	return a != nil && a.availability.has(readsOn)
}

// showsDropped reports whether the notice is about keys that were dropped because the open prompt was unread.
func (m *Model) showsDropped() bool { return m.notice != "" && m.noticeID == m.typeahead.notice }

// names returns the names of the keys that wait, or "".
func (q *typeahead) names() string {
	var names []string
	for _, in := range q.keys[:min(len(q.keys), maxShownKeys)] {
		name := "paste"
		if k, ok := in.msg.(tea.KeyPressMsg); ok {
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

// releaseKeys returns the command that takes the next key from the queue, or nil if the key must wait. It drops the keys
// if another tab or prompt is on the screen than the one that they are for.
func (m *Model) releaseKeys() tea.Cmd {
	switch q := &m.typeahead; {
	case len(q.keys) == 0 || q.waits(q.tab, true):
		return nil
	case q.tab != m.tab, q.prompt != m.openPrompt(), m.isUnread(), m.isOnUnseenButton():
		m.drawn = false
		return m.dropKeys(q.tab)
	case m.mustWait(q.keys[0]):
		return nil
	}
	return func() tea.Msg { return releaseMsg{} }
}

func (releaseMsg) apply(m *Model) (cmd tea.Cmd) {
	q := &m.typeahead
	if cmd := m.releaseKeys(); cmd == nil || len(q.keys) == 0 {
		return cmd
	}
	m.drawn = false
	first := q.keys[0]
	q.keys = q.keys[1:]
	cmd = m.runInput(first)
	q.tab, q.prompt = m.tab, m.openPrompt()
	return cmd
}

// mustWait reports whether a key or a paste must wait, although none waits before it.
func (m *Model) mustWait(in input) bool {
	k, isKey := in.msg.(tea.KeyPressMsg)
	switch {
	case m.typeahead.waits(m.tab, true):
		return true
	case !isKey, !isPageContext(m.context()), m.firstKey != nil:
		return false
	case m.typeahead.expectsQuestion(m.tab):
		return true
	}
	a, onAllPages := m.actionOf(k)
	needs := currentLine
	if a != nil {
		needs = a.needs
	}
	if a != nil && a.availability.has(changesPane) && m.otherPane() != nil {
		needs = anytime
	}
	if onAllPages && (needs <= anytime || needs == wholeOrNone) {
		return !m.isComplete(in, needs)
	}
	if a != nil && a.availability.has(changes) && m.changes.Blocks() {
		return true
	}
	return m.typeahead.waits(m.tab, false) || m.tab.awaitsPage() || m.awaitsPane(a) || !m.isComplete(in, needs)
}

// awaitsPage reports whether another page will replace the page of t, or the page has lost its lines or has outdated ones.
func (t *tab) awaitsPage() bool {
	p := t.Session.Page()
	return t.pendingURL() != nil || t.Session.IsWaiting() && p != nil && (p.Dropped || t.how.Changed)
}

// awaitsPane reports whether the action a, which may be nil, acts in the pane, and the pane has no page yet.
func (m *Model) awaitsPane(a *action) bool {
	p := &m.peek
	return m.isPaneFocused() && p.tab.Pager.Page == nil && p.url != nil && p.message == "" &&
		(a == nil || !a.availability.has(withoutPage|leavesPane|opensInPane))
}

// isComplete reports whether the page of the tab has all that the action of a key needs. A page that loads may still get the
// line under the cursor, or the place to which the cursor goes.
func (m *Model) isComplete(in input, needs need) bool {
	t := m.tab
	p := t.Session.Page()
	switch {
	case needs <= anytime:
		return true
	case t.Session.Loading() == nil:
		return !t.IsSearching(needs >= wholePage)
	case p == nil || t.Session.IsWaiting() || m.isPaneFocused() || m.now().Sub(t.answered) >= patience:
		return true
	case needs >= wholePage || p.IsArrangedAtEnd() && !m.sawRows(in) || !t.IsPlaced():
		return false
	case needs == nextScreen:
		return t.Pager.HasRows(t.Pager.Height)
	case needs == nextItem:
		return t.Pager.HasRows(1) || !t.Pager.HasLinksInText() && p.Cursor+1 < p.Lines.Len() && t.Pager.FindLink(p.Cursor+1, p.Lines.Len()-1) >= 0
	}
	_, onItem := t.Pager.Current()
	return onItem && needs == currentLine || t.Pager.HasRows(1)
}
