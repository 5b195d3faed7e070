package ui

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// fetchNews keeps the unread articles of the group of the page, or of all subscribed groups.
func (m *Model) fetchNews() tea.Cmd {
	fetch, p := m.opts.FetchNews, m.tab.Session.Page()
	if fetch == nil || m.private || p == nil {
		return m.say("nothing is kept here")
	}
	var groups []urlcore.URL
	if p.Layout == protocols.LayoutArticles {
		groups = append(groups, p.URL)
	}
	var progress atomic.Value
	progress.Store("articles")
	summary := ""
	return m.changes.Run(&m.tab.Viewer, about.Page("news"), func() string { return "fetching " + progress.Load().(string) }, func(ctx context.Context) (err error) {
		summary, err = fetch(ctx, func(text string) { progress.Store(text) }, groups...)
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not all was fetched: " + failed.Error()
		}
		return "kept: " + summary
	})
}

// maxPrefetch bounds an article that is fetched before the reader goes on to it, in
// octets.
const maxPrefetch = 256 << 10

// prefetch fetches the article that is unread next in the list of that of t, which is
// whole, unless it is large. It is not read by that.
func (m *Model) prefetch(t *tab) tea.Cmd {
	fetch := m.opts.Prefetch
	if fetch == nil || t != m.tab || !m.tab.isArticle() {
		return nil
	}
	v, line, ok := m.tab.articleList()
	if !ok {
		return nil
	}
	i := v.NextUnread(line + 1)
	if i < 0 || i == line {
		return nil
	}
	next := v.Page.Lines.At(i)
	if note, ok := next.Note.(*protocols.ArticleNote); !ok || note.Bytes > maxPrefetch {
		return nil
	}
	ctx := m.ctx
	return func() tea.Msg {
		fetch(ctx, next.Link, maxPrefetch)
		return nil
	}
}
