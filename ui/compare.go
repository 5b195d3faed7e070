package ui

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// comparison compares two directories that are on the screen together. The first one has the focus.
type comparison struct {
	m     *Model
	sides [2]comparedSide
}

// comparedSide is one of the directories.
type comparedSide struct {
	page  *nav.Page
	lines []protocols.Line
	diffs []across.Difference // by line
}

// newComparison compares the two directories on the screen by the sizes and dates in their listings. If it cannot, it returns a
// notice with the reason.
func (m *Model) newComparison() (c *comparison, notice tea.Cmd) {
	other := m.otherPane()
	if other == nil {
		return nil, m.notify("no directory beside this page: " + m.keys.keyOf("pair") + " shows two tabs")
	}
	c = &comparison{m: m}
	dots := m.tab.Session.Dots && other.Session.Dots
	for i, t := range []*tab{m.tab, other} {
		p, ok := t.directory()
		switch {
		case !ok || p.Failed != nil:
			return nil, m.notify("only two directories can be compared")
		case p.IsLoading() || p.Dropped:
			return nil, m.notify("a directory is not complete yet: compare again when it is")
		}
		s := &c.sides[i]
		s.page, s.lines = p, make([]protocols.Line, p.Lines.Len())
		for j := range s.lines {
			if l := p.Lines.At(j); dots || !protocols.IsHiddenName(l.Text) {
				s.lines[j] = l
			}
		}
	}
	a, b := &c.sides[0], &c.sides[1]
	a.diffs, b.diffs = across.Compare(a.lines, b.lines), across.Compare(b.lines, a.lines)
	return c, nil
}

// compare marks and tags the items of both directories that differ. Pressed again, it shows only these items, and then all.
func (m *Model) compare() tea.Cmd {
	c, notice := m.newComparison()
	if c == nil {
		return notice
	}
	if m.pair.compared != [2]*nav.Page{c.sides[0].page, c.sides[1].page} && m.pair.compared != [2]*nav.Page{c.sides[1].page, c.sides[0].page} {
		return c.mark()
	}
	shown := c.sides[0].page.Filter == nil || c.sides[0].page.Filter.States == 0
	for _, t := range m.shownTabs() {
		filter := nav.State(0)
		if shown {
			filter = nav.Compared
		}
		t.FilterStates(filter, "differences")
	}
	return m.notifyState(shown, "only what differs is shown: "+m.keys.keyOf("compare")+" shows all", "all items are shown")
}

// mark marks the differences, tags what is new or newer, and shows how many there are.
func (c *comparison) mark() tea.Cmd {
	var counts [2]string
	for i := range c.sides {
		counts[i] = c.sides[i].mark()
	}
	c.m.pair.compared = [2]*nav.Page{c.sides[0].page, c.sides[1].page}
	if counts[0]+counts[1] == "" {
		return c.m.notify("no differences")
	}
	for i := range counts {
		if counts[i] == "" {
			counts[i] = "nothing else"
		}
	}
	return c.m.notify("here " + counts[0] + "; beside " + counts[1] + "; " + c.m.keys.keyOf("compare") + " shows only these")
}

// differenceStates has the mark of each difference, whether the item is tagged, and the word for its count.
var differenceStates = map[across.Difference]struct {
	state nav.State
	tag   bool
	word  string
}{
	across.New:     {nav.Alone, true, "new"},
	across.Later:   {nav.Newer, true, "newer"},
	across.Changed: {nav.Differs, true, "different"},
	across.Earlier: {nav.Differs, false, "older"},
	across.Unknown: {0, false, "not comparable"},
}

// mark marks and tags the lines of a side, and returns the numbers of differences as a text.
func (s *comparedSide) mark() string {
	s.page.UntagAll()
	n, byLink := make(map[across.Difference]int), make(map[string]across.Difference)
	for i, d := range s.diffs {
		if s.lines[i].Link != nil {
			byLink[s.lines[i].Link.String()] = d
		}
	}
	for i := range s.page.Lines.Len() { // the lines may have another order now
		d := byLink[s.page.Lines.LinkText(i)]
		r := differenceStates[d]
		s.page.Lines.SetState(i, s.page.Lines.State(i)&^nav.Compared|r.state)
		s.page.Tag(i, r.tag)
		n[d]++
	}
	var parts []string
	for _, d := range []across.Difference{across.New, across.Later, across.Earlier, across.Changed, across.Unknown} {
		if n[d] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[d], differenceStates[d].word))
		}
	}
	return strings.Join(parts, ", ")
}

// compareContents compares the directories like compare, but reads all files that both have, unless their sizes differ.
func (m *Model) compareContents() tea.Cmd {
	c, notice := m.newComparison()
	if c == nil {
		return notice
	}
	server := m.opts.Server
	if server == nil {
		return m.notify("files cannot be compared here")
	}
	pairs := across.SameNames(c.sides[0].lines, c.sides[1].lines)
	var done, octets atomic.Int64
	text := func() string {
		return fmt.Sprintf("comparing %s: %d done, %s read", english.Plural(len(pairs), "file", ""), done.Load(), cell.Size(octets.Load()))
	}
	var failed []string
	compare := func(ctx context.Context) error {
		for _, p := range pairs {
			a, b := c.sides[0].lines[p[0]], c.sides[1].lines[p[1]]
			same, err := across.SameContent(ctx, server, a, b, func(n int) { octets.Add(int64(n)) })
			switch {
			case ctx.Err() != nil || protocols.QuestionOf(err) != nil || protocols.ReasonOf(err).IsNetworkFailure():
				return err
			case err != nil:
				failed = append(failed, clean.Name(a.Text))
				c.set(p, across.Unknown, across.Unknown)
			case same:
				c.set(p, across.Equal, across.Equal)
			case c.sides[0].diffs[p[0]] == across.Equal || c.sides[0].diffs[p[0]] == across.Unknown:
				c.set(p, across.Changed, across.Changed)
			}
			done.Add(1)
		}
		return nil
	}
	result := func(err error) string {
		if err != nil {
			return "not compared: " + clean.Short(err.Error())
		}
		c.mark()
		if len(failed) > 0 {
			return m.notice + "; not read: " + strings.Join(failed[:min(len(failed), 5)], ", ")
		}
		return m.notice
	}
	return m.changes.RunJob(&m.tab.Viewer, nil, text, compare, result)
}

// set sets the differences of two files with the same name.
func (c *comparison) set(p [2]int, a, b across.Difference) {
	c.sides[0].diffs[p[0]], c.sides[1].diffs[p[1]] = a, b
}
