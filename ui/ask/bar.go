package ask

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
	"gofer/ui/edit"
	"gofer/urlcore"
)

// Places are the URLs that a [Bar] opens and completes.
type Places struct {
	Context context.Context // of Complete and Recent
	// Guess is the URL that is meant by what is typed.
	Guess func(typed string) (urlcore.URL, error)
	// Open opens a URL in the tab on the screen, or in a new one.
	Open func(u urlcore.URL, typed string, inTab bool) tea.Cmd
	// Complete returns at most limit lines that may be meant by typed, the best first;
	// may be nil. It is called off the event loop; its context ends when the answer is
	// of no use any more.
	Complete func(ctx context.Context, typed string, limit int) []Completion
	// Recent returns at most limit URLs that were visited, the latest first; may be nil.
	Recent func(ctx context.Context, limit int) []string
	Past   Recalled // lines that were opened before
}

// Bar asks for a URL in the bar at the top, with completions below it.
type Bar struct {
	places Places
	line   edit.Line
	err    string // why what was typed is no URL; the cursor is at the place
	completer
	ending
}

// NewBar asks for a URL, of which s has been typed.
func NewBar(p Places, s string) *Bar {
	b := &Bar{places: p}
	b.line.Set(s)
	return b
}

// Propose makes what is typed a proposal, which the first character that is typed takes
// the place of. The command makes ready what is offered.
func (b *Bar) Propose(s *Screen) tea.Cmd {
	b.line.Propose(b.line.String())
	return b.begin(s)
}

// Typed is what is typed.
func (b *Bar) Typed() string { return b.line.String() }

// Failed reports whether it says why what was typed is no URL.
func (b *Bar) Failed() bool { return b.err != "" }

// In implements [Asking].
func (b *Bar) In() string { return "bar" }

// About implements [Asking].
func (b *Bar) About() urlcore.URL { return nil }

// Key implements [Asking].
func (b *Bar) Key(action string, s *Screen) tea.Cmd {
	switch action {
	case "go":
		b.open(false)
	case "go in a tab":
		b.open(true)
	case "next":
		b.nextCompletion(s)
	case "previous":
		b.previousCompletion(s)
	case "select":
		b.err = ""
		b.line.Propose(b.line.String())
	case "cancel":
		if b.shown(s) > 0 {
			b.untake()
			b.close()
			return nil
		}
		b.end(nil)
	default:
		before := b.line.String()
		if !editLine(&b.line, action) {
			return nil
		}
		if b.err = ""; b.line.String() != before {
			return b.complete(s)
		}
	}
	return nil
}

// Insert implements [Asking].
func (b *Bar) Insert(text string, s *Screen) tea.Cmd {
	b.err = ""
	b.line.Insert(text)
	return b.complete(s)
}

// open ends it with the URL that is typed, or says where that goes wrong.
func (b *Bar) open(inTab bool) {
	typed := strings.TrimSpace(b.line.String())
	if typed == "" {
		b.end(nil)
		return
	}
	b.line.Set(typed)
	u, err := b.places.Guess(typed)
	b.close()
	if err != nil {
		b.Fail(err)
		return
	}
	b.end(func() tea.Cmd { return b.places.Open(u, typed, inTab) })
}

// Fail says why what is typed is no URL, and puts the cursor where it goes wrong.
func (b *Bar) Fail(err error) {
	b.err = err.Error()
	var bad *urlcore.Error
	if errors.As(err, &bad) {
		typed := b.line.String()
		offset := bad.Offset
		if strings.HasSuffix(bad.Input, typed) {
			offset -= len(bad.Input) - len(typed) // what was guessed before it
		}
		b.line.At = runeIndex(typed, max(0, offset))
	}
}

// runeIndex is the index of the character that holds octet i of s.
func runeIndex(s string, i int) int {
	n := 0
	for at := range s {
		if at >= i {
			return n
		}
		n++
	}
	return n
}

// Draw implements [Asking]. Where the screen has no bar, the URL is in the status line.
func (b *Bar) Draw(s *Screen) Drawing {
	var d Drawing
	if s.Height < barHeight {
		d.Status = b.edited(s)
		return d
	}
	d.Bar = b.edited(s)
	if b.err != "" {
		b.drawError(s, &d)
		return d
	}
	if n := b.shown(s); n > 0 {
		for y := range n {
			d.First = append(d.First, func(w *cell.RowWriter) { b.list.row(w, y, n, s.Styles, s.Glyphs) })
		}
		d.First = append(d.First, func(w *cell.RowWriter) { w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, w.Width)) })
	}
	return d
}

// barHeight is the height from which on the screen has a row for the URL.
const barHeight = 3

// edited draws the URL being typed and returns the column of the cursor.
func (b *Bar) edited(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		w.To(cell.Margin(w.Width))
		left, at := b.line.Scrolled(s.Cells, w.Width-w.Col)
		col := w.Col + at
		under := cell.Style("")
		if b.line.All {
			under = s.Styles.Selected
		}
		w.Spans(s.Styles.Spans(b.line.String()), left, under)
		return min(col, w.Width-1)
	}
}

// drawError says why what was typed is no URL: in the rule below the bar, with a caret
// under the place, or where there is no room beside the caret in the rows below. Without
// rules it is in the status line.
func (b *Bar) drawError(s *Screen, d *Drawing) {
	c, text := s.Cells, clean.Short(b.err)
	if !s.Ruled {
		d.Status = func(w *cell.RowWriter) int {
			w.Put(s.Styles.Bold, text)
			return -1
		}
		return
	}
	_, at := b.line.Scrolled(c, s.Width-cell.Margin(s.Width))
	x, n := min(cell.Margin(s.Width)+at, s.Width-1), c.Width(text)
	d.BarRule = func(w *cell.RowWriter) {
		switch {
		case x+2+n <= w.Width:
			w.To(x)
			w.Put(s.Styles.Accent, s.Glyphs.Caret+" ")
			w.Put(s.Styles.Bold, text)
		case n+1 <= x:
			w.To(x - n - 1)
			w.Put(s.Styles.Bold, text+" "+s.Glyphs.Caret)
		default:
			w.To(x)
			w.Put(s.Styles.Accent, s.Glyphs.Caret)
		}
	}
	if x+2+n <= s.Width || n+1 <= x {
		return
	}
	for _, row := range c.Lines(text, s.Width-2*cell.Margin(s.Width)) {
		d.First = append(d.First, func(w *cell.RowWriter) {
			w.To(cell.Margin(w.Width))
			w.Put(s.Styles.Bold, row)
		})
	}
}
