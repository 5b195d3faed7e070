package page

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// wideLink returns a line of a list. The text of the line has the given width in cells.
func wideLink(width int, note protocols.Note) protocols.Line {
	u := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '0', Selector: "x"}
	return protocols.Line{Kind: protocols.Text, Text: strings.Repeat("x", width), Link: u, Note: note}
}

// wideList returns a pager with a list of lines of the given widths.
func wideList(layout protocols.Layout, screen int, note protocols.Note, widths ...int) *Pager {
	p := &nav.Page{Head: protocols.Head{Layout: layout, URL: wideLink(0, nil).Link}, Err: io.EOF}
	for _, width := range widths {
		p.Lines.Append(wideLink(width, note))
	}
	v := &Pager{Width: screen, Height: 43}
	v.Show(p)
	v.FitColumns()
	return v
}

// TestColumnsFollowTheLongestTitle checks that the columns of sizes and dates begin after the longest
// title of a page. Titles get at most about 90 cells. Descriptions may take more; the columns then begin
// after the longest description. On a screen of fewer than 132 columns, the columns end at a fixed place.
func TestColumnsFollowTheLongestTitle(t *testing.T) {
	file := &protocols.FileNote{Size: 1}
	const fileColumns = 2 + 6 + 2 + len(protocols.MinuteLayout)
	for _, tt := range []struct {
		name   string
		layout protocols.Layout
		screen int
		note   protocols.Note
		widths []int
		want   int
	}{
		{"short names", protocols.LayoutDirectory, 132, file, []int{1, 2}, 3 + leastFitted + fileColumns},
		{"the longest", protocols.LayoutDirectory, 132, file, []int{1, 50, 2}, 3 + 56 + fileColumns},
		{"too long", protocols.LayoutDirectory, 132, file, []int{120}, 90 + fileColumns},
		{"far too long", protocols.LayoutDirectory, 250, file, []int{200}, 90 + fileColumns},
		{"one cell less", protocols.LayoutDirectory, 131, file, []int{1, 2}, maxListing},
		{"a menu", protocols.LayoutMenu, 132, nil, []int{60}, 3 + 64 + 9},
		{"a narrow menu", protocols.LayoutMenu, 110, nil, []int{60}, maxMenu},
		{
			"descriptions", protocols.LayoutGroups, 200,
			&protocols.GroupNote{Status: 'y', Description: strings.Repeat("d", 100)},
			[]int{30},
			3 + 136 + 10,
		},
		{
			"long descriptions", protocols.LayoutGroups, 132,
			&protocols.GroupNote{Status: 'y', Description: strings.Repeat("d", 200)},
			[]int{30},
			131,
		},
	} {
		fetchtest.Equal(t, wideList(tt.layout, tt.screen, tt.note, tt.widths...).RightEdge(), tt.want, tt.name)
	}
}

// TestColumnsOfALongPageStay checks that a long line far down the page does not move the columns until
// the line has been on the screen.
func TestColumnsOfALongPageStay(t *testing.T) {
	v := wideList(protocols.LayoutMenu, 132, nil, make([]int, measuredLines)...)
	first := v.RightEdge()
	v.Page.Lines.Append(wideLink(80, nil))
	v.FitColumns()
	fetchtest.Equal(t, v.RightEdge(), first, "a long title was added below the screen")
	v.ToEnd()
	v.FitColumns()
	longer := v.RightEdge()
	fetchtest.Equal(t, longer, 3+80+9, "the long title is on the screen")
	v.ToTop()
	v.FitColumns()
	fetchtest.Equal(t, v.RightEdge(), longer, "back at the top")
	v.Width = 140
	v.FitColumns()
	fetchtest.Equal(t, v.RightEdge(), first, "on another screen")
}

// TestColumnsOfNames checks that the column of authors is as wide as the longest author, within limits, and wider if the
// subjects leave room.
func TestColumnsOfNames(t *testing.T) {
	for _, tt := range []struct{ author, subject, want int }{
		{5, 10, 14}, {20, 10, 20}, {33, 10, 33}, {55, 10, 55}, {60, 90, 42}, {90, 10, 60}, {90, 50, 50},
	} {
		note := &protocols.ArticleNote{From: strings.Repeat("a", tt.author) + " <a@x>", Lines: -1}
		v := wideList(protocols.LayoutArticles, 132, note, tt.subject)
		cols, _ := v.Columns(note)
		fetchtest.Equal(t, cols[0].Width, tt.want, "the column of an author of %d cells beside a subject of %d", tt.author, tt.subject)
	}
}

// TestColumnsThatFit checks that a narrow screen shows the mode and the owner of files if the names leave room.
func TestColumnsThatFit(t *testing.T) {
	file := &protocols.FileNote{Size: 1, Mode: "rwxr-xr-x", Owner: "joe"}
	for _, tt := range []struct {
		screen, name int
		want         string
	}{
		{80, 20, "mode owner size modified"},
		{80, 29, "mode owner size modified"},
		{80, 30, "mode size modified"},
		{80, 39, "mode size modified"},
		{80, 40, "size modified"},
		{72, 8, "mode owner size modified"},
		{71, 1, "size modified"},
		{110, 90, "mode owner size modified"},
	} {
		v := wideList(protocols.LayoutDirectory, tt.screen, file, 1, tt.name)
		cols, room := v.Columns(file)
		var heads []string
		for _, c := range cols {
			heads = append(heads, c.Head)
			room -= c.Width + cell.ColumnGap
		}
		fetchtest.Equal(t, strings.Join(heads, " "), tt.want, "%d cells, a name of %d", tt.screen, tt.name)
		fetchtest.Equal(t, room, 0, "the room besides the columns")
	}
}

// TestColumnOfUnreadDate checks that a date that cannot be read is shown as the server sent it.
func TestColumnOfUnreadDate(t *testing.T) {
	for _, c := range (&protocols.ArticleNote{DateText: "some\x1bday"}).Columns() {
		if c.Head == "date" {
			got := new(Painter).columnValue(&c, clean.Reading{})
			fetchtest.Equal(t, got, "some␛day", "the date")
		}
	}
}
