package aids

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/pageinfo"
)

// ShowInfo shows what is known of the page, over it.
func (a *Aids) ShowInfo() tea.Cmd {
	p := a.program.Tab().Session.Page()
	if p == nil || p.Asked == nil {
		return a.program.Say("nothing is known of this page but what it says")
	}
	a.Cover(a.program.Tab(), pageinfo.Of(p, a.Zone))
	return nil
}
