package ui

import (
	"gofer/nav"
	"gofer/urlcore"
)

// destination is where the cursor of a tab goes when what it waits for has come.
type destination struct {
	link     urlcore.URL // to the line that leads to it; nil: none
	fragment string      // to that place of the page; "": none
	next     int         // the first line that has not been looked at for either
	unread   bool        // to the first unread article
	first    bool        // to the first line that the filter shows
	inSight  bool        // to where it was in sight on a screen of another size

	dots *nav.Load // the load that asks for names that begin with a dot, of which the reader is told; or nil
}

// keyPressed leaves the cursor where the reader moves it: on a page that is shown, though
// not on one that is waited for, and under what is asked.
func (d *destination) keyPressed(waiting, reading bool) {
	if !waiting {
		d.link, d.fragment, d.unread = nil, "", false
	}
	d.first = d.first && !reading
	d.inSight = false
}

// reveal puts the cursor on the line that leads to the page below, from which
// the reader came up, unless a key has been pressed since. The last time it
// looks again, for the lines may have been put in order.
func (t *reader) reveal(last bool) {
	p := t.session.Page()
	if t.to.fragment != "" && p != nil {
		t.revealFragment(p, last)
	}
	if t.to.link == nil || p == nil || p.Failed != nil {
		return
	}
	if last {
		t.to.next = 0
		if all := p.Lines.AsSent(); p.Hidden > 0 && p.Lines.IndexLink(t.to.link, 0) < 0 && all.IndexLink(t.to.link, 0) >= 0 {
			t.session.ShowDots(p, true) // the reader was in one of those that are hidden
			t.pager.Invalidate()
		}
	}
	if i := p.Lines.IndexLink(t.to.link, t.to.next); i >= 0 {
		p.Cursor, p.Link = i, 1
		t.pager.Center(i)
	}
	t.to.next = p.Lines.Len()
	if last {
		t.to.link = nil
	}
}

// revealPlace shows the cursor where it was in sight, when its line has come.
func (t *reader) revealPlace() {
	if p := t.session.Page(); t.to.inSight && p != nil && p.Lines.Len() > p.Cursor {
		t.pager.Reveal(p.Cursor)
		t.to.inSight = false
	}
}

// revealFragment goes to the place of a page that was asked for when it has
// come.
func (t *reader) revealFragment(p *nav.Page, last bool) {
	if i := p.IndexID(t.to.fragment, t.to.next); i >= 0 && (i < p.Lines.Len()-t.pager.Height || last) {
		t.pager.GoTo(i)
		t.to.fragment = ""
		return
	} else if i < 0 {
		t.to.next = p.Lines.Len()
	}
	if last {
		t.to.fragment = ""
	}
}
