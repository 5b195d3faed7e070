package newsreader

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
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// SkipMissing handles the error for an article that the server does not have. If the article is in
// a list, SkipMissing marks it as read, as tin and slrn do. If the user was going to the next
// article, SkipMissing runs ifMissing, which may be nil otherwise, and returns true. An entry of a followed page is marked as
// read and not skipped: the error page says what is missing.
func (r *Reader) SkipMissing(t *viewer.Viewer, l *nav.Load, err error, ifMissing func() tea.Cmd) (cmd tea.Cmd, ok bool) {
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.NotFound {
		return nil, false
	}
	if list, i, ok := r.findItem(t, l.URL); ok {
		return r.markMissingEntry(list, i), false
	}
	text := "not found: " + clean.Short(cmp.Or(urlcore.NewsGroup(l.URL).Group, "article"))
	if list, i, ok := r.findList(t, l.URL); ok {
		list.Lines.SetState(i, list.Lines.State(i)&^nav.Unread)
		if note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok {
			text = "canceled or expired: " + mimeheader.Text(list.ReadingOf(note), note.Subject)
			if r.Stores().News != nil && !r.program.Private() {
				cmd = r.mark(newsMarks{server: list.URL, read: true, groups: numbersOf(urlcore.NewsGroup(list.URL).Group, note), text: "marked as read, " + text})
			}
		}
	}
	if ifMissing == nil || t != r.tab() {
		return cmd, false
	}
	t.Session.Stop()
	return tea.Batch(cmd, r.notify(text), ifMissing()), true
}

func (r *Reader) markMissingEntry(list *nav.Page, i int) tea.Cmd {
	line := list.Lines.At(i)
	if r.Following == nil || r.program.Private() {
		list.Lines.SetState(i, list.Lines.State(i)&^nav.Unread)
		return nil
	}
	return r.Following.MarkMissing(&line)
}

// openOwnGroup opens a group of an article that was not opened from a list: the first subscribed group
// in the header of the article, or else the first group.
func (r *Reader) openOwnGroup() tea.Cmd {
	p, news := r.tab().Session.Page(), r.Stores().News
	u, ok := p.Up()
	if !ok || r.program.Pending(r.tab()) != nil || protocols.KindOf(u) != protocols.Group || urlcore.NewsGroup(u).Group == "*" {
		return r.notifyNoList()
	}
	header, ok := p.Lines.WithoutLink(0).Note.(*protocols.ArticleHeader)
	if _, byID := p.URL.(urlcore.News); !ok || !byID {
		return r.program.Visit(room.Target{URL: u}, room.How{})
	}
	t := r.tab()
	return r.program.HoldKeys(r.program.RunInBackground(func() func() tea.Cmd {
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
			if t != r.tab() || p != r.tab().Session.Page() || r.program.Pending(r.tab()) != nil {
				return nil
			}
			return r.program.Visit(room.Target{URL: u}, room.How{})
		}
	}))
}
