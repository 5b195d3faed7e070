package ui

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/document"
	"gofer/nav"
	"gofer/protocols"
)

// foldedFrom is how many quoted lines in a row are folded.
const foldedFrom = 4

// quoteBlock is the lines from..to-1 of a page, all of them quoted.
type quoteBlock struct{ from, to int }

// text is what stands for a block that is folded.
func (b quoteBlock) text() string { return "[" + strconv.Itoa(b.to-b.from) + " quoted lines]" }

// longQuotes are the blocks of quoted lines of a page, the last one and those that
// are long, as far as it has been looked at.
type longQuotes struct {
	page   *nav.Page
	next   int // the line to look at
	blocks []quoteBlock
	opened []int // the first lines of those that are not folded
}

func (q *longQuotes) learn(p *nav.Page) {
	n := p.Lines.Len()
	if q.page != p || q.next > n {
		*q = longQuotes{page: p}
	}
	if q.next == n {
		return
	}
	for i, kind := range p.Lines.Kinds(q.next) {
		if kind != protocols.Quote {
			continue
		}
		last := len(q.blocks) - 1
		switch {
		case last >= 0 && q.blocks[last].to == i:
			q.blocks[last].to++
		case last >= 0 && q.blocks[last].to-q.blocks[last].from < foldedFrom:
			q.blocks[last] = quoteBlock{i, i + 1}
		default:
			q.blocks = append(q.blocks, quoteBlock{i, i + 1})
		}
	}
	q.next = n
}

// foldedQuote is the block of quoted lines that line i is in, if it is folded: of
// its first line the text is another, the others are not shown.
func (v *pager) foldedQuote(i int) (b quoteBlock, ok bool) {
	if !v.foldQuotes || v.intoFolds || v.page.Filter != nil || v.page.Media != protocols.MediaArticle || i < 0 || i >= v.page.Lines.Len() {
		return b, false
	}
	q := &v.quotes
	q.learn(v.page)
	k := sort.Search(len(q.blocks), func(k int) bool { return q.blocks[k].to > i })
	if k == len(q.blocks) {
		return b, false
	}
	b = q.blocks[k]
	return b, b.from <= i && b.to-b.from >= foldedFrom && !slices.Contains(q.opened, b.from)
}

// textShown reports whether line i is shown with its own text.
func (v *pager) textShown(i int) bool {
	_, folded := v.foldedQuote(i)
	return !folded && v.shown(i)
}

// fold folds or unfolds what the page has to be folded.
func (m *Model) fold() tea.Cmd {
	if m.isArticle() {
		return m.toggleQuotes()
	}
	return m.foldThread()
}

// toggleQuotes folds the long quotes of articles to one line each, or shows them,
// in all tabs.
func (m *Model) toggleQuotes() tea.Cmd {
	fold := !m.pager.foldQuotes
	for _, t := range m.allTabs() {
		v := &t.pager
		v.foldQuotes, v.quotes.opened = fold, nil
		v.invalidate()
		t.resetSearch()
		p := v.page
		if p == nil {
			continue
		}
		if b, folded := v.foldedQuote(p.Top); folded {
			p.Top, p.TopRow = b.from, 0
		}
		if _, folded := v.foldedQuote(p.Cursor); folded {
			p.Link = 0
		}
		v.fill()
	}
	return m.sayState(fold, "quotes of more than "+strconv.Itoa(foldedFrom-1)+" lines are folded", "all quotes are shown")
}

// quoteMark is what of a line marks it as quoted, "" where it is not.
func (v *pager) quoteMark(line *protocols.Line, text string) string {
	plain := line.Kind == protocols.Info && v.page.Layout == protocols.LayoutText && v.page.Media != protocols.MediaArticle && !document.IsHypertext(v.page.Media)
	if line.Kind != protocols.Quote && !plain {
		return ""
	}
	return document.QuoteMark(text)
}

// toggleROT13 shifts the letters of a text by 13, or back.
func (m *Model) toggleROT13() tea.Cmd {
	p := m.session.Page()
	if p == nil || p.Layout != protocols.LayoutText {
		return m.say("this page is not a text")
	}
	p.ROT13 = !p.ROT13
	m.pager.invalidate()
	m.resetSearch()
	return m.sayState(p.ROT13, "ROT13 on", "ROT13 off")
}

// rot13 shifts the letters of ASCII by 13.
func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}
