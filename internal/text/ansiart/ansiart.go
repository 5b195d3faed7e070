// Package ansiart renders drawings for terminals to lines, and reads SAUCE records. Such drawings (files .ans) move
// the cursor instead of ending lines, and rely on a width of 80 columns. The package interprets them as a terminal of
// that width and of unlimited height does.
package ansiart

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/text/clean"
)

// The bounds of a drawing. A drawing cannot use more memory or more lines, wherever it moves the cursor.
const (
	DefaultWidth = 80
	maxWidth     = 320
	MaxRows      = 10000
	maxGap       = 200     // rows that a move may leave empty below the last row
	maxSequence  = 64      // octets of a control sequence
	maxLooks     = 1 << 12 // different attributes
)

// IsDrawing reports whether b, the beginning of a text, looks like a drawing: it places its characters with control
// sequences (CUF, CUP and HVP of ECMA-48, section 8.3). The output of a program that rewrites its last lines, such as a
// log with progress bars, looks like none: it moves up and back, and erases more often than it places.
func IsDrawing(b []byte) bool {
	places, erasures := 0, 0
	for len(b) > 0 {
		n, final := sequence(b)
		switch final {
		case 'C', 'H', 'f':
			places++
		case 'J', 'K':
			erasures++
		}
		b = b[max(n, 1):]
	}
	return places > 1 && places > erasures
}

// sequence returns the length of the control sequence at the beginning of b and its final octet, or 0.
func sequence(b []byte) (n int, final byte) {
	if len(b) < 3 || b[0] != 0x1b || b[1] != '[' {
		return 0, 0
	}
	for i := 2; i < min(len(b), maxSequence); i++ {
		switch c := b[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1, c
		case c < 0x20 || c > 0x3f:
			return 0, 0
		}
	}
	return 0, 0
}

type cell struct {
	char rune
	look uint16 // index in looks
}

// screen is a terminal of unlimited height.
type screen struct {
	width    int
	rows     [][]cell
	row, col int // the cursor; col may be width after a character in the last column
	savedRow int
	savedCol int
	look     clean.SGR
	looks    []clean.SGR
	index    map[clean.SGR]uint16

	overflowed bool // characters below the last row have been left out
}

// Render returns the lines of a drawing in UTF-8. Colors are SGR sequences. The parameter high contains the characters
// of the octets from 0x80 on; if it is nil, the drawing is in UTF-8. The parameter width is the width of the terminal, or
// 0 for 80 columns. The result whole is false if the drawing has more rows than MaxRows, which are left out.
func Render(octets []byte, width int, high *[128]rune) (lines []string, whole bool) {
	if width <= 0 {
		width = DefaultWidth
	}
	s := &screen{width: min(width, maxWidth), looks: []clean.SGR{{}}, index: map[clean.SGR]uint16{{}: 0}}
	for len(octets) > 0 && octets[0] != 0x1a {
		if n, final := sequence(octets); n > 0 {
			s.control(string(octets[2:n-1]), final)
			octets = octets[n:]
			continue
		}
		r, size := rune(octets[0]), 1
		if high == nil {
			r, size = utf8.DecodeRune(octets)
		}
		if r >= utf8.RuneSelf && high != nil {
			r = high[r-utf8.RuneSelf]
		}
		octets = octets[size:]
		s.write(r)
	}
	lines = make([]string, len(s.rows))
	for i, row := range s.rows {
		lines[i] = s.format(row)
	}
	return lines, !s.overflowed
}

// controls are the characters that CP437 has for the control characters.
var controls = [32]rune([]rune(" ☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"))

func (s *screen) write(r rune) {
	switch r {
	case '\n':
		s.moveTo(s.row+1, 0)
		return
	case '\r':
		s.col = 0
		return
	case '\t':
		s.col = min((s.col/8+1)*8, s.width-1)
		return
	}
	switch {
	case r < ' ':
		r = controls[r]
	case r == 0x7f:
		r = '⌂'
	case unicode.In(r, unicode.M, unicode.Cf): // it has no cell of its own
		return
	}
	if s.col >= s.width {
		s.moveTo(s.row+1, 0)
	}
	if s.row >= MaxRows {
		s.overflowed = true
		return
	}
	s.addRows()
	row := s.rows[s.row]
	for len(row) <= s.col {
		row = append(row, cell{})
	}
	row[s.col] = cell{r, s.lookIndex()}
	s.rows[s.row] = row
	s.col++
}

// addRows adds empty rows up to the row of the cursor. It uses the memory of erased rows again, so that a drawing that
// is erased many times, such as an animation, needs no more memory than one screen.
func (s *screen) addRows() {
	for n := len(s.rows); n <= s.row; n++ {
		if n < cap(s.rows) {
			s.rows = s.rows[:n+1]
			s.rows[n] = s.rows[n][:0]
		} else {
			s.rows = append(s.rows, nil)
		}
	}
}

func (s *screen) lookIndex() uint16 {
	i, known := s.index[s.look]
	if !known && len(s.looks) < maxLooks {
		i = uint16(len(s.looks))
		s.index[s.look], s.looks = i, append(s.looks, s.look)
	}
	return i
}

// moveTo moves the cursor within the bounds.
func (s *screen) moveTo(row, col int) {
	s.row = max(0, min(row, len(s.rows)+maxGap, MaxRows))
	s.col = max(0, min(col, s.width-1))
}

// control executes a control sequence.
func (s *screen) control(params string, final byte) {
	n := func(i, otherwise int) int {
		fields := strings.Split(params, ";")
		if i < len(fields) && fields[i] != "" {
			if v, err := strconv.Atoi(fields[i]); err == nil && v >= 0 {
				return min(v, MaxRows)
			}
			return min(MaxRows, len(fields[i])*MaxRows)
		}
		return otherwise
	}
	switch final {
	case 'A':
		s.moveTo(s.row-max(n(0, 1), 1), s.col)
	case 'B':
		s.moveTo(s.row+max(n(0, 1), 1), s.col)
	case 'C':
		s.moveTo(s.row, s.col+max(n(0, 1), 1))
	case 'D':
		s.moveTo(s.row, s.col-max(n(0, 1), 1))
	case 'E':
		s.moveTo(s.row+max(n(0, 1), 1), 0)
	case 'F':
		s.moveTo(s.row-max(n(0, 1), 1), 0)
	case 'G':
		s.moveTo(s.row, n(0, 1)-1)
	case 'H', 'f':
		s.moveTo(n(0, 1)-1, n(1, 1)-1)
	case 's':
		s.savedRow, s.savedCol = s.row, s.col
	case 'u':
		s.moveTo(s.savedRow, s.savedCol)
		s.col = s.savedCol // also after the last column, where TheDraw breaks the lines of a file
	case 'J':
		s.erase(n(0, 0))
	case 'K':
		if n(0, 0) == 0 && s.row < len(s.rows) {
			s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
		}
	case 'm':
		s.look = s.look.Apply(params)
	}
}

// erase erases the whole screen, as ANSI.SYS does and moves the cursor to its top, or the part below the cursor.
func (s *screen) erase(part int) {
	switch {
	case part == 2:
		s.rows, s.row, s.col = s.rows[:0], 0, 0
	case part == 0 && s.row < len(s.rows):
		s.rows = s.rows[:s.row+1]
		s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
	}
}

// format returns a row with SGR sequences, without the blanks at its end.
func (s *screen) format(row []cell) string {
	for len(row) > 0 && s.isBlank(row[len(row)-1]) {
		row = row[:len(row)-1]
	}
	var b strings.Builder
	look := uint16(0)
	for _, c := range row {
		if c.look != look {
			if look != 0 {
				b.WriteString("\x1b[m")
			}
			look = c.look
			b.WriteString(s.looks[look].String())
		}
		if c.char == 0 {
			c.char = ' '
		}
		b.WriteRune(c.char)
	}
	if look != 0 {
		b.WriteString("\x1b[m")
	}
	return b.String()
}

// isBlank reports whether a cell shows nothing, not even a background.
func (s *screen) isBlank(c cell) bool {
	return (c.char == 0 || c.char == ' ') && !s.looks[c.look].ShowsBlanks()
}
