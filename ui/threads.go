package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// unfolding is a pager of the same page that goes through folded threads as well:
// what is looked for may be there.
func (v *pager) unfolding() *pager {
	all := *v
	all.intoFolds = true
	return &all
}

// shownLines are the only lines that are shown, nil is all.
func (v *pager) shownLines() *nav.Matches {
	if v.intoFolds {
		return v.page.Filter
	}
	return v.page.Shown()
}

// openFold unfolds the thread or the quote of line i, if that is not shown for it
// is folded.
func (v *pager) openFold(i int) {
	if b, ok := v.foldedQuote(i); ok {
		v.quotes.opened = append(v.quotes.opened, b.from)
		v.invalidate()
	}
	if v.page.Folds == nil || v.page.Filter != nil || v.shown(i) {
		return
	}
	v.page.Fold(i, false)
}

// leaveFolds takes the cursor, and the top of the screen, from within a folded
// thread to its first line.
func (v *pager) leaveFolds() {
	if v.page == nil || v.page.Folds == nil || v.page.Filter != nil {
		return
	}
	for _, at := range []*int{&v.page.Cursor, &v.page.Top} {
		if !v.shown(*at) {
			*at = max(v.before(*at), 0)
		}
	}
	v.reveal(v.page.Cursor)
}

// threadPage is the page, if it is a list of articles in threads.
func (m *Model) threadPage() (*nav.Page, tea.Cmd) {
	p := m.session.Page()
	switch {
	case p == nil || p.Layout != protocols.LayoutArticles:
		return nil, m.say("this page is not a group")
	case !p.InThreads():
		return nil, m.say("the articles are not in threads: " + m.keys.keyOf("sort") + " puts them there")
	case p.Filter != nil:
		return nil, m.say("a filter shows single articles: " + m.keys.keyOf("stop") + " takes it away")
	}
	return p, nil
}

// foldThread folds the thread of the cursor, or unfolds it.
func (m *Model) foldThread() tea.Cmd {
	p, said := m.threadPage()
	if p == nil {
		return said
	}
	first, end := p.Thread(p.Cursor)
	if end <= first+1 {
		return m.say("this thread is one article")
	}
	p.Fold(first, !p.IsFolded(first))
	m.showFolds()
	return m.scan()
}

// foldThreads folds all threads, or unfolds them.
func (m *Model) foldThreads() tea.Cmd {
	p, said := m.threadPage()
	if p == nil {
		return said
	}
	cursor := p.Cursor
	m.session.FoldThreads(p, p.Folds == nil || !p.Folded)
	m.showFolds()
	if !p.Folded {
		m.pager.center(cursor)
	}
	return tea.Batch(m.sayState(p.Folded, "threads folded", "threads unfolded"), m.scan())
}

// showFolds shows the page, of which other lines are shown.
func (m *Model) showFolds() {
	m.lookup.forget()
	m.pager.leaveFolds()
	m.pager.fill()
	m.pager.reveal(m.pager.page.Cursor)
}

// toThread puts the cursor on the next thread, or the one before.
func (m *Model) toThread(dir int) tea.Cmd {
	p, said := m.threadPage()
	if p == nil {
		return said
	}
	i := p.NextThread(p.Cursor, dir)
	if i < 0 || !m.pager.linked(i) {
		return m.say(map[int]string{1: "this is the last thread", -1: "this is the first thread"}[dir])
	}
	p.Cursor = i
	m.pager.center(i)
	return nil
}

// foldedText says how many articles are in the folded thread that line i begins,
// and how many of them are unread; "" if it begins none.
func (v *pager) foldedText(i int) string {
	if !v.page.IsFolded(i) {
		return ""
	}
	end := v.page.Folds.After(i)
	if end < 0 {
		end = v.page.Lines.Len()
	}
	text := fmt.Sprintf(" (%d", end-i)
	if unread := v.page.Lines.Unread(i, end); unread > 0 {
		text += fmt.Sprintf(", %d unread", unread)
	}
	return text + ")"
}

// repeats is the author of line i where its subject is that of the line above, as
// in most answers: then the author stands in its place. It is "" elsewhere, and
// where the subject has what is looked for.
func (p *painter) repeats(i int) string {
	if p.page.Filter != nil || p.page.Left > 0 || p.wrap() || p.page.Depth(i) == 0 {
		return ""
	}
	above := p.before(i)
	note, ok := p.page.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
	if !ok || above < 0 {
		return ""
	}
	text := p.line(i).text
	subject, _ := protocols.BaseSubject(text)
	before, _ := protocols.BaseSubject(p.line(above).text)
	if !strings.EqualFold(subject, before) || len(p.found.Marks(text)) > 0 {
		return ""
	}
	return document.Author(p.reading, note.From)
}

// scoreMark returns the sign of an article that a score rule has found.
func scoreMark(g *cell.Glyphs, score int) string {
	switch {
	case score <= nav.KillScore:
		return g.Failed
	case score < 0:
		return "-"
	case score > 0:
		return "*"
	}
	return ""
}

// toggleKilled shows the articles that score rules have killed, or hides them.
func (m *Model) toggleKilled(p *nav.Page) tea.Cmd {
	show := !m.session.Killed
	m.session.ShowKilled(p, show)
	m.rearranged(p)
	return tea.Batch(m.sayState(show, "killed articles are shown", "killed articles are hidden"), m.scan())
}

// maxTreeAhead is how many lines below the screen are looked at to see where
// the branches of a thread end.
const maxTreeAhead = 256

// threads draws the branches before the lines first..last.
func (p *painter) threads(first, last int) map[int]string {
	if last < first || p.page.Filter != nil || !p.page.InThreads() { // without their context they would mislead
		return nil
	}
	deepest := max(1, p.textWidth()/6)
	prefixes := make(map[int]string, last-first+1)
	var open []bool // open[d]: a line of depth d follows before a shallower one
	ahead, _ := p.move(position{line: last}, maxTreeAhead)
	for i := min(ahead.line, p.page.Lines.Len()-1); i >= first; i = p.before(i) {
		depth := min(p.page.Depth(i), 1000)
		for len(open) <= depth {
			open = append(open, false)
		}
		if i <= last && depth > 0 {
			prefixes[i] = p.tree(open[1:depth+1], deepest)
		}
		open[depth] = true
		open = open[:depth+1]
	}
	return prefixes
}

func (p *painter) tree(open []bool, deepest int) string {
	var b strings.Builder
	if cut := len(open) - deepest; cut > 0 {
		b.WriteString(p.glyphs.Left + " ")
		open = open[cut:]
	}
	for i, more := range open {
		switch {
		case i < len(open)-1 && more:
			b.WriteString(p.glyphs.Vertical)
		case i < len(open)-1:
			b.WriteString("  ")
		case more:
			b.WriteString(p.glyphs.Branch)
		default:
			b.WriteString(p.glyphs.Corner)
		}
	}
	return b.String()
}
