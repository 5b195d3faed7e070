package ask

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
)

// Line asks for one or more fields in the status line, one after the other.
type Line struct {
	fields
	// Changed, if not nil, is called when the typed text has changed. Its error is shown
	// at the right of the line.
	Changed func(typed string) (tea.Cmd, error)
	// State, if not nil, returns the text at the right of the line.
	State func() string
	// History, if not nil, has the earlier lines that Up and Down recall.
	History *InputHistory
	// Scroll, if not nil, scrolls the page by screens.
	Scroll func(screens int)

	seen       int    // Changes of the typed text for which Changed need not be called
	err        string // error of the typed text, or ""
	historyPos int    // position in History, 0 for the draft
	draft      string // text typed before an earlier line was recalled
}

// NewLine returns a prompt for the fields.
func NewLine(h Head, all ...Field) *Line {
	l := &Line{fields: newFields(h, all)}
	l.open(0)
	l.seen = l.line.Changes()
	return l
}

// Reopen sets the title and asks again for a field; -1 means the open field.
func (l *Line) Reopen(field int, title string) {
	l.Title = title
	l.reopen(field)
}

// Fail shows text as the error of the typed text; "" means no error.
func (l *Line) Fail(text string) { l.err = clean.Short(text) }

// HasError reports whether the typed text has an error.
func (l *Line) HasError() bool { return l.err != "" }

// Close ends the prompt without calling Finish or Leave.
func (l *Line) Close() { l.end(nil) }

// EraseLast erases the character before the cursor without calling Changed.
func (l *Line) EraseLast() {
	l.line.EraseLeft()
	l.seen = l.line.Changes()
}

func (l *Line) KeyContext() string { return "prompt" }

func (l *Line) Key(action string, s *Screen) tea.Cmd {
	typed := l.line.Changes()
	if action == "erase" && l.line.IsEmpty() {
		if !l.openField(l.index - 1) {
			l.leave()
		}
		return l.notifyChanged()
	}
	switch action {
	case "done":
		l.enter()
	case "next field":
		return l.stepCompletion(&l.fields, 1, s, func() tea.Cmd { l.openField(l.index + 1); return l.notifyChanged() })
	case "previous field", "up":
		if l.shownCompletions(s) > 0 {
			return l.stepCompletion(&l.fields, -1, s, func() tea.Cmd { return nil })
		}
		if action == "previous field" {
			l.openField(l.index - 1)
		} else {
			l.step(-1)
		}
	case "down":
		if l.shownCompletions(s) > 0 {
			return l.stepCompletion(&l.fields, 1, s, func() tea.Cmd { return nil })
		}
		l.step(1)
	case "page down":
		l.scroll(1)
	case "page up":
		l.scroll(-1)
	case "cancel":
		if !l.closeCompletions(s) {
			l.leave()
		}
	default:
		l.line.Run(action)
	}
	return tea.Batch(l.completeTyped(typed, s), l.notifyChanged())
}

func (l *Line) Insert(text string, s *Screen) tea.Cmd {
	typed := l.line.Changes()
	l.insert(text, l.Changed != nil)
	return tea.Batch(l.completeTyped(typed, s), l.notifyChanged())
}

// notifyChanged calls Changed if the typed text has changed.
func (l *Line) notifyChanged() tea.Cmd {
	if l.done || l.Changed == nil || l.line.Changes() == l.seen {
		return nil
	}
	l.seen = l.line.Changes()
	cmd, err := l.Changed(l.line.String())
	l.err = ""
	if err != nil {
		l.Fail(err.Error())
	}
	return cmd
}

// enter moves to the next field. It finishes the prompt after the last field.
func (l *Line) enter() {
	if !l.openField(l.index + 1) {
		l.finish()
	}
}

// openField stores the typed text and moves to field i. It returns false if there is no such
// field.
func (l *Line) openField(i int) bool {
	l.keepTyped()
	if i < 0 || i >= len(l.all) {
		return false
	}
	l.open(i)
	return true
}

// step moves by n fields or, if l has a History, by n lines in it. A positive n moves to later
// fields or lines.
func (l *Line) step(n int) {
	if l.History == nil {
		l.openField(l.index + n)
		return
	}
	if l.historyPos == 0 {
		l.draft = l.line.String()
	}
	if typed, ok := l.History.At(l.historyPos - n); ok {
		l.historyPos -= n
		l.line.Set(typed)
	} else if l.historyPos-n == 0 {
		l.historyPos = 0
		l.line.Set(l.draft)
	}
}

func (l *Line) scroll(screens int) {
	if l.Scroll != nil {
		l.Scroll(screens)
	}
}

func (l *Line) Draw(s *Screen) Drawing {
	d := Drawing{Rule: l.drawRule(s), Status: l.drawStatus(s)}
	words := l.ServerText
	if serverText := l.all[l.index].ServerText; serverText != "" {
		words = serverText
	}
	if s.Height < 2 {
		return d
	}
	d.Last = l.drawCompletions(s, &d)
	width, room := s.Width-2*cell.Margin(s.Width), min(s.Rows/2, maxServerRows)
	rows := s.Cells.Lines(l.Note, width)
	if l.Note == "" || len(rows) > room {
		rows = nil
	}
	for _, row := range append(rows, s.quoteRows(l.Server, words, width, room-len(rows))...) {
		d.Last = append(d.Last, func(w *cell.RowWriter) {
			w.PadTo(cell.Margin(w.Width))
			w.Put("", row)
		})
	}
	return d
}

// drawRule returns a function that draws the title in the horizontal rule above the line. The function
// never cuts the end of the server's name.
func (l *Line) drawRule(s *Screen) func(w *cell.RowWriter) {
	return func(w *cell.RowWriter) {
		w.Put(s.Styles.Dim, s.Glyphs.Rule)
		server, title := "", " "+l.Title+" "
		if where := l.all[l.index].Where; where != nil {
			title = " " + l.Title + " " + where(l.completedText()) + " "
		}
		if l.NamesServer {
			server = " " + s.Glyphs.Host(l.Server, w.Width-w.Col-len(" : "))
			title = ":" + title
		}
		w.Put(s.Styles.Bold, server)
		text, taken := s.Cells.FitNames(title, w.Width-w.Col, s.Glyphs.Cut)
		w.PutMeasured(s.Styles.Bold, text, taken)
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, max(0, w.Width-w.Col)))
	}
}

// drawStatus returns a function that draws the label of the field and the typed text, and returns the
// column of the cursor.
func (l *Line) drawStatus(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		c := s.Cells
		w.PadTo(cell.Margin(w.Width))
		label, taken := c.Fit(l.Label(), w.Width/2, s.Glyphs.Cut)
		if l.NamesServer && !s.Ruled { // there is no horizontal rule that names the server
			const at = " at "
			if room := w.Width - w.Col - taken - len(at+": ") - 2; room >= cell.MinNameWidth {
				label += at + s.Glyphs.Host(l.Server, room)
				taken = c.Width(label)
			}
		}
		w.PutMeasured(s.Styles.Accent, label, taken)
		w.Put(s.Styles.Accent, ": ")
		room := w.Width - w.Col
		state := ""
		switch {
		case l.err != "":
			state = l.err
		case l.State != nil:
			state = l.State()
		case len(l.offers) > 0:
			state = l.list.positionText()
		case len(l.all) > 1 && room > 24:
			state = fmt.Sprintf("%d of %d", l.index+1, len(l.all))
		}
		state, taken = c.Shorten(clean.Short(state), room*2/3, s.Glyphs.Cut)
		text, at := l.line.VisibleText(c, room-taken-2)
		col := w.Col + at
		w.Put("", text)
		if state != "" {
			w.PadTo(w.Width - taken - 1)
			st := s.Styles.Dim
			if l.err != "" {
				st = s.Styles.Bold
			}
			w.PutMeasured(st, state, taken)
		}
		return min(col, w.Width-1)
	}
}

// InputHistory holds the lines that were typed before, the latest first.
type InputHistory []string

// maxInputHistory bounds the number of lines.
const maxInputHistory = 200

// Add makes s the latest line, unless it is empty.
func (r *InputHistory) Add(s string) {
	if s == "" {
		return
	}
	older := slices.DeleteFunc(*r, func(old string) bool { return old == s })
	*r = slices.Insert(older[:min(len(older), maxInputHistory-1)], 0, s)
}

// At returns the n-th line, counted from 1.
func (r InputHistory) At(n int) (string, bool) {
	if n < 1 || n > len(r) {
		return "", false
	}
	return r[n-1], true
}
