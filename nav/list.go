package nav

import (
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// ArticleList returns the latest list in the history that contains the current article, and the line
// of the article in the list. An error page counts as the article that could not be loaded.
// ArticleList returns false if there is no such list.
func (s *Session) ArticleList() (list *Page, line int, ok bool) {
	cur := s.Page()
	if cur == nil || cur.Media != protocols.MediaArticle && cur.Failed == nil {
		return nil, 0, false
	}
	return s.ListOf(cur.URL, cur.Asked)
}

// ListOf returns the latest list of articles that contains an article with one of the URLs, and the
// line of that article. It searches the history up to the current page.
func (s *Session) ListOf(urls ...urlcore.URL) (list *Page, line int, ok bool) {
	for _, p := range slices.Backward(s.stack.items[:s.stack.at]) {
		if p.Layout != protocols.LayoutArticles && !p.isMailbox() || p.Dropped {
			continue
		}
		for _, u := range urls {
			if i := p.IndexArticle(u); i >= 0 {
				return p, i, true
			}
		}
	}
	return nil, 0, false
}

// IndexArticle returns the line of a list of articles that leads to u, or to an article with the
// Message-ID in u, or -1.
func (p *Page) IndexArticle(u urlcore.URL) int {
	if u == nil {
		return -1
	}
	if i := p.Lines.IndexLink(u, 0); i >= 0 {
		if p.Lines.WithoutLink(i).Kind == protocols.Article { // not the line that loads older articles
			return i
		}
		return -1
	}
	news, ok := u.(urlcore.News)
	if !ok || news.MessageID == "" {
		return -1
	}
	for i := range p.Lines.Len() {
		if note, ok := p.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok && note.MessageID == news.MessageID {
			return i
		}
	}
	return -1
}

// Parent returns the URL of the article that the article on the page answers: the last one in the
// References header.
func (p *Page) Parent() (u urlcore.URL, ok bool) {
	if p.Media != protocols.MediaArticle {
		return nil, false
	}
	inReferences, all := false, p.Lines.InArrivalOrder()
	for _, line := range all.All(0) {
		if line.Kind != protocols.Header {
			break
		}
		if line.Text != "" && line.Text[0] != ' ' {
			inReferences = strings.HasPrefix(line.Text, "References:")
		}
		if inReferences && line.Link != nil {
			u = line.Link
		}
	}
	return u, u != nil
}

// GroupList returns the latest list of groups up to the current page, or nil. It also returns the line of
// the group that was opened last from that list, or else the line of the cursor.
func (s *Session) GroupList() (list *Page, line int) {
	for i, p := range slices.Backward(s.stack.items[:s.stack.at]) {
		if p.Layout != protocols.LayoutGroups || p.Dropped {
			continue
		}
		line = p.Cursor
		for _, group := range s.stack.items[i:s.stack.at] {
			if k := p.Lines.IndexLink(group.URL, 0); group.Layout == protocols.LayoutArticles && k >= 0 {
				line = k
			}
		}
		return p, line
	}
	return nil, 0
}

// ReadingList returns the latest list of [protocols.Readable] items that has an item with one of the URLs, and the line of
// that item: the first one from the cursor of the list on, or else the first one. It searches the history up to the
// current page.
func (s *Session) ReadingList(urls ...urlcore.URL) (list *Page, line int, ok bool) {
	for _, p := range slices.Backward(s.stack.items[:s.stack.at]) {
		if !p.isAboutPage() || p.Dropped {
			continue
		}
		for _, u := range urls {
			for _, from := range [...]int{p.Cursor, 0} {
				if i := p.indexReadable(u, from); i >= 0 {
					return p, i, true
				}
			}
		}
	}
	return nil, 0, false
}

// BundleList returns the latest list in a bundle that leads to one of the URLs, and the line of the item, as
// [Session.ReadingList] does.
func (s *Session) BundleList(urls ...urlcore.URL) (list *Page, line int, ok bool) {
	for _, p := range slices.Backward(s.stack.items[:s.stack.at]) {
		if !p.IsBundleList() || p.Dropped {
			continue
		}
		for _, u := range urls {
			for _, from := range [...]int{p.Cursor, 0} {
				if u == nil {
					continue
				}
				if i := p.Lines.IndexLink(u, from); i >= 0 {
					return p, i, true
				}
			}
		}
	}
	return nil, 0, false
}

// IsBundleList reports whether p is the start page of a bundle, or a page in it that was made of a list.
func (p *Page) IsBundleList() bool {
	_, page, ok := urlcore.BundledIn(p.URL)
	return ok && (page == nil || p.Origin != nil && p.Origin.IsList)
}

// indexReadable returns the first line, from line i on, of a [protocols.Readable] item that leads to u, or -1.
func (p *Page) indexReadable(u urlcore.URL, i int) int {
	if u == nil {
		return -1
	}
	for ; ; i++ {
		if i = p.Lines.IndexLink(u, i); i < 0 {
			return -1
		}
		if _, ok := p.Lines.WithoutLink(i).Note.(protocols.Readable); ok {
			return i
		}
	}
}

// olderStep is the number of older articles requested at a time.
const olderStep = 500

// MoreItems returns the number of items that the action of a note adds: older articles of a group,
// or as many results of a search as the page has now. It returns 0 for other notes.
func (p *Page) MoreItems(note protocols.Note) (n int) {
	if note == protocols.ActionOlder {
		return olderStep
	}
	for i := range p.Lines.Len() {
		l := p.Lines.WithoutLink(i)
		if _, isAction := l.Note.(protocols.Action); note == protocols.ActionMore && l.Note != nil && !isAction {
			n++
		}
	}
	return n
}
