// Package edit is the line editor of the URL bar and of all prompts.
//
// The text input of the bubbles module is not used, because it does not know URLs. The words of a URL
// end at punctuation, and the parts of a URL are colored. The text input would also use the clipboard
// of the machine that gofer runs on, which may be a remote machine.
package edit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
)

// maxTyped is the largest number of characters in a line. A longer paste is ignored.
const maxTyped = 64 << 10

// Line is a line that is being typed, or a text of several lines.
type Line struct {
	text      []rune
	Cursor    int  // index of the character under the cursor
	Selected  bool // the whole line is selected; typed text replaces it
	Secret    bool
	Multiline bool // the text may have several lines

	changes int
}

// Changes returns a number that every change of the text increases. It tells that the text has changed
// without a comparison of long texts.
func (e *Line) Changes() int { return e.changes }

// Len returns the number of characters of the text.
func (e *Line) Len() int { return len(e.text) }

// Propose sets the line to s and selects all of it.
func (e *Line) Propose(s string) {
	e.Set(s)
	e.Selected = len(e.text) > 0
}

// Set replaces the line and puts the cursor at its end.
func (e *Line) Set(s string) {
	e.text = e.text[:0]
	e.changes++
	e.Cursor, e.Selected = 0, false
	e.Insert(s)
}

// String returns the typed text.
func (e *Line) String() string { return string(e.text) }

// IsEmpty reports whether nothing is typed.
func (e *Line) IsEmpty() bool { return len(e.text) == 0 }

// Insert inserts s at the cursor, unless the line would become too long. It leaves out control
// characters and bidi controls, which could do harm on the screen or on the wire. Only a Multiline text
// keeps line ends.
func (e *Line) Insert(s string) {
	if e.Selected {
		e.Set("")
	}
	if e.Multiline {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", " ")
	}
	typed := make([]rune, 0, len(s))
	for _, r := range s {
		if len(e.text)+len(typed) >= maxTyped {
			return
		}
		if r >= ' ' && r <= '~' || r == '\n' && e.Multiline {
			typed = append(typed, r)
			continue
		}
		if r == unicode.ReplacementChar || unicode.IsControl(r) || clean.Line(string(r)) != string(r) {
			continue
		}
		typed = append(typed, r)
	}
	if len(typed) > 0 {
		e.changes++
	}
	e.text = slices.Insert(e.text, e.Cursor, typed...)
	e.Cursor += len(typed)
}

// Run runs an action of the section "editing" of the key table. It returns false if no action has that
// name.
func (e *Line) Run(action string) bool {
	switch action {
	case "left":
		e.Cursor = max(0, e.Cursor-1)
	case "right":
		e.Cursor = min(len(e.text), e.Cursor+1)
	case "word left":
		e.Cursor = e.leftWordStart()
	case "word right":
		e.Cursor = e.skipRight(e.skipRight(e.Cursor, isNotWordRune), isWordRune)
	case "line start":
		e.Cursor = e.skipLeft(e.Cursor, isNotLineEnd)
	case "line end":
		e.Cursor = e.skipRight(e.Cursor, isNotLineEnd)
	case "erase":
		e.EraseLeft()
	case "delete":
		e.erase(e.Cursor, min(len(e.text), e.Cursor+1))
	case "erase word":
		e.erase(e.leftWordStart(), e.Cursor)
	case "erase to start":
		e.erase(e.skipLeft(e.Cursor, isNotLineEnd), e.Cursor)
	case "erase to end":
		e.erase(e.Cursor, e.skipRight(e.Cursor, isNotLineEnd))
	default:
		return false
	}
	e.Selected = false
	return true
}

// EraseLeft deletes the character to the left of the cursor.
func (e *Line) EraseLeft() { e.erase(max(0, e.Cursor-1), e.Cursor) }

// erase deletes a part of the line, or the whole line if it is selected.
func (e *Line) erase(from, to int) {
	if e.Selected {
		from, to = 0, len(e.text)
	}
	if from < to {
		e.changes++
	}
	e.text = slices.Delete(e.text, from, to)
	e.Cursor = from
}

// isWordRune reports whether r belongs to a word. The words of a URL end at punctuation.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isNotWordRune(r rune) bool { return !isWordRune(r) }

func isNotLineEnd(r rune) bool { return r != '\n' }

// leftWordStart returns the index of the beginning of the word to the left of the cursor.
func (e *Line) leftWordStart() int {
	return e.skipLeft(e.skipLeft(e.Cursor, isNotWordRune), isWordRune)
}

// skipLeft moves left from the index i while skip returns true for the characters. It returns the index
// that it reaches.
func (e *Line) skipLeft(i int, skip func(rune) bool) int {
	for i > 0 && skip(e.text[i-1]) {
		i--
	}
	return i
}

// skipRight moves right from the index i while skip returns true for the characters. It returns the
// index that it reaches.
func (e *Line) skipRight(i int, skip func(rune) bool) int {
	for i < len(e.text) && skip(e.text[i]) {
		i++
	}
	return i
}

// ScrollOffset returns how many cells of the line are hidden at the left, so that the cursor stays
// within width cells. It also returns the column of the cursor. It measures all of the text before the
// cursor.
func (e *Line) ScrollOffset(c cell.Cells, width int) (left, cursor int) {
	col := c.Width(string(e.text[:e.Cursor]))
	left = max(0, col-(width-1))
	return left, col - left
}

// MaxPerCell is the number of characters that are laid out for each cell of the screen. A cell may have
// a character with many marks.
const MaxPerCell = 32

// VisibleText returns the part of the line around the cursor that fits in width cells, and the column
// of the cursor. It looks only at the characters that the part may have, since it runs at each key.
func (e *Line) VisibleText(c cell.Cells, width int) (text string, cursor int) {
	if width <= 0 {
		return "", 0
	}
	from, to := max(0, e.Cursor-MaxPerCell*width), min(len(e.text), e.Cursor+MaxPerCell*width)
	before, after := string(e.text[from:e.Cursor]), string(e.text[e.Cursor:to])
	if e.Secret {
		before, after = strings.Repeat("*", e.Cursor-from), strings.Repeat("*", to-e.Cursor)
	}
	col := c.Width(before)
	left := max(0, col-(width-1))
	text, _, _ = c.Cut(before+after, left, width)
	return text, col - left
}

// MaxPart is the largest number of characters after the cursor in a Part, and half of the largest
// number before the cursor. It is more than a screen shows.
const MaxPart = 8 << 10

// Part returns the line of the cursor with at most n lines before it and n lines after it. The result
// from is the index of the first character of the part, and at is the octet offset of the cursor in the
// part. Of very long lines, the part has only the characters near the cursor. It then begins at a
// multiple of MaxPart, so that the rows of the screen seldom move while the user types.
func (e *Line) Part(n int) (text string, from, at int) {
	least, most := max(e.Cursor/MaxPart-1, 0)*MaxPart, min(len(e.text), e.Cursor+MaxPart)
	from, to := e.Cursor, e.Cursor
	for lines := 0; from > least; from-- {
		if e.text[from-1] == '\n' {
			if lines++; lines > n {
				break
			}
		}
	}
	for lines := 0; to < most; to++ {
		if e.text[to] == '\n' {
			if lines++; lines > n {
				break
			}
		}
	}
	before := string(e.text[from:e.Cursor])
	return before + string(e.text[e.Cursor:to]), from, len(before)
}

// Step moves the cursor by n rows of a text that is wrapped at width cells. It returns false if there
// is no such row.
func (e *Line) Step(c cell.Cells, width, n int) bool {
	text, first, at := e.Part(1)
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
	e.Cursor, e.Selected = first+utf8.RuneCountInString(text[:starts[to]+i]), false
	return true
}
