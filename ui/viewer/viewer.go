// Package viewer shows a page in a tab. A viewer has the cursor, the prompt over the page, and the
// searches for text, headings and links. It searches long pages a portion at a time, so that gofer
// responds to keys at once. The package neither loads pages nor knows other tabs.
package viewer

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/match"
	"gofer/ui/page"
	"gofer/ui/pictureview"
	"gofer/urlcore"
)

// Viewer is the view of the page of a session.
type Viewer struct {
	host           *Host
	Session        nav.Session
	Pager          page.Pager
	PictureView    pictureview.View
	Prompt         ask.Prompt // shown prompt, or nil
	Waited         ask.Prompt // the latest prompt that waited for the end of another, or nil
	pendingPrompts []func()   // functions that show the next prompts
	Arranged       int        // number of times that a page was shown, or its lines in a new order
	Raw            *nav.Page  // page that shows the octets of another page, or nil
	ArticleHost    string     // the host whose web pages are shown as articles, or ""
	firstLink      firstLink  // link that Resize selected last

	// The searches.
	Finder       Finder
	foundBy      foundBy          // what foundPattern depends on
	foundPattern *match.Pattern   // see MarkedPattern
	scanning     bool             // a ScanMsg is under way
	filter       *match.Pattern   // pattern of the last filter; the page may have another filter now
	widerMatches *nav.Matches     // matches of a wider filter, or nil
	LinkSearch   *page.LinkSearch // running search for a link in a text, or nil
	outline      *outliner        // collects headings for the prompt, or nil
	To           destination      // place in a loading page that the cursor moves to
}

// firstLink is the first link of a page, if Resize selected this link.
type firstLink struct {
	page *nav.Page
	line int
}

// Host has the functions of the program that a viewer calls.
type Host struct {
	Notify   func(text string) tea.Cmd  // shows a notice in the status line
	Follow   func() tea.Cmd             // opens the link under the cursor
	KeyOf    func(action string) string // returns the key of an action, as it is printed
	Patterns *ask.InputHistory          // the patterns of earlier searches in all tabs
}

// Begin makes v a viewer without a page. It must be called before v is used.
func (v *Viewer) Begin(h *Host) {
	v.host, v.Pager.KeyOf = h, h.KeyOf
	v.Pager.WrapText = page.WrapParagraphs
	v.Pager.Invalidate()
}

// Viewport moves over the body of a page by rows and columns. It is a [page.Pager], or a
// [pictureview.View] for a picture.
type Viewport interface {
	Step(dir int)
	PageBy(rows int)
	Scroll(rows int) int
	Pan(columns int)
	ToTop()
	ToEnd()
}

// Viewport returns the viewport of the page.
func (v *Viewer) Viewport() Viewport {
	if v.Picture() != nil {
		return &v.PictureView
	}
	return &v.Pager
}

// Resize sets the size of the screen and the number of rows for the page. If the user has selected a link
// that was visible or near the screen, the link is visible afterwards.
func (v *Viewer) Resize(width, height, rows int) {
	v.Pager.Width, v.Pager.Height = width, rows
	v.PictureView.Width, v.PictureView.Height = width, rows
	v.Pager.Invalidate()
	p := v.Session.Page()
	if p != nil {
		p.Rows = rows
	}
	// atTop means that Resize selected the link under the cursor and that the screen shows the top of
	// the page.
	atTop := p != nil && v.firstLink == (firstLink{p, p.Cursor}) && p.Top == 0 && p.TopRow == 0
	if p != nil && !atTop && (v.Pager.IsLink(p.Cursor) || p.Link > 0) {
		if first, _ := v.Pager.VisibleLines(); p.Cursor >= first && p.Cursor < first+height*2 {
			v.Pager.Reveal(p.Cursor)
		}
	}
	v.Pager.Fill()
	if v.Pager.SelectFirstLink() {
		v.firstLink = firstLink{p, p.Cursor}
	}
}

// Show shows the page of the session.
func (v *Viewer) Show() {
	v.Arranged++
	v.ResetSearch()
	v.Pager.Show(v.Session.Page())
	v.PictureView.Show(v.Session.Page())
	v.Pager.MoveOutOfFolds()
	v.Pager.KeepCursorVisible()
	v.Pager.SelectFirstLink()
	v.Relabel()
}

// ShowError shows an error page over the page of the session.
func (v *Viewer) ShowError(u urlcore.URL, err error) {
	v.Session.ShowError(u, err)
	v.Show()
}

// ShowRearranged shows the page p after its lines were changed or sorted.
func (v *Viewer) ShowRearranged(p *nav.Page) {
	v.Arranged++
	v.Pager.Invalidate()
	v.ResetSearch()
	v.Pager.Show(p)
	v.Pager.Fill()
	v.Pager.SelectFirstLink()
}

// ShowFolds shows the page after folding or unfolding lines.
func (v *Viewer) ShowFolds() {
	v.Arranged++
	v.Pager.MoveOutOfFolds()
	v.Pager.Fill()
	v.Pager.Reveal(v.Pager.Page.Cursor)
}

// IsArticle reports whether the page is a news article.
func (v *Viewer) IsArticle() bool {
	p := v.Session.Page()
	return p != nil && p.Failed == nil && p.Media == protocols.MediaArticle
}

// IsNews reports whether the page is an article, a group or a list of groups.
func (v *Viewer) IsNews() bool {
	p := v.Session.Page()
	return p != nil && p.Failed == nil && (v.IsArticle() || p.Layout == protocols.LayoutArticles || p.Layout == protocols.LayoutGroups)
}

// CurrentURL returns the URL of the item under the cursor, or of the page.
func (v *Viewer) CurrentURL() urlcore.URL {
	if line, ok := v.Pager.Current(); ok {
		return line.Link
	}
	u, _ := v.PageURL()
	return u
}

// CurrentFragment returns the fragment of the link whose URL is [Viewer.CurrentURL], or "".
func (v *Viewer) CurrentFragment() string {
	p := v.Session.Page()
	if p == nil {
		return ""
	}
	line, ok := v.Pager.Current()
	if ok {
		if fragment := v.Pager.Fragment(); fragment != "" || line.Link != p.URL {
			return fragment
		}
	}
	return p.Fragment
}

// PageURL returns the URL of the page, and its title in the form for the history and other lists.
func (v *Viewer) PageURL() (u urlcore.URL, title string) {
	p := v.Session.Page()
	if p == nil {
		return nil, ""
	}
	return p.URL, p.ListTitle()
}

// OwnPage describes the page if it is one of gofer's own, and is the zero value for other pages.
func (v *Viewer) OwnPage() about.OwnPage {
	u, _ := v.PageURL()
	return about.OwnPageOf(u)
}

// DocumentURL returns the URL of the item under the cursor, or of the page. In a document, links that do
// not lead to files count as part of the page.
func (v *Viewer) DocumentURL() urlcore.URL {
	u := v.CurrentURL()
	if line, ok := v.Pager.Current(); ok && !leadsToFile(&line) && v.Session.Page().Layout.IsDocument() {
		u, _ = v.PageURL() // the URL of the document, because the link under the cursor does not lead to a file
	}
	return u
}

// leadsToFile reports whether a line of a document leads to an attachment or a file.
func leadsToFile(line *protocols.Line) bool {
	if line.Kind == protocols.Header {
		return IsSavable(protocols.KindOf(line.Link))
	}
	return IsSavable(line.Kind)
}

// IsSavable reports whether the target of a line of kind k can be saved as a file.
func IsSavable(k protocols.Kind) bool {
	o := k.Opening()
	return o == protocols.OpensDocument || o == protocols.OpensFile
}

// GoToTop goes to the beginning of the page.
func (v *Viewer) GoToTop() tea.Cmd { v.Viewport().ToTop(); return nil }

// GoToBottom goes to the end of the page.
func (v *Viewer) GoToBottom() tea.Cmd { v.Viewport().ToEnd(); return nil }

// Step moves down to the next item if it is near, or else by one row. It moves up if n is negative.
func (v *Viewer) Step(n int) tea.Cmd { v.Viewport().Step(n); return nil }

// PageBy scrolls by n screens.
func (v *Viewer) PageBy(n int) tea.Cmd {
	v.Viewport().PageBy(n * max(1, v.Pager.Height-1))
	return nil
}

// scrollBy scrolls the lines of the page by n screens.
func (v *Viewer) scrollBy(n int) { v.Pager.PageBy(n * max(1, v.Pager.Height-1)) }

// HalfPageBy scrolls by n half screens.
func (v *Viewer) HalfPageBy(n int) tea.Cmd {
	v.Viewport().PageBy(n * max(1, v.Pager.Height/2))
	return nil
}

// PanLeft scrolls to the left.
func (v *Viewer) PanLeft() tea.Cmd { v.Viewport().Pan(-page.PanStep); return nil }
