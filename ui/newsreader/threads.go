package newsreader

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// threadPage returns the page p if it is a list of articles in threads, without a filter. Otherwise it
// returns nil and the command that shows a notice.
func (r *Reader) threadPage(p *nav.Page) (*nav.Page, tea.Cmd) {
	switch {
	case p == nil || p.Layout != protocols.LayoutArticles:
		return nil, r.notify("this page is not a group")
	case !p.IsThreaded():
		return nil, r.notify("the articles are not in threads: " + r.program.KeyOf("sort") + " puts them there")
	case p.Filter != nil:
		return nil, r.notify("a filter shows single articles: " + r.program.KeyOf("stop") + " removes it")
	}
	return p, nil
}

// FoldThread folds or unfolds the thread under the cursor.
func (r *Reader) FoldThread() tea.Cmd {
	p, notice := r.threadPage(r.tab().Session.Page())
	if p == nil {
		return notice
	}
	first, end := p.Thread(p.Cursor)
	if end <= first+1 {
		return r.notify("no thread with several articles here")
	}
	p.Fold(first, !p.IsFolded(first))
	r.tab().ShowFolds()
	return r.tab().Scan()
}

// FoldAll folds or unfolds all threads.
func (r *Reader) FoldAll() tea.Cmd {
	p, notice := r.threadPage(r.tab().Session.Page())
	if p == nil {
		return notice
	}
	cursor := p.Cursor
	r.tab().Session.FoldThreads(p, p.Folds == nil || !p.Folded)
	r.tab().ShowFolds()
	if !p.Folded {
		r.tab().Pager.Center(cursor)
	}
	return tea.Batch(r.notifyState(p.Folded, "threads folded", "threads unfolded"), r.tab().Scan())
}

// MoveToThread moves the cursor to the next thread, or to the previous one if dir is negative. From an article it opens
// the first article of that thread.
func (r *Reader) MoveToThread(dir int) tea.Cmd {
	v, i, ok := r.articleList(r.tab())
	switch {
	case !ok && r.tab().IsArticle():
		return r.notifyNoList()
	case ok:
		return r.openThreadAfter(v, i, dir)
	}
	p, notice := r.threadPage(r.tab().Session.Page())
	if p == nil {
		return notice
	}
	if i = p.NextThread(p.Cursor, dir); i < 0 || !r.tab().Pager.IsLink(i) {
		return r.notifyLastThread(dir)
	}
	p.Cursor = i
	r.tab().Pager.Center(i)
	return nil
}

// openThreadAfter opens the first article of the thread after the one with line i of the list, or of the thread before it
// if dir is negative.
func (r *Reader) openThreadAfter(v *page.Pager, i, dir int) tea.Cmd {
	p, notice := r.threadPage(v.Page)
	if p == nil {
		return notice
	}
	if i = p.NextThread(i, dir); i < 0 || p.Lines.WithoutLink(i).Kind != protocols.Article {
		return r.notifyLastThread(dir)
	}
	return r.openArticle(v, i, func() tea.Cmd { return r.openThreadAfter(v, i, dir) })
}

func (r *Reader) notifyLastThread(dir int) tea.Cmd {
	return r.notify(map[int]string{1: "this is the last thread", -1: "this is the first thread"}[dir])
}

// ToggleKilled shows the articles that score rules have killed, or hides them.
func (r *Reader) ToggleKilled(p *nav.Page) tea.Cmd {
	show := !r.tab().Session.Killed
	r.tab().Session.ShowKilled(p, show)
	r.tab().ShowRearranged(p)
	return tea.Batch(r.notifyState(show, "killed articles are shown", "killed articles are hidden"), r.tab().Scan())
}

// ThreadPlace returns the position of an article in its thread, from the list that has the article, or zero.
func (r *Reader) ThreadPlace(t *viewer.Viewer, u urlcore.URL) protocols.ThreadPlace {
	if protocols.KindOf(u) != protocols.Article {
		return protocols.ThreadPlace{}
	}
	list, i, ok := r.findList(t, u)
	if !ok {
		return protocols.ThreadPlace{}
	}
	note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	if !ok {
		return protocols.ThreadPlace{}
	}
	thread := threadOf(list, note)
	return protocols.ThreadPlace{N: slices.Index(thread, note) + 1, Articles: len(thread)}
}
