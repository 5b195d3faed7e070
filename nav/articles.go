package nav

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// The orders that only lists of articles have. ByActivity sorts threads by their newest articles.
const (
	ByActivity = "activity"

	ByDate   = "date"
	ByAuthor = "author"
	ByNumber = "number"
	byScore  = "score"
	byLines  = "lines"
)

// KillScore is the largest score of a killed article, as in slrn. Killed articles are hidden.
const KillScore = -9999

// articleOrders returns the orders of a list of articles, see [Page.Orders].
func articleOrders(o Order) []protocols.Column {
	orders := []protocols.Column{
		{Head: ArrivalOrder, Value: protocols.Day{}},
		{Head: ByActivity, Value: protocols.Day{}},
		{Head: ByDate, Value: protocols.Day{}},
		{Head: ByName, Value: ""},
		{Head: ByAuthor, Value: ""},
		{Head: ByNumber},
		{Head: byScore},
		{Head: byLines},
	}
	if o.Flat {
		return orders[2:]
	}
	return orders
}

type article struct {
	line  uint32 // index of the line in the order of arrival
	depth uint16 // depth in its thread, counting only shown articles
}

// thread is a run of consecutive articles, which stay together when the list is sorted.
type thread struct {
	first, end uint32 // indexes in the list
}

// arrangeArticles orders the articles of a list, in threads or flat. It omits killed articles unless
// p.Killed is set. It sorts the articles if the page is complete. If keepCursor is set, the cursor stays
// on its article even if that article is the first. arrangeArticles returns false if the articles are too
// many or too large to sort.
func (p *Page) arrangeArticles(keepCursor bool) bool {
	o, all := p.CurrentOrder(), p.Lines.InArrivalOrder()
	if p.IsLoading() {
		o = Order{By: ArrivalOrder}
	}
	if o.By != ArrivalOrder && (all.Len() > maxSorted || all.Bytes() > maxSortedBytes) {
		return false
	}
	above, list, below := p.splitArticles(&all, o.IsOldestFirst())
	threads := threadsOf(list, o.Flat)
	if o.By != ArrivalOrder && len(list) > 0 {
		threads = p.sortThreads(&all, list, threads, o)
	} else if o.Reversed {
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
		if keepCursor {
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

// splitArticles returns the lines above the first article, the shown articles, and the lines below
// or between them. The line that loads older articles is one of the lines above if oldestFirst is
// set, otherwise one of the lines below.
func (p *Page) splitArticles(all *Lines, oldestFirst bool) (above []uint32, list []article, below []uint32) {
	list = make([]article, 0, all.n)
	hides := all.scored && !p.Killed
	var depths Depths
	p.Hidden = 0
	line := uint32(0)
	for _, c := range all.chunks {
		for k := range c.rows {
			a := article{line: line, depth: uint16(c.depth(k))}
			line++
			switch {
			case c.notes != nil && isArticle(c.notes[k]):
			case len(list)+p.Hidden > 0, c.notes != nil && c.notes[k] == protocols.ActionOlder && !oldestFirst:
				below = append(below, a.line)
				continue
			default:
				above = append(above, a.line)
				continue
			}
			if hides {
				depth := depths.Next(int(a.depth), c.score(k) > KillScore)
				if depth < 0 {
					p.Hidden++
					continue
				}
				a.depth = uint16(depth)
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

// Depths computes the depths of the shown articles in threads that may have hidden articles.
type Depths struct {
	ancestors []int // shown depths of the ancestors, -1 for hidden ones
	hasShown  bool  // an article of the thread is shown
}

// Next returns the depth at which the next article is shown, or -1 if it is not shown. The
// parameter depth is the depth of the article in its whole thread. The first shown article of a thread
// has depth 0. Later articles without a shown ancestor have depth 1.
func (d *Depths) Next(depth int, shown bool) int {
	d.hasShown = d.hasShown && depth > 0
	d.ancestors = d.ancestors[:min(len(d.ancestors), depth)]
	level := -1
	if shown {
		if level = 0; d.hasShown {
			level = 1
		}
		for _, above := range slices.Backward(d.ancestors) {
			if above >= 0 {
				level = min(above+1, math.MaxUint16)
				break
			}
		}
		d.hasShown = true
	}
	d.ancestors = append(d.ancestors, level)
	return level
}

// threadsOf divides a list into threads. If flat is set, each article is a thread.
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

// sortThreads returns the threads in the order o. The orders byScore and ByActivity compare the greatest score
// or article number in each thread. Other orders compare the first articles. Threads with an unknown value
// come last.
func (p *Page) sortThreads(all *Lines, list []article, threads []thread, o Order) []thread {
	keys, texts := make([]sortKey, len(threads)), make([]string, len(threads))
	for i := range threads {
		var n int64
		known := true
		switch articles := list[threads[i].first:threads[i].end]; o.By {
		case byScore:
			n = maxOf(all, articles, func(c *chunk, k int) int64 { return int64(c.score(k)) })
		case ByActivity:
			n = maxOf(all, articles, func(c *chunk, k int) int64 {
				return int64(min(c.notes[k].(*protocols.ArticleNote).Number, math.MaxInt64))
			})
		default:
			line := all.WithoutLink(int(list[threads[i].first].line))
			n, texts[i], known = threadValue(p.ReadingOf(line.Note), &line, o.By)
		}
		keys[i] = sortKey{item: uint32(i)}
		if !known {
			keys[i].rank, n = 1, 0
		}
		keys[i].setNumber(n, o.Reversed)
	}
	if o.By == ByName || o.By == ByAuthor {
		same := commonPrefixLen(len(texts), func(i int) string { return texts[i] })
		for i := range keys {
			keys[i].setText(texts[i], same, o.Reversed)
		}
	}
	sortKeys(keys, func(a, b uint32) int {
		return cmp.Or(compareText(texts[a], texts[b], o.Reversed), cmp.Compare(a, b))
	})
	sorted := make([]thread, len(keys))
	for i, k := range keys {
		sorted[i] = threads[k.item]
	}
	return sorted
}

// maxOf returns the greatest result of calling valueOf for each of the articles.
func maxOf(all *Lines, articles []article, valueOf func(*chunk, int) int64) int64 {
	n := int64(math.MinInt64)
	for _, a := range articles {
		n = max(n, valueOf(all.findLine(int(a.line))))
	}
	return n
}

// threadValue returns the sort value of a thread: a number or a text from the line of the first
// article. The result known is false if the article lacks the value.
func threadValue(r clean.Reading, line *protocols.Line, column string) (number int64, text string, known bool) {
	switch a := line.Note.(*protocols.ArticleNote); column {
	case ByDate:
		return a.Date.Unix(), "", !a.Date.IsZero()
	case byLines:
		return a.Lines, "", a.Lines >= 0
	case ByAuthor:
		text = strings.ToLower(mimeheader.MailboxName(mimeheader.DecodeAs(r, a.From)))
		return 0, text, text != ""
	case ByName:
		return 0, foldedName(r, line), true
	default:
		return int64(min(a.Number, math.MaxInt64)), "", true
	}
}

// ShowKilled shows or hides the killed articles of the page, and of all lists that are opened
// later.
func (s *Session) ShowKilled(p *Page, show bool) {
	s.Killed, p.Killed, p.placeKept = show, show, false
	p.arrangeArticles(true)
}

// SetScores sets the scores of the articles of a complete page.
func (p *Page) SetScores(scores Scores) {
	p.Lines.SetScores(scores)
	p.placeKept = false
	p.arrangeArticles(true)
}
