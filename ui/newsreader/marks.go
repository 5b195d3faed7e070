package newsreader

import (
	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/usenet/newsrc"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// MarkShown marks the article of t as read in all its groups, when t shows the article for the
// first time. The item of a list from which the page was opened is marked as read as well.
func (r *Reader) MarkShown(t *viewer.Viewer) tea.Cmd {
	return tea.Batch(r.markItem(t), r.markArticle(t))
}

// markItem marks the item of a list from which the page of t was opened as read.
func (r *Reader) markItem(t *viewer.Viewer) tea.Cmd {
	list, i, ok := r.readingList(t)
	if !ok || r.program.Private() || t.Session.Page().Failed != nil {
		return nil
	}
	state := list.Lines.State(i)
	list.Lines.SetState(i, state&^nav.Unread|nav.Visited)
	if state&nav.Visited != 0 || i != list.Cursor || r.MarkRead == nil { // the history records visits of other entries
		return nil
	}
	line := list.Lines.At(i)
	return r.MarkRead(&line)
}

func (r *Reader) markArticle(t *viewer.Viewer) tea.Cmd {
	p := t.Session.Page()
	if r.Stores().News == nil || r.program.Private() || p == nil || p.Media != protocols.MediaArticle || t != r.tab() || r.stateOf(t).lastArticle == p {
		return nil
	}
	r.stateOf(t).lastArticle = p
	groups := r.articleNumbers(t)
	if len(groups) == 0 {
		return nil
	}
	if list, i, ok := r.SourceList(t); ok {
		list.Lines.SetState(i, list.Lines.State(i)&^nav.Unread)
	}
	return r.mark(newsMarks{server: p.URL, read: true, groups: groups})
}

// articleNumbers returns the article numbers of the article of t, by group name. They come from the
// header, the URL and the list of articles.
func (r *Reader) articleNumbers(t *viewer.Viewer) map[string]newsrc.Numbers {
	p := t.Session.Page()
	groups := make(map[string]newsrc.Numbers)
	add := func(group string, number uint64) {
		if group != "" && number > 0 {
			groups[group] = groups[group].Union(newsrc.Numbers{{First: number, Last: number}})
		}
	}
	for _, c := range p.Crossposts {
		add(c.Group, c.Number)
	}
	if u, ok := p.URL.(urlcore.NNTP); ok && u.HasArticle {
		add(u.Group, u.Article)
	}
	if list, i, ok := r.SourceList(t); ok {
		if note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok {
			add(urlcore.NewsGroup(list.URL).Group, note.Number)
		}
	}
	return groups
}

// Mark marks the article on the screen as unread. On a list it marks the article under the
// cursor, or the tagged articles, as read. If all these articles are read, it marks them as unread.
func (r *Reader) Mark() tea.Cmd {
	p := r.tab().Session.Page()
	if r.tab().IsArticle() {
		return r.mark(newsMarks{server: p.URL, text: "marked as unread", groups: r.articleNumbers(r.tab())})
	}
	items := r.tab().Items()
	var notes []*protocols.ArticleNote
	for i := range items.Lines {
		if note, ok := items.Lines[i].Note.(*protocols.ArticleNote); ok && p.Layout == protocols.LayoutArticles {
			notes = append(notes, note)
		}
	}
	if len(notes) == 0 {
		return r.notify("no article under the cursor")
	}
	marks := newsMarks{server: p.URL, text: "marked as unread", groups: numbersOf(urlcore.NewsGroup(p.URL).Group, notes...)}
	if items.Unread {
		marks.text, marks.read = "marked as read", true
	}
	if items.Tagged {
		marks.text += ": " + english.Plural(len(notes), "article", "")
		items.Untag(items.Links()...)
	} else {
		r.tab().Pager.Step(1)
	}
	return r.mark(marks)
}

// articleUnderCursor returns the article under the cursor of a group.
func articleUnderCursor(t *viewer.Viewer) (*protocols.ArticleNote, bool) {
	p := t.Session.Page()
	if p == nil || p.Layout != protocols.LayoutArticles || p.Cursor >= p.Lines.Len() {
		return nil, false
	}
	note, ok := p.Lines.WithoutLink(p.Cursor).Note.(*protocols.ArticleNote)
	return note, ok
}

// currentArticle returns the article on the screen or under the cursor, and its list. The article is
// nil if there is none.
func (r *Reader) currentArticle(t *viewer.Viewer) (list *nav.Page, note *protocols.ArticleNote) {
	if !t.IsArticle() {
		note, _ = articleUnderCursor(t)
		return t.Session.Page(), note
	}
	list, i, ok := r.SourceList(t)
	if ok {
		note, _ = list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	}
	return list, note
}

// numbersOf returns the article numbers in the given notes, by group name. It includes the article numbers
// of crossposted articles in their other groups.
func numbersOf(group string, notes ...*protocols.ArticleNote) map[string]newsrc.Numbers {
	groups := map[string]newsrc.Numbers{group: nil}
	add := func(group string, number uint64) {
		if number > 0 {
			groups[group] = append(groups[group], newsrc.Range{First: number, Last: number})
		}
	}
	for _, note := range notes {
		add(group, note.Number)
		for _, c := range protocols.ParseCrossposts(note.Xref) {
			if c.Group != group {
				add(c.Group, c.Number)
			}
		}
	}
	for name, numbers := range groups {
		groups[name] = numbers.Union(nil)
	}
	return groups
}

// MarkThread marks the articles of the thread as read and goes to the next unread article.
func (r *Reader) MarkThread() tea.Cmd {
	list, note := r.currentArticle(r.tab())
	switch {
	case note == nil && r.tab().IsArticle():
		return r.notifyNoList()
	case note == nil:
		return r.notify("no article under the cursor")
	}
	thread := threadOf(list, note)
	return r.mark(newsMarks{
		server: list.URL, read: true, groups: numbersOf(urlcore.NewsGroup(list.URL).Group, thread...), list: list,
		text: "thread marked as read: " + english.Plural(len(thread), "article", ""),
	})
}

// threadOf returns the articles in the thread of the given article. The articles of a thread are
// adjacent in the order of the server.
func threadOf(list *nav.Page, article *protocols.ArticleNote) (thread []*protocols.ArticleNote) {
	all, found := list.Lines.InArrivalOrder(), false
	for i := range all.Len() {
		note, ok := all.WithoutLink(i).Note.(*protocols.ArticleNote)
		if !ok {
			continue
		}
		if note.Depth == 0 {
			if found {
				break
			}
			thread = nil
		}
		thread = append(thread, note)
		found = found || note == article
	}
	return thread
}

// CatchUp marks all articles of the group of the page, or of the group under the cursor, as read.
// For the results of a search it marks only the articles in the list. If the parameter leave is set,
// it then goes to the next group.
func (r *Reader) CatchUp(leave bool) tea.Cmd {
	p := r.tab().Session.Page()
	if r.tab().IsArticle() {
		p, _, _ = r.SourceList(r.tab())
	}
	name, high, server := "", uint64(0), urlcore.URL(nil)
	var articles []*protocols.ArticleNote
	if p != nil {
		server = p.URL
	}
	switch {
	case p == nil:
	case p.Layout == protocols.LayoutArticles:
		name = urlcore.NewsGroup(p.URL).Group
		for i := range p.Lines.Len() {
			if note, ok := p.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok {
				high, articles = max(high, note.Number), append(articles, note)
			}
		}
	case p.Layout == protocols.LayoutGroups:
		if line, ok := r.tab().Pager.Current(); ok {
			if note, ok := line.Note.(*protocols.GroupNote); ok {
				name, high, server = line.Text, note.High, line.Link
			}
		}
	}
	if name == "" || high == 0 {
		return r.notify("no group to catch up with")
	}
	groups := numbersOf(name, articles...)
	if urlcore.SearchOf(server) == (urlcore.NewsSearch{}) { // not a search, which lists only some of the articles
		groups[name] = newsrc.Numbers{{First: 1, Last: high}}
	}
	marks := newsMarks{server: server, read: true, text: "caught up with " + clean.Short(name), groups: groups}
	if leave {
		marks.leave = r.tab().Session.Page()
	}
	return r.mark(marks)
}
