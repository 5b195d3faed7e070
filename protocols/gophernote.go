package protocols

import (
	"cmp"
	"encoding/hex"
	"time"
	"unicode/utf8"

	"gofer/urlcore"
)

// ItemNote is what a line of a Gopher menu says of its item that the link does
// not.
type ItemNote struct {
	// Mirror says that it is the same item as the one of the line before, at
	// another server: type "+" (RFC 1436, section 3.8).
	Mirror bool
	// Plus is the Gopher+ mark: "+", "?" or none.
	Plus string
	// Line is the line as the menu has it, where the link is no Gopher item.
	Line *MenuLine
}

// MenuLine is the fields of a line of a menu in the server's octets.
type MenuLine struct {
	Type           byte
	Selector, Host string
	Port           uint16
}

// Exact is a string that is told as it is, in UTF-8.
type Exact string

// Item is what is told for programs of the item that u, a line's link, leads
// to; n may be nil.
func (n *ItemNote) Item(u urlcore.URL) []Attribute {
	var l MenuLine
	if g, ok := u.(urlcore.Gopher); ok {
		l = MenuLine{Type: g.Type, Selector: g.Selector, Host: g.Host, Port: g.Port}
		l.Port = cmp.Or(l.Port, urlcore.DefaultPort(g.Scheme()))
	}
	plus := ""
	if n != nil {
		plus = n.Plus
		if n.Line != nil {
			l = *n.Line
		}
		if n.Mirror {
			l.Type = '+'
		}
	}
	if l.Type == 0 {
		return nil
	}
	selector := Attribute{"selector", Exact(l.Selector)}
	if !utf8.ValidString(l.Selector) {
		selector = Attribute{"selector_hex", hex.EncodeToString([]byte(l.Selector))}
	}
	return []Attribute{{"type", Exact(l.Type)}, {"plus", plus}, {"host", l.Host}, {"port", l.Port}, selector}
}

func (n *ItemNote) Row() Row                { return Row{Mark: n.Plus} }
func (n *ItemNote) Columns() []Column       { return nil }
func (n *ItemNote) Attributes() []Attribute { return n.Item(nil) }

// Memory implements [Note]. A note without a Line is shared by all its like.
func (n *ItemNote) Memory() int {
	if n.Line == nil {
		return 16
	}
	return noteSize + len(n.Line.Selector) + len(n.Line.Host)
}

// AttributesNote is what a Gopher+ server tells of an item of a menu.
type AttributesNote struct {
	ItemNote
	Size     int64     // of the view that the server prefers, in octets, or -1 if not told
	Modified time.Time // of unknown zone; zero if not told
	Abstract string    // may have several lines
}

func (n *AttributesNote) file() *FileNote {
	return &FileNote{Size: n.Size, Modified: n.Modified, DateOnly: true}
}

func (n *AttributesNote) Columns() []Column {
	return append([]Column{{Name: "item plus", Value: n.Plus}}, n.file().Columns()...)
}

// Item tells the attributes with the item.
func (n *AttributesNote) Item(u urlcore.URL) []Attribute {
	return append(n.ItemNote.Item(u), n.Attributes()...)
}

func (n *AttributesNote) Attributes() []Attribute {
	return append(n.file().Attributes(), Attribute{"abstract", n.Abstract})
}

func (n *AttributesNote) Memory() int { return noteSize + n.ItemNote.Memory() + len(n.Abstract) }

// ViewNote is what a Gopher+ server tells of a view of an item.
type ViewNote struct {
	Language string // as the server writes it: "En_US"; may be empty
	Size     int64  // about, in octets, or -1 if not told
	Chosen   bool   // it was chosen the last time
}

func (n *ViewNote) Row() Row {
	if n.Chosen {
		return Row{Target: "chosen last"}
	}
	return Row{}
}

func (n *ViewNote) Columns() []Column {
	return []Column{
		{Name: "view language", Value: n.Language},
		{Value: Octets(n.Size)},
	}
}

func (n *ViewNote) Attributes() []Attribute {
	return []Attribute{{"language", n.Language}, {"size", Octets(n.Size)}, {"chosen", told(n.Chosen, true)}}
}

func (n *ViewNote) Memory() int { return noteSize + len(n.Language) }
