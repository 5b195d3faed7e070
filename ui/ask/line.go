package ask

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
)

// Line asks for a line, or for one after the other, in the status line.
type Line struct {
	fields
	// Short says that all fields are filled in: Enter ends it at any of them.
	Short bool
	// Changed is called when something else is typed; may be nil. The error stands at
	// the right of the line.
	Changed func(typed string) (tea.Cmd, error)
	// State is what stands at the right of the line; may be nil.
	State func() string
	// Recalled are lines that were typed before; may be nil.
	Recalled *Recalled
	// Scroll scrolls the page by so many screens; may be nil.
	Scroll func(screens int)

	told  string // what was typed when Changed was called last
	err   string // what is wrong with what is typed
	back  int    // how far back in Recalled the line is
	draft string // what was typed before going back
}

// NewLine asks for the fields one after the other.
func NewLine(h Head, all ...Field) *Line {
	l := &Line{fields: newFields(h, all)}
	l.open(0)
	l.told = l.line.String()
	return l
}

// Again has l ask once more with another title, for that field; -1 stays where it is.
func (l *Line) Again(field int, title string) {
	l.Title = title
	l.refused(field)
}

// Fail says what is wrong with what is typed, "" for nothing.
func (l *Line) Fail(text string) { l.err = clean.Short(text) }

// Failed reports whether something is wrong with what is typed.
func (l *Line) Failed() bool { return l.err != "" }

// Close ends it, and nothing follows.
func (l *Line) Close() { l.end(nil) }

// EraseLast takes the character that was typed last away. Changed is not called.
func (l *Line) EraseLast() {
	l.line.EraseLeft()
	l.told = l.line.String()
}

// In implements [Asking].
func (l *Line) In() string {
	if l.over != nil {
		return l.over.In()
	}
	return "prompt"
}

// Key implements [Asking].
func (l *Line) Key(action string, s *Screen) tea.Cmd {
	if cmd, passed := l.overKey(action, s); passed {
		return tea.Batch(cmd, l.tell()) // a file may have been chosen
	}
	switch action {
	case "done":
		l.enter()
	case "next field":
		if l.all[l.at].Input == protocols.InputFile {
			return l.chooseFile(l.line.String(), s, nil)
		}
		l.turnTo(l.at + 1)
	case "previous field":
		l.turnTo(l.at - 1)
	case "down":
		l.step(1)
	case "up":
		l.step(-1)
	case "page down":
		l.scroll(1)
	case "page up":
		l.scroll(-1)
	case "cancel":
		l.leave()
	default:
		editLine(&l.line, action)
	}
	return l.tell()
}

// Insert implements [Asking].
func (l *Line) Insert(text string, s *Screen) tea.Cmd {
	if l.over != nil {
		return l.over.Insert(text, s)
	}
	l.line.Insert(text)
	return l.tell()
}

// tell calls Changed when something else is typed.
func (l *Line) tell() tea.Cmd {
	if l.done || l.Changed == nil || l.line.String() == l.told {
		return nil
	}
	l.told = l.line.String()
	cmd, err := l.Changed(l.told)
	l.err = ""
	if err != nil {
		l.Fail(err.Error())
	}
	return cmd
}

// enter goes to the next field, or ends it, one that is filled in at once.
func (l *Line) enter() {
	if l.Short {
		l.keepTyped()
	} else if l.turnTo(l.at + 1) {
		return
	}
	l.finish()
}

// turnTo keeps what was typed and goes to field i, if there is one.
func (l *Line) turnTo(i int) bool {
	l.keepTyped()
	if i < 0 || i >= len(l.all) {
		return false
	}
	l.open(i)
	return true
}

// step goes to the next field, or to what was typed after what the line has; to the one
// before, when n is negative.
func (l *Line) step(n int) {
	if l.Recalled == nil {
		l.turnTo(l.at + n)
		return
	}
	if l.back == 0 {
		l.draft = l.line.String()
	}
	if typed, ok := l.Recalled.At(l.back - n); ok {
		l.back -= n
		l.line.Set(typed)
	} else if l.back-n == 0 {
		l.back = 0
		l.line.Set(l.draft)
	}
}

func (l *Line) scroll(screens int) {
	if l.Scroll != nil {
		l.Scroll(screens)
	}
}

// Draw implements [Asking].
func (l *Line) Draw(s *Screen) Drawing {
	if l.over != nil {
		return l.over.Draw(s)
	}
	d := Drawing{Rule: l.rule(s), Status: l.status(s)}
	words := l.Said
	if said := l.all[l.at].Said; said != "" {
		words = said
	}
	if s.Height < 2 {
		return d
	}
	for _, row := range s.quote(l.Server, words, s.Width-2*cell.Margin(s.Width), min(s.Rows/2, maxSaidRows)) {
		d.Last = append(d.Last, func(w *cell.RowWriter) {
			w.To(cell.Margin(w.Width))
			w.Put("", row)
		})
	}
	return d
}

// rule draws what is asked in the rule above the line. The server that asks is never
// cut off at its end.
func (l *Line) rule(s *Screen) func(w *cell.RowWriter) {
	return func(w *cell.RowWriter) {
		w.Put(s.Styles.Dim, s.Glyphs.Rule)
		server, title := "", " "+l.Title+" "
		if l.NamesServer {
			server = " " + s.Glyphs.Host(l.Server, w.Width-w.Col-len(" : "))
			title = ":" + title
		}
		w.Put(s.Styles.Bold, server)
		text, taken := s.Cells.FitNames(title, w.Width-w.Col, s.Glyphs.Cut)
		w.Raw(s.Styles.Bold, text, taken)
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, max(0, w.Width-w.Col)))
	}
}

// status draws the label of a field and what is typed; it returns the column of the
// cursor.
func (l *Line) status(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		c := s.Cells
		w.To(cell.Margin(w.Width))
		label, taken := c.Fit(l.Label(), w.Width/2, s.Glyphs.Cut)
		if l.NamesServer && !s.Ruled { // there is no rule that names it
			const at = " at "
			if room := w.Width - w.Col - taken - len(at+": ") - 2; room >= cell.LeastWord {
				label += at + s.Glyphs.Host(l.Server, room)
				taken = c.Width(label)
			}
		}
		w.Raw(s.Styles.Accent, label, taken)
		w.Put(s.Styles.Accent, ": ")
		room := w.Width - w.Col
		state := ""
		switch {
		case l.err != "":
			state = l.err
		case l.State != nil:
			state = l.State()
		case len(l.all) > 1 && room > 24:
			state = fmt.Sprintf("%d of %d", l.at+1, len(l.all))
		}
		state, taken = c.Shorten(clean.Short(state), room*2/3, s.Glyphs.Cut)
		text, at := l.line.Shown(c, room-taken-2)
		col := w.Col + at
		w.Put("", text)
		if state != "" {
			w.To(w.Width - taken - 1)
			st := s.Styles.Dim
			if l.err != "" {
				st = s.Styles.Bold
			}
			w.Raw(st, state, taken)
		}
		return min(col, w.Width-1)
	}
}
