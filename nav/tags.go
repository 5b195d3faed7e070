package nav

import (
	"gofer/protocols"
	"gofer/urlcore"
)

// Tags counts the tagged items of a page. Items stay tagged when they are sorted, folded or
// filtered out, and when the page is reloaded.
type Tags struct {
	Count   int
	Octets  int64 // of the items of known size
	Unsized int   // items of unknown size

	wanted map[string]int // links of items to be tagged when they come, with their numbers
}

// Taggable reports whether line i is an item that can be tagged: one of a list that leads
// somewhere.
func (p *Page) Taggable(i int) bool {
	if i < 0 || i >= p.Lines.Len() || p.Layout.Document() || !p.Lines.Linked(i) {
		return false
	}
	_, action := p.Lines.WithoutLink(i).Note.(protocols.Action)
	return !action
}

// Tagged reports whether line i is tagged.
func (p *Page) Tagged(i int) bool { return p.Lines.State(i)&Tagged != 0 }

// Tag tags line i or untags it, and reports whether that has changed the line. A line that is
// not Taggable is not tagged.
func (p *Page) Tag(i int, on bool) (changed bool) {
	if i < 0 || i >= p.Lines.Len() || p.Tagged(i) == on || on && !p.Taggable(i) {
		return false
	}
	p.tagRow(p.Lines.find(i))
	return true
}

// tagRow tags line k of a chunk, or untags it if it is tagged.
func (p *Page) tagRow(c *chunk, k int) {
	c.rows[k].state ^= Tagged
	n := 1
	if c.rows[k].state&Tagged == 0 {
		n = -1
	}
	line := c.withoutLink(k)
	p.Tags.Add(&line, n)
}

// Add counts an item n times more.
func (t *Tags) Add(line *protocols.Line, n int) {
	t.Count += n
	if size := sizeOf(line); size >= 0 {
		t.Octets += int64(n) * size
	} else {
		t.Unsized += n
	}
}

// sizeOf returns the size of an item in octets, or -1 if it is unknown.
func sizeOf(line *protocols.Line) int64 {
	if line.Note == nil || line.Kind == protocols.Directory {
		return -1
	}
	switch note := line.Note.(type) {
	case *protocols.FileNote:
		return note.Size
	case *protocols.ArticleNote:
		return note.Bytes
	}
	for _, c := range line.Note.Columns() {
		if size, ok := c.Value.(protocols.Octets); ok {
			return int64(size)
		}
	}
	return -1
}

// Untag untags the items with these links.
func (p *Page) Untag(links ...urlcore.URL) {
	untagged := make(map[string]bool, len(links))
	for _, u := range links {
		untagged[u.String()] = true
		delete(p.Tags.wanted, u.String())
	}
	p.eachTagged(func(c *chunk, k int) {
		if untagged[c.link(k)] {
			p.tagRow(c, k)
		}
	})
}

// UntagAll untags all items, also those that are not shown.
func (p *Page) UntagAll() {
	p.Tags.wanted = nil
	p.eachTagged(p.tagRow)
}

// eachTagged calls do for each tagged line.
func (p *Page) eachTagged(do func(c *chunk, k int)) {
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

// tagsOf returns the tags of old for the page that takes its place: none of its items has come.
func tagsOf(old *Page) Tags {
	wanted := old.Tags.wanted
	if wanted == nil && old.Tags.Count > 0 {
		wanted = make(map[string]int)
	}
	old.eachTagged(func(c *chunk, k int) { wanted[c.link(k)]++ })
	return Tags{wanted: wanted}
}

// tagAgain tags the items that have come, from the line of that place on, as they were before.
// When the page is whole, the others are gone.
func (p *Page) tagAgain(from int, whole bool) {
	all := p.Lines.AsSent()
	for i := from; i < all.n && len(p.Tags.wanted) > 0; i++ {
		c, k := all.find(i)
		if c.rows[k].state&linked == 0 {
			continue
		}
		if link := c.link(k); p.Tags.wanted[link] > 0 {
			p.tagRow(c, k)
			if p.Tags.wanted[link]--; p.Tags.wanted[link] == 0 {
				delete(p.Tags.wanted, link)
			}
		}
	}
	if whole {
		p.Tags.wanted = nil
	}
}
