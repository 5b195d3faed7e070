package nav

import (
	"slices"

	"gofer/protocols"
)

// anchor is the item of the user in a list that is loaded again, until the item has arrived.
type anchor struct {
	items       []anchorItem    // the item under the cursor, then the item above it; empty if the cursor is on no item
	cursor, top int             // the place in the list until then; another cursor means that the user has moved it
	distance    int             // number of lines between the two items
	toggled     map[string]bool // see [Page.toggledThreads]
}

// anchorItem is an item of the earlier list, and its line in the new list.
type anchorItem struct {
	link string
	nth  int // number of earlier lines with this link
	seen int // number of lines with this link that have arrived, up to nth+1
	line int // the last of these lines, in the order of arrival
}

// currentAnchor returns the item of the user. If the list has not been loaded up to the item of p.anchor,
// currentAnchor returns p.anchor.
func (p *Page) currentAnchor() anchor {
	if p.Lines.n == 0 || !p.CursorIsKnown() || p.Layout.IsDocument() {
		return p.anchor
	}
	a, at := anchor{cursor: p.Cursor, top: p.Top}, p.Cursor
	if p.Layout == protocols.LayoutArticles {
		a.toggled = p.toggledThreads()
	}
	if p.isOnLine(&p.Lines) && p.Lines.WithoutLink(at).Note == protocols.ActionOlder {
		at++ // the article below the cursor, because older articles will arrive above that article
	}
	if !p.isItem(at) {
		return a
	}
	a.top += at - p.Cursor
	a.items = []anchorItem{p.anchorItem(at)}
	for i := at - 1; i >= max(at-maxDistance, 0); i-- {
		if p.isItem(i) {
			a.items, a.distance = append(a.items, p.anchorItem(i)), at-i
			break
		}
	}
	return a
}

// maxDistance is the largest distance between two items of an anchor, in lines.
const maxDistance = 100

// isItem reports whether line i is an item. The line that loads more results is none, because it leads to the page
// itself, and neither are the lines of a list of articles that are not articles.
func (p *Page) isItem(i int) bool {
	if i < 0 || i >= p.Lines.Len() || !p.Lines.HasLink(i) {
		return false
	}
	note := p.Lines.WithoutLink(i).Note
	return note != protocols.ActionMore && (p.Layout != protocols.LayoutArticles || isArticle(note))
}

func (p *Page) anchorItem(i int) anchorItem {
	a, all := anchorItem{link: p.Lines.LinkText(i)}, p.Lines.InArrivalOrder()
	for k := range int(p.Lines.arrivalIndex(i)) {
		if c, k := all.findLine(k); c.rows[k].state&linked != 0 && c.leadsTo(k, a.link) {
			a.nth++
		}
	}
	return a
}

// CursorIsKnown reports whether the item under the cursor is the one that the user has chosen. It is not while the
// item has not arrived during a reload.
func (p *Page) CursorIsKnown() bool {
	return len(p.anchor.items) == 0 || p.Cursor != p.anchor.cursor || !p.IsLoading()
}

// findAnchor moves the cursor to the anchor, if its line is among the lines from line start on, in the order of
// arrival. The cursor stays where the user has moved it meanwhile.
func (p *Page) findAnchor(start int) {
	a := &p.anchor
	if len(a.items) == 0 {
		return
	}
	if p.Cursor != a.cursor {
		p.dropAnchor()
		return
	}
	all := p.Lines.InArrivalOrder()
	for n := range a.items {
		item := &a.items[n]
		if start == 0 {
			item.seen = 0
		}
		for i := start; i < all.n && item.seen <= item.nth; i++ {
			if c, k := all.findLine(i); c.rows[k].state&linked != 0 && c.leadsTo(k, item.link) {
				item.seen, item.line = item.seen+1, i
			}
		}
	}
	if item := a.items[0]; item.seen > item.nth {
		p.moveToAnchor(item, 0)
	}
}

// endAnchor drops the anchor of a page that is complete and sorted. If the item of the anchor is gone, endAnchor
// keeps the distance of the cursor from the item that was above it: the cursor moves to the next item, or stays on
// an item whose link has changed. If there is no item now, it moves to the item above.
func (p *Page) endAnchor() {
	a := p.anchor
	for n, item := range a.items {
		if item.seen > 0 && p.moveToAnchor(item, n*a.distance) {
			p.leaveGap()
			return
		}
	}
	if len(a.items) > 0 && p.Cursor == a.cursor {
		p.leaveGap()
	}
	p.anchor.items = nil
}

// leaveGap moves the cursor to the item above, unless it is on an item or there is none above.
func (p *Page) leaveGap() {
	for i := min(p.Cursor, p.Lines.Len()-1); i >= 0; i-- {
		if p.isItem(i) {
			p.Cursor, p.Top = i, min(p.Top, i)
			return
		}
	}
}

// moveToAnchor moves the cursor to the line of item, or below it by the given number of lines. It returns false if
// that line is hidden.
func (p *Page) moveToAnchor(item anchorItem, below int) bool {
	i, a := p.shownIndex(item.line), &p.anchor
	if i < 0 {
		return false
	}
	p.moveCursor(min(i+below, p.Lines.Len()-1), a.cursor-a.top, a.top)
	p.dropAnchor()
	return true
}

// KeepItem makes the cursor stay on its item when lines are added above the item or sorted, also if it is the first item.
func (p *Page) KeepItem() {
	if p.CursorIsKnown() {
		p.dropAnchor()
	}
}

// dropAnchor makes the cursor stay on its item.
func (p *Page) dropAnchor() { p.anchor.items, p.placeKept, p.keepsItem = nil, false, true }

// shownIndex returns the index of the line that has the given index in the order of arrival, or -1 if the line is
// hidden.
func (p *Page) shownIndex(arrival int) int {
	if p.Lines.order == nil {
		return arrival
	}
	return slices.Index(p.Lines.order, uint32(arrival))
}

// moveCursor moves the cursor with its item to line i. The item stays on its row, which has the given number of
// lines above it. A page that is shown from its first line on is still shown so if the item is then visible.
func (p *Page) moveCursor(i, above, top int) {
	p.Cursor, p.Top, p.TopRow = i, max(i-above, 0), 0
	if top == 0 && i < p.Rows {
		p.Top = 0
	}
}
