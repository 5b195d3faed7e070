package nav

import "gofer/protocols"

// hides reports whether line l is a hidden entry of a directory that does not show them.
func (p *Page) hides(l *protocols.Line) bool {
	hidden, _ := protocols.IsHiddenLine(l)
	return hidden && p.hidesDots()
}

// HiddenEntries returns the word for the hidden entries of a directory, and whether there are
// any.
func (p *Page) HiddenEntries() (entries string, found bool) {
	all := p.Lines.AsSent()
	for i := range all.Len() {
		line := all.WithoutLink(i)
		if found, entries = protocols.IsHiddenLine(&line); found {
			break
		}
	}
	return entries, found
}

func (p *Page) hidesDots() bool { return p.Layout == protocols.LayoutDirectory && !p.Dots }

// appendLines adds lines at the end. It does not show hidden ones.
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
	all := l.AsSent()
	for i := from; i < l.n; i++ {
		switch line := all.WithoutLink(i); {
		case p.hides(&line):
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
	if !p.Loading() {
		p.placeKept = false
		p.sortEntries()
	}
}

// LearnKind sets the kind of the item that led to came by its content: a name without a suffix
// says nothing about the kind.
func (p *Page) LearnKind(came *Page) {
	if p.Layout != protocols.LayoutDirectory || came.Asked == nil || came.Failed != nil {
		return
	}
	i := p.Cursor
	if !p.onLine(&p.Lines) || p.Lines.At(i).Link != came.Asked {
		i = p.Lines.IndexLink(came.Asked, 0)
	}
	if i < 0 {
		return
	}
	kind := protocols.KindOfMedia(came.Media)
	switch {
	case came.Layout == protocols.LayoutDirectory:
		kind = protocols.Directory
	case came.Layout == protocols.LayoutText && kind != protocols.HTML:
		kind = protocols.Text
	case !came.Layout.Document(), kind == protocols.Other:
		return
	}
	c, k := p.Lines.find(i)
	c.rows[k].kind = kind
}
