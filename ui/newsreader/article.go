package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/ui/room"
	"gofer/urlcore"
)

// lastingURL returns u, the URL of the item or the page. If u has an article number and the
// Message-ID is known, lastingURL returns the news: URL with the Message-ID instead. All servers have
// the article under this Message-ID, but each server has its own article numbers (draft of October
// 1993, NNTP, note 1).
func (t *tab) lastingURL(u urlcore.URL) urlcore.URL {
	n, ok := u.(urlcore.NNTP)
	if p := t.Session.Page(); ok && n.HasArticle && p.Lines.Len() > 0 {
		id := ""
		if note, ok := t.articleUnderCursor(); ok {
			id = note.MessageID
		} else if header, ok := p.Lines.WithoutLink(0).Note.(*protocols.ArticleHeader); ok && u == p.URL {
			id = header.MessageID
		}
		if c, err := urlcore.Canon(urlcore.News{MessageID: id}); err == nil && id != "" {
			return c
		}
	}
	return u
}

// findSourceList returns the list that has the article of t, and the line of the article in the list.
// The page of t may be an error page in place of the article. The list may be in another tab.
func (t *tab) findSourceList() (list *nav.Page, line int, ok bool) {
	if p := t.Session.Page(); t.IsArticle() || p != nil && p.Failed != nil {
		return t.findList(p.URL, p.Asked)
	}
	return nil, 0, false
}

// findList returns the list that has an article with one of the URLs, and the line of the article.
func (t *tab) findList(urls ...urlcore.URL) (list *nav.Page, line int, ok bool) {
	if list, line, ok = t.Session.ListOf(urls...); ok || t.opener == nil {
		return list, line, ok
	}
	return t.opener.Session.ListOf(urls...)
}

// findArticleList returns a pager that shows the list of [tab.findSourceList], and the line of the article
// in the list.
func (t *tab) findArticleList() (v *page.Pager, line int, ok bool) {
	list, line, ok := t.findSourceList()
	if !ok {
		return nil, 0, false
	}
	listed := t.Pager.WithFolds()
	listed.Show(list)
	return listed, line, true
}

// openAdjacentArticle opens the next article of the list, or the previous one if dir is negative.
func (m *Model) openAdjacentArticle(dir int) tea.Cmd {
	v, i, ok := m.tab.findArticleList()
	if !ok {
		return m.notifyNoList()
	}
	return m.openArticleAfter(v, i, dir)
}

// openArticleAfter opens the article after line i of the list, or the article before that line if dir
// is negative.
func (m *Model) openArticleAfter(v *page.Pager, i, dir int) tea.Cmd {
	end := v.Page.Lines.Len() - 1
	if dir < 0 {
		end = 0
	}
	if i == end {
		i = -1
	} else {
		i = v.FindLink(i+dir, end)
	}
	if i >= 0 && v.Page.Lines.WithoutLink(i).Kind != protocols.Article {
		i = -1 // the line that loads older articles
	}
	switch {
	case i >= 0:
		return m.openArticle(v, i, func() tea.Cmd { return m.openArticleAfter(v, i, dir) })
	case dir < 0:
		return m.notify("this is the first article of the list: " + m.keys.keyOf("up a level") + " goes to the " + listName(v.Page))
	}
	return m.notify("this is the last article of the list: " + m.keys.keyOf("up a level") + " goes to the " + listName(v.Page))
}

// listName returns the word that notices use for the list p: "group" or "mailbox".
func listName(p *nav.Page) string {
	if p.Layout == protocols.LayoutArticles {
		return "group"
	}
	return "mailbox"
}

func (m *Model) notifyNoList() tea.Cmd {
	if !m.tab.IsArticle() {
		return m.notify("this page is not an article")
	}
	return m.notify("not opened from a group: press " + m.keys.keyOf("up a level") + " for its group")
}

// openArticle visits the article or group in line i of v and moves the cursor of v to that line. It
// calls ifMissing, which may be nil, if the server does not have the article.
func (m *Model) openArticle(v *page.Pager, i int, ifMissing func() tea.Cmd) tea.Cmd {
	line := v.Page.Lines.At(i)
	u := line.Link
	if u == m.tab.pendingURL() {
		return nil
	}
	v.Page.Cursor = i
	v.Center(i)
	return m.visit(room.Target{URL: u, Title: clean.Short(v.LineText(&line))}, room.How{IfMissing: ifMissing})
}

// openParentArticle opens the article to which the article on the screen replies.
func (m *Model) openParentArticle() tea.Cmd {
	p := m.tab.Session.Page()
	if !m.tab.IsArticle() {
		return m.notify("this page is not an article")
	}
	u, ok := p.Parent()
	if !ok {
		return m.notify("this article answers no other")
	}
	if v, _, ok := m.tab.findArticleList(); ok {
		if i := v.Page.IndexArticle(u); i >= 0 {
			return m.openArticle(v, i, nil)
		}
	}
	return m.visit(room.Target{URL: u}, room.How{})
}

// readOn scrolls one screen down. At the end of an article it opens the next unread article.
func (m *Model) readOn() tea.Cmd {
	p := m.tab.Session.Page()
	if _, _, ok := m.tab.findSourceList(); !ok && !m.tab.IsArticle() || p.IsLoading() || m.tab.pendingURL() != nil || !m.tab.Pager.IsAtEnd() {
		return m.tab.PageBy(1)
	}
	return m.openNextUnread()
}

func (m *Model) openNextUnread() tea.Cmd {
	if m.opts.News == nil {
		return m.openAdjacentArticle(1)
	}
	if _, _, ok := m.tab.findSourceList(); m.tab.IsArticle() && !ok {
		return m.openOwnGroup() // the group opens at its first unread article
	}
	v, i := m.tab.findNextUnread()
	if i < 0 {
		return m.notify("no more unread articles")
	}
	lines, u := &v.Page.Lines, v.Page.Lines.At(i).Link
	return m.openArticle(v, i, func() tea.Cmd {
		if i := lines.IndexLink(u, 0); i >= 0 {
			lines.SetState(i, lines.State(i)&^nav.Unread)
		}
		return m.openNextUnread()
	})
}

// findNextUnread returns the next unread line and the list v that contains the line. The line is an
// article of the group. If the group has no unread article, findNextUnread marks it as read, and the
// line is the next group in the list of groups. The line is -1 if neither exists, or if no list has
// the article on the screen.
func (t *tab) findNextUnread() (v *page.Pager, line int) {
	p := t.Session.Page()
	if p == nil {
		return nil, -1
	}
	v, start := &t.Pager, p.Cursor
	if list, line, ok := t.findArticleList(); ok {
		v, start = list, line+1
	} else if t.IsArticle() {
		return nil, -1
	}
	if i := v.NextUnread(start); i >= 0 {
		return v, i
	}
	t.markGroupRead()
	return t.findNextGroup()
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
	target, how := m.tab.again()
	if how.Older = items; m.tab.moreItems.page == target.URL {
		how.Older += m.tab.moreItems.items
	}
	return m.visit(target, how)
}
