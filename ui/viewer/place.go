package viewer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gofer/internal/picture"
	"gofer/nav"
	"gofer/ui/cell"
)

// PlaceText returns the position in the page, after the match under the cursor (or the number of matches)
// and the number of tagged items. For a picture it returns the size and the magnification.
func (v *Viewer) PlaceText() string {
	p := v.Session.Page()
	if p == nil {
		return ""
	}
	if v.Picture() != nil {
		return v.pictureText()
	}
	place := v.linePlace(p)
	if n := p.Tags.Count; n > 0 {
		place = fmt.Sprintf("%d tagged  %s", n, place)
	}
	if match := v.matchText(); match != "" {
		place = strings.TrimRight(match+"  "+place, " ")
	}
	return place
}

// linePlace returns the position in a page, such as "3/42" in a list, and "56%", "end" or "all" in a text.
// For a page with a filter, it returns the position in the shown lines, such as "3/12 of 42".
func (v *Viewer) linePlace(p *nav.Page) string {
	n := p.Lines.Len()
	suffix := ""
	switch {
	case p.IsLoading() && p.Failed == nil:
		suffix = "+"
	case p.Err != nil && !errors.Is(p.Err, io.EOF):
		suffix = " incomplete"
	}
	first, last := v.Pager.VisibleLines()
	row := v.Pager.PlaceLine()
	switch {
	case p.Filter != nil:
		row, ok := p.Filter.Rank(row)
		if ok {
			row++
		}
		return fmt.Sprintf("%d/%s", row, v.filterText())
	case n == 0:
		return ""
	case first == 0 && last >= n-1 && suffix == "" && !v.Pager.IsLink(p.Cursor):
		return "all"
	case !p.Layout.IsDocument():
		return fmt.Sprintf("%d/%d%s", row+1, n, suffix)
	case suffix != "":
		return fmt.Sprintf("%d/%d%s", last+1, n, suffix)
	case last >= n-1:
		return "end"
	}
	return fmt.Sprintf("%d%%", (last+1)*100/n)
}

// Picture returns the picture of the page, or nil.
func (v *Viewer) Picture() *picture.Picture { return v.PictureView.Picture() }

// pictureText returns the format, the size and the magnification of the picture.
func (v *Viewer) pictureText() string {
	p := v.Picture()
	text := p.Name() + ", " + cell.Size(p.Octets)
	if z := v.PictureView.Page.Zoom; z > 0 {
		text += fmt.Sprintf(", x%d", 1<<z)
	}
	return text
}
