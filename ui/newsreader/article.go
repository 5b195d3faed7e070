package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// LastingURL returns u, the URL of the item or the page. If u has an article number and the
// Message-ID is known, LastingURL returns the news: URL with the Message-ID instead. All servers have
// the article under this Message-ID, but each server has its own article numbers (draft of October
// 1993, NNTP, note 1).
func LastingURL(t *viewer.Viewer, u urlcore.URL) urlcore.URL {
	n, ok := u.(urlcore.NNTP)
	if p := t.Session.Page(); ok && n.HasArticle && p.Lines.Len() > 0 {
		id := ""
		if note, ok := articleUnderCursor(t); ok {
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

// SourceList returns the list that has the article of t, and the line of the article in the list.
// The page of t may be an error page in place of the article. The list may be in another tab.
func (r *Reader) SourceList(t *viewer.Viewer) (list *nav.Page, line int, ok bool) {
	if p := t.Session.Page(); t.IsArticle() || p != nil && p.Failed != nil {
		return r.findList(t, p.URL, p.Asked)
	}
	return nil, 0, false
}

// findList returns the list that has an article with one of the URLs, and the line of the article.
func (r *Reader) findList(t *viewer.Viewer, urls ...urlcore.URL) (list *nav.Page, line int, ok bool) {
	list, line, ok = t.Session.ListOf(urls...)
	if opener := r.program.Opener(t); !ok && opener != nil {
		return opener.Session.ListOf(urls...)
	}
	return list, line, ok
}

// readingList returns the list of items to read, such as the entries of followed pages, from which the page of t was opened,
// and the line of the item. The list may be in another tab.
func (r *Reader) readingList(t *viewer.Viewer) (list *nav.Page, line int, ok bool) {
	if p := t.Session.Page(); p != nil {
		return r.findItem(t, p.URL, p.Asked)
	}
	return nil, 0, false
}

// findItem returns the list that has an item to read with one of the URLs, and the line of the item.
func (r *Reader) findItem(t *viewer.Viewer, urls ...urlcore.URL) (list *nav.Page, line int, ok bool) {
	list, line, ok = t.Session.ReadingList(urls...)
	if opener := r.program.Opener(t); !ok && opener != nil {
		return opener.Session.ReadingList(urls...)
	}
	return list, line, ok
}

// Entry returns the line of the entry of a followed page from which the page of t was opened.
func (r *Reader) Entry(t *viewer.Viewer) (line protocols.Line, ok bool) {
	list, i, ok := r.readingList(t)
	if !ok {
		return protocols.Line{}, false
	}
	line = list.Lines.At(i)
	_, ok = line.Note.(*protocols.EntryNote)
	return line, ok
}

// isReadingList reports whether the page of t is a list of items to read.
func isReadingList(t *viewer.Viewer) bool {
	items := t.OwnPage().Items
	return items == about.Entries || items == about.Later
}

// readsItems reports whether the page of t is a list of items to read or was opened from one.
func (r *Reader) readsItems(t *viewer.Viewer) bool {
	_, _, ok := r.readingList(t)
	return ok || isReadingList(t)
}

// articleList returns a pager that shows the list of [Reader.SourceList], and the line of the article
// in the list.
func (r *Reader) articleList(t *viewer.Viewer) (v *page.Pager, line int, ok bool) {
	list, line, ok := r.SourceList(t)
	if !ok {
		return nil, 0, false
	}
	listed := t.Pager.WithFolds()
	listed.Show(list)
	return listed, line, true
}

// OpenAdjacent opens the next article of the list, or the previous one if dir is negative.
func (r *Reader) OpenAdjacent(dir int) tea.Cmd {
	if list, i, ok := r.BundleList(r.tab()); ok {
		return r.openInBundle(list, i, dir)
	}
	v, i, ok := r.articleList(r.tab())
	if !ok {
		return r.notifyNoList()
	}
	return r.openArticleAfter(v, i, dir)
}

// openArticleAfter opens the article after line i of the list, or the article before that line if dir
// is negative.
func (r *Reader) openArticleAfter(v *page.Pager, i, dir int) tea.Cmd {
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
		return r.openArticle(v, i, func() tea.Cmd { return r.openArticleAfter(v, i, dir) })
	case dir < 0:
		return r.notify("this is the first article of the list: " + r.program.KeyOf("up a level") + " goes to the " + listName(v.Page))
	}
	return r.notify("this is the last article of the list: " + r.program.KeyOf("up a level") + " goes to the " + listName(v.Page))
}

// listName returns the word that notices use for the list p: "group" or "mailbox".
func listName(p *nav.Page) string {
	if p.Layout == protocols.LayoutArticles {
		return "group"
	}
	return "mailbox"
}

func (r *Reader) notifyNoList() tea.Cmd {
	if !r.tab().IsArticle() {
		return r.notify("this page is not an article")
	}
	return r.notify("not opened from a group: press " + r.program.KeyOf("up a level") + " for its group")
}

// openArticle visits the article or group in line i of v and moves the cursor of v to that line. It
// calls ifMissing, which may be nil, if the server does not have the article.
func (r *Reader) openArticle(v *page.Pager, i int, ifMissing func() tea.Cmd) tea.Cmd {
	line := v.Page.Lines.At(i)
	u := line.Link
	if u == r.program.Pending(r.tab()) {
		return nil
	}
	v.Page.Cursor = i
	v.Center(i)
	return r.program.Visit(room.Target{URL: u, Fragment: line.Fragment(), Title: clean.Short(v.LineText(&line))}, room.How{IfMissing: ifMissing})
}

// OpenParent opens the article to which the article on the screen replies.
func (r *Reader) OpenParent() tea.Cmd {
	p := r.tab().Session.Page()
	if !r.tab().IsArticle() {
		return r.notify("this page is not an article")
	}
	u, ok := p.Parent()
	if !ok {
		return r.notify("this article answers no other")
	}
	if v, _, ok := r.articleList(r.tab()); ok {
		if i := v.Page.IndexArticle(u); i >= 0 {
			return r.openArticle(v, i, nil)
		}
	}
	return r.program.Visit(room.Target{URL: u}, room.How{})
}

// ReadOn scrolls one screen down. At the end of an article or an entry it opens the next unread one.
func (r *Reader) ReadOn() tea.Cmd {
	p := r.tab().Session.Page()
	_, _, isListed := r.SourceList(r.tab())
	_, _, isItem := r.readingList(r.tab())
	_, _, isBundled := r.BundleList(r.tab())
	if !isListed && !isItem && !isBundled && !r.tab().IsArticle() || p.IsLoading() || r.program.Pending(r.tab()) != nil || !r.tab().Pager.IsAtEnd() {
		return r.tab().PageBy(1)
	}
	return r.openNextUnread()
}

func (r *Reader) openNextUnread() tea.Cmd {
	if list, i, ok := r.BundleList(r.tab()); ok {
		return r.openInBundle(list, i, 1)
	}
	readsItems := r.readsItems(r.tab())
	if r.Stores().News == nil && !readsItems {
		return r.OpenAdjacent(1)
	}
	if _, _, ok := r.SourceList(r.tab()); r.tab().IsArticle() && !ok && !readsItems {
		return r.openOwnGroup() // the group opens at its first unread article
	}
	return r.openUnread(r.findNextUnread(r.tab()))
}

// openUnread opens line i of v, or the next unread article if the server does not have it. If i is -1, there is none.
func (r *Reader) openUnread(v *page.Pager, i int) tea.Cmd {
	switch _, isEntry := r.Entry(r.tab()); {
	case i < 0 && (isEntry || r.tab().OwnPage().Items == about.Entries):
		return r.notify("no more unread entries")
	case i < 0 && r.readsItems(r.tab()):
		return r.notify("no more pages that were fetched")
	case i < 0:
		return r.notify("no more unread articles")
	}
	lines, u := &v.Page.Lines, v.Page.Lines.At(i).Link
	return r.openArticle(v, i, func() tea.Cmd {
		if i := lines.IndexLink(u, 0); i >= 0 {
			lines.SetState(i, lines.State(i)&^nav.Unread)
		}
		return r.openNextUnread()
	})
}

// findNextUnread returns the next unread line and the list v that contains the line. The line is an
// article of the group. After an item to read, it is the next line of its list. If the group has no unread article,
// findNextUnread marks it as read, and the line is the next group in the list of groups. The line is -1 if neither exists,
// or if no list has the article on the screen.
func (r *Reader) findNextUnread(t *viewer.Viewer) (v *page.Pager, line int) {
	p := t.Session.Page()
	if p == nil {
		return nil, -1
	}
	v, start := &t.Pager, p.Cursor
	if list, line, ok := r.readingList(t); ok {
		items := new(t.Pager)
		items.Show(list)
		if i := items.NextUnread(line + 1); i != line {
			return items, i
		}
		return items, -1 // only this one, which could not be read
	}
	if isReadingList(t) {
		return v, v.NextUnread(start)
	}
	if list, line, ok := r.articleList(t); ok {
		v, start = list, line+1
	} else if t.IsArticle() {
		return nil, -1
	}
	return findUnread(t, v, start)
}

// findUnread is like findNextUnread for the list v, from line start on.
func findUnread(t *viewer.Viewer, v *page.Pager, start int) (found *page.Pager, line int) {
	if i := v.NextUnread(start); i >= 0 {
		return v, i
	}
	markGroupRead(t)
	return findNextGroup(t)
}

// leaveIfKilled returns the function that opens the article after the one on the screen of t, when a new rule has killed
// this one and the list does not have it any more: the next unread one, if unread articles are shown.
func (r *Reader) leaveIfKilled(t *viewer.Viewer, list *nav.Page) func() tea.Cmd {
	source, line, ok := r.SourceList(t)
	if !ok || source != list || t != r.tab() {
		return func() tea.Cmd { return nil }
	}
	var after []urlcore.URL
	for i := line + 1; i < list.Lines.Len(); i++ {
		after = append(after, list.Lines.At(i).Link)
	}
	return func() tea.Cmd {
		if _, _, listed := r.SourceList(t); listed {
			return nil
		}
		start := list.Lines.Len()
		for _, u := range after {
			if i := list.Lines.IndexLink(u, 0); i >= 0 {
				start = i
				break
			}
		}
		v := t.Pager.WithFolds()
		v.Show(list)
		if r.Stores().News == nil {
			return r.openArticleAfter(v, start-1, 1)
		}
		return r.openUnread(findUnread(t, v, start))
	}
}
