// Package aids helps to read a page. It changes the charset, the headers, the colors, the quotes and
// the wrapping of the page, and applies ROT13. It also shows the octets of the page, information about
// the page, and the URL as a QR code.
package aids

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Aids helps to read the page on the screen.
type Aids struct {
	program room.Program
	Options
	charsets map[string]string // charset names by server; nil until gofer begins to read them or one is chosen
}

// Options are what the aids need besides the program.
type Options struct {
	// Viewers returns the viewers of all tabs and of the pane.
	Viewers func() []*viewer.Viewer
	Back    func() tea.Cmd // goes to the previous page
	Store   Charsets       // remembered charsets, or nil
	Zone    *time.Location // time zone of dates on the screen
	DarkInk func() bool    // reports whether the terminal draws dark text on a light background
}

// New returns the aids for a program.
func New(p room.Program, o Options) *Aids { return &Aids{program: p, Options: o} }

// pushOverlay shows a page over the page of v.
func (a *Aids) pushOverlay(v *viewer.Viewer, p *nav.Page) {
	v.Session.PushOverlay(p)
	a.program.ShowPage(v)
}

// aboutPage returns an empty page that gofer makes itself. Its URL is u.
func aboutPage(u urlcore.URL, title string) *nav.Page {
	p := &nav.Page{Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, title, protocols.LayoutPage, -1
	return p
}

// notifyState shows whenOn or whenOff as a notice.
func (a *Aids) notifyState(on bool, whenOn, whenOff string) tea.Cmd {
	if on {
		return a.program.Notify(whenOn)
	}
	return a.program.Notify(whenOff)
}

// ShowAttributes opens the Gopher+ attributes of the item under the cursor, or of the page.
func (a *Aids) ShowAttributes() tea.Cmd {
	u := a.program.Tab().CurrentURL()
	if g, ok := u.(interface{ Attributes() urlcore.URL }); ok {
		return a.program.Visit(room.Target{URL: g.Attributes()}, room.How{})
	}
	return a.program.Notify("only the items of Gopher servers have attributes")
}

// ShowMenuAttributes opens the Gopher+ attributes of all items of the menu.
func (a *Aids) ShowMenuAttributes() tea.Cmd {
	u, _ := a.program.Tab().PageURL()
	if g, ok := u.(interface {
		MenuAttributes() (urlcore.URL, bool)
	}); ok {
		if u, ok := g.MenuAttributes(); ok {
			return a.program.Visit(room.Target{URL: u}, room.How{})
		}
	}
	return a.program.Notify("only the items of a Gopher menu have attributes")
}
