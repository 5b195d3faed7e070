package page

// Fragment is the place of a page that the link under the cursor leads to.
func (v *Pager) Fragment() string {
	if !v.InText() || v.Page.Cursor >= v.Page.Lines.Len() {
		return ""
	}
	for _, l := range v.Line(v.Page.Cursor).links {
		if v.marked(&l) {
			return l.Fragment
		}
	}
	return ""
}
