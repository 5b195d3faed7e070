package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// BundleList returns the list in a bundle from which the page of t was opened, and the line of the page. The list may be in
// another tab.
func (r *Reader) BundleList(t *viewer.Viewer) (list *nav.Page, line int, ok bool) {
	p := t.Session.Page()
	if p == nil || !isInBundle(p.URL) {
		return nil, 0, false
	}
	list, line, ok = t.Session.BundleList(p.URL, p.Asked)
	if opener := r.program.Opener(t); !ok && opener != nil {
		return opener.Session.BundleList(p.URL, p.Asked)
	}
	return list, line, ok
}

// isInBundle reports whether u is a page in a bundle.
func isInBundle(u urlcore.URL) bool {
	_, page, ok := urlcore.BundledIn(u)
	return ok && page != nil
}

// openInBundle opens the page after line i of a list in a bundle, or the page before that line if dir is negative.
func (r *Reader) openInBundle(list *nav.Page, i, dir int) tea.Cmd {
	v := r.tab().Pager.WithFolds()
	v.Show(list)
	for i += dir; i >= 0 && i < list.Lines.Len(); i += dir {
		if list.Lines.HasLink(i) && isInBundle(list.Lines.At(i).Link) {
			return r.openArticle(v, i, nil)
		}
	}
	if dir < 0 {
		return r.notify("this is the first page of the list: " + r.program.KeyOf("up a level") + " goes to it")
	}
	return r.notify("this is the last page of the list: " + r.program.KeyOf("up a level") + " goes to it")
}
