// Package ask asks the reader: for lines, for one of a list, for a yes, for the
// fields of a form, or for a URL. It knows no page and no tab; what follows from an
// answer is a function that it is given.
//
// All questions are drawn over the page or in its place and share one line editor, so
// there is one way to type, cancel and resize. The huh module and the text area of
// bubbles are not used for forms: they import a package that looks for clipboard
// programs in PATH at each start (0.8 ms), and they draw strings, not rows in the
// widths of the renderer.
package ask

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/cell"
	"gofer/ui/edit"
	"gofer/urlcore"
)

// Asking is something that the reader is asked, until it is answered or left.
type Asking interface {
	// In names what reads the keys: "prompt", "form", "question" or "bar".
	In() string
	// About is the URL that it is asked for, or nil.
	About() urlcore.URL
	// Key does what the action of that name, which a key stands for, does to it.
	Key(action string, s *Screen) tea.Cmd
	// Insert takes what was typed or pasted.
	Insert(text string, s *Screen) tea.Cmd
	// Done reports once that it has been answered or left. What follows from that
	// may be nil.
	Done() (next func() tea.Cmd, done bool)
	// Draw lays it out for the screen.
	Draw(s *Screen) Drawing
}

// Screen is the screen of the program, as far as what is asked has to know it.
type Screen struct {
	Width, Height int
	Rows          int  // of a page: those between the rules
	Ruled         bool // there are rules
	Cells         cell.Cells
	Styles        *cell.Styles
	Glyphs        *cell.Glyphs
	Keys          keys

	// Say tells the reader something in the status line.
	Say func(text string) tea.Cmd
	// Notice draws what the reader was told last; false if there is nothing.
	Notice func(w *cell.RowWriter) bool
	// Async returns the command for do, which takes time, and for what it returns,
	// which is called when messages are handled.
	Async func(do func() func() tea.Cmd) tea.Cmd
}

// keys tells which keys actions have.
type keys interface {
	// In is a key of an action in a section of the table of keys, as it is printed:
	// the usual one if the action still has it, "" without any.
	In(section, action, usual string) string
	// Hint is what a key does, behind the key of In; "" without a key.
	Hint(section, action, usual, does string) string
}

// Drawing is how something that is asked stands on the screen. Each function draws a
// row; one that returns the column of the cursor returns -1 for none. A nil function
// leaves the row as it is without a question.
type Drawing struct {
	Bar     func(w *cell.RowWriter) (cursor int) // the URL bar
	BarRule func(w *cell.RowWriter)              // the rule below it
	First   []func(w *cell.RowWriter)            // over the first rows of the page

	Page   func(w *cell.RowWriter, y int) (cursor int) // row y in the place of the page
	Rule   func(w *cell.RowWriter)                     // the rule above Last
	Last   []func(w *cell.RowWriter)                   // over the last rows of the page
	Status func(w *cell.RowWriter) (cursor int)        // the status line
}

// ending is how something that is asked ends.
type ending struct {
	next func() tea.Cmd
	done bool
}

// end makes it done, after which next follows, which may be nil.
func (e *ending) end(next func() tea.Cmd) { e.next, e.done = next, true }

// Done implements [Asking].
func (e *ending) Done() (next func() tea.Cmd, done bool) {
	next, done = e.next, e.done
	*e = ending{}
	return next, done
}

// editLine does what an action of the section "editing" does to a line.
func editLine(line *edit.Line, action string) bool {
	switch action {
	case "left":
		line.Left()
	case "right":
		line.Right()
	case "word left":
		line.ToWordLeft()
	case "word right":
		line.ToWordRight()
	case "line start":
		line.Home()
	case "line end":
		line.End()
	case "erase":
		line.EraseLeft()
	case "delete":
		line.EraseRight()
	case "erase word":
		line.EraseWord()
	case "erase to start":
		line.EraseToHome()
	case "erase to end":
		line.EraseToEnd()
	default:
		return false
	}
	line.All = false
	return true
}
