package protocols

import (
	"time"

	"gofer/urlcore"
)

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
