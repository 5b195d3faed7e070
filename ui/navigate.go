package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/newsreader"
	"gofer/ui/room"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// noLinkText returns the notice for a key that needs a link under the cursor.
func (m *Model) noLinkText() string {
	if !m.tab.Pager.HasLinksInText() && m.tab.HasNoItem() {
		return "no links on this page"
	}
	return "no link here: " + m.keys.keyOf("next link") + " goes to the next"
}

// follow does what Enter does on the line under the cursor. A link opens.
func (m *Model) follow() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	if !ok {
		return m.notify(m.noLinkText())
	}
	enter := m.enterOn(&line)
	switch {
	case enter.do != nil:
		return enter.do()
	case m.tab.pendingURL() == line.Link:
		return nil // the key was pressed twice
	}
	return m.visit(m.tab.linkTarget(&line), room.How{OnPage: true, Typed: enter.typed})
}

// showDetails lists the files that the download under the cursor left out, or follows the link.
func (m *Model) showDetails() tea.Cmd {
	if item, ok := transfer.ItemAtCursor(&m.tab.Viewer); ok {
		return m.downloads.ShowDetails(item)
	}
	if line, ok := m.tab.Pager.Current(); ok && line.Note == protocols.ActionDetails {
		if line.Link == nil {
			return m.notify("no download under the cursor")
		}
		return m.visit(room.Target{URL: line.Link}, room.How{})
	}
	return m.follow()
}

// pendingURL returns the URL of the page that replaces the page on the screen when the server
// answers, or nil. Keys that leave a page start from this URL, so that they have the same effect
// before and after the answer.
func (t *tab) pendingURL() urlcore.URL {
	if !t.Session.IsWaiting() || t.isReloading() {
		return nil
	}
	return t.Session.Loading().URL
}

// goBack stops a load that waits for its answer, or goes to the previous page.
func (m *Model) goBack() tea.Cmd {
	if m.tab.pendingURL() != nil && m.tab.Session.Page() != nil {
		return m.stop()
	}
	p := m.tab.Session.Page()
	if !m.tab.Session.GoBack() {
		return m.notify("no previous page")
	}
	if p != nil && p.ArticleOf != nil && m.tab.ArticleHost != "" && !m.tab.Session.GoBack() { // to the page before the whole page
		m.tab.ArticleHost = ""
	}
	return m.showHistoryPage()
}

func (m *Model) goForward() tea.Cmd {
	if !m.tab.Session.GoForward() {
		return m.notify("no next page")
	}
	return m.showHistoryPage()
}

// showHistoryPage shows a page of the history at its last position. A page without its lines is
// loaded again.
func (m *Model) showHistoryPage() tea.Cmd {
	m.tab.Prompt = nil
	m.tab.Show()
	if p := m.tab.Session.Page(); p.Dropped {
		return m.reloadTab(m.tab)
	}
	shows := m.tab.OwnPage().Shows
	if shows&about.ReadMarks != 0 && m.news.TakeChange() || shows&about.Later != 0 && m.offline.TakeChange() {
		return m.reloadTab(m.tab)
	}
	return tea.Batch(m.tab.Scan(), m.news.LoadReadState(&m.tab.Viewer), m.aids.ShowArticle(&m.tab.Viewer))
}

// loadCutList loads the list on the screen again if it is Cut, on whatever way the user has come back to it: also if the
// item that was opened has failed, was stopped or asks a question that the user has left.
func (m *Model) loadCutList() tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil || !p.Cut || m.tab.Session.Loading() != nil || m.openPrompt() != nil {
		return nil
	}
	return m.reloadTab(m.tab)
}

// reload loads the page, or the page that is loading, from its server.
func (m *Model) reload() tea.Cmd {
	p := m.tab.Session.Page()
	target, how := m.tab.target, m.tab.how
	switch {
	case m.tab.pendingURL() != nil:
	case p == nil:
		return m.openFirst(room.How{Fresh: true})
	case m.tab.isUnsentPage():
		return m.compose(m.tab, m.tab.draft)
	case p.Failed != nil:
		target, how = room.Target{URL: p.URL, Fragment: p.Fragment}, room.How{Typed: p.Typed}
	case m.isInbox():
		return m.inbox.Refresh()
	default:
		target, how = room.Target{}, room.How{Again: true}
	}
	how.Fresh = true
	return m.visit(target, how)
}

func (m *Model) goUp() tea.Cmd {
	origin, p := m.tab.pendingURL(), m.tab.Session.Page()
	var u urlcore.URL
	ok := false
	switch {
	case origin != nil:
		u, ok = urlcore.Up(origin)
		if list, _, listed := m.tab.Session.ListOf(origin); listed {
			u, ok = list.URL, true
		}
	case p != nil:
		origin = p.URL
		u, ok = p.Up()
		if list, _, listed := m.news.SourceList(&m.tab.Viewer); listed { // an article may be in several groups
			u, ok = list.URL, true
		} else if list, _, listed := m.news.BundleList(&m.tab.Viewer); listed {
			u, ok = list.URL, true
		}
	}
	if !ok && m.tab.pendingURL() == nil && p != nil && p.Failed != nil && slices.Contains([]string{"about", "mailto"}, p.URL.Scheme()) && m.tab.Session.CanGoBack() {
		return m.goBack() // leaves the page of an unsent message
	}
	if !ok {
		return m.notify("no level above this page")
	}
	return m.visit(room.Target{URL: u, Link: origin}, room.How{})
}

// leave goes from an article to its group, and from a group to the list of groups. On a list of groups
// it quits the program. On a page that is not news it goes back.
func (m *Model) leave() tea.Cmd {
	p := m.tab.Session.Page()
	switch {
	case !m.tab.IsNews():
		return m.goBack()
	case m.tab.IsArticle():
		return m.goUp()
	case p.Layout == protocols.LayoutGroups:
		return m.quit()
	}
	return m.news.OpenGroupList()
}

func (m *Model) openHome() tea.Cmd { return m.visit(room.Target{URL: m.opts.Home}, room.How{}) }

// explainPage explains the URL of the page and the request for it.
func (m *Model) explainPage() tea.Cmd {
	u, _ := m.focusedTab().PageURL()
	return m.explain(u)
}

// explainItem explains the URL of the item under the cursor.
func (m *Model) explainItem() tea.Cmd {
	if item, ok := transfer.ItemAtCursor(&m.tab.Viewer); ok {
		return m.downloads.ShowActions(item)
	}
	return m.explain(m.focusedTab().CurrentURL())
}

func (m *Model) explain(u urlcore.URL) tea.Cmd {
	if u == nil {
		return nil
	}
	if urlcore.IsStandardInput(u) {
		return m.notify(noURL)
	}
	return m.visit(room.Target{URL: about.ExplainURL(u)}, room.How{})
}

// noURL is the notice for the page of standard input, whose file is temporary.
const noURL = "standard input has no URL"

// copyURL copies the URL of the item or the page, or the URLs of the tagged items, one per line. If it
// copied the same URL with the key before, it copies the lasting form of the URL.
func (m *Model) copyURL() tea.Cmd {
	t := m.focusedTab()
	if items := t.Items(); items.Tagged {
		return m.copyTagged(items)
	}
	u := t.CurrentURL()
	if u == nil {
		return nil
	}
	if urlcore.IsStandardInput(u) {
		return m.notify(noURL)
	}
	text := protocols.LinkText(u, t.CurrentFragment())
	again := m.copied == text && m.previousKey == m.pressedKey
	m.copied = text
	lasting := newsreader.LastingURL(&t.Viewer, u)
	switch {
	case lasting != u && again:
		m.copied = ""
		return m.copyText(lasting.String(), func(done string) tea.Cmd { return m.notifyURL(done+":", lasting) })
	case lasting != u:
		return m.copyText(text, func(done string) tea.Cmd {
			return m.notify(done + "; " + m.keys.keyOf("copy") + " again copies its news: URL")
		})
	case text != urlcore.Redact(u).String():
		return m.copyText(text, func(done string) tea.Cmd { return m.notify(done + ": " + clean.Short(text)) })
	default:
		return m.copyText(text, func(done string) tea.Cmd { return m.notifyURL(done+":", u) })
	}
}

// copyText puts text on the clipboard after all earlier texts. It then calls notify with the words that say how.
func (m *Model) copyText(text string, notify func(done string) tea.Cmd) tea.Cmd {
	clipboard := term.Clipboard{Env: m.client.Env, Remote: m.isRemote(), Programs: !m.opts.Config.Restrict.Enabled}
	ctx := m.ctx
	return m.writeInOrder(&m.lastCopy, func() resultFunc {
		by, send := clipboard.Copy(ctx, text)
		return func() tea.Cmd {
			if by == nil {
				return tea.Batch(send, notify("sent to the terminal"))
			}
			return tea.Batch(send, notify("copied by "+strings.Join(by, " and ")))
		}
	})
}

// copyTagged copies the URLs of the tagged items, one per line.
func (m *Model) copyTagged(items *viewer.Items) tea.Cmd {
	var urls []string
	for i := range items.Lines {
		urls = append(urls, protocols.LinkText(items.Lines[i].Link, items.Lines[i].Fragment()))
	}
	text := strings.Join(urls, "\n") // without a newline at the end, after which a shell would run the text
	description := items.Description()
	return m.copyText(text, func(done string) tea.Cmd { return m.notify(done + ": the URLs of " + description) })
}

// undo reverts the last change of the user: a save that has just begun, marks, a score rule, or bookmarks.
func (m *Model) undo() tea.Cmd { return room.RevertLast(shell{m}) }
