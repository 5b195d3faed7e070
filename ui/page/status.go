package page

// Row is the line of the cursor, if that is on the screen; else the last line of
// the page, if that is; else the line of the screen that is nearest to the
// cursor. It counts lines, whether they lead somewhere or not.
func (v *Pager) Row() int {
	first, last := v.Visible()
	at := min(max(v.Page.Cursor, first), last)
	if n := v.Page.Lines.Len(); at != v.Page.Cursor && last >= n-1 || !v.Linked(at) && v.Page.Cursor == 0 {
		return last
	}
	return at
}
