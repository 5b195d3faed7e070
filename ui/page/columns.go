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

// layoutOf returns the layout of a column, which is its own or follows from the type of its value.
func layoutOf(c *protocols.Column) protocols.ColumnLayout {
	if c.Width != 0 {
		return c.ColumnLayout
	}
	switch c.Value.(type) {
	case time.Time, protocols.LocalTime, protocols.Day, protocols.UnreadDate:
		return protocols.ColumnLayout{Width: len(protocols.DayLayout), MinScreen: protocols.DateScreen, Left: true}
	case protocols.Mailbox, protocols.Encoded:
		return protocols.ColumnLayout{Width: 28, MinScreen: protocols.AuthorScreen, Left: true}
	case string:
		return protocols.ColumnLayout{Width: 16, MinScreen: 70, Left: true}
	}
	return protocols.ColumnLayout{Width: 6, MinScreen: protocols.NarrowScreen}
}

// Columns returns the columns of a note that fit at the right of a row, from left to
// right, with their widths on the screen, and the number of cells that they need. A narrow screen has fewer columns.
func (v *Pager) Columns(note protocols.Note) (columns []protocols.Column, room int) {
	if v.Page != nil && v.Page.WithUnread != nil {
		note = v.Page.WithUnread(note)
	}
	if note == nil {
		return nil, 0
	}
	for _, c := range note.Columns() {
		c.ColumnLayout = layoutOf(&c)
		mayFit := c.FitScreen > 0 && v.Width >= c.FitScreen
		if c.Width == protocols.Hidden || v.Width < c.MinScreen && !mayFit {
			continue
		}
		c.Width = v.fittedWidth(&c, min(c.Width, v.Width/4))
		if c.MinFullDate > 0 && v.Width >= c.MinFullDate {
			c.Width = len(protocols.MinuteLayout)
		}
		if v.Width >= c.MinScreen {
			room += c.Width + cell.ColumnGap
		}
		columns = append(columns, c)
	}
	kept, fits := columns[:0], true
	for _, c := range columns {
		if v.Width < c.MinScreen { // it is shown if it and those before it fit
			wider := room + c.Width + cell.ColumnGap
			if fits = fits && v.leavesRoom(wider); !fits {
				continue
			}
			room = wider
		}
		kept = append(kept, c)
	}
	return kept, room + v.widenCut(kept, room)
}

// columnValue returns the text of a column. The parameter r is the reading of the item.
func (p *Painter) columnValue(c *protocols.Column, r clean.Reading) string {
	layout := protocols.DayLayout
	if c.Width >= len(protocols.MinuteLayout) {
		layout = protocols.MinuteLayout
	}
	switch v := c.Value.(type) {
	case nil:
		return ""
	case protocols.Octets:
		return cell.Size(int64(v))
	case protocols.Day:
		return formatDate(v.Time, protocols.DayLayout)
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
func (p *Painter) drawColumns(w *cell.RowWriter, line *protocols.Line, cols []protocols.Column, room int) {
	edge, reading := max(w.Col, p.RightEdge()-room), p.ReadingOf(line.Note)
	for i := range cols {
		c := &cols[i]
		at := edge + cell.ColumnGap
		edge = at + c.Width
		text := p.columnValue(c, reading)
		_, size := c.Value.(protocols.Octets)
		if text == "" || size && line.Kind == protocols.Directory {
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
