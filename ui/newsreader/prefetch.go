package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// fetchNews stores copies of the unread articles of the group of the page, or of all subscribed
// groups.
func (m *Model) fetchNews() tea.Cmd {
	fetch, p := m.opts.FetchNews, m.tab.Session.Page()
	if fetch == nil || m.private || p == nil {
		return m.notify("no copies are kept")
	}
	var groups []urlcore.URL
	if p.Layout == protocols.LayoutArticles {
		groups = append(groups, p.URL)
	}
	var progress atomic.Value
	progress.Store("articles")
	summary := ""
	return m.changes.RunJob(&m.tab.Viewer, about.Page("news"), func() string { return "fetching " + progress.Load().(string) }, func(ctx context.Context) (err error) {
		summary, err = fetch(ctx, func(text string) { progress.Store(text) }, groups...)
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not all articles fetched: " + failed.Error()
		}
		return "fetched: " + summary
	})
}

// sendPosts sends the unsent articles to the server of the page of t, after the whole page was
// fetched from that server.
func (m *Model) sendPosts(t *tab, end error) tea.Cmd {
	p, send, ctx := t.Session.Page(), m.opts.SendPosts, m.ctx
	switch p.URL.(type) {
	case urlcore.News, urlcore.NNTP:
	default:
		return nil
	}
	server := serverOf(p.URL)
	if send == nil || m.private || p.Failed != nil || !errors.Is(end, io.EOF) || !p.CopiedAt.IsZero() || m.sendingTo[server] {
		return nil
	}
	m.sendingTo[server] = true
	return m.writeInBackground(func() resultFunc {
		notices := send(ctx, p.URL)
		return func() tea.Cmd {
			delete(m.sendingTo, server)
			if len(notices) == 0 {
				return nil
			}
			return m.notify(strings.Join(notices, "; "))
		}
	})
}

// maxPrefetch is the largest size of a prefetched article in octets.
const maxPrefetch = 256 << 10

// prefetch fetches the next unread article of the list when the article of t is complete. It fetches
// nothing if the next article is larger than maxPrefetch. A prefetched article stays unread.
func (m *Model) prefetch(t *tab) tea.Cmd {
	fetch := m.opts.Prefetch
	if fetch == nil || !m.opts.Config.Prefetch || t != m.tab || !m.tab.IsArticle() {
		return nil
	}
	v, line, ok := m.tab.findArticleList()
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
