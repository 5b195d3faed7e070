package nav

import (
	"math"
	"slices"
	"sort"

	"gofer/protocols"
)

// IsThreaded reports whether the page is a list of articles in threads.
func (p *Page) IsThreaded() bool { return p.Layout == protocols.LayoutArticles && !p.Order.Flat }

// hasNesting reports whether lines of the page can be nested below other lines.
func (p *Page) hasNesting() bool { return p.IsThreaded() || p.Layout == protocols.LayoutPage }

// Depth returns the depth of line i. In a list of articles this is the depth below the first shown
// article of the thread. In a list of bookmarks it is the number of folders that contain the line.
func (p *Page) Depth(i int) int {
	if !p.hasNesting() || i >= p.Lines.Len() {
		return 0
	}
	if i < len(p.Lines.depths) {
		return int(p.Lines.depths[i])
	}
	c, k := p.Lines.findLine(i)
	return c.depth(k)
}

func (c *chunk) depth(k int) int {
	if c.notes == nil {
		return 0
	}
	switch n := c.notes[k].(type) {
	case *protocols.ArticleNote:
		return min(max(n.Depth, 0), math.MaxUint16)
	case protocols.Nested:
		return int(n)
	}
	return 0
}

// Thread returns the lines of the thread or folder with line i: the first line and the line after the
// last one. If line i begins a folder, Thread returns that folder.
func (p *Page) Thread(i int) (first, end int) {
	n, top := p.Lines.Len(), 0
	if i < 0 || i >= n {
		return i, i
	}
	if p.Layout == protocols.LayoutPage {
		top = max(p.Depth(i), p.Depth(i+1), 1) - 1
	}
	for first = i; first > 0 && p.Depth(first) > top; {
		first--
	}
	for end = i + 1; end < n && p.Depth(end) > top; {
		end++
	}
	return first, end
}

// IsFolder reports whether line i begins a folder of bookmarks.
func (p *Page) IsFolder(i int) bool {
	return p.Layout == protocols.LayoutPage && p.Depth(i+1) > p.Depth(i)
}

// NextThread returns the first line of the next thread after the thread of line i, or of the
// previous thread if dir is negative. It returns -1 if there is none.
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

// Unread returns the number of unread lines in low..high-1.
func (l *Lines) Unread(low, high int) (n int) {
	var c *chunk
	start, end := 0, 0 // the lines of c
	for i := low; i < high; i++ {
		at := int(l.arrivalIndex(i))
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

// Shown returns the lines of the page that are shown: the lines of the filter, or else the lines
// outside of folded threads. nil means all lines.
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

// Fold folds the thread of line i to its first line, or unfolds it. A cursor inside moves to the
// first line.
func (p *Page) Fold(i int, fold bool) {
	first, end := p.Thread(i)
	p.setFolded(first, fold && end > first+1)
	if p.refold(); fold && p.Cursor > first && p.Cursor < end {
		p.Cursor = first
	}
}

// ToggleFolder folds or unfolds the folder of line i, on p and on the pages that are opened later.
func (s *Session) ToggleFolder(p *Page, i int) {
	first, _ := p.Thread(i)
	p.Fold(first, !p.IsFolded(first))
	if s.folders == nil {
		s.folders = make(map[string]bool)
	}
	s.folders[p.Lines.LinkText(first)] = p.IsFolded(first)
}

// foldFolders folds the folders from line start on that the session records as folded.
func (s *Session) foldFolders(p *Page, start int) {
	for i := start; i < p.Lines.Len(); i++ {
		if s.folders[p.Lines.LinkText(i)] {
			p.setFolded(i, true)
		}
	}
	p.refold()
}

func (p *Page) setFolded(i int, fold bool) {
	folded := p.Lines.State(i) &^ Folded
	if fold {
		folded |= Folded
	}
	p.Lines.SetState(i, folded)
}

// FoldThreads folds or unfolds all threads of the page and of the lists of articles that are opened
// later.
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

// foldAll marks the beginnings of all threads as folded if the page folds threads, else as unfolded.
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

// refold sets p.Folds to the lines outside of folded threads.
func (p *Page) refold() {
	n := p.Lines.Len()
	var shown []uint32
	folded, within := 0, math.MaxInt // within is the depth of the folded line above
	if p.hasNesting() {
		shown = make([]uint32, 0, n)
		for i := range n {
			c, k := p.Lines.findLine(i)
			depth := p.Depth(i)
			if depth > within {
				folded++
				continue
			}
			if within = math.MaxInt; c.rows[k].state&Folded != 0 && (depth == 0 || !p.IsThreaded()) {
				within = depth
			}
			shown = append(shown, uint32(i))
		}
	}
	if p.Folds = nil; folded > 0 {
		p.Folds = &Matches{Lines: slices.Clip(shown), Searched: n}
	}
}

// updateArticles prepares the articles from line start on after they have arrived. It folds the threads
// that were folded before the reload, and omits killed articles.
func (p *Page) updateArticles(start int) {
	if p.Folded || len(p.anchor.toggled) > 0 {
		all := p.Lines.InArrivalOrder()
		for i := start; i < all.n; i++ {
			if c, k := all.findLine(i); c.depth(k) == 0 && p.Folded != p.anchor.toggled[c.link(k)] {
				c.rows[k].state |= Folded
			}
		}
	}
	if p.Lines.scored || p.Folded || len(p.anchor.toggled) > 0 {
		p.arrangeArticles(false)
	}
}

// toggledThreads returns the links of the first articles of some threads: of the unfolded threads
// if the page folds threads, otherwise of the folded threads.
func (p *Page) toggledThreads() map[string]bool {
	toggled := make(map[string]bool)
	for _, c := range p.Lines.chunks {
		for k := range c.rows {
			if folded := c.rows[k].state&Folded != 0; folded != p.Folded && c.depth(k) == 0 && c.rows[k].state&linked != 0 {
				toggled[c.link(k)] = true
			}
		}
	}
	return toggled
}
