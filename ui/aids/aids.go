// Package aids has what helps to read a page: its charset, its octets, all headers, colours,
// ROT13, wrapped lines, folded quotes, its URL as a QR code, what is known of it.
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

// Aids help to read the page on the screen.
type Aids struct {
	program room.Program
	// Viewers are those of all tabs, and that of the pane.
	Viewers func() []*viewer.Viewer
	// Cover lays a page over that of v.
	Cover func(v *viewer.Viewer, p *nav.Page)
	Back  func() tea.Cmd // goes to the page before

	Store   Charsets // nil: no charsets are remembered
	Set     func(server string) (charset string)
	Private func() bool // nothing is remembered

	Zone    *time.Location // of the dates shown
	DarkInk func() bool    // the terminal writes dark on light
	ASCII   bool           // draw with ASCII only

	charsets map[string]string // by server; nil: not looked up yet
}

// New returns the aids of a program.
func New(p room.Program) *Aids { return &Aids{program: p} }

// ownPage returns an empty page of gofer's own about u.
func ownPage(u urlcore.URL, title string) *nav.Page {
	p := &nav.Page{Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, title, protocols.LayoutPage, -1
	return p
}

// sayState says what has been turned on or off.
func (a *Aids) sayState(on bool, whenOn, whenOff string) tea.Cmd {
	if on {
		return a.program.Say(whenOn)
	}
	return a.program.Say(whenOff)
}

// ShowAttributes opens what a Gopher+ server tells of the item under the cursor, or
// of the page.
func (a *Aids) ShowAttributes() tea.Cmd {
	u := a.program.Tab().Here()
	if g, ok := u.(interface{ Attributes() urlcore.URL }); ok {
		return a.program.Visit(g.Attributes())
	}
	return a.program.Say("only the items of Gopher servers have attributes")
}

// ShowMenuAttributes opens what the server tells of all items of the menu.
func (a *Aids) ShowMenuAttributes() tea.Cmd {
	u, _ := a.program.Tab().PageHere()
	if g, ok := u.(interface {
		MenuAttributes() (urlcore.URL, bool)
	}); ok {
		if u, ok := g.MenuAttributes(); ok {
			return a.program.Visit(u)
		}
	}
	return a.program.Say("only the items of a Gopher menu have attributes")
}
