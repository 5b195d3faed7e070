package ui

import (
	"cmp"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// skipMissing handles the error for an article that the server does not have. If the article is in
// a list, skipMissing marks it as read, as tin and slrn do. If the user was going to the next
// article, skipMissing runs t.how.IfMissing and returns true.
func (m *Model) skipMissing(t *tab, l *nav.Load, err error) (cmd tea.Cmd, ok bool) {
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.NotFound {
		return nil, false
	}
	text := "not found: " + clean.Short(cmp.Or(urlcore.NewsGroup(l.URL).Group, "article"))
	if list, i, ok := t.findList(l.URL); ok {
		list.Lines.SetState(i, list.Lines.State(i)&^nav.Unread)
		if note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok {
			text = "canceled or expired: " + mimeheader.Text(list.ReadingOf(note), note.Subject)
			if m.opts.News != nil && !m.private {
				cmd = m.mark(newsMarks{server: list.URL, read: true, groups: numbersOf(urlcore.NewsGroup(list.URL).Group, note), text: "marked as read, " + text})
			}
		}
	}
	if t.how.IfMissing == nil || t != m.tab {
		return cmd, false
	}
	t.Session.Stop()
	return tea.Batch(cmd, m.notify(text), t.how.IfMissing()), true
}

// openOwnGroup opens a group of an article that was not opened from a list: the first subscribed group
// in the header of the article, or else the first group.
func (m *Model) openOwnGroup() tea.Cmd {
	p, news := m.tab.Session.Page(), m.opts.News
	u, ok := p.Up()
	if !ok || m.tab.pendingURL() != nil || protocols.KindOf(u) != protocols.Group || urlcore.NewsGroup(u).Group == "*" {
		return m.notifyNoList()
	}
	header, ok := p.Lines.WithoutLink(0).Note.(*protocols.ArticleHeader)
	if _, byID := p.URL.(urlcore.News); !ok || !byID {
		return m.visit(room.Target{URL: u}, room.How{})
	}
	t := m.tab
	return runInBackground(func() resultFunc {
		f, err := news.File(p.URL)
		i := slices.IndexFunc(header.Newsgroups, func(u urlcore.URL) bool {
			if err != nil {
				return false
			}
			g, _ := f.Group(urlcore.NewsGroup(u).Group)
			return g.Subscribed
		})
		if i >= 0 {
			u = header.Newsgroups[i]
		}
		return func() tea.Cmd {
			if t != m.tab || p != m.tab.Session.Page() || m.tab.pendingURL() != nil {
				return nil
			}
			return m.visit(room.Target{URL: u}, room.How{})
		}
	})
}
