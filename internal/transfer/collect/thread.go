package collect

import (
	"context"
	"slices"

	"gofer/internal/text/bundle"
	"gofer/internal/transfer"
	"gofer/protocols"
	"gofer/urlcore"
)

// addThread adds an article and the articles of its thread, as far as its groups list them.
func (c *Collector) addThread(ctx context.Context, u urlcore.URL) error {
	head, lines, err := transfer.ReadAll(ctx, c.rec.Fetcher, protocols.Request{URL: u})
	if err != nil {
		return err
	}
	id, group := idOf(u, lines), groupOf(u, lines)
	if group == nil || id == "" {
		return c.addDocument(ctx, u, c.nameOf(u))
	}
	articles, err := c.readGroup(ctx, group, c.rec.Fetcher)
	if err != nil {
		return err
	}
	thread := threadOf(articles, id)
	if len(thread) == 0 { // the group lists only newer articles
		thread = []protocols.Line{{Text: head.Title, Link: u}}
	}
	before := len(c.Items)
	err = c.addArticles(ctx, group, thread)
	beginAt(linkOf(thread, id, u), c.Items[before:])
	return err
}

// linkOf returns the link of the article id in its thread, or else u.
func linkOf(thread []protocols.Line, id string, u urlcore.URL) urlcore.URL {
	for _, l := range thread {
		if n, ok := l.Note.(*protocols.ArticleNote); ok && n.MessageID == id {
			return l.Link
		}
	}
	return u
}

// beginAt makes the article u the start page among items, in place of its group.
func beginAt(u urlcore.URL, items []bundle.Item) {
	isArticle := func(it bundle.Item) bool { return it.LeftOut == "" && it.URL == urlcore.Redact(u).String() }
	if slices.ContainsFunc(items, isArticle) {
		for i := range items {
			items[i].Start = isArticle(items[i])
		}
	}
}

// idOf returns the Message-ID of the article u, without angle brackets.
func idOf(u urlcore.URL, lines []protocols.Line) string {
	if news, ok := u.(urlcore.News); ok && news.MessageID != "" {
		return news.MessageID
	}
	for _, l := range lines {
		if h, ok := l.Note.(*protocols.ArticleHeader); ok {
			return h.MessageID
		}
	}
	return ""
}

// groupOf returns the first group in the header of an article, or nil.
func groupOf(u urlcore.URL, lines []protocols.Line) urlcore.URL {
	for _, l := range lines {
		if l.Text == "" {
			break
		}
		if l.Link != nil && protocols.KindOf(l.Link) == protocols.Group {
			return l.Link
		}
	}
	up, _ := urlcore.Up(u)
	return up
}

// threadOf returns the articles that have a common ancestor with the article id.
func threadOf(articles []protocols.Line, id string) (thread []protocols.Line) {
	root := make(map[string]string) // the first ancestor, by Message-ID
	first := func(id string) string {
		for range 1000 {
			next, ok := root[id]
			if !ok || next == id {
				break
			}
			id = next
		}
		return id
	}
	for _, l := range articles {
		n := l.Note.(*protocols.ArticleNote)
		if len(n.References) > 0 && n.References[0] != n.MessageID {
			root[n.MessageID] = n.References[0]
		}
	}
	for _, l := range articles {
		if n := l.Note.(*protocols.ArticleNote); first(n.MessageID) == first(id) {
			thread = append(thread, l)
		}
	}
	return thread
}
