package protocols

import "gofer/urlcore"

// Hypertext is the Note of a line of hypertext: what its text leads to.
type Hypertext struct {
	Links []Hyperlink // in order; they do not overlap
	IDs   []string    // names of the place, to which fragments lead
	Level int         // of a heading, from 1
	Hang  int         // cells by which the rows of a wrapped line are indented but for the first
}

// Hyperlink is a piece of the text of a line that leads somewhere.
type Hyperlink struct {
	URL      urlcore.URL
	Fragment string // the place in the page of the URL, "" for its beginning
	From, To int    // octets of the line
}

// Row implements [Note].
func (n *Hypertext) Row() Row { return Row{Hang: n.Hang} }

// Columns implements [Note]: there are none.
func (*Hypertext) Columns() []Column { return nil }

// Attributes implements [Note].
func (n *Hypertext) Attributes() []Attribute {
	return []Attribute{{"level", told(n.Level > 0, n.Level)}, {"ids", n.IDs}}
}

// Memory implements [Note].
func (n *Hypertext) Memory() int {
	size := noteSize
	for i := range n.Links {
		size += 128 + 2*len(n.Links[i].Fragment) + len(n.Links[i].URL.String())
	}
	for _, id := range n.IDs {
		size += 16 + len(id)
	}
	return size
}
