package ui

import (
	"slices"
	"strings"
	"unicode"

	"gofer/internal/clean"
	"gofer/ui/cell"
)

// maxTyped bounds a line that is typed or pasted, in characters: more is not
// taken, not even a part of it.
const maxTyped = 64 << 10

// edit is one line being typed, or a text of several lines.
type edit struct {
	text   []rune
	at     int  // where the next character goes
	all    bool // the whole line is selected: what is typed takes its place
	secret bool
	lines  bool // it is a text of several lines
}

// propose sets the line to s, selected as a whole.
func (e *edit) propose(s string) {
	e.set(s)
	e.all = len(e.text) > 0
}

// set replaces the line and puts the cursor at its end.
func (e *edit) set(s string) {
	e.text = e.text[:0]
	e.at, e.all = 0, false
	e.insert(s)
}

// String is what has been typed.
func (e *edit) String() string { return string(e.text) }

// insert types s at the cursor, if the line does not become too long; what could
// do harm on the screen or on the wire (line ends, control characters, bidi
// controls) is left out.
func (e *edit) insert(s string) {
	if e.all {
		e.set("")
	}
	if e.lines {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", " ")
	}
	typed := make([]rune, 0, len(s))
	for _, r := range s {
		if len(e.text)+len(typed) >= maxTyped {
			return
		}
		if r == '\n' && e.lines {
			typed = append(typed, r)
			continue
		}
		if r == unicode.ReplacementChar || unicode.IsControl(r) || clean.Line(string(r)) != string(r) {
			continue
		}
		typed = append(typed, r)
	}
	e.text = slices.Insert(e.text, e.at, typed...)
	e.at += len(typed)
}

func (e *edit) left()        { e.at = max(0, e.at-1) }
func (e *edit) right()       { e.at = min(len(e.text), e.at+1) }
func (e *edit) home()        { e.at = e.lineStart() }
func (e *edit) end()         { e.at = e.lineEnd() }
func (e *edit) toWordLeft()  { e.at = e.wordLeft() }
func (e *edit) toWordRight() { e.at = e.wordRight() }
func (e *edit) eraseLeft()   { e.erase(max(0, e.at-1), e.at) }
func (e *edit) eraseRight()  { e.erase(e.at, min(len(e.text), e.at+1)) }
func (e *edit) eraseWord()   { e.erase(e.wordLeft(), e.at) }
func (e *edit) eraseToHome() { e.erase(e.lineStart(), e.at) }
func (e *edit) eraseToEnd()  { e.erase(e.at, e.lineEnd()) }

// lineStart and lineEnd are the ends of the line that the cursor is on.
func (e *edit) lineStart() int {
	i := e.at
	for i > 0 && e.text[i-1] != '\n' {
		i--
	}
	return i
}

func (e *edit) lineEnd() int {
	i := e.at
	for i < len(e.text) && e.text[i] != '\n' {
		i++
	}
	return i
}

// erase removes a part of the line, or all of it if it is selected.
func (e *edit) erase(from, to int) {
	if e.all {
		from, to = 0, len(e.text)
	}
	e.text = slices.Delete(e.text, from, to)
	e.at = from
}

// A word of a URL ends at its punctuation too.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func (e *edit) wordLeft() int {
	i := e.at
	for i > 0 && !inWord(e.text[i-1]) {
		i--
	}
	for i > 0 && inWord(e.text[i-1]) {
		i--
	}
	return i
}

func (e *edit) wordRight() int {
	i := e.at
	for i < len(e.text) && !inWord(e.text[i]) {
		i++
	}
	for i < len(e.text) && inWord(e.text[i]) {
		i++
	}
	return i
}

// scrolled is how many cells of the line are out of sight at the left when
// width cells have to hold the cursor, and the cursor's column.
func (e *edit) scrolled(c cell.Cells, width int) (left, cursor int) {
	col := c.Width(e.before())
	left = max(0, col-(width-1))
	return left, col - left
}

// shown is the part of the line that width cells have room for, with the
// cursor in it, and the cursor's column.
func (e *edit) shown(c cell.Cells, width int) (text string, cursor int) {
	if width <= 0 {
		return "", 0
	}
	all := e.String()
	if e.secret {
		all = strings.Repeat("*", len(e.text))
	}
	left, cursor := e.scrolled(c, width)
	text, _, _ = c.Cut(all, left, width)
	return text, cursor
}

// before is what stands before the cursor, as it is shown.
func (e *edit) before() string {
	if e.secret {
		return strings.Repeat("*", e.at)
	}
	return string(e.text[:e.at])
}
