package page

import (
	"fmt"
	"time"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/ui/cell"
)

// maxMenu and maxListing are how wide menus, and lists with columns, are at
// most, maxGroups a list of groups without descriptions. The text of a menu may
// be wider.
const (
	maxGroups  = 80
	maxMenu    = 100
	maxListing = 120
)

// Right is the column at which rows of a menu or a listing end.
func (v *Pager) Right() int {
	most := maxListing
	switch l := v.layout(); {
	case l == protocols.LayoutMenu || l == protocols.LayoutPage:
		most = maxMenu
	case l == protocols.LayoutGroups && v.Page.URL.Scheme() == "about":
		most = maxGroups
	}
	if v.Width > most {
		return most
	}
	return v.Width - cell.Margin(v.Width)
}

// Columns are those of the note of a line that the screen has room for at the right of a
// row, in their widths, the last one outermost, and the room that they take. The
// narrower the screen, the fewer there are.
func (v *Pager) Columns(note protocols.Note) (shown []protocols.Column, room int) {
	if v.Page != nil && v.Page.WithUnread != nil {
		note = v.Page.WithUnread(note)
	}
	if note == nil {
		return nil, 0
	}
	for _, c := range note.Columns() {
		if c.Width == 0 || v.Width < c.From {
			continue
		}
		c.Width = min(c.Width, v.Width/4)
		if c.Full > 0 && v.Width >= c.Full {
			c.Width = len(minuteLayout)
		}
		room += c.Width + cell.ColumnGap
		shown = append(shown, c)
	}
	return shown, room
}

// The forms of dates with and without a time of day.
const (
	dayLayout    = "2006-01-02"
	minuteLayout = "2006-01-02 15:04"
)

// value is what people read in a column.
func (p *Painter) value(c *protocols.Column) string {
	switch v := c.Value.(type) {
	case nil:
		return ""
	case string:
		return p.Reading.Short(v)
	case protocols.Encoded:
		return mimeheader.Text(p.Reading, string(v))
	case protocols.Mailbox:
		return mimeheader.Author(p.Reading, string(v))
	case protocols.Octets:
		return cell.Size(int64(v))
	case protocols.Day:
		return date(v.Time, dayLayout)
	case protocols.LocalTime:
		return date(v.Time, dateLayout(c))
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return date(v.In(p.zone), dateLayout(c))
	}
	return fmt.Sprint(c.Value)
}

// dateLayout is the form of dates that a column has room for.
func dateLayout(c *protocols.Column) string {
	if c.Width < len(minuteLayout) {
		return dayLayout
	}
	return minuteLayout
}

func date(t time.Time, layout string) string {
	if y := t.Year(); t.IsZero() || y < 0 || y > 9999 {
		return ""
	}
	return t.Format(layout)
}

// notes draws the columns, which take so much room.
func (p *Painter) notes(w *cell.RowWriter, line *protocols.Line, cols []protocols.Column, room int) {
	edge := max(w.Col, p.Right()-room)
	for i := range cols {
		c := &cols[i]
		at := edge + cell.ColumnGap
		edge = at + c.Width
		text := p.value(c)
		if _, author := c.Value.(protocols.Mailbox); author && p.repeated != "" {
			continue
		}
		if _, size := c.Value.(protocols.Octets); text == "" || size && line.Kind == protocols.Directory {
			continue
		}
		field, taken := p.Cells.Fit(text, c.Width, p.glyphs.Cut)
		if c.Left {
			w.To(at)
		} else {
			w.To(at + c.Width - taken)
		}
		if _, isText := c.Value.(string); p.Found != nil && (isText || c.Left) {
			p.text(w, p.styles.Dim, new(laid), field, 0, p.Found.Marks(field), false)
			continue
		}
		w.Raw(p.styles.Dim, field, taken)
	}
}
