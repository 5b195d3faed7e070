package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/page"
)

// NextNew opens the next unread article, or goes to the next new link of the page.
func (r *Reader) NextNew() tea.Cmd {
	t := r.tab()
	p := t.Session.Page()
	_, _, isBundled := r.BundleList(t)
	switch {
	case isBundled:
		return r.openNextUnread()
	case p != nil && p.IsBundleList():
		return r.openInBundle(p, p.Cursor-1, 1)
	}
	if _, _, listed := r.SourceList(t); r.readsItems(t) || listed || t.IsArticle() || p != nil && p == r.stateOf(t).unread.page {
		return r.openNextUnread()
	}
	return r.MoveToNew(1)
}

// MoveToNew moves the cursor to the next new or unread line, or to the previous one if dir is
// negative. It wraps around at the end of the page.
func (r *Reader) MoveToNew(dir int) tea.Cmd {
	p := r.tab().Session.Page()
	if p == nil {
		return nil
	}
	mask := nav.New | nav.Unread
	if r.program.Private() {
		mask = nav.Unread
	}
	n := p.Lines.Len()
	for step := 1; step <= min(n, page.MaxLinkSearch); step++ {
		i := p.Cursor + dir*step
		wrapped := i < 0 || i >= n
		if i = (i%n + n) % n; p.Lines.State(i)&mask == 0 {
			continue
		}
		p.Cursor = i
		r.tab().Pager.OpenFold(i)
		r.tab().Pager.Center(i)
		if wrapped {
			return r.notify(map[int]string{1: "wrapped to the top", -1: "wrapped to the end"}[dir])
		}
		return nil
	}
	switch {
	case p == r.stateOf(r.tab()).unread.page:
		return r.notify("nothing unread here")
	case r.program.Private():
		return r.notify("nothing is marked as new")
	}
	return r.notify("nothing new here since the last visit")
}
