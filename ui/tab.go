package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
	"gofer/ui/page"
	"gofer/ui/pictureview"
	"gofer/urlcore"
)

// tab is one way through the pages: what is read of them, and what it waits for.
type tab struct {
	reader
	opener *tab // from whose page it was opened, or nil
	unseen bool // a load has ended since it was shown
	lookup lookup
	unread unread
	looked *nav.Page // the article that was looked at last
	older  older

	reloading   bool        // the load under way is a reload
	fresh       bool        // the loads that begin are to ask the server, not for a copy
	searchTerms string      // what was typed for the load under way
	stoppedURL  urlcore.URL // the load of it was stopped before it answered

	ifMissing func() tea.Cmd // where the reader goes on if what is loaded is not there; nil: an error page says so
}

// reader is a page as it is read: the session that it is of, what of it is seen, what is
// asked in it and what is searched for.
type reader struct {
	host        *readerHost
	session     nav.Session
	pager       page.Pager
	pictureView pictureview.View
	prompt      ask.Asking // what is asked, or nil
	raw         *nav.Page  // the one that shows octets, or nil
	firstLink   firstLink  // the link that resize selected last

	finder     finder
	scanning   bool             // a message to look through the page is under way
	filter     *match.Pattern   // of the page's filter, or of an older one
	wider      *nav.Matches     // of a wider filter: the lines that are still to be looked at are among these
	linkSearch *page.LinkSearch // the one that runs in a text, or nil
	to         destination      // where the cursor goes when the page comes
}

// firstLink is the first link of a page: it was selected when a larger screen showed it.
type firstLink struct {
	page *nav.Page
	line int
}

// readerHost is what a reader needs of the program.
type readerHost struct {
	Say      func(text string) tea.Cmd  // tells the reader something in the status line
	Follow   func() tea.Cmd             // opens the link under the cursor
	KeyOf    func(action string) string // the key of an action, as it is printed
	Patterns *ask.Recalled              // what was searched for, in whichever tab
}

func newTab(h *readerHost) *tab {
	t := new(tab)
	t.begin(h)
	return t
}

// begin makes a reader that shows nothing yet.
func (t *reader) begin(h *readerHost) {
	t.host, t.pager.KeyOf = h, h.KeyOf
	t.pager.WrapText = true
	t.pager.Invalidate()
}

// viewport is how a reader moves in the body of a page, by rows and columns: the
// [page.Pager]'s in lines, the [pictureview.View]'s in a picture.
type viewport interface {
	Step(dir int)
	PageBy(rows int)
	Scroll(rows int) int
	Pan(columns int)
	ToTop()
	ToEnd()
}

// viewport is that of the page.
func (t *reader) viewport() viewport {
	if t.picture() != nil {
		return &t.pictureView
	}
	return &t.pager
}

// resize gives the page so many rows of a screen; a cursor that is near stays
// in sight.
func (t *reader) resize(width, height, rows int) {
	t.pager.Width, t.pager.Height = width, rows
	t.pictureView.Width, t.pictureView.Height = width, rows
	t.pager.Invalidate()
	p := t.session.Page()
	if p != nil {
		p.Rows = rows
	}
	// The reader is still at the top if the cursor has not moved from the link since.
	atTop := p != nil && t.firstLink == (firstLink{p, p.Cursor}) && p.Top == 0 && p.TopRow == 0
	if p != nil && !atTop && (t.pager.Linked(p.Cursor) || p.Link > 0) {
		if first, _ := t.pager.Visible(); p.Cursor >= first && p.Cursor < first+height*2 {
			t.pager.Reveal(p.Cursor)
		}
	}
	t.pager.Fill()
	if t.pager.SelectFirstLink() {
		t.firstLink = firstLink{p, p.Cursor}
	}
}

// show shows the session's page.
func (t *reader) show() {
	t.resetSearch()
	t.pager.Show(t.session.Page())
	t.pictureView.Show(t.session.Page())
	t.pager.LeaveFolds()
	t.pager.KeepInSight()
	t.pager.SelectFirstLink()
	t.relabel()
}

// showPage shows the session's page, whose links are looked up anew.
func (t *tab) showPage() {
	t.lookup.forget()
	t.show()
}

// showError lays a page that tells of err over that of the session.
func (t *tab) showError(u urlcore.URL, err error) {
	t.session.Show(u, err)
	t.showPage()
}

// cover lays a page over that of the session.
func (t *tab) cover(p *nav.Page) {
	t.session.Cover(p)
	t.showPage()
}

// here is the URL of the item under the cursor, or of the page.
func (t *reader) here() urlcore.URL {
	if line, ok := t.pager.Current(); ok {
		return line.Link
	}
	u, _ := t.pageHere()
	return u
}

// pageHere is the URL and the title of the page.
func (t *reader) pageHere() (u urlcore.URL, title string) {
	p := t.session.Page()
	if p == nil {
		return nil, ""
	}
	return p.URL, p.Reading().Short(p.Title)
}
