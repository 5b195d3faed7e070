package fetchtest

import (
	"time"

	"gofer/protocols"
)

// Note is a note of a kind that no protocol has: what shows notes needs to know
// none of their types.
type Note struct {
	Height uint64
	Seen   time.Time
	Place  string // in the server's octets
}

// Row has the place as a description.
func (n *Note) Row() protocols.Row { return protocols.Row{Description: n.Place, TextWidth: 8} }

// Columns are the height and the day.
func (n *Note) Columns() []protocols.Column {
	return []protocols.Column{
		{Value: n.Height},
		{Value: n.Seen},
	}
}

// Attributes are all.
func (n *Note) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "height", Value: n.Height}, {Name: "seen", Value: n.Seen}, {Name: "place", Value: n.Place}}
}

// Memory is the length of the place, and a little more.
func (n *Note) Memory() int { return 100 + len(n.Place) }
