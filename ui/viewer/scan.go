package viewer

import (
	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/match"
)

// portionLines and portionOctets bound the number and the total length of the lines that one message
// searches. The limits let gofer respond to keys at once, also in a page with a million lines or with
// long lines that are slow to clean.
const (
	portionLines  = 4096
	portionOctets = 128 << 10
)

// regexpCost is the cost of an octet in a search for a regular expression. In a search for words an
// octet costs 1.
const regexpCost = 8

// budget is the number of lines and octets that one message may still search. The field cost is the
// price of an octet.
type budget struct{ lines, octets, cost int }

func newBudget(p *match.Pattern) *budget {
	b := &budget{portionLines, portionOctets, 1}
	if p != nil && p.IsRegexp() {
		b.cost = regexpCost
	}
	return b
}

func (b *budget) hasRest() bool { return b.lines > 0 && b.octets > 0 }

// spend subtracts a line from the budget. The line has shownOctets octets on the screen, and the server
// sent sentOctets for it.
func (b *budget) spend(shownOctets, sentOctets int) {
	b.lines--
	b.octets -= b.cost * max(shownOctets, sentOctets)
}

// ScanMsg continues the searches of a viewer.
type ScanMsg struct{ Viewer *Viewer }

// InBackground marks ScanMsg as a message that does not redraw the screen by itself.
func (ScanMsg) InBackground() {}

// Scan returns the command that continues the searches, or nil if there are none or a
// ScanMsg is under way.
func (v *Viewer) Scan() tea.Cmd {
	if search, _ := v.nextSearch(); search == nil || v.scanning {
		return nil
	}
	v.scanning = true
	return func() tea.Msg { return ScanMsg{v} }
}

// IsSearching reports whether a search may still move the cursor. If the parameter whole is true, it also reports
// whether a filter may still show more lines.
func (v *Viewer) IsSearching(whole bool) bool {
	if search, _ := v.nextSearch(); search == nil || !v.scanning {
		return false
	}
	p := v.Session.Page()
	filters := p.Filter != nil && p.Filter.Searched < p.Lines.Len()
	return v.LinkSearch != nil || v.Finder.Search != nil || filters && (whole || len(p.Filter.Lines) == 0)
}

// nextSearch returns the next search, or nil if there is none. The returned function searches a portion
// of the page and reports whether the screen has changed. The pattern p is nil if the search has none.
func (v *Viewer) nextSearch() (search func(*budget) (changed bool), p *match.Pattern) {
	page := v.Session.Page()
	if s := v.Finder.Search; s != nil && s.page != page {
		v.Finder.Search = nil
	}
	if s := v.LinkSearch; s != nil && s.Page != page {
		v.LinkSearch = nil
	}
	if o := v.outline; o != nil && (o.page != page || v.Prompt != o.prompt) {
		v.outline = nil
	}
	switch {
	case page == nil:
	case v.LinkSearch != nil:
		return v.findLinkInPortion, nil
	case page.Filter != nil && page.Filter.Searched < page.Lines.Len():
		return v.filterPortion, v.filterPattern()
	case v.outline != nil && v.outline.next < page.Lines.Len():
		return v.outlinePortion, nil
	case v.Finder.Search != nil:
		return v.findInPortion, v.Finder.Pattern
	case v.SearchPattern() != nil && !v.isCounted():
		return v.countInPortion, v.Finder.Pattern
	}
	return nil, nil
}

// SearchPortion searches the next portion of the page for a ScanMsg. It reports whether the screen has
// changed, and returns the command that continues the searches. If shown is true, the viewer is on the
// screen. The command then also shows the result of a search that has ended.
func (v *Viewer) SearchPortion(shown bool) (changed bool, cmd tea.Cmd) {
	v.scanning = false
	look, p := v.nextSearch()
	if look == nil {
		return false, nil
	}
	searching, link := v.Finder.Search != nil, v.LinkSearch
	changed = look(newBudget(p))
	switch {
	case link != nil:
		cmd = v.notifyNoLink(link)
	case searching && v.Finder.Search == nil && shown && v.Prompt == nil:
		cmd = v.notifyFound()
	}
	return changed, tea.Batch(cmd, v.Scan())
}

// matchPortion adds the matches of p in a portion of the page to m. The function next returns the first
// line to search at or after line i.
func (v *Viewer) matchPortion(m *nav.Matches, p *match.Pattern, b *budget, next func(i int) int) {
	pager := v.Pager.WithFolds()
	for n := pager.Page.Lines.Len(); b.hasRest() && m.Searched < n; {
		i := next(m.Searched)
		if m.Searched = min(i+1, n); i >= n {
			return
		}
		text, note, raw := pager.Text(i)
		b.spend(len(text), raw)
		if _, ok := p.Match(v.Pager.ReadingOf(note), text, note); ok {
			m.Lines = append(m.Lines, uint32(i))
		}
	}
}

// drawEvery is the number of lines that are searched before the screen shows a new count.
const drawEvery = 16 * portionLines

// isDrawStep reports whether to show a new count after the portion that ended at line i.
func isDrawStep(i int) bool { return i%drawEvery < portionLines }

// ResetSearch drops the running searches for text and links, and the counts. It is called when the lines
// of the page have been reordered, hidden or shown.
func (v *Viewer) ResetSearch() {
	v.widerMatches = nil
	v.Finder.Search, v.Finder.count, v.LinkSearch = nil, nil, nil
}
