package page

// Shown reports whether line i is shown: one of our own is always.
func (v *Pager) Shown(i int) bool {
	lines := v.shownLines()
	if lines == nil || i >= v.Page.Lines.Len() {
		return !v.folded(i)
	}
	_, ok := lines.Rank(i)
	return ok
}

// After is the line that is shown below line i.
func (v *Pager) After(i int) int {
	n, lines := v.Page.Lines.Len(), v.shownLines()
	if lines == nil || i >= n {
		for i = v.unfolded(i, 1); v.folded(i); i = v.unfolded(i, 1) {
		}
		return i
	}
	if j := lines.After(i); j >= 0 {
		return j
	}
	return n
}

// Before is the line that is shown above line i, or -1.
func (v *Pager) Before(i int) int {
	lines := v.shownLines()
	if lines == nil || i > v.Page.Lines.Len() {
		for i--; v.folded(i); i = v.unfolded(i, -1) {
		}
		return i
	}
	return lines.Before(i)
}
