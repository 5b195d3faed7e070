package z3950

import "gofer/protocols"

// Hit describes a record that a search found.
type Hit struct {
	Author, Date string
	Database     string
	Syntax       string // the name of the record syntax
}

func (h *Hit) Row() protocols.Row { return protocols.Row{} }

func (h *Hit) Columns() []protocols.Column {
	return []protocols.Column{
		{Head: "author", Value: h.Author, ColumnLayout: protocols.ColumnLayout{Width: 24, MinScreen: protocols.AuthorScreen, Left: true, Printed: 24}},
		{Head: "date", Value: h.Date, ColumnLayout: protocols.ColumnLayout{Width: 6, MinScreen: 40, Printed: 10}},
	}
}

func (h *Hit) Attributes() []protocols.Attribute {
	return []protocols.Attribute{
		{Name: "author", Value: h.Author}, {Name: "date", Value: h.Date}, {Name: "database", Value: h.Database}, {Name: "syntax", Value: h.Syntax},
	}
}

func (h *Hit) Memory() int { return 100 + len(h.Author) + len(h.Date) + len(h.Database) }

// Term describes a term of an index.
type Term struct{ Records int } // the number of records with the term, or -1

func (t *Term) Row() protocols.Row { return protocols.Row{} }

func (t *Term) Columns() []protocols.Column {
	return []protocols.Column{{Head: "records", Value: t.known(), ColumnLayout: protocols.ColumnLayout{Width: 7, MinScreen: protocols.NarrowScreen, Printed: 8}}}
}

func (t *Term) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "records", Value: t.known()}}
}

func (t *Term) Memory() int { return 40 }

// known returns the number of records, or nil.
func (t *Term) known() any {
	if t.Records < 0 {
		return nil
	}
	return int64(t.Records)
}
