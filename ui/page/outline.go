package page

// GoTo shows line i at the top of the screen, or as near as the page's end
// lets it, with the cursor on it.
func (v *Pager) GoTo(i int) {
	v.Page.Cursor, v.Page.Link, v.Page.Top, v.Page.TopRow = i, 0, i, 0
	v.Fill()
}
