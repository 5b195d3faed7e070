package keep

import (
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// noteRecord holds a note in the field of its type. Other parts of gofer ask for these types. Any other note is kept as what
// it shows.
type noteRecord struct {
	File       *protocols.FileNote
	Item       *protocols.ItemNote
	Attributes *protocols.AttributesNote
	View       *protocols.ViewNote
	Article    *protocols.ArticleNote
	Group      *protocols.GroupNote
	Nested     *int
	Text       *textRecord
	Other      *otherNote
}

// textRecord is a [protocols.Hypertext], whose links are kept as text.
type textRecord struct {
	Note  protocols.Hypertext
	Links []linkRecord
}

type linkRecord struct {
	URL, Fragment string
	From, To      int
}

func newNoteRecord(n protocols.Note) (r noteRecord) {
	switch n := n.(type) {
	case nil, protocols.Action:
	case *protocols.FileNote:
		r.File = n
	case *protocols.ItemNote:
		r.Item = n
	case *protocols.AttributesNote:
		r.Attributes = n
	case *protocols.ViewNote:
		r.View = n
	case *protocols.ArticleNote:
		r.Article = n
	case *protocols.GroupNote:
		r.Group = n
	case protocols.Nested:
		r.Nested = (*int)(&n)
	case *protocols.Hypertext:
		text := textRecord{Note: *n}
		text.Note.Links = nil
		for _, l := range n.Links {
			if l.URL != nil {
				text.Links = append(text.Links, linkRecord{l.URL.String(), l.Fragment, l.From, l.To})
			}
		}
		r.Text = &text
	default:
		r.Other = newOtherNote(n)
	}
	return r
}

func (r *noteRecord) note() protocols.Note {
	switch {
	case r.File != nil:
		return r.File
	case r.Item != nil:
		return r.Item
	case r.Attributes != nil:
		return r.Attributes
	case r.View != nil:
		return r.View
	case r.Article != nil:
		return r.Article
	case r.Group != nil:
		return r.Group
	case r.Nested != nil:
		return protocols.Nested(*r.Nested)
	case r.Text != nil:
		return r.Text.note()
	case r.Other != nil:
		return r.Other
	}
	return nil
}

func (r *textRecord) note() protocols.Note {
	note := r.Note
	for _, l := range r.Links {
		if u, err := urlcore.Parse(l.URL); err == nil {
			note.Links = append(note.Links, protocols.Hyperlink{URL: u, Fragment: l.Fragment, From: l.From, To: l.To})
		}
	}
	return &note
}

// otherNote is what a note of another type shows.
type otherNote struct {
	Shown  protocols.Row
	Column []columnRecord
	Values []valueRecord
}

type columnRecord struct {
	Value  valueRecord
	Layout protocols.ColumnLayout
}

// valueRecord is a value of a [protocols.Column] or a [protocols.Attribute]. Type is 0 for an unknown value.
type valueRecord struct {
	Name string
	Type uint8
	Text string
	Int  int64
	At   time.Time
	List []string
}

// The types of values.
const (
	textValue uint8 = iota + 1
	encodedValue
	unchangedValue
	mailboxValue
	unreadDateValue
	intValue
	numberValue // uint64
	octetsValue
	timeValue
	dayValue
	localTimeValue
	listValue
	trueValue
)

func newOtherNote(n protocols.Note) *otherNote {
	o := &otherNote{Shown: n.Row()}
	for _, c := range n.Columns() {
		o.Column = append(o.Column, columnRecord{newValueRecord(c.Head, c.Value), c.ColumnLayout})
	}
	for _, a := range n.Attributes() {
		o.Values = append(o.Values, newValueRecord(a.Name, a.Value))
	}
	return o
}

func newValueRecord(name string, value any) valueRecord {
	r := valueRecord{Name: name}
	switch v := value.(type) {
	case string:
		r.Type, r.Text = textValue, v
	case protocols.Encoded:
		r.Type, r.Text = encodedValue, string(v)
	case protocols.UnchangedText:
		r.Type, r.Text = unchangedValue, string(v)
	case protocols.Mailbox:
		r.Type, r.Text = mailboxValue, string(v)
	case protocols.UnreadDate:
		r.Type, r.Text = unreadDateValue, string(v)
	case int:
		r.Type, r.Int = intValue, int64(v)
	case int64:
		r.Type, r.Int = intValue, v
	case uint64:
		r.Type, r.Int = numberValue, int64(min(v, 1<<63-1)) //nolint:gosec // bounded by min
	case protocols.Octets:
		r.Type, r.Int = octetsValue, int64(v)
	case time.Time:
		r.Type, r.At = timeValue, v
	case protocols.Day:
		r.Type, r.At = dayValue, v.Time
	case protocols.LocalTime:
		r.Type, r.At = localTimeValue, v.Time
	case []string:
		r.Type, r.List = listValue, v
	case bool:
		if v {
			r.Type = trueValue
		}
	}
	return r
}

func (r *valueRecord) value() any {
	switch r.Type {
	case textValue:
		return r.Text
	case encodedValue:
		return protocols.Encoded(r.Text)
	case unchangedValue:
		return protocols.UnchangedText(r.Text)
	case mailboxValue:
		return protocols.Mailbox(r.Text)
	case unreadDateValue:
		return protocols.UnreadDate(r.Text)
	case intValue:
		return r.Int
	case numberValue:
		return uint64(max(r.Int, 0))
	case octetsValue:
		return protocols.Octets(r.Int)
	case timeValue:
		return r.At
	case dayValue:
		return protocols.Day{Time: r.At}
	case localTimeValue:
		return protocols.LocalTime{Time: r.At}
	case listValue:
		return r.List
	case trueValue:
		return true
	}
	return nil
}

func (o *otherNote) Row() protocols.Row { return o.Shown }

func (o *otherNote) Columns() []protocols.Column {
	var all []protocols.Column
	for _, c := range o.Column {
		all = append(all, protocols.Column{Head: c.Value.Name, Value: c.Value.value(), ColumnLayout: c.Layout})
	}
	return all
}

func (o *otherNote) Attributes() []protocols.Attribute {
	var all []protocols.Attribute
	for _, v := range o.Values {
		all = append(all, protocols.Attribute{Name: v.Name, Value: v.value()})
	}
	return all
}

func (o *otherNote) Memory() int {
	size := 200 + len(o.Shown.Text) + len(o.Shown.Description)
	for _, v := range o.Values {
		size += 100 + len(v.Text)
	}
	return size + 160*len(o.Column)
}
