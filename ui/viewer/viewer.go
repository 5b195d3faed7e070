// Package viewer shows a page to the reader of a tab: where the cursor goes, what is asked
// over the page, and what is looked for in it (text, headings, links). It looks through
// long pages a slice at a time, so that keys are never waited for. It neither loads pages
// nor knows of other tabs.
package viewer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
	"gofer/ui/page"
	"gofer/ui/pictureview"
	"gofer/urlcore"
)

// Viewer is the page of a session as it is seen, what is asked over it and what is looked
// for in it.
type Viewer struct {
	host        *Host
	Session     nav.Session
	Pager       page.Pager
	PictureView pictureview.View
	Prompt      ask.Prompt // what is asked, or nil
	Raw         *nav.Page  // the one that shows octets, or nil
	firstLink   firstLink  // the link that resize selected last

	// What is looked for.
	Finder     Finder
	Scanning   bool             // a message to look through the page is under way
	filter     *match.Pattern   // of the page's filter, or of an older one
	wider      *nav.Matches     // of a wider filter: the lines that are still to be looked at are among these
	LinkSearch *page.LinkSearch // the one that runs in a text, or nil
	outline    *outliner        // of the headings that the prompt lists, or nil
	To         destination      // where the cursor goes when the page comes
}

// firstLink is the first link of a page: it was selected when a larger screen showed it.
type firstLink struct {
	page *nav.Page
	line int
}

// Host is what a viewer needs of the program.
type Host struct {
	Say      func(text string) tea.Cmd  // tells the reader something in the status line
	Follow   func() tea.Cmd             // opens the link under the cursor
	KeyOf    func(action string) string // the key of an action, as it is printed
	Patterns *ask.Recalled              // what was searched for, in whichever tab
}

// Begin makes v a viewer that shows nothing yet.
func (v *Viewer) Begin(h *Host) {
	v.host, v.Pager.KeyOf = h, h.KeyOf
	v.Pager.WrapText = true
	v.Pager.Invalidate()
}

// Viewport is how the reader moves in the body of a page, by rows and columns: the
// [page.Pager]'s in lines, the [pictureview.View]'s in a picture.
type Viewport interface {
	Step(dir int)
	PageBy(rows int)
	Scroll(rows int) int
	Pan(columns int)
	ToTop()
	ToEnd()
}

// Viewport is that of the page.
func (v *Viewer) Viewport() Viewport {
	if v.Picture() != nil {
		return &v.PictureView
	}
	return &v.Pager
}

// Resize gives the page so many rows of a screen; a cursor that is near stays
// in sight.
func (v *Viewer) Resize(width, height, rows int) {
	v.Pager.Width, v.Pager.Height = width, rows
	v.PictureView.Width, v.PictureView.Height = width, rows
	v.Pager.Invalidate()
	p := v.Session.Page()
	if p != nil {
		p.Rows = rows
	}
	// The reader is still at the top if the cursor has not moved from the link since.
	atTop := p != nil && v.firstLink == (firstLink{p, p.Cursor}) && p.Top == 0 && p.TopRow == 0
	if p != nil && !atTop && (v.Pager.Linked(p.Cursor) || p.Link > 0) {
		if first, _ := v.Pager.Visible(); p.Cursor >= first && p.Cursor < first+height*2 {
			v.Pager.Reveal(p.Cursor)
		}
	}
	v.Pager.Fill()
	if v.Pager.SelectFirstLink() {
		v.firstLink = firstLink{p, p.Cursor}
	}
}

// Show shows the session's page.
func (v *Viewer) Show() {
	v.ResetSearch()
	v.Pager.Show(v.Session.Page())
	v.PictureView.Show(v.Session.Page())
	v.Pager.LeaveFolds()
	v.Pager.KeepInSight()
	v.Pager.SelectFirstLink()
	v.Relabel()
}

// Here is the URL of the item under the cursor, or of the page.
func (v *Viewer) Here() urlcore.URL {
	if line, ok := v.Pager.Current(); ok {
		return line.Link
	}
	u, _ := v.PageHere()
	return u
}

// PageHere is the URL and the title of the page.
func (v *Viewer) PageHere() (u urlcore.URL, title string) {
	p := v.Session.Page()
	if p == nil {
		return nil, ""
	}
	return p.URL, p.Reading().Short(p.Title)
}

// OwnPage is the name of the page of gofer's own that is shown, "" if it is
// another's: "history" also for a search through it.
func (v *Viewer) OwnPage() string {
	u, _ := v.PageHere()
	g, _ := u.(urlcore.Generic)
	if g.Name != "about" {
		return ""
	}
	name, _, _ := strings.Cut(g.Rest, "?")
	name, _, _ = strings.Cut(name, "/")
	return name
}
