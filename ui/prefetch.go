package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
)

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
