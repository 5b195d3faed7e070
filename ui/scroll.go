package ui

// position is a row of the page.
type position struct{ line, row int }

func (s position) before(t position) bool {
	return s.line < t.line || s.line == t.line && s.row < t.row
}

// start is the first visible row. A page that is being loaded again may not
// have come as far as its place yet.
func (v *pager) start() position {
	n := v.total()
	if n == 0 {
		return position{}
	}
	if v.page.Top >= n {
		return v.lastTop()
	}
	s := position{max(v.page.Top, 0), max(v.page.TopRow, 0)}
	if !v.shown(s.line) {
		s = position{line: v.after(s.line)}
	}
	if s.line >= n {
		return v.lastTop()
	}
	s.row = min(s.row, v.rows(s.line)-1)
	return s
}

// move goes n rows down from s, or up when n is negative, as far as the page
// goes, and returns how many rows it went.
func (v *pager) move(s position, n int) (position, int) {
	gone := 0
	for gone < n {
		if rest := v.rows(s.line) - 1 - s.row; rest > 0 {
			step := min(rest, n-gone)
			s.row += step
			gone += step
			continue
		}
		next := v.after(s.line)
		if next >= v.total() {
			break
		}
		s = position{next, 0}
		gone++
	}
	for gone > n {
		if s.row > 0 {
			step := min(s.row, gone-n)
			s.row -= step
			gone -= step
			continue
		}
		above := v.before(s.line)
		if above < 0 {
			break
		}
		s = position{above, v.rows(above) - 1}
		gone--
	}
	return s, gone
}

// lastTop is the first row when the last one is at the foot of the screen.
func (v *pager) lastTop() position {
	n := v.total()
	if n == 0 {
		return position{}
	}
	last := v.before(n)
	s, _ := v.move(position{last, v.rows(last) - 1}, -(v.height - 1))
	return s
}

// atEnd reports whether the last row of the page is on the screen.
func (v *pager) atEnd() bool { return v.total() == 0 || !v.start().before(v.lastTop()) }

// distance is the number of rows from s down to t, which is near.
func (v *pager) distance(s, t position) int {
	d := t.row - s.row
	for i := s.line; i < t.line; i = v.after(i) {
		d += v.rows(i)
	}
	return d
}

// visible returns the first and the last line on the screen; last is less
// than first when there is none.
func (v *pager) visible() (first, last int) {
	if v.total() == 0 || v.height <= 0 {
		return 0, -1
	}
	s := v.start()
	e, _ := v.move(s, v.height-1)
	if n := v.page.Lines.Len(); e.line >= n {
		return s.line, v.before(n)
	}
	return s.line, e.line
}

// at returns the line at row y of the screen, or -1.
func (v *pager) at(y int) int {
	if y < 0 || y >= v.height || v.total() == 0 {
		return -1
	}
	s, gone := v.move(v.start(), y)
	if gone < y || s.line >= v.page.Lines.Len() {
		return -1
	}
	return s.line
}

// Scroll moves the page under the screen by n rows and returns how many rows
// it went.
func (v *pager) Scroll(n int) int {
	if v.total() == 0 || v.height <= 0 {
		return 0
	}
	from := v.start()
	to, gone := v.move(from, n)
	if last := v.lastTop(); n > 0 && last.before(to) {
		if !from.before(last) {
			return 0
		}
		to = last
		gone = v.distance(from, to)
	}
	v.page.Top, v.page.TopRow = to.line, to.row
	return gone
}

// panStep is how many columns one key press pans.
const panStep = 8

// Pan moves the text n columns to the left under the screen, if there is
// anything to see there.
func (v *pager) Pan(n int) {
	if v.page == nil || v.wrap() {
		return
	}
	if n > 0 && !v.moreRight() {
		return
	}
	v.page.Left = max(0, v.page.Left+n)
}

func (v *pager) moreRight() bool {
	first, last := v.visible()
	for i := first; i <= last; i = v.after(i) {
		text, left := v.panned(i)
		if _, _, more := v.cells.Cut(text, left, v.textWidth()); more {
			return true
		}
	}
	return false
}
