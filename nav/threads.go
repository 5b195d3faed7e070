package nav

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"gofer/internal/clean"
	"gofer/internal/document"
	"gofer/protocols"
)

// The orders of a list of articles beside those of all lists: AsSent is by the
// newest article of a thread.
const (
	ByDate   = "date"
	ByAuthor = "author"
	ByNumber = "number"
	ByScore  = "score"
	ByLines  = "lines"
)

// KillScore is the score up to which articles are not shown, as in slrn.
const KillScore = -9999

// articleOrders are what a list of articles can be sorted by, see [Page.Orders].
func articleOrders(o Order) []protocols.Column {
	orders := []protocols.Column{
		{Head: AsSent},
		{Head: ByDate, Value: protocols.Day{}},
		{Head: ByName, Value: ""},
		{Head: ByAuthor, Value: ""},
		{Head: ByNumber},
		{Head: ByScore},
		{Head: ByLines},
	}
	if o.Flat {
		return orders[1:]
	}
	return orders
}

// InThreads reports whether the page is a list of articles in threads.
func (p *Page) InThreads() bool { return p.Layout == protocols.LayoutArticles && !p.Order.Flat }

// Depth is how far line i of a list of articles stands below the first of its
// thread, of what is shown.
func (p *Page) Depth(i int) int {
	if !p.InThreads() || i >= p.Lines.Len() {
		return 0
	}
	if i < len(p.Lines.depths) {
		return int(p.Lines.depths[i])
	}
	c, k := p.Lines.find(i)
	return c.depth(k)
}

func (c *chunk) depth(k int) int {
	if c.notes == nil {
		return 0
	}
	if a, ok := c.notes[k].(*protocols.ArticleNote); ok {
		return min(max(a.Depth, 0), math.MaxUint16)
	}
	return 0
}

// Thread returns the lines of the thread that line i is in: its first, and the
// one after its last.
func (p *Page) Thread(i int) (first, end int) {
	n := p.Lines.Len()
	if i < 0 || i >= n {
		return i, i
	}
	for first = i; first > 0 && p.Depth(first) > 0; {
		first--
	}
	for end = i + 1; end < n && p.Depth(end) > 0; {
		end++
	}
	return first, end
}

// NextThread returns the first line of the thread after that of line i, or of the
// one before where dir is negative; -1 if there is none.
func (p *Page) NextThread(i, dir int) int {
	first, end := p.Thread(i)
	if dir < 0 {
		if first == 0 {
			return -1
		}
		first, _ = p.Thread(first - 1)
		return first
	}
	if end >= p.Lines.Len() {
		return -1
	}
	return end
}

// Unread is how many of the lines from..to, the last one not included, are unread.
func (l *Lines) Unread(from, to int) (n int) {
	var c *chunk
	start, end := 0, 0 // the lines of c
	for i := from; i < to; i++ {
		at := int(l.stored(i))
		if c == nil || at < start || at >= end {
			k := sort.SearchInts(l.starts, at+1) - 1
			c, start = l.chunks[k], l.starts[k]
			end = start + len(c.rows)
		}
		if c.rows[at-start].state&Unread != 0 {
			n++
		}
	}
	return n
}

// Shown are the only lines of the page that are shown, those of the filter or else
// those outside of folded threads; nil is all.
func (p *Page) Shown() *Matches {
	if p.Filter != nil {
		return p.Filter
	}
	return p.Folds
}

// IsFolded reports whether line i begins a thread that is folded.
func (p *Page) IsFolded(i int) bool {
	return p.Folds != nil && p.Filter == nil && p.Lines.State(i)&Folded != 0 && p.Folds.After(i) != i+1 && i+1 < p.Lines.Len()
}

// Fold folds the thread of line i to its first line, where the cursor goes if it
// was in it, or unfolds it.
func (p *Page) Fold(i int, fold bool) {
	first, end := p.Thread(i)
	p.setFolded(first, fold && end > first+1)
	if p.refold(); fold && p.Cursor > first && p.Cursor < end {
		p.Cursor = first
	}
}

func (p *Page) setFolded(i int, fold bool) {
	is := p.Lines.State(i) &^ Folded
	if fold {
		is |= Folded
	}
	p.Lines.SetState(i, is)
}

// FoldThreads folds all threads of the page, and of those of its layout that come
// from now on, or unfolds them.
func (s *Session) FoldThreads(p *Page, fold bool) {
	s.Folded, p.Folded = fold, fold
	p.foldAll()
	p.refold()
	if p.Folds != nil {
		if _, ok := p.Folds.Rank(p.Cursor); !ok {
			p.Cursor = max(p.Folds.Before(p.Cursor), 0)
		}
		if _, ok := p.Folds.Rank(p.Top); !ok {
			p.Top = max(p.Folds.Before(p.Top), 0)
		}
	}
}

// foldAll marks the beginnings of all threads as folded, or none.
func (p *Page) foldAll() {
	for _, c := range p.Lines.chunks {
		for k := range c.rows {
			c.rows[k].state &^= Folded
			if p.Folded && c.depth(k) == 0 {
				c.rows[k].state |= Folded
			}
		}
	}
}

// refold finds the lines outside of folded threads.
func (p *Page) refold() {
	n := p.Lines.Len()
	var shown []uint32
	folded, within := 0, false
	if p.InThreads() {
		shown = make([]uint32, 0, n)
		for i := range n {
			c, k := p.Lines.find(i)
			if depth := p.Depth(i); depth == 0 {
				within = c.rows[k].state&Folded != 0
			} else if within {
				folded++
				continue
			}
			shown = append(shown, uint32(i))
		}
	}
	if p.Folds = nil; folded > 0 {
		p.Folds = &Matches{Lines: slices.Clip(shown), Searched: n}
	}
}

// article is an article that is shown.
type article struct {
	line  uint32 // its place among the lines as they came
	depth uint16 // below what is shown of its thread
}

// thread is a run of articles that stay together.
type thread struct {
	first, end uint32 // of the list
}

// arrange puts a list of articles in order: without those that are killed, by
// threads or flat, sorted if the page is whole. A cursor on the first one stays
// there, unless it stays on its article. It returns false if they are too many to be
// sorted.
func (p *Page) arrange(stays bool) bool {
	by, all := p.Sorted(), p.Lines.AsSent()
	if p.Loading() {
		by = Order{By: AsSent}
	}
	if by.By != AsSent && (all.Len() > maxSorted || all.Bytes() > maxSortedBytes) {
		return false
	}
	above, list, below := p.articles(&all)
	threads := threadsOf(list, by.Flat)
	if by.By != AsSent && len(list) > 0 {
		threads = p.sortThreads(&all, list, threads, by)
	} else if by.Reversed {
		slices.Reverse(threads)
	}
	order, depths := append(make([]uint32, 0, len(above)+len(list)+len(below)), above...), make([]uint16, len(above), len(above)+len(list))
	for _, t := range threads {
		for _, a := range list[t.first:t.end] {
			order, depths = append(order, a.line), append(depths, a.depth)
		}
	}
	if order = append(order, below...); p.Lines.order != nil || len(order) < all.Len() || !slices.IsSorted(order) {
		first := len(above)
		if stays {
			first = -1
		}
		p.rearrange(order, first)
	}
	if p.Lines.depths = nil; p.Hidden > 0 {
		p.Lines.depths = depths
	}
	p.refold()
	return true
}

// articles are the lines above the first article, the articles that are shown,
// and what stands below or between them.
func (p *Page) articles(all *Lines) (above []uint32, list []article, below []uint32) {
	list = make([]article, 0, all.n)
	hides := all.scored && !p.Killed
	var ancestors []int // how deep they stand; -1: not shown
	begun := false      // something of the thread is shown
	p.Hidden = 0
	line := uint32(0)
	for _, c := range all.chunks {
		for k := range c.rows {
			a := article{line: line, depth: uint16(c.depth(k))}
			line++
			switch {
			case c.notes != nil && isArticle(c.notes[k]):
			case len(list)+p.Hidden > 0:
				below = append(below, a.line)
				continue
			default:
				above = append(above, a.line)
				continue
			}
			if hides {
				depth := int(a.depth)
				begun = begun && depth > 0
				ancestors = ancestors[:min(len(ancestors), depth)]
				if c.score(k) <= KillScore {
					ancestors = append(ancestors, -1)
					p.Hidden++
					continue
				}
				a.depth = uint16(shownDepth(ancestors, begun))
				ancestors, begun = append(ancestors, int(a.depth)), true
			}
			list = append(list, a)
		}
	}
	return above, list, below
}

func isArticle(note protocols.Note) bool {
	_, ok := note.(*protocols.ArticleNote)
	return ok
}

// shownDepth is how deep an article stands whose ancestors are so deep. Where none
// of them is shown it takes the place of the thread's first, unless another has.
func shownDepth(ancestors []int, begun bool) int {
	for _, depth := range slices.Backward(ancestors) {
		if depth >= 0 {
			return min(depth+1, math.MaxUint16)
		}
	}
	if begun {
		return 1
	}
	return 0
}

// threadsOf are the threads of a list, or its articles each by itself.
func threadsOf(list []article, flat bool) []thread {
	size := len(list)/4 + 1
	if flat {
		size = len(list)
	}
	threads := make([]thread, 0, size)
	for i := 0; i < len(list); {
		end := i + 1
		for !flat && end < len(list) && list[end].depth > 0 {
			end++
		}
		threads = append(threads, thread{first: uint32(i), end: uint32(end)})
		i = end
	}
	return threads
}

// sortThreads returns threads sorted by their first article, or by the greatest
// score in them. Where it is not known, they come last.
func (p *Page) sortThreads(all *Lines, list []article, threads []thread, by Order) []thread {
	keys, texts := make([]sortKey, len(threads)), make([]string, len(threads))
	reading := p.Reading()
	for i := range threads {
		var n int64
		known := true
		if by.By == ByScore {
			n = greatestScore(all, list[threads[i].first:threads[i].end])
		} else {
			line := all.WithoutLink(int(list[threads[i].first].line))
			n, texts[i], known = threadValue(reading, &line, by.By)
		}
		keys[i] = sortKey{item: uint32(i)}
		if !known {
			keys[i].rank, n = 1, 0
		}
		keys[i].setNumber(n, by.Reversed)
	}
	if by.By == ByName || by.By == ByAuthor {
		same := alike(len(texts), func(i int) string { return texts[i] })
		for i := range keys {
			keys[i].setText(texts[i], same, by.Reversed)
		}
	}
	sortKeys(keys, func(a, b uint32) int {
		return cmp.Or(compareText(texts[a], texts[b], by.Reversed), cmp.Compare(a, b))
	})
	sorted := make([]thread, len(keys))
	for i, k := range keys {
		sorted[i] = threads[k.item]
	}
	return sorted
}

func greatestScore(all *Lines, articles []article) int64 {
	n := int64(math.MinInt64)
	for _, a := range articles {
		c, k := all.find(int(a.line))
		n = max(n, int64(c.score(k)))
	}
	return n
}

// threadValue is the number or the text of an article by which its thread is sorted.
func threadValue(r clean.Reading, line *protocols.Line, by string) (number int64, text string, known bool) {
	switch a := line.Note.(*protocols.ArticleNote); by {
	case ByDate:
		return a.Date.Unix(), "", !a.Date.IsZero()
	case ByLines:
		return a.Lines, "", a.Lines >= 0
	case ByAuthor:
		text = strings.ToLower(document.MailboxName(decoded(r, a.From)))
		return 0, text, text != ""
	case ByName:
		return 0, folded(r, line), true
	default:
		return int64(min(a.Number, math.MaxInt64)), "", true
	}
}

// ShowKilled shows the articles of the page that are killed, and those of all
// lists that come from now on, or hides them.
func (s *Session) ShowKilled(p *Page, show bool) {
	s.Killed, p.Killed, p.kept = show, show, false
	p.arrange(true)
}

// Rescore gives the articles of the page, which is whole, other scores.
func (p *Page) Rescore(scores Scores) {
	p.Lines.SetScores(scores)
	p.kept = false
	p.arrange(true)
}

// listArticles folds the threads that have come, from the line of that place on,
// as they were before and leaves out what is killed.
func (p *Page) listArticles(from int) {
	if p.Folded || len(p.anchor.turned) > 0 {
		all := p.Lines.AsSent()
		for i := from; i < all.n; i++ {
			if c, k := all.find(i); c.depth(k) == 0 && p.Folded != p.anchor.turned[c.link(k)] {
				c.rows[k].state |= Folded
			}
		}
	}
	if p.Lines.scored || p.Folded || len(p.anchor.turned) > 0 {
		p.arrange(false)
	}
	p.findAnchor()
}

// anchor is where a reader was in a list of articles that is to come again.
type anchor struct {
	link   string // of the article under the cursor; "": at the top
	above  int    // how many lines were above it
	turned map[string]bool
}

// anchorHere is where the reader is.
func (p *Page) anchorHere() anchor {
	if p.Layout != protocols.LayoutArticles || p.Lines.n == 0 {
		return p.anchor
	}
	a := anchor{turned: p.turned()}
	if p.Cursor < p.Lines.Len() && (p.Cursor > 0 || p.Top > 0) && isArticle(p.Lines.WithoutLink(p.Cursor).Note) {
		a.link, a.above = p.Lines.LinkText(p.Cursor), p.Cursor-p.Top
	}
	return a
}

// turned are the links of the articles that begin threads which are not folded
// where the others are, or folded where they are not.
func (p *Page) turned() map[string]bool {
	turned := make(map[string]bool)
	for _, c := range p.Lines.chunks {
		for k := range c.rows {
			if folded := c.rows[k].state&Folded != 0; folded != p.Folded && c.depth(k) == 0 && c.rows[k].state&linked != 0 {
				turned[c.link(k)] = true
			}
		}
	}
	return turned
}

// findAnchor puts the cursor where it was, if that has come.
func (p *Page) findAnchor() {
	if p.anchor.link == "" {
		return
	}
	for i := range p.Lines.Len() {
		if c, k := p.Lines.find(i); c.rows[k].state&linked != 0 && c.leadsTo(k, p.anchor.link) {
			p.Cursor, p.Top, p.TopRow = i, max(i-p.anchor.above, 0), 0
			p.anchor.link, p.kept = "", false
			return
		}
	}
}
