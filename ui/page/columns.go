package page

import (
	"fmt"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
)

// maxMenu and maxListing are the largest widths of menus and of lists with columns, unless their
// columns are fitted to the page. The text of a menu may be wider.
const (
	maxMenu    = 100
	maxListing = 120
)

// RightEdge returns the column where the rows of a menu or a listing end.
func (v *Pager) RightEdge() int {
	limit := maxListing
	switch l := v.layout(); {
	case v.isFitted():
		return v.fittedRightEdge()
	case l == protocols.LayoutMenu || l == protocols.LayoutPage:
		limit = maxMenu
	case l == protocols.LayoutGroups && v.Page.URL.Scheme() == "about" && !v.hasDescriptions():
		limit = 80
	}
	if v.Width > limit {
		return limit
	}
	return v.Width - cell.Margin(v.Width)
}

// hasDescriptions reports whether one of the first lines has a description.
func (v *Pager) hasDescriptions() bool {
	for i := range min(v.Page.Lines.Len(), 20) {
		if note := v.Page.Lines.WithoutLink(i).Note; note != nil && note.Row().Description != "" {
			return true
		}
	}
	return false
}

// Column is a column of a note, fitted to the width of the screen.
type Column struct {
	protocols.Column
	Width int  // cells
	Left  bool // aligned at the left
}

// columnLayout describes a column: its width, its alignment, and the least width of a screen that shows
// the column.
type columnLayout struct {
	width       int // cells; 0 hides the column
	minScreen   int // least width of the screen
	minFullDate int // least width of the screen to show a date with the time of day; 0 means never
	alignLeft   bool
}

// Least widths of the screen for columns.
const (
	narrowScreen = 30
	dateScreen   = 48
	authorScreen = 60
	minuteScreen = 72
	wideScreen   = 110
)

// layouts are the layouts of columns by name.
var layouts = map[string]columnLayout{
	"article number":    {},
	"article day":       {},
	"article date":      {width: len(dayLayout), minScreen: dateScreen, minFullDate: wideScreen, alignLeft: true},
	"article lines":     {width: 6, minScreen: wideScreen},
	"hit lines":         {width: 6, minScreen: wideScreen},
	"download state":    {width: 10, minScreen: narrowScreen, alignLeft: true},
	"download received": {width: 16, minScreen: 60},
	"download rate":     {width: 9, minScreen: 72},
	"download left":     {width: 7, minScreen: 72},
	"file mode":         {width: len("rwxr-xr-x"), minScreen: wideScreen, alignLeft: true},
	"file owner":        {width: 8, minScreen: wideScreen, alignLeft: true},
	"file modified":     {width: len(dayLayout), minScreen: dateScreen, minFullDate: minuteScreen, alignLeft: true},
	"group unread":      {width: 8, minScreen: narrowScreen},
	"group articles":    {width: 8, minScreen: narrowScreen},
	"hit score":         {width: 5, minScreen: narrowScreen},
	"hit type":          {width: 9, minScreen: 72, alignLeft: true},
	"hit size":          {width: 6, minScreen: 40},
	"hit date":          {width: len(dayLayout), minScreen: 60, alignLeft: true},
	"item plus":         {width: 1, minScreen: narrowScreen},
	"scheme opener":     {width: 20, minScreen: narrowScreen, alignLeft: true},
	"scheme port":       {width: 5, minScreen: 60},
	"view language":     {width: 8, minScreen: narrowScreen, alignLeft: true},
}

// layoutOf returns the layout of a column, which follows from its name or else from the type of its
// value.
func layoutOf(c *protocols.Column) columnLayout {
	if l, ok := layouts[c.Name]; ok {
		return l
	}
	switch c.Value.(type) {
	case time.Time, protocols.LocalTime, protocols.Day, protocols.UnreadDate:
		return columnLayout{width: len(dayLayout), minScreen: dateScreen, alignLeft: true}
	case protocols.Mailbox, protocols.Encoded:
		return columnLayout{width: 28, minScreen: authorScreen, alignLeft: true}
	case string:
		return columnLayout{width: 16, minScreen: 70, alignLeft: true}
	}
	return columnLayout{width: 6, minScreen: narrowScreen}
}

// Columns returns the columns of a note that fit at the right of a row, from left to
// right, and the number of cells that they need. A narrow screen has fewer columns.
func (v *Pager) Columns(note protocols.Note) (columns []Column, room int) {
	if v.Page != nil && v.Page.WithUnread != nil {
		note = v.Page.WithUnread(note)
	}
	if note == nil {
		return nil, 0
	}
	for _, c := range note.Columns() {
		l := layoutOf(&c)
		if l.width == 0 || v.Width < l.minScreen {
			continue
		}
		width := v.fittedWidth(&c, min(l.width, v.Width/4))
		if l.minFullDate > 0 && v.Width >= l.minFullDate {
			width = len(minuteLayout)
		}
		room += width + cell.ColumnGap
		columns = append(columns, Column{c, width, l.alignLeft})
	}
	return columns, room
}

// The forms of dates with and without a time of day.
const (
	dayLayout    = "2006-01-02"
	minuteLayout = "2006-01-02 15:04"
)

// columnValue returns the text of a column. The parameter r is the reading of the item.
func (p *Painter) columnValue(c *Column, r clean.Reading) string {
	layout := dayLayout
	if c.Width >= len(minuteLayout) {
		layout = minuteLayout
	}
	switch v := c.Value.(type) {
	case nil:
		return ""
	case protocols.Octets:
		return cell.Size(int64(v))
	case protocols.Day:
		return formatDate(v.Time, dayLayout)
	case protocols.LocalTime:
		return formatDate(v.Time, layout)
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return formatDate(v.In(p.zone), layout)
	case protocols.UnreadDate:
		return r.Short(string(v))
	}
	if text, ok := columnText(c.Value, r); ok {
		return text
	}
	return fmt.Sprint(c.Value)
}

func formatDate(t time.Time, layout string) string {
	if y := t.Year(); t.IsZero() || y < 0 || y > 9999 {
		return ""
	}
	return t.Format(layout)
}

// drawColumns draws the columns in cols at the right end of a row. The parameter room is the number of
// cells that they need.
func (p *Painter) drawColumns(w *cell.RowWriter, line *protocols.Line, cols []Column, room int) {
	edge, reading := max(w.Col, p.RightEdge()-room), p.ReadingOf(line.Note)
	for i := range cols {
		c := &cols[i]
		at := edge + cell.ColumnGap
		edge = at + c.Width
		text := p.columnValue(c, reading)
		_, author := c.Value.(protocols.Mailbox)
		_, size := c.Value.(protocols.Octets)
		if text == "" || author && p.author != "" || size && line.Kind == protocols.Directory {
			continue
		}
		field, width := p.Cells.Fit(text, c.Width, p.glyphs.Cut)
		if !c.Left {
			at += c.Width - width
		}
		w.PadTo(at)
		if _, isText := columnText(c.Value, reading); p.Found != nil && isText {
			p.drawText(w, p.styles.Dim, new(lineLayout), field, 0, p.Found.Marks(field), false)
			continue
		}
		w.PutMeasured(p.styles.Dim, field, width)
	}
}
