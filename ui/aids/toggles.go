package aids

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/page"
)

// ToggleQuotes folds or unfolds the long quotes of articles in all viewers. A folded quote has one line.
func (a *Aids) ToggleQuotes() tea.Cmd {
	fold := !a.program.Tab().Pager.FoldQuotes
	for _, t := range a.Viewers() {
		t.ResetSearch()
		t.Pager.FoldLongQuotes(fold)
	}
	return a.notifyState(fold, "quotes of more than "+strconv.Itoa(page.MinFoldedQuotes-1)+" lines are folded", "all quotes are shown")
}

// ToggleROT13 turns ROT13 on or off for the page, if the page is a text.
func (a *Aids) ToggleROT13() tea.Cmd {
	t := a.program.Tab()
	p := t.Session.Page()
	if p == nil || p.Layout != protocols.LayoutText {
		return a.program.Notify("this page is not a text")
	}
	p.ROT13 = !p.ROT13
	t.Pager.Invalidate()
	t.ResetSearch()
	return a.notifyState(p.ROT13, "ROT13 on", "ROT13 off")
}

// ToggleHeaders shows or hides the minor headers of articles in all viewers.
func (a *Aids) ToggleHeaders() tea.Cmd {
	show := !a.program.Tab().Pager.Headers
	for _, t := range a.Viewers() {
		t.Pager.Headers = show
		t.ResetSearch()
		if p := t.Session.Page(); p != nil && p.Link > 0 && !t.Pager.IsShown(p.Cursor) {
			p.Link = 0
		}
		t.Pager.Fill()
	}
	return a.notifyState(show, "all headers are shown", "only the main headers are shown")
}

// ToggleColors shows or hides the colors that texts set. Other control sequences are always omitted.
func (a *Aids) ToggleColors() tea.Cmd {
	for _, t := range a.Viewers() {
		t.Pager.Colors = !t.Pager.Colors
		t.Pager.Invalidate()
	}
	return a.notifyState(a.program.Tab().Pager.Colors, "the colors of texts are shown", "the colors of texts are hidden")
}

// ToggleWrap wraps all but preformatted lines, then all lines, then none. It does so for the server of
// the page if the server has a setting, and otherwise for all pages of the same kind in the tab.
func (a *Aids) ToggleWrap() tea.Cmd {
	t := a.program.Tab()
	pager, wrap := &t.Pager, t.Pager.NextWrap()
	switch _, ok := pager.WrapHost[pager.Server]; {
	case ok:
		pager.WrapHost[pager.Server] = wrap
	case pager.IsProse():
		pager.WrapText = wrap
	default:
		pager.WrapLists, pager.PanMenus = wrap, wrap == page.WrapNone
	}
	if p := t.Session.Page(); p != nil {
		p.Left, p.TopRow = 0, 0
	}
	pager.Invalidate()
	pan := a.program.KeyOf("pan right") + " and " + a.program.KeyOf("pan left") + " scroll"
	switch {
	case wrap == page.WrapNone:
		return a.program.Notify("long lines are not wrapped: " + pan)
	case wrap == page.WrapAll:
		return a.program.Notify("all long lines are wrapped")
	case pager.MayBePreformatted():
		return a.program.Notify("paragraphs are wrapped; " + pan + " the rest")
	}
	return a.program.Notify("long lines are wrapped")
}
