package nav

import (
	"gofer/protocols"
	"gofer/urlcore"
)

// Tags counts the tagged items of a page. Items stay tagged when they are sorted, folded or
// filtered out, and when the page is reloaded.
type Tags struct {
	Count int

	pending map[string]bool // links of items to tag when the items arrive
}

// IsTagged reports whether line i is tagged.
func (p *Page) IsTagged(i int) bool { return p.Lines.State(i)&Tagged != 0 }

// Tag tags or untags line i, and reports whether the line has changed. Only lists have tags, and
// only items with a link can be tagged.
func (p *Page) Tag(i int, on bool) (changed bool) {
	if i < 0 || i >= p.Lines.Len() || p.IsTagged(i) == on || p.Layout.IsDocument() || !p.Lines.HasLink(i) {
		return false
	}
	if _, action := p.Lines.WithoutLink(i).Note.(protocols.Action); action {
		return false
	}
	p.toggleTag(p.Lines.findLine(i))
	return true
}

// toggleTag tags line k of a chunk, or untags it if it is tagged.
func (p *Page) toggleTag(c *chunk, k int) {
	c.rows[k].state ^= Tagged
	p.Tags.Count--
	if c.rows[k].state&Tagged != 0 {
		p.Tags.Count += 2
	}
}

// Untag untags the items with these links.
func (p *Page) Untag(links ...urlcore.URL) {
	untagged := make(map[string]bool, len(links))
	for _, u := range links {
		untagged[u.String()] = true
		delete(p.Tags.pending, u.String())
	}
	p.forEachTagged(func(c *chunk, k int) {
		if untagged[c.link(k)] {
			p.toggleTag(c, k)
		}
	})
}

// UntagAll untags all items, also those that are not shown.
func (p *Page) UntagAll() {
	p.Tags.pending = nil
	p.forEachTagged(p.toggleTag)
}

// forEachTagged calls the function do for each tagged line.
func (p *Page) forEachTagged(do func(c *chunk, k int)) {
	if p.Tags.Count == 0 {
		return
	}
	for _, c := range p.Lines.chunks {
		for k := range c.rows {
			if c.rows[k].state&Tagged != 0 {
				do(c, k)
			}
		}
	}
}

// tagsOf returns the tags of the page old, for the page that replaces it and has no items yet.
func tagsOf(old *Page) Tags {
	wanted := old.Tags.pending
	if wanted == nil && old.Tags.Count > 0 {
		wanted = make(map[string]bool)
	}
	old.forEachTagged(func(c *chunk, k int) { wanted[c.link(k)] = true })
	return Tags{pending: wanted}
}

// restoreTags tags the items from index start on that were tagged before the reload, one item for each
// link. When the page is complete, it forgets the links that were not found.
func (p *Page) restoreTags(start int, whole bool) {
	all := p.Lines.InArrivalOrder()
	for i := start; i < all.n && len(p.Tags.pending) > 0; i++ {
		c, k := all.findLine(i)
		if link := c.link(k); p.Tags.pending[link] {
			p.toggleTag(c, k)
			delete(p.Tags.pending, link)
		}
	}
	if whole {
		p.Tags.pending = nil
	}
}
