package ui

import (
	"cmp"
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/newsreader"
	"gofer/ui/room"
	"gofer/urlcore"
)

// visit begins to load the URL of a target. The page on the screen stays until the server answers. In a tab that is
// closed, visit loads nothing.
func (m *Model) visit(target room.Target, how room.How) tea.Cmd {
	t := m.tab
	if how.Tab != nil {
		t = m.findTab(how.Tab)
	}
	switch p := m.tab.Session.Page(); {
	case t == nil:
		return nil
	case how.OnPage && target.Fragment != "" && p != nil && p.URL == target.URL && p.Failed == nil:
		return m.jump(target.Fragment)
	}
	how.Tab, how.OnPage = &t.Viewer, false
	if p := t.Session.Page(); how.Again {
		target.URL, how.Typed = p.URL, p.Typed
	}
	t.recall(&target, &how)
	l := m.firstLoad
	if m.firstLoad = nil; l == nil {
		l = m.opts.open(m.ctx, t, target.URL, how, nav.Show{Width: textWidth(m.widthFor(t, target.URL)), Thread: m.news.ThreadPlace(&t.Viewer, target.URL)})
	}
	l.OtherURLs, l.Guessed = target.Others, target.Guessed
	left := tea.Cmd(nil)
	if how.Again {
		t.Session.Reload(l)
	} else {
		left = m.dropPrompt(t)
		t.Session.Begin(l)
	}
	if !how.Again || target.Link != nil {
		t.To.GoTo(target.Link, target.Fragment)
		t.To.GoToWords(target.Words)
	}
	t.target, t.how, t.stoppedURL, t.unseen = target, how, nil, false
	return tea.Batch(left, t.waitAnswer(l), m.tick())
}

// widthFor returns the width of the screen for a new page of t, a document at u.
func (m *Model) widthFor(t *tab, u urlcore.URL) int {
	if m.peek.open && t != m.peek.tab && u != m.peek.document && !m.pair.has(t) { // a document hides the pane
		return m.width
	}
	return t.Pager.Width
}

// open begins to load u for t.
func (o *Options) open(ctx context.Context, t *tab, u urlcore.URL, how room.How, show nav.Show) *nav.Load {
	req := protocols.Request{URL: u, Hidden: t.Session.Dots, Fresh: how.Fresh, Typed: how.Typed, Paged: true, Older: how.Older}
	show.PreferHTML = o.Config.PreferHTML
	return o.Open(ctx, req, show)
}

// textWidth returns the width of the pages on a screen of the given width.
func textWidth(width int) int { return width - 2*cell.Margin(width) }

// readings are other URLs that the text of a URL may mean. An error page of the URL offers them, and other guesses if the
// URL was guessed.
type readings struct {
	of      urlcore.URL
	others  []urlcore.URL
	guessed bool
}

// moreItems is the number of additional items that the user has requested for a page.
type moreItems struct {
	page  urlcore.URL
	items int
}

// recall adds what the tab knows about the URL of a target since it was opened before, and stores what is new.
func (t *tab) recall(target *room.Target, how *room.How) {
	if target.Others != nil || target.Guessed {
		t.readings = readings{target.URL, target.Others, target.Guessed}
	} else if p := t.Session.Page(); t.readings.of == target.URL && p != nil && (how.Again || p.Failed != nil && p.URL == target.URL) {
		target.Others, target.Guessed = t.readings.others, t.readings.guessed
	}
	if t.moreItems.page == target.URL {
		how.Older = max(how.Older, t.moreItems.items)
	}
	if how.Older > 0 {
		t.moreItems = moreItems{target.URL, how.Older}
	}
}

// hasTyped reports whether the user has typed u to open it in t.
func (t *tab) hasTyped(u urlcore.URL) bool { return t.how.Typed && t.target.URL == u }

// isReloading reports whether the latest load replaces a page that the user has seen.
func (t *tab) isReloading() bool { return t.how.Again && !t.how.First }

// reloadTab loads the page of t again.
func (m *Model) reloadTab(t *tab) tea.Cmd {
	return m.visit(room.Target{}, room.How{Tab: &t.Viewer, Again: true})
}

// loadOlderArticles loads the group again with older articles.
func (m *Model) loadOlderArticles() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil || p.Layout != protocols.LayoutArticles {
		return m.notify("this page is not a group")
	}
	return m.loadOlder(p.MoreItems(protocols.ActionOlder))
}

// loadOlder loads the page again. The parameter items is the number of additional older articles or
// search results.
func (m *Model) loadOlder(items int) tea.Cmd {
	if m.tab.Session.Loading() != nil {
		return nil
	}
	if m.tab.moreItems.page == m.tab.Session.Page().URL {
		items += m.tab.moreItems.items
	}
	return m.visit(room.Target{}, room.How{Again: true, Older: items})
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
		return tea.Batch(m.openSession(t, msg, s), m.dropKeys(t))
	}
	p := t.Session.Answer(msg.load, msg.head)
	if p == nil {
		return nil
	}
	t.answered = m.now()
	p.SearchTerms = cmp.Or(t.target.SearchTerms, p.SearchTerms)
	if !t.isReloading() {
		t.To.Redirect(p.Fragment)
		p.Fragment = t.To.Fragment()
		p.LinkTitle = cmp.Or(t.target.Title, p.LinkTitle)
	}
	m.applyWrap(p)
	charset := m.aids.RememberCharset(p)
	visited := m.recordTitledVisit(p, msg.load, false)
	t.To.Unread = p.Layout == protocols.LayoutArticles && m.opts.News != nil && !t.isReloading() && !t.To.HasLink()
	t.Show()
	m.saver.hasPages = m.saver.hasPages || p.URL.Scheme() != "about"
	return tea.Batch(t.waitLines(msg.load, m.newLinkCollector(p), m.news.NewScorer(p)), visited, charset, m.after(patience, releaseMsg{}), m.news.LoadReadState(&t.Viewer), m.news.MarkShown(&t.Viewer), m.notifyNote(t))
}

// handleFetchError handles an error of a load: it asks a question, skips a missing article, or
// shows an error page.
func (m *Model) handleFetchError(t *tab, l *nav.Load, err error) tea.Cmd {
	question, to, target, how := protocols.QuestionOf(err), t.To, t.target, t.how
	retry := func() tea.Cmd {
		defer func() { t.To = to }()
		return m.visit(target, how)
	}
	switch q := question.(type) {
	case *protocols.Ask:
		return m.aids.ReadCharsets(func() tea.Cmd {
			if l == t.Session.Loading() {
				t.Session.Stop()
				asked := m.newAsk(t, q)
				t.AskHere(asked)
				m.handKeysTo(t, l.URL, asked)
			}
			return nil
		})
	case *protocols.Login:
		t.Session.Stop()
		t.AskHere(ask.NewLogin(q, l.URL, retry))
		return m.dropKeys(t)
	case *protocols.Compose:
		if t == m.tab {
			t.Session.Stop()
			return tea.Batch(m.compose(t, q), m.dropKeys(t))
		}
	}
	if h, ok := question.(*protocols.Handoff); ok {
		m.outside.AddFragment(h, t.To.Fragment())
	}
	missing, skipped := m.news.SkipMissing(&t.Viewer, l, err, how.IfMissing)
	if skipped {
		return missing
	}
	if p := t.Session.Fail(l, err); p != nil {
		p.Fragment = to.Fragment()
		t.unseen = !m.isShown(t)
		t.Show()
	}
	if q, ok := question.(*protocols.Confirm); ok {
		t.AskHere(ask.NewConfirm(q, retry))
	}
	if question != nil || !m.leaveErrorPage(t) {
		missing = tea.Batch(missing, m.dropKeys(t)) // after the question, which then shows what was dropped
	}
	if h, ok := question.(*protocols.Handoff); ok {
		return tea.Batch(missing, m.outside.HandOff(&t.Viewer, h))
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
		m.drawn = m.drawn && !m.isShown(t) && msg.err == nil
		t.Pager.SelectFirstLink()
	}
	t.Reveal(moved)
	t.RevealPlace()
	m.drawn = !m.news.ShowUnread(&t.Viewer, moved) && m.drawn
	if msg.err != nil {
		visited = tea.Batch(visited, m.keepText(t.Session.Page(), msg.load, msg.err))
		m.askToRemember(t)
		t.unseen = !m.isShown(t)
		if m.pair.has(t) {
			m.remark()
		}
		if msg.load == t.To.Dots {
			visited = tea.Batch(visited, m.notifyDots(t))
		}
		if newsreader.IsOwnList(&t.Viewer) {
			visited = tea.Batch(m.news.LoadReadState(&t.Viewer), visited)
		}
		return tea.Batch(visited, m.notifyCut(t, msg.err), m.findNewLinks(t, msg.links, msg.err), m.news.NotifySkipped(msg.score), m.news.MarkKilled(&t.Viewer), t.Scan(), m.news.Prefetch(&t.Viewer), m.news.SendPosts(&t.Viewer, msg.err), m.offline.FetchWaiting(&t.Viewer, msg.err), m.aids.ShowArticle(&t.Viewer))
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
