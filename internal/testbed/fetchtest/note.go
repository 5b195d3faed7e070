package fetchtest

import (
	"time"

	"gofer/protocols"
)

// Note is a note that belongs to no protocol. Code that shows notes must work without knowing
// their types.
type Note struct {
	Height uint64
	Seen   time.Time
	Place  string // not decoded: the octets that a server sent
}

// Row returns the place as the description.
func (n *Note) Row() protocols.Row { return protocols.Row{Description: n.Place, TextWidth: 8} }

// Columns returns the height and the date.
func (n *Note) Columns() []protocols.Column {
	return []protocols.Column{
		{Value: n.Height},
		{Value: n.Seen},
	}
}

// Attributes returns all fields.
func (n *Note) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "height", Value: n.Height}, {Name: "seen", Value: n.Seen}, {Name: "place", Value: n.Place}}
}

// Memory returns an estimate of the size.
func (n *Note) Memory() int { return 100 + len(n.Place) }
