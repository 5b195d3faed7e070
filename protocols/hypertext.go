package protocols

import (
	"gofer/urlcore"
)

// Hypertext is the Note of a line of hypertext: what its text leads to.
type Hypertext struct {
	Links []Hyperlink // in order; they do not overlap
	IDs   []string    // names of the place, to which fragments lead
	Level int         // of a heading, from 1
	// Verbatim is set for a long line that is not to be broken between words.
	Verbatim bool
	Hang     int // cells by which the rows of a wrapped line are indented but for the first
}

// Hyperlink is a piece of the text of a line that leads somewhere.
type Hyperlink struct {
	URL      urlcore.URL
	Fragment string // the place in the page of the URL, "" for its beginning
	From, To int    // octets of the line
}

func (n *Hypertext) Row() Row        { return Row{Hang: n.Hang} }
func (*Hypertext) Columns() []Column { return nil }

func (n *Hypertext) Attributes() []Attribute {
	return []Attribute{{"level", told(n.Level > 0, n.Level)}, {"ids", n.IDs}}
}

// linkSize is about the memory of a Hyperlink with its URL.
const linkSize = 240

func (n *Hypertext) Memory() int {
	size := noteSize + linkSize*len(n.Links)
	for _, id := range n.IDs {
		size += 16 + len(id)
	}
	return size
}
