package newsreader

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// FetchArticles stores copies of the unread articles of the group of the page, or of all subscribed
// groups.
func (r *Reader) FetchArticles() tea.Cmd {
	fetch, p := r.Stores().Fetch, r.tab().Session.Page()
	if fetch == nil || r.program.Private() || p == nil {
		return r.notify("no copies are kept")
	}
	var groups []urlcore.URL
	if p.Layout == protocols.LayoutArticles {
		groups = append(groups, p.URL)
	}
	var progress atomic.Value
	progress.Store("articles")
	summary := ""
	return r.RunJob(r.tab(), about.Page("news"), func() string { return "fetching " + progress.Load().(string) }, func(ctx context.Context) (err error) {
		summary, err = fetch(ctx, func(text string) { progress.Store(text) }, groups...)
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not all articles fetched: " + failed.Error()
		}
		return "fetched: " + summary
	})
}

// SendPosts sends the unsent articles to the server of the page of t, after the whole page was
// fetched from that server.
func (r *Reader) SendPosts(t *viewer.Viewer, end error) tea.Cmd {
	p, send, ctx := t.Session.Page(), r.Stores().Send, r.program.Context()
	switch p.URL.(type) {
	case urlcore.News, urlcore.NNTP:
	default:
		return nil
	}
	server := serverOf(p.URL)
	if send == nil || r.program.Private() || p.Failed != nil || !errors.Is(end, io.EOF) || !p.CopiedAt.IsZero() || r.sendingTo[server] {
		return nil
	}
	r.sendingTo[server] = true
	return r.program.WriteInBackground(func() func() tea.Cmd {
		notices := send(ctx, p.URL)
		return func() tea.Cmd {
			delete(r.sendingTo, server)
			if len(notices) == 0 {
				return nil
			}
			return r.notify(strings.Join(notices, "; "))
		}
	})
}

// MaxPrefetch is the largest size of a prefetched article in octets.
const MaxPrefetch = 256 << 10

// Prefetch fetches the next unread article of the list when the article of t is complete. It fetches
// nothing if the next article is larger than MaxPrefetch. A prefetched article stays unread.
func (r *Reader) Prefetch(t *viewer.Viewer) tea.Cmd {
	fetch := r.Stores().Prefetch
	if fetch == nil || !r.program.Config().Prefetch || t != r.tab() || !r.tab().IsArticle() {
		return nil
	}
	v, line, ok := r.articleList(r.tab())
	if !ok {
		return nil
	}
	i := v.NextUnread(line + 1)
	if i < 0 || i == line {
		return nil
	}
	next := v.Page.Lines.At(i)
	if note, ok := next.Note.(*protocols.ArticleNote); !ok || note.Bytes > MaxPrefetch {
		return nil
	}
	ctx := r.program.Context()
	return func() tea.Msg {
		fetch(ctx, next.Link, MaxPrefetch)
		return nil
	}
}
