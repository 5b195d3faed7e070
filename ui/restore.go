package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/ui/match"
	"gofer/ui/room"
)

// saveDelay is the time between a change of the tabs and saving them.
const saveDelay = 5 * time.Second

// tabSaver is the state of saving the tabs while the program runs.
type tabSaver struct {
	hasPages bool   // a page other than an about page was opened
	pending  bool   // a saveMsg is pending
	err      string // the error that was shown last
}

// saveMsg makes the program save the tabs.
type saveMsg struct{}

// saveLater saves the tabs after saveDelay, if there are pages and no save is pending.
func (m *Model) saveLater() tea.Cmd {
	if m.opts.Sessions == nil || m.saver.pending || !m.saver.hasPages {
		return nil
	}
	m.saver.pending = true
	return m.after(saveDelay, saveMsg{})
}

func (saveMsg) apply(m *Model) tea.Cmd { return m.saveTabs() }

func (m *Model) saveTabs() tea.Cmd {
	m.saver.pending = false
	s, r := m.opts.Sessions, m.makeRecord()
	return m.writeInBackground(func() resultFunc {
		err := s.Save(r)
		return func() tea.Cmd {
			if err == nil || err.Error() == m.saver.err {
				return nil
			}
			m.saver.err = err.Error()
			return m.notify("tabs not saved: " + m.saver.err)
		}
	})
}

// makeRecord returns the tabs to save. In private mode there are none.
func (m *Model) makeRecord() sessions.Record {
	if m.private {
		return sessions.Record{}
	}
	r := sessions.Record{Shown: m.tabIndex(), ListWidth: m.peek.listWidth}
	for _, t := range m.tabs {
		r.Tabs = append(r.Tabs, t.makeRecord())
	}
	return r
}

func (t *tab) makeRecord() (r sessions.Tab) {
	pages, at := t.Session.Pages()
	r.At = max(at, 0)
	if p := t.SearchPattern(); p != nil {
		r.Find = p.Text
	}
	for p := range pages {
		r.Pages = append(r.Pages, sessions.Page{URL: p.URL, Title: clean.Short(p.Title), LinkTitle: p.LinkTitle, SearchTerms: p.SearchTerms, Place: p.Place})
	}
	if _, ok := t.Pager.Current(); ok && at >= 0 && t.Session.Page().Failed == nil {
		r.Pages[at].InSight = true
	}
	u, _ := t.PageURL()
	if l := t.Session.Loading(); u == nil && l != nil {
		u = l.URL
	}
	if len(r.Pages) == 0 && u != nil { // the page has not been loaded yet, or its load has failed
		r.Pages = append(r.Pages, sessions.Page{URL: u})
	}
	return r
}

// minOfferWidth is the least width for the long form of the notice about a lost session.
const minOfferWidth = 60

// offerTabs shows a notice that the tabs of a lost session can be restored. The home page needs no
// notice, because it has a line for these tabs.
func (m *Model) offerTabs(n int) tea.Cmd {
	if m.tab.barURL() == m.opts.Home {
		return nil
	}
	tabs := english.Plural(n, "tab", "") + " of the last session"
	if m.width < minOfferWidth {
		tabs = english.Plural(n, "lost tab", "")
	}
	return m.offerLater(m.keys.keyOf("restore") + " opens " + tabs)
}

// offerLater shows an offer beside the one that is shown or, if both do not fit or another notice is shown, after it, so that
// the user can read both.
func (m *Model) offerLater(text string) tea.Cmd {
	switch both := m.offer + "; " + text; {
	case m.notice != "" && m.notice == m.offer && m.tab.Pager.Cells.Width(both)+maxOfferHint <= m.width:
		text = both
	case m.notice != "":
		return m.after(noticeTime, resultFunc(func() tea.Cmd { return m.offerLater(text) }))
	}
	m.offer = text
	return m.notifyBesideHint(text)
}

// maxOfferHint is the room that an offer leaves at the right for a hint.
const maxOfferHint = len("   ? help")

// restore opens the tabs of the last session.
func (m *Model) restore() tea.Cmd {
	s := m.opts.Sessions
	if s == nil {
		return m.notify("no tabs are kept")
	}
	return m.holdKeys(runInBackground(func() resultFunc {
		r, ok := s.Take()
		if !ok {
			return m.noticeResult(noTabsText)
		}
		return func() tea.Cmd { return m.openRestored(r) }
	}))
}

// noTabsText is the notice that nothing can be restored.
const noTabsText = "no tabs of the last session"

// openRestored opens saved tabs after the open ones, and removes the current tab if it is blank.
func (m *Model) openRestored(r sessions.Record) tea.Cmd {
	old := m.tab
	cmd := m.showTab(m.addTabs(r))
	if old.isBlank() && old != m.tab {
		m.discard(old)
	}
	return tea.Batch(cmd, m.saveTabs())
}

// addTabs opens saved tabs and returns the tab that was on the screen when they were saved, or else the
// current tab. The page of a tab is fetched when the tab is shown.
func (m *Model) addTabs(r sessions.Record) (shown *tab) {
	shown = m.tab
	for i, k := range r.Tabs {
		if len(m.tabs) >= maxTabs {
			break
		}
		t := m.newTab()
		t.Session.Restore(pagesOf(k), k.At)
		if p := t.Session.Page(); p != nil {
			t.Finder.URL = p.URL
			t.Finder.Pattern, _ = match.New(k.Find, false)
		}
		t.To.KeepVisible = k.At < len(k.Pages) && k.Pages[k.At].InSight
		t.Pager.Show(t.Session.Page())
		m.tabs = append(m.tabs, t)
		m.memory.Use(&t.Session)
		if i == r.Shown {
			shown = t
		}
	}
	m.memory.Use(&m.tab.Session) // the current tab stays the most recently used
	m.saver.hasPages, m.peek.listWidth = true, r.ListWidth
	return shown
}

// isBlank reports whether t has only about pages and shows the first of them, without a prompt or an
// error.
func (t *tab) isBlank() bool {
	pages, at := t.Session.Pages()
	own := at <= 0 && t.Prompt == nil
	for p := range pages {
		own = own && p.URL.Scheme() == "about"
	}
	if l := t.Session.Loading(); l != nil {
		own = own && l.URL.Scheme() == "about"
	}
	p := t.Session.Page()
	return own && (p == nil || p.Failed == nil)
}

func pagesOf(k sessions.Tab) (pages []*nav.Page) {
	for _, kept := range k.Pages {
		p := &nav.Page{Place: kept.Place, LinkTitle: clean.Short(kept.LinkTitle), SearchTerms: kept.SearchTerms}
		p.URL, p.Title = kept.URL, kept.Title
		pages = append(pages, p)
	}
	return pages
}

// discard removes a tab, which cannot be opened again afterwards.
func (m *Model) discard(t *tab) {
	t.Session.Stop()
	m.removeTab(t)
	m.forgetTab(t)
}

// openLastSession shows the tabs of the last session. If the command line has a URL, the screen
// shows its page instead, and the tabs are opened after it.
func (m *Model) openLastSession() tea.Cmd {
	m.opts.Restore = false
	r, ok := sessions.Record{}, false
	if m.opts.Sessions != nil {
		r, ok = m.opts.Sessions.Take()
	}
	switch {
	case !ok:
		return tea.Batch(m.notify(noTabsText), m.openFirst(room.How{}))
	case m.opts.Start == "":
		return m.openRestored(r)
	}
	m.addTabs(r)
	return tea.Batch(m.saveTabs(), m.openFirst(room.How{}))
}

// findLostTabs looks for tabs that can be restored.
func (m *Model) findLostTabs() tea.Msg {
	if m.opts.Sessions == nil {
		return nil
	}
	n, lost := m.opts.Sessions.Last()
	if !lost {
		return nil
	}
	return resultFunc(func() tea.Cmd { return m.offerTabs(n) })
}

// endSession saves the tabs at the end of the program. If the parameter quit is false, the session
// counts as lost.
func (m *Model) endSession(quit bool) error {
	if m.opts.Sessions == nil {
		return nil
	}
	r := m.makeRecord()
	r.Quit = quit
	return m.opts.Sessions.End(r)
}
