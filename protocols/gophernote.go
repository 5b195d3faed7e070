package protocols

import (
	"cmp"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"gofer/urlcore"
)

// ItemNote holds the data of a Gopher menu line that the link of the line does not contain.
type ItemNote struct {
	// Mirror reports whether the item is a mirror of the previous item: type "+" (RFC 1436, section 3.8).
	Mirror bool
	Plus   string    // the Gopher+ mark: "+", "?" or ""
	Line   *MenuLine // the fields of the line if the link is not a Gopher item, else nil
}

// MenuLine holds the fields of a menu line in the server's octets.
type MenuLine struct {
	Type           byte
	Selector, Host string
	Port           uint16
}

// UnchangedText is a string in UTF-8 that is printed without changes.
type UnchangedText string

// fragment returns the fragment of the URL that the item contains, or "".
func (n *ItemNote) fragment() string {
	if n == nil || n.Line == nil || n.Line.Type != 'h' {
		return ""
	}
	_, fragment, _ := strings.Cut(n.Line.Selector, "#")
	return fragment
}

// Item returns the attributes of the item with the URL u, the link of a line. n may be nil.
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
	selector := Attribute{"selector", UnchangedText(l.Selector)}
	if !utf8.ValidString(l.Selector) {
		selector = Attribute{"selector_hex", hex.EncodeToString([]byte(l.Selector))}
	}
	return []Attribute{{"type", UnchangedText(l.Type)}, {"plus", plus}, {"host", l.Host}, {"port", l.Port}, selector}
}

func (n *ItemNote) Row() Row                { return Row{Mark: strings.TrimSuffix(n.Plus, "?")} } // without "?", because the kind FormItem implies this mark
func (n *ItemNote) Columns() []Column       { return nil }
func (n *ItemNote) Attributes() []Attribute { return n.Item(nil) }

// HasAttributes reports whether the menu marks the item as a Gopher+ item.
func (n *ItemNote) HasAttributes() bool { return n.Plus != "" }

// Memory implements [Note]. Lines with equal notes share one note if its field Line is nil.
func (n *ItemNote) Memory() int {
	if n.Line == nil {
		return 16
	}
	return noteSize + len(n.Line.Selector) + len(n.Line.Host)
}

// AttributesNote holds the Gopher+ attributes of an item of a menu.
type AttributesNote struct {
	ItemNote
	Size     int64     // the size of the preferred view, in octets, or -1 if unknown
	Modified time.Time // the date in an unknown time zone; zero if there is no date
	Abstract string    // one or more lines
}

func (n *AttributesNote) file() *FileNote {
	return &FileNote{Size: n.Size, Modified: n.Modified, Local: true}
}

func (n *AttributesNote) Columns() []Column {
	return append([]Column{{"", n.Plus, ColumnLayout{Width: 1, MinScreen: NarrowScreen, Printed: Hidden}}}, n.file().Columns()...)
}

// Item returns the attributes of the item and of the note.
func (n *AttributesNote) Item(u urlcore.URL) []Attribute {
	return append(n.ItemNote.Item(u), n.Attributes()...)
}

func (n *AttributesNote) Attributes() []Attribute {
	return append(n.file().Attributes(), Attribute{"abstract", n.Abstract})
}

func (n *AttributesNote) Memory() int { return noteSize + n.ItemNote.Memory() + len(n.Abstract) }

// ViewNote describes a Gopher+ view of an item.
type ViewNote struct {
	Language string // as the server writes it, "En_US"; may be empty
	Size     int64  // the approximate size in octets, or -1 if unknown
	Chosen   bool   // the user chose this view last time
}

func (n *ViewNote) Row() Row {
	if n.Chosen {
		return Row{Target: "chosen last"}
	}
	return Row{}
}

func (n *ViewNote) Columns() []Column {
	return []Column{
		{"", n.Language, ColumnLayout{Width: 8, MinScreen: NarrowScreen, Left: true, Printed: 8}},
		{Value: Octets(n.Size)},
	}
}

func (n *ViewNote) Attributes() []Attribute {
	return []Attribute{{"language", n.Language}, {"size", Octets(n.Size)}, {"chosen", ifKnown(n.Chosen, true)}}
}

func (n *ViewNote) Memory() int { return noteSize + len(n.Language) }
