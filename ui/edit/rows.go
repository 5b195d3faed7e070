package edit

import (
	"unicode/utf8"

	"gofer/ui/cell"
)

// Step moves the cursor by n rows of a text that is shown in width cells. It returns false
// if there is no such row.
func (e *Line) Step(c cell.Cells, width, n int) bool {
	text, at := e.String(), e.Octet()
	starts, end := c.Rows(text, at, 1, width)
	text = text[:end]
	from := cell.RowAt(starts, at)
	to := from + n
	if to < 0 || to >= len(starts) {
		return false
	}
	column := c.Width(text[starts[from]:at])
	line, i := cell.Row(text, starts, to), 0
	for col := 0; i < len(line); {
		octets, cells := c.Next(line[i:])
		if col += cells; col > column || to+1 < len(starts) && starts[to]+i+octets == starts[to+1] {
			break // the next octet begins the next row
		}
		i += octets
	}
	e.At, e.All = utf8.RuneCountInString(text[:starts[to]+i]), false
	return true
}

// Octet returns the octet of the text at the cursor.
func (e *Line) Octet() int { return len(string(e.text[:e.At])) }
