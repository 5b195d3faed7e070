package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// compareTime is the longest time for the directories below two compared ones.
const compareTime = time.Minute

// comparison compares two directories of a pair. The first one has the focus.
type comparison struct {
	m     *Model
	sides [2]comparedSide
	dots  bool // hidden items are compared too
}

// comparedSide is one of the directories.
type comparedSide struct {
	page  *nav.Page
	lines []protocols.Line
	diffs []across.Difference // by line
}

// marks are the marks of a comparison on two pages of a pair.
type marks struct {
	pages [2]*nav.Page // the pages with the marks
	only  bool         // the pages show only the marked items
	stale bool         // a page was loaded again since the directories were compared
	last  *comparison  // or nil
}

// areOn reports whether the marks are on the pages of c.
func (k *marks) areOn(c *comparison) bool {
	a, b := c.sides[0].page, c.sides[1].page
	return k.pages == [2]*nav.Page{a, b} || k.pages == [2]*nav.Page{b, a}
}

// newComparison compares the two directories of the pair by the sizes and dates in their listings. If it cannot, it returns a
// notice with the reason.
func (m *Model) newComparison() (c *comparison, notice string) {
	other := m.otherPane()
	if other == nil {
		return nil, m.noPairText()
	}
	c = &comparison{m: m, dots: m.tab.Session.Dots && other.Session.Dots}
	for i, t := range []*tab{m.tab, other} {
		p, ok := t.directory()
		switch {
		case !ok || p.Failed != nil:
			return nil, "only two directories can be compared"
		case p.IsLoading() || p.Dropped:
			return nil, "a directory is not complete yet: compare again when it is"
		}
		s := &c.sides[i]
		s.page, s.lines = p, make([]protocols.Line, p.Lines.Len())
		for j := range s.lines {
			if l := p.Lines.At(j); c.dots || !protocols.IsHiddenName(l.Text) {
				s.lines[j] = l
			}
		}
	}
	a, b := &c.sides[0], &c.sides[1]
	a.diffs, b.diffs = across.Compare(a.lines, b.lines), across.Compare(b.lines, a.lines)
	a.skipUnfinished(m.changes.UnfinishedCopies())
	b.skipUnfinished(m.changes.UnfinishedCopies())
	return c, ""
}

// skipUnfinished marks the files as unknown that copies have left incomplete: they look newer.
func (s *comparedSide) skipUnfinished(copies []*across.Copy) {
	for i := range s.lines {
		if slices.ContainsFunc(copies, func(c *across.Copy) bool { return c.HasLeft(s.lines[i].Link) }) {
			s.diffs[i] = across.Unknown
		}
	}
}

// compare marks and tags the items of both directories that differ. Pressed again, it shows only these items, and then all.
func (m *Model) compare() tea.Cmd {
	c, notice := m.newComparison()
	switch {
	case c == nil:
		return m.notify(notice)
	case m.pair.marks.areOn(c) && (m.pair.marks.only || !m.pair.marks.stale):
		m.showOnlyMarked(!m.pair.marks.only)
		return m.notifyState(m.pair.marks.only, "only what differs is shown: "+m.keys.keyOf("compare")+" shows all", "all items are shown")
	case m.opts.Server == nil || len(across.SameDirectories(c.sides[0].lines, c.sides[1].lines)) == 0:
		return m.notify(c.mark())
	}
	return c.descend(false)
}

// compareContents compares the directories like compare, but reads all files that both have, unless their sizes differ.
func (m *Model) compareContents() tea.Cmd {
	c, notice := m.newComparison()
	switch {
	case c == nil:
		return m.notify(notice)
	case m.opts.Server == nil:
		return m.notify("files cannot be compared here")
	}
	return c.descend(true)
}

// showOnlyMarked shows only what differs in both directories of the pair, or all.
func (m *Model) showOnlyMarked(only bool) {
	m.pair.marks.only = only
	for _, t := range []*tab{m.tab, m.otherPane()} {
		filter := nav.State(0)
		if only {
			filter = nav.Compared | nav.Undecided
		}
		t.FilterStates(filter, "differences")
	}
}

// clearFilter removes the filter of the page, and with the filter of a comparison also that of the page beside it.
func (m *Model) clearFilter(f *nav.Matches) tea.Cmd {
	if other := m.otherPane(); f.States != 0 && other != nil && m.pair.marks.only {
		m.showOnlyMarked(false)
		return nil
	}
	return m.tab.ClearFilter()
}

// remark marks the directories of the pair again after one of them was loaded again. It keeps what is known of items that have not
// changed, and the filter, and tags nothing.
func (m *Model) remark() {
	last := m.pair.marks.last
	c, _ := m.newComparison()
	if c == nil || last == nil || m.pair.marks.areOn(c) {
		return
	}
	if c.sides[0].page.URL != last.sides[0].page.URL {
		last.sides[0], last.sides[1] = last.sides[1], last.sides[0]
	}
	for i := range c.sides {
		if c.sides[i].page.URL != last.sides[i].page.URL {
			return
		}
	}
	c.inherit(last)
	for i := range c.sides {
		c.sides[i].mark(false)
	}
	k := &m.pair.marks
	k.pages, k.last, k.stale = [2]*nav.Page{c.sides[0].page, c.sides[1].page}, c, true
	if k.only {
		m.showOnlyMarked(true)
	}
}

// inherit takes from an earlier comparison of the same directories what is known of the files that have not changed since on both
// sides, and of the directories that were equal.
func (c *comparison) inherit(last *comparison) {
	var unchanged [2]map[string]across.Difference // the earlier differences by name
	for i := range c.sides {
		unchanged[i] = c.sides[i].unchanged(&last.sides[i])
	}
	for i := range c.sides {
		s := &c.sides[i]
		for j, l := range s.lines {
			before, ok := unchanged[i][l.Text]
			if _, alsoThere := unchanged[1-i][l.Text]; ok && alsoThere && (l.Kind != protocols.Directory || before == across.Equal) {
				s.diffs[j] = before
			}
		}
	}
}

// unchanged returns the earlier differences of the directories and of the files that have not changed, by name.
func (s *comparedSide) unchanged(last *comparedSide) map[string]across.Difference {
	old, diffs := make(map[string]int), make(map[string]across.Difference)
	for j, l := range last.lines {
		old[l.Text] = j
	}
	for _, l := range s.lines {
		if j, ok := old[l.Text]; ok && l.Link != nil && (l.Kind == protocols.Directory || isSameFile(&l, &last.lines[j])) {
			diffs[l.Text] = last.diffs[j]
		}
	}
	return diffs
}

// isSameFile reports whether two lines of a file have the same size and date.
func isSameFile(a, b *protocols.Line) bool {
	na, okA := a.Note.(*protocols.FileNote)
	nb, okB := b.Note.(*protocols.FileNote)
	return okA && okB && na.Size == nb.Size && na.Modified.Equal(nb.Modified)
}

// mark marks the differences, tags what is new or newer, and returns a notice about how many there are.
func (c *comparison) mark() string {
	var counts [2]string
	for i := range c.sides {
		counts[i] = c.sides[i].mark(true)
	}
	c.m.pair.marks = marks{pages: [2]*nav.Page{c.sides[0].page, c.sides[1].page}, last: c}
	key := c.m.keys.keyOf("compare")
	switch hidden := " (hidden items are not compared)"; {
	case counts[0]+counts[1] == "" && c.dots:
		return "no differences"
	case counts[0]+counts[1] == "":
		return "no differences" + hidden
	}
	for i := range counts {
		if counts[i] == "" {
			counts[i] = "nothing else"
		}
	}
	if c.m.width < pairStackedWidth {
		return counts[0] + " | " + counts[1] + "; " + key + " filters"
	}
	return "here " + counts[0] + "; beside " + counts[1] + "; " + key + " shows only these"
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
	across.Unknown: {nav.Undecided, false, "unknown"},
}

// mark marks the lines of a side, and returns the numbers of differences as a text. If tag is set, it tags what is new or newer,
// and nothing else.
func (s *comparedSide) mark(tag bool) string {
	if tag {
		s.page.UntagAll()
	}
	n, byLink := make(map[across.Difference]int), make(map[string]across.Difference)
	for i, d := range s.diffs {
		if s.lines[i].Link != nil {
			byLink[s.lines[i].Link.String()] = d
		}
	}
	for i := range s.page.Lines.Len() { // the lines may have another order now
		d := byLink[s.page.Lines.LinkText(i)]
		r := differenceStates[d]
		s.page.Lines.SetState(i, s.page.Lines.State(i)&^(nav.Compared|nav.Undecided)|r.state)
		if tag {
			s.page.Tag(i, r.tag)
		}
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

// descend compares the directories below too, and with contents the files of both, in the background.
func (c *comparison) descend(contents bool) tea.Cmd {
	trees := &across.Trees{Server: c.m.opts.Server, Hidden: c.dots, Contents: contents}
	text := func() string {
		text := fmt.Sprintf("comparing: directories %d", trees.Dirs.Load())
		if contents {
			text += fmt.Sprintf(", files %d, read %s", trees.Files.Load(), cell.Size(trees.Octets.Load()))
		}
		return text
	}
	compare := func(ctx context.Context) error {
		if contents {
			err := trees.CompareFiles(ctx, c.sides[0].lines, c.sides[1].lines, c.setContent)
			if err != nil {
				return err
			}
		}
		below, cancel := context.WithTimeout(ctx, compareTime)
		defer cancel()
		for _, p := range across.SameDirectories(c.sides[0].lines, c.sides[1].lines) {
			d, err := trees.Compare(below, c.sides[0].lines[p[0]].Link, c.sides[1].lines[p[1]].Link)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case below.Err() != nil:
				return nil // the rest stays unknown
			case err != nil:
				return err
			}
			c.sides[0].diffs[p[0]], c.sides[1].diffs[p[1]] = d, d
		}
		return nil
	}
	result := func(err error) string {
		switch text := c.mark(); {
		case errors.Is(err, nav.ErrStopped):
			return "stopped: " + text
		case err != nil:
			return "compared in part: " + clean.Short(err.Error()) + "; " + text
		default:
			return text
		}
	}
	return c.m.changes.RunJob(&c.m.tab.Viewer, nil, text, compare, result)
}

// setContent sets the difference of two files whose contents were compared, unless the listings show one.
func (c *comparison) setContent(i, j int, d across.Difference) {
	if old := c.sides[0].diffs[i]; d != across.Changed || old == across.Equal || old == across.Unknown {
		c.sides[0].diffs[i], c.sides[1].diffs[j] = d, d
	}
}
