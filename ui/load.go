package ui

import (
	"cmp"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// visit begins to load u. The page on the screen stays until the server answers.
func (m *Model) visit(u urlcore.URL) tea.Cmd {
	m.tab.typedURL = m.typedURL
	return m.visitIn(m.tab, u)
}

// visitIn visits u in t. It leaves t.typedURL unchanged.
func (m *Model) visitIn(t *tab, u urlcore.URL) tea.Cmd {
	t.ifMissing, t.linkText = nil, ""
	t.To.GoTo(nil, "")
	return m.load(t, u, false, "")
}

// reloadTab loads the page of t again. An open prompt stays open.
func (m *Model) reloadTab(t *tab) tea.Cmd {
	prompt, p := t.Prompt, t.Session.Page()
	if t.typedURL = nil; p.Typed {
		t.typedURL = p.URL
	}
	cmd := m.load(t, p.URL, true, "")
	t.Prompt = prompt
	return cmd
}

// load begins to load u for t. If the parameter reloading is set, the new page replaces the page of t.
// The parameter searchTerms has the terms that were typed for u, or is "".
func (m *Model) load(t *tab, u urlcore.URL, reloading bool, searchTerms string) tea.Cmd {
	l := m.openFor(t, u)
	if t.readings.of == u {
		l.OtherURLs = t.readings.others
	}
	if reloading {
		t.ifMissing = nil // a reload shows the error page for a missing article
		t.Session.Reload(l)
	} else {
		t.Session.Begin(l)
	}
	t.reloading, t.searchTerms, t.stoppedURL = reloading, searchTerms, nil
	t.Prompt, t.unseen = nil, false
	return tea.Batch(t.waitAnswer(l), m.tick())
}

// apply shows the beginning of the page, or the question or the error of the server.
func (msg answerMsg) apply(m *Model) tea.Cmd {
	show := m.handleAnswer
	if msg.tab == m.peek.tab {
		show = m.handlePeekAnswer
	}
	return tea.Batch(show(msg), m.reportPanic(msg.err), m.saveLater())
}

func (m *Model) handleAnswer(msg answerMsg) tea.Cmd {
	t := msg.tab
	if msg.load != t.Session.Loading() {
		return nil
	}
	if msg.err != nil {
		return m.handleFetchError(t, msg.load, msg.err)
	}
	if s := msg.load.Session(); s != nil {
		return m.openSession(t, msg, s)
	}
	p := t.Session.Answer(msg.load, msg.head)
	if p == nil {
		return nil
	}
	if t.searchTerms != "" {
		p.SearchTerms = t.searchTerms
	}
	if !t.reloading {
		t.To.Redirect(p.Fragment)
		p.Fragment = t.To.Fragment()
		p.LinkTitle = cmp.Or(t.linkText, p.LinkTitle)
	}
	m.applyWrap(p)
	charset := m.aids.RememberCharset(p)
	visited := m.recordTitledVisit(p, msg.load, false)
	t.To.Unread = p.Layout == protocols.LayoutArticles && m.opts.News != nil && !t.reloading && !t.To.HasLink()
	t.showPage()
	m.saver.hasPages = m.saver.hasPages || p.URL.Scheme() != "about"
	return tea.Batch(t.waitLines(msg.load, m.newLinkCollector(p), m.newScorer(p)), visited, charset, m.loadReadState(t), m.markShown(t), m.notifyNote(t))
}

// handleFetchError handles an error of a load: it asks a question, skips a missing article, or
// shows an error page.
func (m *Model) handleFetchError(t *tab, l *nav.Load, err error) tea.Cmd {
	question, to := protocols.QuestionOf(err), t.To
	switch q := question.(type) {
	case *protocols.Ask:
		return m.aids.ReadCharsets(func() tea.Cmd {
			if l == t.Session.Loading() {
				t.Session.Stop()
				t.AskHere(m.newAsk(t, q))
			}
			return nil
		})
	case *protocols.Login:
		t.Session.Stop()
		reloading, searchTerms := t.reloading, t.searchTerms
		t.AskHere(ask.NewLogin(q, l.URL, func() tea.Cmd {
			defer func() { t.To = to }()
			return m.load(t, l.URL, reloading, searchTerms)
		}))
		return nil
	case *protocols.Compose:
		if t == m.tab {
			t.Session.Stop()
			return m.compose(t, q)
		}
	}
	if h, ok := question.(*protocols.Handoff); ok {
		m.outside.AddFragment(h, t.To.Fragment())
	}
	missing, skipped := m.skipMissing(t, l, err)
	if skipped {
		return missing
	}
	if p := t.Session.Fail(l, err); p != nil {
		p.Fragment = to.Fragment()
		t.unseen = t != m.tab
		t.showPage()
	}
	if protocols.ReasonOf(err) == protocols.NoServer && m.opts.SetSetting != nil && m.env("NNTPSERVER") == "" {
		m.askNewsServer(t, l.URL)
	}
	switch q := question.(type) {
	case *protocols.Confirm:
		t.AskHere(ask.NewConfirm(q, func() tea.Cmd {
			defer func() { t.To = to }()
			return m.visitIn(t, l.URL)
		}))
	case *protocols.Handoff:
		return m.outside.HandOff(&t.Viewer, q)
	}
	return missing
}

// apply adds the lines to the page. The screen is drawn again only if it changes; the next tick
// shows the new counts.
func (msg linesMsg) apply(m *Model) tea.Cmd {
	show := m.addLines
	if msg.tab == m.peek.tab {
		show = m.addPeekLines
	}
	return tea.Batch(show(msg), m.reportPanic(msg.err))
}

func (m *Model) addLines(msg linesMsg) tea.Cmd {
	t := msg.tab
	_, last := t.Pager.VisibleLines()
	full := t.Pager.Page != nil && last+1 < t.Pager.Page.Lines.Len()
	loading := m.loadingTabs()
	p := t.Session.Page()
	untitled := p != nil && p.IsUntitled()
	if !t.Session.Append(msg.load, msg.lines, msg.err) {
		return nil
	}
	visited := tea.Cmd(nil)
	if untitled {
		visited = m.recordTitledVisit(p, msg.load, msg.err != nil)
	}
	if m.loadingTabs() != loading {
		m.drawn = false // the row of tabs changes
	}
	t.Pager.Show(t.Session.Page())
	t.PictureView.Show(t.Session.Page())
	moved := msg.err != nil || msg.lines.ReplacesPreview() // a complete page may have been sorted
	if moved {
		t.Pager.Invalidate()
		t.ResetSearch()
	}
	if moved && (msg.lines.ReplacesPreview() || t.Session.Page().IsReordered()) {
		t.lookup.forget()
		t.Pager.Fill()
	}
	if !full || moved {
		m.drawn = m.drawn && t != m.tab && msg.err == nil
		t.Pager.SelectFirstLink()
	}
	t.Reveal(moved)
	t.RevealPlace()
	m.showUnread(t, moved)
	if msg.err != nil {
		t.unseen = t != m.tab
		if msg.load == t.To.Dots {
			visited = tea.Batch(visited, m.notifyDots(t))
		}
		if t.OwnPage().Items == about.ReadMarks { // the lines of about:news name the servers
			visited = tea.Batch(m.loadReadState(t), visited)
		}
		return tea.Batch(visited, m.notifyCut(t, msg.err), m.findNewLinks(t, msg.links, msg.err), m.notifySkipped(msg.score), m.markKilled(t), t.Scan(), m.prefetch(t), m.sendPosts(t, msg.err))
	}
	return tea.Batch(visited, t.waitLines(msg.load, msg.links, msg.score), t.Scan())
}

// notifyCut shows a notice if err means that the page is incomplete.
func (m *Model) notifyCut(t *tab, err error) tea.Cmd {
	if errors.Is(err, io.EOF) || errors.Is(err, nav.ErrStopped) {
		return nil
	}
	var e *protocols.Error
	if errors.As(err, &e) && e.Err == nil {
		err = errors.New(e.Reason.String())
	} else if e != nil {
		err = e.Err
	}
	return m.notifyIn(t, "incomplete: "+err.Error())
}
