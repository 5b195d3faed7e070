package page

import (
	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

const (
	// fitScreen is the smallest width of a screen on which columns are fitted to the page.
	fitScreen = 132
	// maxFitted is the rightmost cell of texts that have columns to their right. Only descriptions
	// may extend further.
	maxFitted = 90
	// maxFittedName is the rightmost cell of names that have descriptions to their right.
	maxFittedName = 60
	// measuredLines is the number of lines that are measured before they are on the screen.
	measuredLines = 500
	// The room for texts is a multiple of fitStep cells, so that columns rarely move while a
	// page loads.
	fitStep = 8
	// leastFitted is the least room for texts.
	leastFitted = 40
)

// columnFit holds the largest widths of the texts of a page, in cells. While the page is shown, they
// only grow. The first lines of the page are measured at once, and other lines when they appear on
// the screen.
type columnFit struct {
	page  *nav.Page
	width int // width of the screen
	lines int // number of lines measured from the beginning of the page

	text, description, columns int
	values                     map[string]int // widths of texts in columns, by head
}

// FitColumns measures the first lines of the page and the visible lines, if the screen is wide or the page is a directory.
func (v *Pager) FitColumns() {
	if v.Page == nil || v.layout().IsDocument() || v.Width < fitScreen && v.layout() != protocols.LayoutDirectory {
		return
	}
	f := &v.fit
	if f.page != v.Page || f.width != v.Width {
		*f = columnFit{page: v.Page, width: v.Width, values: make(map[string]int)}
	}
	oldEdge, oldText, n := v.RightEdge(), f.text, v.Page.Lines.Len()
	for ; f.lines < min(n, measuredLines); f.lines++ {
		v.measure(f.lines)
	}
	for i, last := v.VisibleLines(); i <= last && i < n; i = v.LineBelow(i) {
		if i >= f.lines {
			v.measure(i)
		}
	}
	if v.WrapsLines() && (v.RightEdge() != oldEdge || f.text != oldText && !v.isFitted()) {
		v.Invalidate()
	}
}

// isFitted reports whether the columns are fitted to the texts of the page.
func (v *Pager) isFitted() bool {
	return v.Width >= fitScreen && v.isMeasured()
}

// isMeasured reports whether lines of the page were measured for the screen.
func (v *Pager) isMeasured() bool {
	return v.fit.page != nil && v.fit.page == v.Page && v.fit.width == v.Width
}

// leavesRoom reports whether no measured text reaches columns that need room cells.
func (v *Pager) leavesRoom(room int) bool {
	return v.isMeasured() && v.gutter()+v.fit.text+room <= v.RightEdge()
}

// measure adapts the widths to line i.
func (v *Pager) measure(i int) {
	line, f := v.Page.Lines.WithoutLink(i), &v.fit
	if !v.Page.Lines.HasLink(i) {
		return
	}
	width := v.Cells.Width(v.LineText(&line))
	if v.Page.IsThreaded() {
		width += 2 * v.Page.Depth(i)
	}
	f.columns = max(f.columns, cell.ColumnGap+len("session"))
	if line.Note == nil {
		f.text = max(f.text, width)
		return
	}
	r, row := v.ReadingOf(line.Note), line.Note.Row()
	if row.Target != "" {
		width += len(" -> ") + v.Cells.Width(r.Short(row.Target))
	}
	if row.Description != "" {
		f.description = max(f.description, v.Cells.Width(r.Short(row.Description)))
	}
	for _, c := range line.Note.Columns() {
		if text, ok := columnText(c.Value, r); ok && !row.Live {
			f.values[c.Head] = max(f.values[c.Head], v.Cells.Width(text))
		}
	}
	_, room := v.Columns(line.Note)
	f.text, f.columns = max(f.text, width), max(f.columns, room)
}

// fittedRightEdge returns the right end of the rows on a wide screen.
func (v *Pager) fittedRightEdge() int {
	f, end := &v.fit, v.Width-cell.Margin(v.Width)
	text, limit := f.text, maxFitted-v.gutter()
	if f.description > 0 {
		text, limit = v.descriptionColumn()-v.gutter()+len("  ")+f.description, end
	}
	text = max(min((text+fitStep-1)/fitStep*fitStep, limit), leastFitted)
	return min(v.gutter()+text+f.columns, end)
}

// descriptionColumn returns the column of the descriptions of items.
func (v *Pager) descriptionColumn() int {
	if v.isFitted() {
		return v.gutter() + max(min(v.fit.text, maxFittedName), leastFitted/2)
	}
	return min(max(v.Width*2/5, 20), 44)
}

// fittedWidth returns the width of a column. It is fitted to the texts of the column on a wide screen.
// On narrow screens, and for a column without texts, it is the parameter narrowWidth.
func (v *Pager) fittedWidth(c *protocols.Column, narrowWidth int) int {
	longest, ok := v.fit.values[c.Head]
	if !v.isFitted() || !ok {
		return narrowWidth
	}
	return min(max(longest, narrowWidth/2, len(c.Head)), narrowWidth*3/2)
}

// widenCut widens the columns whose texts are cut by the cells that nothing else needs. It returns the number of these
// cells. The parameter room is the number of cells that the columns need so far.
func (v *Pager) widenCut(columns []protocols.Column, room int) (widened int) {
	if !v.isFitted() || v.fit.description > 0 {
		return 0
	}
	unused := v.Width - cell.Margin(v.Width) - v.gutter() - max(v.fit.text, leastFitted) - room
	for i := range columns {
		more := max(min(v.fit.values[columns[i].Head]-columns[i].Width, unused-widened), 0)
		columns[i].Width += more
		widened += more
	}
	return widened
}

// columnText returns the text of a value of a text type.
func columnText(value any, r clean.Reading) (text string, ok bool) {
	switch s := value.(type) {
	case string:
		return r.Short(s), true
	case protocols.Encoded:
		return mimeheader.Text(r, string(s)), true
	case protocols.Mailbox:
		return mimeheader.Author(r, string(s)), true
	}
	return "", false
}
