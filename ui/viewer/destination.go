package viewer

import (
	"gofer/nav"
	"gofer/urlcore"
)

// destination is where the cursor of a tab goes when what it waits for has come.
type destination struct {
	Link     urlcore.URL // to the line that leads to it; nil: none
	Fragment string      // to that place of the page; "": none
	Next     int         // the first line that has not been looked at for either
	Unread   bool        // to the first unread article
	first    bool        // to the first line that the filter shows
	InSight  bool        // to where it was in sight on a screen of another size

	Dots *nav.Load // the load that asks for names that begin with a dot, of which the reader is told; or nil
}

// KeyPressed leaves the cursor where the reader moves it: on a page that is shown, though
// not on one that is waited for, and under what is asked.
func (d *destination) KeyPressed(waiting, reading bool) {
	if !waiting {
		d.Link, d.Fragment, d.Unread = nil, "", false
	}
	d.first = d.first && !reading
	d.InSight = false
}

// Reveal puts the cursor on the line that leads to the page below, from which
// the reader came up, unless a key has been pressed since. The last time it
// looks again, for the lines may have been put in order.
func (v *Viewer) Reveal(last bool) {
	p := v.Session.Page()
	if v.To.Fragment != "" && p != nil {
		v.revealFragment(p, last)
	}
	if v.To.Link == nil || p == nil || p.Failed != nil {
		return
	}
	if last {
		v.To.Next = 0
		if all := p.Lines.AsSent(); p.Hidden > 0 && p.Lines.IndexLink(v.To.Link, 0) < 0 && all.IndexLink(v.To.Link, 0) >= 0 {
			v.Session.ShowDots(p, true) // the reader was in one of those that are hidden
			v.Pager.Invalidate()
		}
	}
	if i := p.Lines.IndexLink(v.To.Link, v.To.Next); i >= 0 {
		p.Cursor, p.Link = i, 1
		v.Pager.Center(i)
	}
	v.To.Next = p.Lines.Len()
	if last {
		v.To.Link = nil
	}
}

// RevealPlace shows the cursor where it was in sight, when its line has come.
func (v *Viewer) RevealPlace() {
	if p := v.Session.Page(); v.To.InSight && p != nil && p.Lines.Len() > p.Cursor {
		v.Pager.Reveal(p.Cursor)
		v.To.InSight = false
	}
}

// revealFragment goes to the place of a page that was asked for when it has
// come.
func (v *Viewer) revealFragment(p *nav.Page, last bool) {
	if i := p.IndexID(v.To.Fragment, v.To.Next); i >= 0 && (i < p.Lines.Len()-v.Pager.Height || last) {
		v.Pager.GoTo(i)
		v.To.Fragment = ""
		return
	} else if i < 0 {
		v.To.Next = p.Lines.Len()
	}
	if last {
		v.To.Fragment = ""
	}
}
