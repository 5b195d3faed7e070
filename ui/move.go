package ui

import "sort"

// reveal scrolls as little as possible so that line i is on the screen, as
// much of it as there is room for.
func (v *pager) reveal(i int) {
	if v.height <= 0 || i < 0 || i >= v.total() || !v.shown(i) {
		return
	}
	top := v.start()
	if i < top.line || i == top.line && top.row > 0 {
		v.page.Top, v.page.TopRow = i, 0
		return
	}
	end, _ := v.move(top, v.height-1)
	last := position{i, v.rows(i) - 1}
	if !end.before(last) {
		return
	}
	s, _ := v.move(last, -(v.height - 1))
	if s.line == i {
		s.row = 0
	}
	v.page.Top, v.page.TopRow = s.line, s.row
}

// keepInSight scrolls to the cursor of a page that was shown in more rows when
// the cursor was in sight there.
func (v *pager) keepInSight() {
	p, rows := v.page, v.height
	if p == nil {
		return
	}
	if p.Rows > rows && (v.linked(p.Cursor) || p.Link > 0) {
		v.height = p.Rows
		first, last := v.visible()
		v.height = rows
		if first <= p.Cursor && p.Cursor <= last {
			v.reveal(p.Cursor)
		}
	}
	p.Rows = rows
}

// center scrolls so that line i, unless it is on the screen, is in its middle.
func (v *pager) center(i int) {
	if !v.shown(i) {
		return
	}
	if first, last := v.visible(); i >= first && i <= last {
		v.reveal(i)
		return
	}
	v.scrollTo(i, v.height/2)
}

// scrollTo scrolls so that line i is so many rows below the top of the screen, as far
// as the page goes.
func (v *pager) scrollTo(i, rows int) {
	s, _ := v.move(position{i, 0}, -rows)
	if last := v.lastTop(); last.before(s) {
		s = last
	}
	v.page.Top, v.page.TopRow = s.line, s.row
}

// fill scrolls back as far as the end of a whole page leaves rows empty.
func (v *pager) fill() {
	if v.page == nil || v.page.Loading() || v.total() == 0 || v.height <= 0 {
		return
	}
	if last := v.lastTop(); last.before(v.start()) {
		v.page.Top, v.page.TopRow = last.line, last.row
	}
}

// selectFirstLink puts the cursor of a page that nobody has moved in yet on its first
// link, if that is on the screen, and reports whether it did.
func (v *pager) selectFirstLink() bool {
	if v.page == nil || v.page.Cursor != 0 || v.page.Top != 0 || v.page.TopRow != 0 || v.linked(0) {
		return false
	}
	first, last := v.visible()
	if last < first {
		return false
	}
	i := v.find(first, last)
	if i >= 0 {
		v.page.Cursor = i
	}
	return i >= 0
}

// Step moves the cursor to the next link (dir 1) or the one before (dir -1) if
// that is on the screen or next to it, else scrolls one row; a text it always
// scrolls.
func (v *pager) Step(dir int) {
	first, last := v.visible()
	if last < first || v.inText() {
		v.Scroll(dir)
		return
	}
	cur := v.page.Cursor
	if cur < first || cur > last {
		cur = first - 1
		if dir < 0 {
			cur = last + 1
		}
	}
	limit := v.after(last)
	if dir < 0 {
		limit = v.before(first)
	}
	if from := cur + dir; (limit-from)*dir >= 0 {
		if i := v.find(from, limit); i >= 0 {
			v.page.Cursor = i
			v.reveal(i)
			return
		}
	}
	v.Scroll(dir)
}

// jump moves the cursor to the next link or the one before, however far, and
// reports whether there is one.
func (v *pager) jump(dir int) bool {
	first, last := v.visible()
	if last < first {
		return false
	}
	from := v.page.Cursor + dir
	if v.page.Cursor < first || v.page.Cursor > last {
		from = first
		if dir < 0 {
			from = last
		}
	}
	to := v.page.Lines.Len() - 1
	if dir < 0 {
		to = 0
	}
	if (to-from)*dir < 0 {
		return false
	}
	i := v.find(from, to)
	if i >= 0 {
		v.page.Cursor = i
		v.reveal(i)
	}
	return i >= 0
}

// PageBy scrolls n rows and takes the cursor along, so that it keeps its place
// on the screen; where nothing scrolls any more it goes to the outermost link.
func (v *pager) PageBy(n int) {
	first, last := v.visible()
	if last < first || v.inText() {
		v.Scroll(n)
		return
	}
	place := 0
	if c := v.page.Cursor; c >= first && c <= last {
		place = v.distance(v.start(), position{c, 0})
	}
	if v.Scroll(n) == 0 {
		v.edge(n)
		return
	}
	target, _ := v.move(v.start(), max(place, 0))
	first, last = v.visible()
	if i := v.nearest(target.line, first, last); i >= 0 {
		v.page.Cursor = i
	}
}

// edge puts the cursor on the last link of the screen, or on the first when n
// is negative.
func (v *pager) edge(n int) {
	first, last := v.visible()
	if last < first {
		return
	}
	if n > 0 {
		first, last = last, first
	}
	if i := v.find(first, last); i >= 0 {
		v.page.Cursor = i
	}
}

// nearest returns the link in first..last that is nearest to line i, or -1.
func (v *pager) nearest(i, first, last int) int {
	best := -1
	for j := first; j <= last; j = v.after(j) {
		if v.linked(j) && (best < 0 || max(j-i, i-j) <= max(best-i, i-best)) {
			best = j
		}
	}
	return best
}

// ToTop and toEnd go to the ends of the page.
func (v *pager) ToTop() {
	if v.page == nil {
		return
	}
	v.page.Top, v.page.TopRow, v.page.Cursor, v.page.Link = 0, 0, 0, 0
	if first := v.after(-1); first < v.page.Lines.Len() {
		v.page.Cursor = first
	}
	v.edge(-1)
}

func (v *pager) ToEnd() {
	if v.total() == 0 {
		return
	}
	s := v.lastTop()
	v.page.Top, v.page.TopRow = s.line, s.row
	v.page.Cursor, v.page.Link = max(0, v.before(v.page.Lines.Len())), 0
	v.edge(1)
}

// moveTo puts the cursor on line i and shows the place at octet at of its text.
func (v *pager) moveTo(i, at int) {
	v.page.Cursor = min(i, max(0, v.page.Lines.Len()-1))
	v.center(i)
	l := v.line(i)
	if v.inText() {
		v.page.Link = 0
		if link, _ := v.linkAt(i, at); link.Line == i {
			v.page.Link = link.N
		}
	}
	if !v.wrap() {
		if col := v.cells.Width(l.text[:at]); col < v.page.Left || col >= v.page.Left+v.textWidth()-1 {
			v.page.Left = max(0, col-v.textWidth()/2)
		}
		return
	}
	row := max(0, sort.SearchInts(l.rows, at+1)-1)
	here, top := position{i, row}, v.start()
	if end, _ := v.move(top, v.height-1); here.before(top) || end.before(here) {
		top, _ = v.move(here, -v.height/2)
		v.page.Top, v.page.TopRow = top.line, top.row
	}
}
