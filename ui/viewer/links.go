package viewer

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/ask"
	"gofer/ui/page"
)

// LinkPrompt asks for a link on the screen by the label beside it.
type LinkPrompt struct {
	*ask.Line
	Labels *page.LinkLabels
}

// Relabel updates the labels of a LinkPrompt after the screen has changed.
func (v *Viewer) Relabel() {
	if p, ok := v.Prompt.(*LinkPrompt); ok {
		p.Labels.Show(&v.Pager)
	}
}

// newLabels labels the links on the screen. It returns nil and a notice if there are none.
func (v *Viewer) newLabels(label func(i, n int) string) (*page.LinkLabels, tea.Cmd) {
	l := &page.LinkLabels{Label: label}
	if v.Session.Page() != nil {
		l.Show(&v.Pager)
	}
	if len(l.Links) == 0 {
		return nil, v.host.Notify("no links on the screen")
	}
	return l, nil
}

// AskNumber asks for the number of a link on the screen, selects the link while the number is
// typed, and follows the link.
func (v *Viewer) AskNumber() tea.Cmd {
	l, notice := v.newLabels(func(i, _ int) string { return strconv.Itoa(i + 1) })
	if l == nil {
		return notice
	}
	l.All = true
	p := &LinkPrompt{ask.NewLine(ask.Head{Title: "Number of the link"}, ask.Field{Label: "Link"}), l}
	cursor, link := v.location(), page.LinkPlace{Line: -1}
	p.Changed = func(typed string) (tea.Cmd, error) {
		v.returnTo(cursor)
		if link, _ = l.Find(typed); link.Line >= 0 {
			v.Pager.Select(link)
		} else if typed != "" {
			return nil, errors.New("no such link")
		}
		return nil, nil
	}
	p.Leave = func([]string) tea.Cmd { v.returnTo(cursor); return nil }
	p.Finish = func([]string) tea.Cmd {
		if _, ok := v.Pager.Current(); link.Line < 0 || !ok {
			v.Prompt = p
			return nil
		}
		return v.host.Follow()
	}
	return v.Ask(p)
}

// hintLetters are the letters of the home row.
const hintLetters = "asdfghjkl"

// hintLabel returns the i-th of n labels. All labels have the same length, with as few letters as
// possible.
func hintLabel(i, n int) string {
	label := ""
	for size := 1; label == "" || size < n; size *= len(hintLetters) {
		label = string(hintLetters[i%len(hintLetters)]) + label
		i /= len(hintLetters)
	}
	return label
}

// AskLink labels the links on the screen with letters and follows the link whose letters
// are typed. If the last letter is typed as a capital, the link is only selected.
func (v *Viewer) AskLink() tea.Cmd {
	l, notice := v.newLabels(hintLabel)
	if l == nil {
		return notice
	}
	p := &LinkPrompt{ask.NewLine(ask.Head{Title: "Letters of the link (capital: select)"}, ask.Field{Label: "Open"}), l}
	p.Changed = func(typed string) (tea.Cmd, error) {
		link, begins := l.Find(strings.ToLower(typed))
		switch {
		case !begins:
			p.EraseLast()
		case link.Line >= 0:
			p.Close()
			v.Pager.Select(link)
			if last := []rune(typed); !unicode.IsUpper(last[len(last)-1]) {
				return v.host.Follow(), nil
			}
		}
		return nil, nil
	}
	p.Finish = func([]string) tea.Cmd {
		v.Prompt = p
		return nil
	}
	return v.Ask(p)
}

// seekLink moves the cursor of a text to the next link (dir 1) or the previous one (dir -1). The search
// starts at the cursor if the cursor is on the screen, or else at the edge of the screen.
func (v *Viewer) seekLink(dir int) tea.Cmd {
	pager, p := &v.Pager, v.Session.Page()
	first, last := pager.VisibleLines()
	if last < first {
		return nil
	}
	s := &page.LinkSearch{Page: p, Line: first, Dir: dir}
	if _, ok := pager.CurrentTextLink(); ok {
		s.Line, s.From = p.Cursor, p.Link+dir
		if s.From == 0 {
			s.Line, s.From = s.Line-1, 0
		}
	} else {
		top := pager.FirstRow()
		edge := top
		if dir < 0 {
			s.Line = last
			edge, _ = pager.Move(top, pager.Height-1)
		}
		s.From = pager.EdgeLink(s.Line, edge, dir)
	}
	v.LinkSearch = s
	v.findLinkInPortion(newBudget(nil))
	return tea.Batch(v.notifyNoLink(s), v.Scan())
}

// findLinkInPortion searches a portion of the page for the link.
func (v *Viewer) findLinkInPortion(b *budget) (changed bool) {
	s := v.LinkSearch
	for ; b.hasRest(); s.Line, s.From = s.Line+s.Dir, 0 {
		if s.Line < 0 || s.Line >= s.Page.Lines.Len() {
			v.LinkSearch, s.Ended = nil, true
			return true
		}
		b.spend(len(s.Page.Lines.WithoutLink(s.Line).Text), 0)
		if n := s.LinkNumber(s.Page.CountLinks(s.Line)); n > 0 && v.Pager.HasOwnText(s.Line) {
			v.LinkSearch = nil
			v.Pager.MoveToLink(s.Line, n)
			return true
		}
	}
	return false
}

// notifyNoLink shows a notice if s, which may be nil, has ended without a link.
func (v *Viewer) notifyNoLink(s *page.LinkSearch) tea.Cmd {
	if s == nil || !s.Ended {
		return nil
	}
	return v.notifyLastLink(s.Dir)
}

// JumpToLink moves the cursor to the next link (dir 1) or the previous one (dir -1), even if it is off
// the screen.
func (v *Viewer) JumpToLink(dir int) tea.Cmd {
	if v.Pager.HasLinksInText() {
		return v.seekLink(dir)
	}
	if !v.Pager.Jump(dir) && v.Pager.Total() > 0 {
		return v.notifyLastLink(dir)
	}
	return nil
}

// notifyLastLink shows the notice that there is no link in a direction.
func (v *Viewer) notifyLastLink(dir int) tea.Cmd {
	if dir > 0 {
		return v.host.Notify("no more links")
	}
	return v.host.Notify("no links above")
}

// maxSearchedLines is the largest number of lines that HasNoItem searches.
const maxSearchedLines = 2000

// HasNoItem reports whether the page is known to have no items.
func (v *Viewer) HasNoItem() bool {
	line, _ := v.Pager.Current()
	p := v.Session.Page()
	if line.Link != nil || p == nil || p.IsLoading() || p.Lines.Len() > maxSearchedLines {
		return false
	}
	for i := range p.Lines.Len() {
		if p.Lines.At(i).Link != nil {
			return false
		}
	}
	return true
}
