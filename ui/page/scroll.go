package page

// Position is a row of the page.
type Position struct{ Line, row int }

func (s Position) isBefore(t Position) bool {
	return s.Line < t.Line || s.Line == t.Line && s.row < t.row
}

// FirstRow returns the first visible row. A page that is being reloaded may still be shorter than
// its scroll position.
func (v *Pager) FirstRow() Position {
	n := v.Total()
	if n == 0 {
		return Position{}
	}
	s := Position{max(v.Page.Top, 0), max(v.Page.TopRow, 0)}
	if !v.IsShown(s.Line) {
		s = Position{Line: v.LineBelow(s.Line)}
	}
	if s.Line >= n {
		return v.lastTop()
	}
	s.row = min(s.row, v.rowCount(s.Line)-1)
	return s
}

// Move returns the position n rows below s, or above if n is negative, within the page. It also
// returns the number of rows moved.
func (v *Pager) Move(s Position, n int) (Position, int) {
	s.row += n // the row may now be outside line s.Line, so the loops below move to the line that contains the row
	for s.row < 0 {
		above := v.LineAbove(s.Line)
		if above < 0 {
			return Position{s.Line, 0}, n - s.row
		}
		s = Position{above, s.row + v.rowCount(above)}
	}
	for n > 0 && s.row > 0 {
		rows := v.rowCount(s.Line)
		if s.row < rows {
			break
		}
		next := v.LineBelow(s.Line)
		if next >= v.Total() {
			return Position{s.Line, rows - 1}, n - (s.row - (rows - 1))
		}
		s = Position{next, s.row - rows}
	}
	return s, n
}

// lastTop returns the first visible row when the end of the page is at the bottom of the screen.
func (v *Pager) lastTop() Position {
	n := v.Total()
	if n == 0 {
		return Position{}
	}
	last := v.LineAbove(n)
	s, _ := v.Move(Position{last, v.rowCount(last) - 1}, -(v.Height - 1))
	return s
}

// HasRows reports whether the page fills the screen and has n more rows below it.
func (v *Pager) HasRows(n int) bool {
	rows := v.Height - 1 + n
	if v.Total() == 0 || rows < 0 {
		return rows < 0
	}
	_, moved := v.Move(v.FirstRow(), rows)
	return moved == rows
}

// IsAtEnd reports whether the last row of the page is on the screen.
func (v *Pager) IsAtEnd() bool { return v.Total() == 0 || !v.FirstRow().isBefore(v.lastTop()) }

// rowsBetween returns the number of rows from s down to t. It is slow if t is far away.
func (v *Pager) rowsBetween(s, t Position) int {
	d := t.row - s.row
	for i := s.Line; i < t.Line; i = v.LineBelow(i) {
		d += v.rowCount(i)
	}
	return d
}

// VisibleLines returns the first and the last line on the screen. If there is none, last is less than
// first.
func (v *Pager) VisibleLines() (first, last int) {
	if v.Total() == 0 || v.Height <= 0 {
		return 0, -1
	}
	s := v.FirstRow()
	e, _ := v.Move(s, v.Height-1)
	if n := v.Page.Lines.Len(); e.Line >= n {
		return s.Line, v.LineAbove(n)
	}
	return s.Line, e.Line
}

// LineAt returns the line at row y of the screen, or -1.
func (v *Pager) LineAt(y int) int {
	if s, ok := v.positionAt(y); ok {
		return s.Line
	}
	return -1
}

// positionAt returns the row of the page at row y of the screen, if y is not below the last line of the
// page.
func (v *Pager) positionAt(y int) (s Position, ok bool) {
	if y < 0 || y >= v.Height || v.Total() == 0 {
		return s, false
	}
	s, moved := v.Move(v.FirstRow(), y)
	return s, moved == y && s.Line < v.Page.Lines.Len()
}

// Scroll scrolls the page by up to n rows and returns the number of rows scrolled.
func (v *Pager) Scroll(n int) int {
	if v.Total() == 0 || v.Height <= 0 {
		return 0
	}
	from := v.FirstRow()
	to, moved := v.Move(from, n)
	if last := v.lastTop(); n > 0 && last.isBefore(to) {
		if !from.isBefore(last) {
			return 0
		}
		to = last
		moved = v.rowsBetween(from, to)
	}
	v.Page.Top, v.Page.TopRow = to.Line, to.row
	return moved
}

// PanStep is the number of columns that one key press pans.
const PanStep = 8

// Pan scrolls the lines that are not wrapped by n columns to the right, if a visible one of them continues
// there. If n is negative, it scrolls to the left, at most to the first column.
func (v *Pager) Pan(n int) {
	if v.Page == nil || v.Wrapping() == WrapAll {
		return
	}
	if n > 0 && !v.continuesRight() {
		return
	}
	v.Page.Left = max(0, v.Page.Left+n)
}

// IsPanned reports whether a visible line is not wrapped.
func (v *Pager) IsPanned() bool {
	first, last := v.VisibleLines()
	for i := first; i <= last; i = v.LineBelow(i) {
		if v.line(i).panned {
			return true
		}
	}
	return false
}

func (v *Pager) continuesRight() bool {
	first, last := v.VisibleLines()
	for i := first; i <= last; i = v.LineBelow(i) {
		if !v.line(i).panned {
			continue
		}
		text, left := v.visibleText(i)
		if _, _, more := v.Cells.Cut(text, left, v.textWidth()); more {
			return true
		}
	}
	return false
}
