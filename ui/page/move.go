package page

import "gofer/nav"

// Reveal scrolls as little as possible to show line i, or as many of its rows as fit.
func (v *Pager) Reveal(i int) {
	if v.Height <= 0 || i < 0 || i >= v.Total() || !v.IsShown(i) {
		return
	}
	top := v.FirstRow()
	if i < top.Line || i == top.Line && top.row > 0 {
		v.Page.Top, v.Page.TopRow = i, 0
		return
	}
	end, _ := v.Move(top, v.Height-1)
	last := Position{i, v.rowCount(i) - 1}
	if !end.isBefore(last) {
		return
	}
	s, _ := v.Move(last, -(v.Height - 1))
	if s.Line == i {
		s.row = 0
	}
	v.Page.Top, v.Page.TopRow = s.Line, s.row
}

// KeepCursorVisible scrolls to the cursor after the page has lost rows on the screen, if the cursor
// was visible before.
func (v *Pager) KeepCursorVisible() {
	p, rows := v.Page, v.Height
	if p == nil {
		return
	}
	if p.Rows > rows && (v.IsLink(p.Cursor) || p.Link > 0) {
		v.Height = p.Rows
		first, last := v.VisibleLines()
		v.Height = rows
		if first <= p.Cursor && p.Cursor <= last {
			v.Reveal(p.Cursor)
		}
	}
	p.Rows = rows
}

// Center scrolls line i to the middle of the screen. If a row of the line is already visible, Center calls
// Reveal instead.
func (v *Pager) Center(i int) {
	if !v.IsShown(i) {
		return
	}
	if first, last := v.VisibleLines(); i >= first && i <= last {
		v.Reveal(i)
		return
	}
	v.ScrollTo(i, v.Height/2)
}

// ScrollTo scrolls line i to row y of the screen, or as near as the ends of the page allow.
func (v *Pager) ScrollTo(i, y int) {
	s, _ := v.Move(Position{i, 0}, -y)
	if last := v.lastTop(); last.isBefore(s) {
		s = last
	}
	v.Page.Top, v.Page.TopRow = s.Line, s.row
}

// Fill scrolls back if rows below the end of a loaded page are empty.
func (v *Pager) Fill() {
	if v.Page == nil || v.Page.IsLoading() || v.Total() == 0 || v.Height <= 0 {
		return
	}
	if last := v.lastTop(); last.isBefore(v.FirstRow()) {
		v.Page.Top, v.Page.TopRow = last.Line, last.row
	}
}

// SelectFirstLink moves the cursor to the first visible link, if the user has not moved it yet. It
// reports whether the cursor has moved.
func (v *Pager) SelectFirstLink() bool {
	return v.Page != nil && v.Page.Cursor == 0 && v.Page.Top == 0 && v.Page.TopRow == 0 && !v.IsLink(0) && v.selectEdgeLink(-1)
}

// Step moves the cursor to the next link (dir 1) or to the previous link (dir -1), if this link is on
// the screen or adjacent to it. Otherwise, and always in a text, Step scrolls one row.
func (v *Pager) Step(dir int) {
	first, last := v.VisibleLines()
	if last < first || v.HasLinksInText() {
		v.Scroll(dir)
		return
	}
	cur := v.Page.Cursor
	if cur < first || cur > last {
		cur = first - 1
		if dir < 0 {
			cur = last + 1
		}
	}
	limit := v.LineBelow(last)
	if dir < 0 {
		limit = v.LineAbove(first)
	}
	if start := cur + dir; (limit-start)*dir >= 0 {
		if i := v.FindLink(start, limit); i >= 0 {
			v.Page.Cursor = i
			v.Reveal(i)
			return
		}
	}
	v.Scroll(dir)
}

// Jump moves the cursor to the next link (dir 1) or to the previous link (dir -1) within MaxLinkSearch
// lines. It reports whether there is such a link.
func (v *Pager) Jump(dir int) bool {
	first, last := v.VisibleLines()
	if last < first {
		return false
	}
	start := v.Page.Cursor + dir
	if v.Page.Cursor < first || v.Page.Cursor > last {
		start = first
		if dir < 0 {
			start = last
		}
	}
	end := v.Page.Lines.Len() - 1
	if dir < 0 {
		end = 0
	}
	if (end-start)*dir < 0 {
		return false
	}
	i := v.FindLink(start, end)
	if i >= 0 {
		v.Page.Cursor = i
		v.Reveal(i)
	}
	return i >= 0
}

// PageBy scrolls n rows and keeps the cursor at its place on the screen. At an end of the page the
// cursor moves to the first or the last link.
func (v *Pager) PageBy(n int) {
	first, last := v.VisibleLines()
	if last < first || v.HasLinksInText() {
		v.Scroll(n)
		return
	}
	place := 0
	if c := v.Page.Cursor; c >= first && c <= last {
		place = v.rowsBetween(v.FirstRow(), Position{c, 0})
	}
	if v.Scroll(n) == 0 {
		v.selectEdgeLink(n)
		return
	}
	target, _ := v.Move(v.FirstRow(), max(place, 0))
	first, last = v.VisibleLines()
	if i := v.nearestLink(target.Line, first, last); i >= 0 {
		v.Page.Cursor = i
	}
}

// selectEdgeLink moves the cursor to the last link on the screen, or to the first if n is negative. It
// returns false if there is no link.
func (v *Pager) selectEdgeLink(n int) bool {
	first, last := v.VisibleLines()
	if last < first {
		return false
	}
	if n > 0 {
		first, last = last, first
	}
	i := v.FindLink(first, last)
	if i >= 0 {
		v.Page.Cursor = i
	}
	return i >= 0
}

// nearestLink returns the link in first..last that is nearest to line i, or -1.
func (v *Pager) nearestLink(i, first, last int) int {
	best := -1
	for j := first; j <= last; j = v.LineBelow(j) {
		if v.IsLink(j) && (best < 0 || max(j-i, i-j) <= max(best-i, i-best)) {
			best = j
		}
	}
	return best
}

// ToTop goes to the beginning of the page.
func (v *Pager) ToTop() {
	if v.Page == nil {
		return
	}
	v.Page.Top, v.Page.TopRow, v.Page.Left, v.Page.Cursor, v.Page.Link = 0, 0, 0, 0, 0
	if first := v.LineBelow(-1); first < v.Page.Lines.Len() {
		v.Page.Cursor = first
	}
	v.selectEdgeLink(-1)
}

// ToEnd goes to the end of the page.
func (v *Pager) ToEnd() {
	if v.Total() == 0 {
		return
	}
	s := v.lastTop()
	v.Page.Top, v.Page.TopRow = s.Line, s.row
	v.Page.Cursor, v.Page.Link = max(0, v.LineAbove(v.Page.Lines.Len())), 0
	v.selectEdgeLink(1)
}

// MoveTo puts the cursor on line i and shows an octet of its text.
func (v *Pager) MoveTo(i, octet int) {
	v.Page.Cursor = min(i, max(0, v.Page.Lines.Len()-1))
	v.Center(i)
	l := v.line(i)
	if v.HasLinksInText() {
		v.Page.Link = 0
		if link, _ := v.linkAt(i, octet); link.Line == i {
			v.Page.Link = link.N
		}
	}
	if l.panned {
		if col := v.Cells.Width(l.text[:octet]); col < v.Page.Left || col >= v.Page.Left+v.textWidth()-1 {
			v.Page.Left = max(0, col-v.textWidth()/2)
		}
		return
	}
	if pos := (Position{i, l.rowAt(octet)}); !v.isOnScreen(pos) {
		top, _ := v.Move(pos, -v.Height/2)
		v.Page.Top, v.Page.TopRow = top.Line, top.row
	}
}

// NextUnread returns the first unread line from line i on. After the end of the list it continues at
// the beginning. It returns -1 if there is no unread line.
func (v *Pager) NextUnread(i int) int {
	n := v.Page.Lines.Len()
	v = v.WithFolds()
	for step := range n {
		if k := (i + step) % n; v.Page.Lines.State(k)&nav.Unread != 0 && v.IsLink(k) {
			return k
		}
	}
	return -1
}

// GoTo puts the cursor on line i. It scrolls the line to the top of the screen, or as near to the top
// as the end of the page allows.
func (v *Pager) GoTo(i int) {
	v.Page.Cursor, v.Page.Link, v.Page.Top, v.Page.TopRow = i, 0, i, 0
	v.Fill()
}

// PlaceLine returns the line that shows where the user is in the page. It is the line of the cursor if
// that line is on the screen, else the last line of the page if that line is on the screen, else the
// visible line nearest to the cursor. If the cursor is still on line 0, and that result is no link,
// PlaceLine returns the last visible line.
func (v *Pager) PlaceLine() int {
	first, last := v.VisibleLines()
	line := min(max(v.Page.Cursor, first), last)
	if n := v.Page.Lines.Len(); line != v.Page.Cursor && last >= n-1 || !v.IsLink(line) && v.Page.Cursor == 0 {
		return last
	}
	return line
}
