package page

import "gofer/nav"

// NextUnread returns the first unread line that is shown from line i on, going on
// at the beginning of the list, or -1.
func (v *Pager) NextUnread(i int) int {
	n := v.Page.Lines.Len()
	v = v.Unfolding()
	for step := range n {
		if k := (i + step) % n; v.Page.Lines.State(k)&nav.Unread != 0 && v.Linked(k) {
			return k
		}
	}
	return -1
}
