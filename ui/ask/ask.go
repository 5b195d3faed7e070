// Package ask has the prompts of the program. They ask for lines, a choice from a list, yes or no, the
// fields of a form, or a URL. The package knows neither pages nor tabs. The caller gives each prompt
// the function to call with its answer.
//
// All prompts appear over the page or in its place. Lists, forms and questions are in a box, on small screens without its border.
// A form of a server is in place of the page, so that a box has only gofer's words. A line is typed in the status line, as in
// less and vi, because a box would hide what it is about.
//
// Prompts for text share one line editor, so there is one way to type and erase. Forms do not use the huh module or the text
// area of bubbles. These import a package that looks for clipboard programs in PATH at each start (0.8 ms), and they draw
// strings, not rows in the widths of the renderer.
package ask

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Prompt asks the user for something until it is answered or canceled.
type Prompt interface {
	// KeyContext returns the context of the key bindings: "prompt", "form", "question" or "bar".
	KeyContext() string
	// Subject returns the URL that the prompt is about, or nil.
	Subject() urlcore.URL
	// Key runs the action to which a key is bound.
	Key(action string, s *Screen) tea.Cmd
	// Insert inserts text that was typed or pasted.
	Insert(text string, s *Screen) tea.Cmd
	// Done reports, once, that the prompt has been answered or canceled. The caller
	// then removes the prompt and calls next, unless it is nil.
	Done() (next func() tea.Cmd, done bool)
	// Draw lays the prompt out for the screen.
	Draw(s *Screen) Drawing
}

// Screen describes the screen of the program to a prompt.
type Screen struct {
	Width, Height int
	Rows          int  // number of rows for the page, between the horizontal rules
	Ruled         bool // whether the screen has horizontal rules
	Cells         cell.Cells
	Styles        *cell.Styles
	Glyphs        *cell.Glyphs
	Keys          keys
	More          string // the key that shows more of the page below the screen, or ""

	Context context.Context // parent of the contexts of work in the background

	// Notify shows a notice in the status line.
	Notify func(text string) tea.Cmd
	// Notice draws the current notice. It returns false if there is none.
	Notice func(w *cell.RowWriter) bool
	// RunInBackground returns a command that calls the function do outside of the event loop. The function
	// that do returns is then called in the event loop.
	RunInBackground func(do func() func() tea.Cmd) tea.Cmd
	// AskInBackground is like RunInBackground. The keys that the user presses before the second function has been
	// called wait for it. Esc drops them and the function.
	AskInBackground func(do func() func() tea.Cmd) tea.Cmd
}

// keys looks up the keys of actions.
type keys interface {
	// KeyIn returns a key of an action in a section of the key table, as it is printed. It returns
	// the parameter usual if this key is bound to the action, and otherwise another key. It returns
	// "" if no key is bound.
	KeyIn(section, action, usual string) string
	// Hint returns the key of KeyIn followed by text, or "" if no key is bound.
	Hint(section, action, usual, text string) string
}

// Drawing is the layout of a prompt on the screen. Each function draws a row. If it has a result, the
// result is the column of the cursor, or -1 for no cursor. If a function is nil, the row looks as it
// does without a prompt.
type Drawing struct {
	Bar     func(w *cell.RowWriter) (cursor int) // the URL bar
	BarRule func(w *cell.RowWriter)              // the horizontal rule below the URL bar
	First   []func(w *cell.RowWriter)            // rows over the first rows of the page

	Page   func(w *cell.RowWriter, y int) (cursor int) // row y in place of the page
	Rule   func(w *cell.RowWriter)                     // the horizontal rule above Last
	Last   []func(w *cell.RowWriter)                   // rows over the last rows of the page
	Width  int                                         // width of the rows of Last in a box over the page; 0 for no box
	Cursor func() (x, y int)                           // place of the cursor in the rows of Last, known after they are drawn; nil for no cursor
	Status func(w *cell.RowWriter) (cursor int)        // the status line

	Selects bool // a row of the prompt is selected, so that the selected row of the page has only its mark
}

// outcome implements the Done method of a [Prompt].
type outcome struct {
	next  func() tea.Cmd
	done  bool
	times int // number of times that the prompt has ended; a prompt may be shown again
}

// end ends the prompt: Done then returns true and the function next, which may be nil.
func (e *outcome) end(next func() tea.Cmd) { e.next, e.done, e.times = next, true, e.times+1 }

func (e *outcome) Done() (next func() tea.Cmd, done bool) {
	next, done = e.next, e.done
	e.next, e.done = nil, false
	return next, done
}

// maxServerRows bounds the rows for the words of a server.
const maxServerRows = 6

// serverIndent indents each row of a server's words except the first.
const serverIndent = "  "

// attribution returns "HOST says:". It shortens the host so that the text fits the given width.
func (s *Screen) attribution(server string, width int) string {
	return s.Glyphs.Host(clean.Host(server), width-len(" says: ")) + " says:"
}

// quoteRows lays out the words of a server in at most maxRows rows of the given width, in quotation
// marks after the name of the server. Words that are too long are cut within the quotation marks.
// If there are no words, or no room for any, quoteRows returns nil.
func (s *Screen) quoteRows(server, words string, width, maxRows int) []string {
	c := s.Cells
	if words == "" {
		return nil
	}
	width = max(width-len(serverIndent), 1)
	head := s.attribution(server, width) + " "
	for room := maxRows*width - c.Width(head) - len(`""`); room > 0; room -= max(width/4, 1) {
		seen, _ := c.Fit(words, room, s.Glyphs.Cut)
		text := head + clean.Quote(seen)
		if rows := c.Lines(text, width); len(rows) <= maxRows {
			rows[0] = strings.TrimRight(rows[0], " ")
			for i := range rows[1:] {
				rows[i+1] = serverIndent + strings.TrimRight(rows[i+1], " ")
			}
			return rows
		}
	}
	return nil
}
