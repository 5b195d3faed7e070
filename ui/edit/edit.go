// Package edit is the line editor of the URL bar and of all that is asked.
//
// The text input of the bubbles module is not used. It does not know URLs, in which
// words end at punctuation and parts are coloured, and it uses the clipboard of the
// machine that gofer runs on, which may be a remote one.
package edit

import (
	"slices"
	"strings"
	"unicode"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
)

// maxTyped bounds a line that is typed or pasted, in characters: more is not
// taken, not even a part of it.
const maxTyped = 64 << 10

// Line is one line being typed, or a text of several lines.
type Line struct {
	text   []rune
	At     int  // where the next character goes
	All    bool // the whole line is selected: what is typed takes its place
	Secret bool
	Lines  bool // it is a text of several lines
}

// Propose sets the line to s, selected as a whole.
func (e *Line) Propose(s string) {
	e.Set(s)
	e.All = len(e.text) > 0
}

// Set replaces the line and puts the cursor at its end.
func (e *Line) Set(s string) {
	e.text = e.text[:0]
	e.At, e.All = 0, false
	e.Insert(s)
}

// String is what has been typed.
func (e *Line) String() string { return string(e.text) }

// Insert types s at the cursor, if the line does not become too long; what could
// do harm on the screen or on the wire (line ends, control characters, bidi
// controls) is left out.
func (e *Line) Insert(s string) {
	if e.All {
		e.Set("")
	}
	if e.Lines {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", " ")
	}
	typed := make([]rune, 0, len(s))
	for _, r := range s {
		if len(e.text)+len(typed) >= maxTyped {
			return
		}
		if r == '\n' && e.Lines {
			typed = append(typed, r)
			continue
		}
		if r == unicode.ReplacementChar || unicode.IsControl(r) || clean.Line(string(r)) != string(r) {
			continue
		}
		typed = append(typed, r)
	}
	e.text = slices.Insert(e.text, e.At, typed...)
	e.At += len(typed)
}

// Left moves the cursor one character to the left.
func (e *Line) Left() { e.At = max(0, e.At-1) }

// Right moves the cursor one character to the right.
func (e *Line) Right() { e.At = min(len(e.text), e.At+1) }

// Home moves the cursor to the beginning of its line.
func (e *Line) Home() { e.At = e.lineStart() }

// End moves the cursor to the end of its line.
func (e *Line) End() { e.At = e.lineEnd() }

// ToWordLeft moves the cursor to the beginning of the word at its left.
func (e *Line) ToWordLeft() { e.At = e.wordLeft() }

// ToWordRight moves the cursor behind the word at its right.
func (e *Line) ToWordRight() { e.At = e.wordRight() }

// EraseLeft deletes the character at the left of the cursor.
func (e *Line) EraseLeft() { e.erase(max(0, e.At-1), e.At) }

// EraseRight deletes the character at the cursor.
func (e *Line) EraseRight() { e.erase(e.At, min(len(e.text), e.At+1)) }

// EraseWord deletes the word at the left of the cursor.
func (e *Line) EraseWord() { e.erase(e.wordLeft(), e.At) }

// EraseToHome deletes all of the line at the left of the cursor.
func (e *Line) EraseToHome() { e.erase(e.lineStart(), e.At) }

// EraseToEnd deletes all of the line from the cursor on.
func (e *Line) EraseToEnd() { e.erase(e.At, e.lineEnd()) }

// lineStart and lineEnd are the ends of the line that the cursor is on.
func (e *Line) lineStart() int {
	i := e.At
	for i > 0 && e.text[i-1] != '\n' {
		i--
	}
	return i
}

func (e *Line) lineEnd() int {
	i := e.At
	for i < len(e.text) && e.text[i] != '\n' {
		i++
	}
	return i
}

// erase removes a part of the line, or all of it if it is selected.
func (e *Line) erase(from, to int) {
	if e.All {
		from, to = 0, len(e.text)
	}
	e.text = slices.Delete(e.text, from, to)
	e.At = from
}

// inWord reports whether r belongs to a word: a word of a URL ends at its punctuation too.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func (e *Line) wordLeft() int {
	i := e.At
	for i > 0 && !inWord(e.text[i-1]) {
		i--
	}
	for i > 0 && inWord(e.text[i-1]) {
		i--
	}
	return i
}

func (e *Line) wordRight() int {
	i := e.At
	for i < len(e.text) && !inWord(e.text[i]) {
		i++
	}
	for i < len(e.text) && inWord(e.text[i]) {
		i++
	}
	return i
}

// Scrolled is how many cells of the line are out of sight at the left when
// width cells have to hold the cursor, and the cursor's column.
func (e *Line) Scrolled(c cell.Cells, width int) (left, cursor int) {
	col := c.Width(e.before())
	left = max(0, col-(width-1))
	return left, col - left
}

// Shown is the part of the line that width cells have room for, with the
// cursor in it, and the cursor's column.
func (e *Line) Shown(c cell.Cells, width int) (text string, cursor int) {
	if width <= 0 {
		return "", 0
	}
	all := e.String()
	if e.Secret {
		all = strings.Repeat("*", len(e.text))
	}
	left, cursor := e.Scrolled(c, width)
	text, _, _ = c.Cut(all, left, width)
	return text, cursor
}

// before is what stands before the cursor, as it is shown.
func (e *Line) before() string {
	if e.Secret {
		return strings.Repeat("*", e.At)
	}
	return string(e.text[:e.At])
}
