package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/page"
)

// seekLink puts the cursor of a text on the next link (dir 1) or the one before,
// counted from the cursor if that is on the screen, else from the screen's
// edge.
func (t *reader) seekLink(dir int) tea.Cmd {
	v, p := &t.pager, t.session.Page()
	first, last := v.Visible()
	if last < first {
		return nil
	}
	s := &page.LinkSearch{Page: p, Line: first, Dir: dir}
	if _, ok := v.CurrentInText(); ok {
		s.Line, s.From = p.Cursor, p.Link+dir
		if s.From == 0 {
			s.Line, s.From = s.Line-1, 0
		}
	} else {
		top := v.Start()
		edge := top
		if dir < 0 {
			s.Line = last
			edge, _ = v.Move(top, v.Height-1)
		}
		s.From = v.FromEdge(s.Line, edge, dir)
	}
	t.linkSearch = s
	t.linkSlice(newBudget(nil))
	return tea.Batch(t.sayNoLink(s), t.scan())
}

// linkSlice looks for the link in a slice of the page.
func (t *reader) linkSlice(b *budget) (changed bool) {
	s := t.linkSearch
	for ; b.left(); s.Line, s.From = s.Line+s.Dir, 0 {
		if s.Line < 0 || s.Line >= s.Page.Lines.Len() {
			t.linkSearch, s.Ended = nil, true
			return true
		}
		b.take(len(s.Page.Lines.WithoutLink(s.Line).Text), 0)
		if n := s.In(s.Page.CountLinks(s.Line)); n > 0 && t.pager.TextShown(s.Line) {
			t.linkSearch = nil
			t.pager.MoveToLink(s.Line, n)
			return true
		}
	}
	return false
}

// sayNoLink says that a search, if there was one, has ended without a link.
func (t *reader) sayNoLink(s *page.LinkSearch) tea.Cmd {
	if s == nil || !s.Ended {
		return nil
	}
	return t.noLink(s.Dir)
}

// jump moves the cursor to the next link (dir 1) or the one before, however
// far.
func (t *reader) jump(dir int) tea.Cmd {
	if t.pager.InText() {
		return t.seekLink(dir)
	}
	if !t.pager.Jump(dir) && t.pager.Total() > 0 {
		return t.noLink(dir)
	}
	return nil
}

// noLink says that there is no link in a direction.
func (t *reader) noLink(dir int) tea.Cmd {
	if dir > 0 {
		return t.host.Say("no more links")
	}
	return t.host.Say("no links above")
}

// clickInText follows the link at a cell of a text.
func (m *Model) clickInText(x, y int) tea.Cmd {
	link, ok := m.tab.pager.Hit(x, y)
	if !ok {
		return nil
	}
	p := m.tab.session.Page()
	p.Cursor, p.Link = link.Line, link.N
	if _, ok := m.tab.pager.Current(); !ok { // it begins above the screen
		return m.visitPlace(link.URL, link.Fragment)
	}
	return m.follow()
}
