package protocols

import (
	"gofer/urlcore"
)

// Hypertext is the Note of a line of hypertext.
type Hypertext struct {
	Links    []Hyperlink // in order; they do not overlap
	IDs      []string    // the fragments that lead to the line
	Level    int         // of a heading, from 1
	Verbatim bool        // a long line is not broken between words
	Hang     int         // the indentation in cells of the second and later rows of a wrapped line
}

// Hyperlink is a link in the text of a line.
type Hyperlink struct {
	URL      urlcore.URL
	Fragment string // the place in the page, "" for its beginning
	From, To int    // octets of the line
}

func (n *Hypertext) Row() Row        { return Row{Hang: n.Hang} }
func (*Hypertext) Columns() []Column { return nil }

func (n *Hypertext) Attributes() []Attribute {
	return []Attribute{{"level", told(n.Level > 0, n.Level)}, {"ids", n.IDs}}
}

// linkSize is the approximate memory of a Hyperlink with its URL.
const linkSize = 240

func (n *Hypertext) Memory() int {
	size := noteSize + linkSize*len(n.Links)
	for _, id := range n.IDs {
		size += 16 + len(id)
	}
	return size
}
