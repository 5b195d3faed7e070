package ui

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/match"
)

// sliceLines and sliceOctets bound how many lines, and of what length together,
// one message looks through: little enough that keys stay live in a page of a
// million lines, and in one of long lines that are slow to clean.
const sliceLines = 4096

// sliceOctets is that of long lines.
const sliceOctets = 128 << 10

// regexpCost is how much slower than words a regular expression is.
const regexpCost = 8

// budget is what is left of a slice of a page.
type budget struct{ lines, octets, cost int }

func newBudget(p *match.Pattern) *budget {
	b := &budget{sliceLines, sliceOctets, 1}
	if p != nil && p.IsRegexp() {
		b.cost = regexpCost
	}
	return b
}

func (b *budget) left() bool { return b.lines > 0 && b.octets > 0 }

// take is for a line of text made of raw octets.
func (b *budget) take(text, raw int) {
	b.lines--
	b.octets -= b.cost * max(text, raw)
}

// scanMsg goes on with what looks through the page of a tab.
type scanMsg struct{ reader *reader }

// InBackground says that the screen is drawn again only if slice says so.
func (scanMsg) InBackground() {}

// scan returns the command that goes on to look through the page, if there is
// something to look for and it is not under way.
func (t *reader) scan() tea.Cmd {
	if slice, _ := t.job(); slice == nil || t.scanning {
		return nil
	}
	t.scanning = true
	return func() tea.Msg { return scanMsg{t} }
}

// job is what is to be looked for next: it looks through a slice of the page
// and reports whether the screen changes.
func (t *reader) job() (slice func(*budget) (changed bool), p *match.Pattern) {
	page := t.session.Page()
	if s := t.finder.running; s != nil && s.page != page {
		t.finder.running = nil
	}
	if s := t.linkSearch; s != nil && s.Page != page {
		t.linkSearch = nil
	}
	switch {
	case page == nil:
	case t.linkSearch != nil:
		return t.linkSlice, nil
	case page.Filter != nil && page.Filter.Searched < page.Lines.Len():
		return t.filterSlice, t.filterPattern()
	case t.outlining() != nil && t.outlining().next < page.Lines.Len():
		return t.outlineSlice, nil
	case t.finder.running != nil:
		return t.findSlice, t.finder.pattern
	case t.searched() != nil && !t.counted():
		return t.countSlice, t.finder.pattern
	}
	return nil, nil
}

// slice looks through the next slice of the page, which is shown or is not, for what is
// looked for. It reports whether the screen changes, and goes on.
func (t *reader) slice(shown bool) (changed bool, cmd tea.Cmd) {
	t.scanning = false
	look, p := t.job()
	if look == nil {
		return false, nil
	}
	searching, link := t.finder.running != nil, t.linkSearch
	changed = look(newBudget(p))
	switch {
	case link != nil:
		cmd = t.sayNoLink(link)
	case searching && t.finder.running == nil && shown && t.prompt == nil:
		cmd = t.sayFound()
	}
	return changed, tea.Batch(cmd, t.scan())
}

// drawEvery is how many lines are looked through before their count is drawn
// again.
const drawEvery = 16 * sliceLines

// drawSometimes reports whether the slice that ended at line i is one after
// which a count is drawn.
func drawSometimes(i int) bool { return i%drawEvery < sliceLines }

// resetSearch drops what is known of the lines of the page, which are in another
// order or not all shown any more.
func (t *reader) resetSearch() {
	t.wider = nil
	t.finder.running, t.finder.count, t.linkSearch = nil, nil, nil
}
