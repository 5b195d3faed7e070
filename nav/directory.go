package nav

import "gofer/protocols"

// isHidden reports whether line l is a hidden item and the page does not show hidden items.
func (p *Page) isHidden(l *protocols.Line) bool {
	hidden, _ := protocols.IsHiddenLine(l)
	return hidden && p.hidesDots()
}

// HiddenItems returns the word for the hidden items of a directory. The result found is false if the
// directory has none.
func (p *Page) HiddenItems() (items string, found bool) {
	all := p.Lines.InArrivalOrder()
	for i := range all.Len() {
		line := all.WithoutLink(i)
		if found, items = protocols.IsHiddenLine(&line); found {
			break
		}
	}
	return items, found
}

func (p *Page) hidesDots() bool { return p.Layout == protocols.LayoutDirectory && !p.Dots }

// appendLines adds lines at the end. In a directory it does not show hidden items, unless p.Dots is set.
func (p *Page) appendLines(lines *Lines) {
	l := &p.Lines
	shown, from := l.Len(), l.n
	l.AppendLines(lines)
	if !p.hidesDots() {
		return
	}
	if l.order != nil {
		l.order = l.order[:shown]
	}
	all := l.InArrivalOrder()
	for i := from; i < l.n; i++ {
		switch line := all.WithoutLink(i); {
		case p.isHidden(&line):
			p.Hidden++
			if l.order == nil {
				l.order = make([]uint32, i, l.n)
				for k := range l.order {
					l.order[k] = uint32(k)
				}
			}
		case l.order != nil:
			l.order = append(l.order, uint32(i))
		}
	}
}

// ShowDots shows or hides names that begin with a dot, on the page and in all directories that
// are opened later.
func (s *Session) ShowDots(p *Page, show bool) {
	s.Dots, p.Dots = show, show
	if !p.IsLoading() {
		p.placeKept = false
		p.sortEntries()
	}
}

// LearnKind sets the kind of the item that led to target, by the content of target. It is for items
// whose kind is unknown because their names have no suffix.
func (p *Page) LearnKind(target *Page) {
	if p.Layout != protocols.LayoutDirectory || target.Asked == nil || target.Failed != nil {
		return
	}
	i := p.Cursor
	if !p.isOnLine(&p.Lines) || p.Lines.At(i).Link != target.Asked {
		i = p.Lines.IndexLink(target.Asked, 0)
	}
	if i < 0 {
		return
	}
	kind := protocols.KindOfMedia(target.Media)
	switch {
	case target.Layout == protocols.LayoutDirectory:
		kind = protocols.Directory
	case target.Layout == protocols.LayoutText && kind != protocols.HTML:
		kind = protocols.Text
	case !target.Layout.IsDocument(), kind == protocols.Other:
		return
	}
	c, k := p.Lines.findLine(i)
	c.rows[k].kind = kind
}
