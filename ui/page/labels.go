package page

import "strings"

// LinkLabels holds the labels of the links on the screen while the user chooses one.
type LinkLabels struct {
	Links  []LinkPlace
	labels []string
	Label  func(i, n int) string // returns the i-th of n labels
	All    bool                  // show all labels, even if they do not begin with the typed letters
}

// LinkPlace is the place of a link: its line and, in a text, its number in the line.
type LinkPlace struct{ Line, n int }

// Show labels the links that begin on the screen.
func (l *LinkLabels) Show(v *Pager) {
	l.Links, l.labels = l.Links[:0], l.labels[:0]
	if v.Total() == 0 {
		return
	}
	first, last := v.VisibleLines()
	top := v.FirstRow()
	end, _ := v.Move(top, v.Height-1)
	for i := first; i <= last; i = v.LineBelow(i) {
		if v.IsLink(i) {
			l.Links = append(l.Links, LinkPlace{Line: i})
			continue
		}
		layout := v.line(i)
		for k := range layout.links {
			link := &layout.links[k]
			if at := (Position{i, layout.rowAt(link.From)}); link.Line == i && !at.isBefore(top) && !end.isBefore(at) && !v.isPannedOut(&layout, link.From) {
				l.Links = append(l.Links, LinkPlace{i, link.N})
			}
		}
	}
	for i := range l.Links {
		l.labels = append(l.labels, l.Label(i, len(l.Links)))
	}
}

// labelOf returns the label of a link if the label begins with the typed letters, or else "".
func (l *LinkLabels) labelOf(place LinkPlace, typed string) string {
	for k, link := range l.Links {
		if link == place && strings.HasPrefix(l.labels[k], typed) {
			return l.labels[k]
		}
	}
	return ""
}

// Find returns the link whose label has been typed. If there is no such link, Find returns the line -1,
// and the result begins reports whether a label begins with the typed letters.
func (l *LinkLabels) Find(typed string) (link LinkPlace, begins bool) {
	for k, label := range l.labels {
		if label == typed {
			return l.Links[k], true
		}
		begins = begins || strings.HasPrefix(label, typed)
	}
	return LinkPlace{Line: -1}, begins
}

// Select puts the cursor on a link.
func (v *Pager) Select(place LinkPlace) { v.Page.Cursor, v.Page.Link = place.Line, place.n }
