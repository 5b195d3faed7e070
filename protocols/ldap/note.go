package ldap

import "gofer/protocols"

// Item is the Note of an entry in a list.
type Item struct {
	DN          string
	Description string // requested attributes, or the place of the entry
}

func (n *Item) Row() protocols.Row {
	return protocols.Row{Description: n.Description, TextWidth: 28}
}
func (*Item) Columns() []protocols.Column { return nil }
func (n *Item) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "dn", Value: n.DN}, {Name: "description", Value: n.Description}}
}
func (n *Item) Memory() int { return 100 + len(n.DN) + len(n.Description) }

// Value is the Note of a line with a value of an attribute.
type Value struct {
	Attribute string
	Text      string // the value without the name, a part of the text of the line; "" if it is not shown as text
	Size      int64  // of a value that is not shown as text, in octets, else -1
}

func (*Value) Row() protocols.Row          { return protocols.Row{Hang: nameWidth} }
func (*Value) Columns() []protocols.Column { return nil }
func (n *Value) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "attribute", Value: n.Attribute}, {Name: "value", Value: n.Text}, {Name: "size", Value: protocols.Octets(n.Size)}}
}
func (n *Value) Memory() int { return 100 + len(n.Attribute) }
