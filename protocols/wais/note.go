package wais

import (
	"strings"
	"time"

	"gofer/protocols"
)

// Hit describes a document found by a search.
type Hit struct {
	Score       int64     // the higher the better; -1 if unknown
	Size, Lines int64     // in octets and lines; -1 if unknown
	Date        time.Time // a day; zero if unknown
	Types       []string
	Source      string // the database
	City        string // the origin of the document
}

func (h *Hit) Row() protocols.Row { return protocols.Row{} }

func (h *Hit) Columns() []protocols.Column {
	return []protocols.Column{
		{Head: "score", Value: ifKnown(h.Score), ColumnLayout: protocols.ColumnLayout{Width: 5, MinScreen: protocols.NarrowScreen, Printed: 6}},
		{Head: "type", Value: strings.Join(h.Types, ","), ColumnLayout: protocols.ColumnLayout{Width: 9, MinScreen: 72, Left: true, Printed: 9}},
		{Head: "lines", Value: ifKnown(h.Lines), ColumnLayout: protocols.ColumnLayout{Width: 6, MinScreen: protocols.WideScreen, Printed: protocols.Hidden}},
		{Head: "size", Value: protocols.Octets(h.Size), ColumnLayout: protocols.ColumnLayout{Width: 6, MinScreen: 40, Printed: 11}},
		{Head: "date", Value: protocols.Day{Time: h.Date}, ColumnLayout: protocols.ColumnLayout{Width: len(protocols.DayLayout), MinScreen: 60, Left: true}},
	}
}

func (h *Hit) Attributes() []protocols.Attribute {
	date := ""
	if !h.Date.IsZero() {
		date = h.Date.Format(time.DateOnly)
	}
	return []protocols.Attribute{
		{Name: "score", Value: ifKnown(h.Score)},
		{Name: "types", Value: h.Types},
		{Name: "lines", Value: ifKnown(h.Lines)},
		{Name: "size", Value: protocols.Octets(h.Size)},
		{Name: "date", Value: date},
		{Name: "source", Value: h.Source},
		{Name: "city", Value: h.City},
	}
}

func (h *Hit) Memory() int {
	size := 200 + len(h.Source) + len(h.City)
	for _, t := range h.Types {
		size += 16 + len(t)
	}
	return size
}

// Database has the main facts of the source description of a database.
type Database struct {
	Description string // the first line of the description
	Maintainer  string
}

func (d *Database) Row() protocols.Row {
	return protocols.Row{Description: d.Description, TextWidth: 36}
}

func (d *Database) Columns() []protocols.Column { return nil }

func (d *Database) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "description", Value: d.Description}, {Name: "maintainer", Value: d.Maintainer}}
}

func (d *Database) Memory() int { return 100 + len(d.Description) + len(d.Maintainer) }

// ifKnown returns n, or nil if n is negative.
func ifKnown(n int64) any {
	if n < 0 {
		return nil
	}
	return n
}

// parseDay parses a date as yyyymmdd or, from the oldest servers, yymmdd. For another form it
// returns the zero time.
func parseDay(s string) time.Time {
	layout := "20060102"
	if len(s) == 6 {
		layout = "060102"
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
