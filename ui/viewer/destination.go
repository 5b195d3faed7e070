package viewer

import (
	"gofer/nav"
	"gofer/ui/match"
	"gofer/urlcore"
)

// destination is a place in a page that is loading. The cursor moves there when the place has
// been loaded.
type destination struct {
	link        urlcore.URL // move to the line with this link, unless nil
	fragment    string      // move to the place with this name, unless ""
	words       string      // move to the line with these words of a search in texts, unless ""
	next        int         // first line not yet searched for link and fragment
	Unread      bool        // move to the first unread article
	toFirst     bool        // move to the first line that the filter shows
	KeepVisible bool        // scroll until the line of the cursor is visible

	// Dots is the load that lists the names with a dot at the beginning, or nil. A notice is shown when
	// it ends.
	Dots *nav.Load
}

// GoTo sets the link and the fragment that the cursor moves to. A nil link and an empty fragment mean
// none.
func (d *destination) GoTo(link urlcore.URL, fragment string) {
	d.link, d.fragment, d.words, d.next = link, fragment, "", 0
}

// GoToWords sets the words of a search in texts that the cursor moves to, if no fragment is set. They are found as by
// [Viewer.AskFind].
func (d *destination) GoToWords(words string) { d.words = words }

// Redirect replaces the fragment that the cursor moves to by the fragment of a redirect, unless that is "" (RFC 9110,
// section 10.2.2).
func (d *destination) Redirect(fragment string) {
	if fragment != "" {
		d.fragment, d.next = fragment, 0
	}
}

// Fragment returns the fragment that the cursor moves to, or "".
func (d *destination) Fragment() string { return d.fragment }

// HasLink reports whether the destination is the line of a link.
func (d *destination) HasLink() bool { return d.link != nil }

// KeyPressed drops the destination, so that the cursor stays where the user moves it. If the
// parameter waiting is true, the fields link, fragment, words and Unread are kept for the next page. If onPage is
// false, the key is for a prompt, and the field toFirst is kept.
func (d *destination) KeyPressed(waiting, onPage bool) {
	if !waiting {
		d.link, d.fragment, d.words, d.Unread = nil, "", "", false
	}
	d.toFirst = d.toFirst && !onPage
	d.KeepVisible = false
}

// IsPlaced reports whether the cursor has reached its destination in the page.
func (v *Viewer) IsPlaced() bool {
	p, d := v.Session.Page(), &v.To
	if d.link != nil && (p.Cursor >= p.Lines.Len() || p.Lines.At(p.Cursor).Link != d.link) {
		return false
	}
	return d.fragment == "" && d.words == "" && !d.KeepVisible && p.CursorIsKnown()
}

// Reveal moves the cursor to the link or the fragment of v.To if the line has been loaded. If the
// parameter last is true, the page is complete. Reveal then searches all lines again, since they may have
// been sorted, and drops the destination.
func (v *Viewer) Reveal(last bool) {
	p := v.Session.Page()
	if v.To.fragment != "" && p != nil {
		v.revealFragment(p, last)
	}
	if v.To.words != "" && p != nil && !p.IsLoading() {
		v.revealWords()
	}
	if v.To.link == nil || p == nil || p.Failed != nil {
		return
	}
	if last {
		v.To.next = 0
		if all := p.Lines.InArrivalOrder(); p.Hidden > 0 && p.Lines.IndexLink(v.To.link, 0) < 0 && all.IndexLink(v.To.link, 0) >= 0 {
			v.Session.ShowDots(p, true) // the line with the link is hidden
			v.Pager.Invalidate()
		}
	}
	if i := p.Lines.IndexLink(v.To.link, v.To.next); i >= 0 {
		p.Cursor, p.Link = i, 1
		v.Pager.Center(i)
	}
	v.To.next = p.Lines.Len()
	if last {
		v.To.link = nil
	}
}

// RevealPlace scrolls to the cursor if v.To.KeepVisible is true and the line of the cursor has been
// loaded.
func (v *Viewer) RevealPlace() {
	if p := v.Session.Page(); v.To.KeepVisible && p != nil && p.Lines.Len() > p.Cursor {
		v.Pager.Reveal(p.Cursor)
		v.To.KeepVisible = false
	}
}

// revealFragment goes to the place named v.To.fragment if that place and the rows to show below it have
// been loaded. If the parameter last is true, the page is complete.
func (v *Viewer) revealFragment(p *nav.Page, last bool) {
	if i := p.IndexID(v.To.fragment, v.To.next); i >= 0 && (i < p.Lines.Len()-v.Pager.Height || last) {
		v.Pager.GoTo(i)
		v.To.fragment = ""
		return
	} else if i < 0 {
		v.To.next = p.Lines.Len()
	}
	if last {
		v.To.fragment = ""
	}
}

// revealWords begins to find the words of v.To in a complete page: a line with all of them, or else a line with one of them.
func (v *Viewer) revealWords() {
	if all := match.NewFound(v.To.words, false); all != nil && v.Session.Page().Failed == nil {
		v.beginFind(all, match.NewFound(v.To.words, true))
	}
	v.To.words = ""
}
