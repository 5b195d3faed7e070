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

// Places finds and opens URLs for a [Bar]. Complete and Recent are called outside of the
// event loop, and may be nil.
type Places struct {
	Context context.Context // parent of the contexts of Complete and Recent
	// Guess returns the URL that the typed text means.
	Guess func(typed string) (urlcore.URL, error)
	// Open opens the URL of an entry.
	Open func(e Entry) tea.Cmd
	// Complete returns completions of the typed text, the best first. The parameter limit is their
	// largest number. The context ends when the result is no longer needed.
	Complete func(ctx context.Context, typed string, limit int) []Completion
	// Recent returns visited URLs, the latest first. The parameter limit is their largest number.
	Recent  func(ctx context.Context, limit int) []string
	History InputHistory // lines that were opened before
}

// Entry is the text of a [Bar] that the user opens.
type Entry struct {
	URL      urlcore.URL
	Text     string
	Others   []urlcore.URL // other readings of a pasted text
	IsTyped  bool          // the user has typed the whole text
	InNewTab bool
}

// Bar asks for a URL in the bar at the top, with completions below it.
type Bar struct {
	places Places
	line   edit.Line
	err    string // error of the text, or ""
	// isForeign is set if a part of the text was not typed: it was pasted, or is a URL of a page or of a
	// list.
	isForeign bool
	pasted    urlcore.Found // the URL of the last pasted text
	completer
	outcome
}

// NewBar returns a bar with the text s.
func NewBar(p Places, s string) *Bar {
	b := &Bar{places: p, isForeign: s != ""}
	b.line.Set(s)
	return b
}

// Propose makes the text a proposal, which the first typed character replaces. It returns the command
// that loads the recent URLs.
func (b *Bar) Propose(s *Screen) tea.Cmd {
	b.line.Propose(b.line.String())
	return b.loadRecent(s)
}

// Typed returns the text of the bar.
func (b *Bar) Typed() string { return b.line.String() }

// HasError reports whether the bar shows an error of its text.
func (b *Bar) HasError() bool { return b.err != "" }

func (b *Bar) KeyContext() string { return "bar" }

func (b *Bar) Subject() urlcore.URL { return nil }

func (b *Bar) Key(action string, s *Screen) tea.Cmd {
	switch action {
	case "go":
		b.openTyped(false)
	case "go in a tab":
		b.openTyped(true)
	case "next":
		b.step(1, s)
	case "previous":
		b.step(-1, s)
	case "select":
		b.err = ""
		b.line.Propose(b.line.String())
	case "cancel":
		b.hideCompletions()
		b.end(nil)
	default:
		if old := b.line.Changes(); b.line.Run(action) {
			if b.err = ""; b.line.Changes() != old {
				return b.complete(s)
			}
		}
	}
	return nil
}

func (b *Bar) Insert(text string, s *Screen) tea.Cmd {
	b.err = ""
	if b.line.Selected || b.line.IsEmpty() {
		b.isForeign = false
	}
	b.line.Insert(text)
	return b.complete(s)
}

// Paste inserts a pasted text. A URL that is broken over lines becomes one line.
func (b *Bar) Paste(text string, s *Screen) tea.Cmd {
	if text = strings.TrimSpace(text); strings.ContainsAny(text, "\r\n") {
		var clean edit.Line // without control characters
		clean.Multiline = true
		clean.Insert(strings.ReplaceAll(text, "\r\n", "\n"))
		text = strings.TrimSpace(clean.String())
		if f, err := urlcore.GuessFound(text); err == nil && (b.line.Selected || b.line.IsEmpty()) {
			return b.PasteFound(f, s)
		}
		text = joinLines(text)
	}
	cmd := b.Insert(text, s)
	b.isForeign = true
	return cmd
}

// PasteFound inserts a URL that was found in a pasted text.
func (b *Bar) PasteFound(f urlcore.Found, s *Screen) tea.Cmd {
	text := f.URL.String()
	if f.HasFragment {
		text += "#" + f.Fragment
	}
	b.pasted = f
	cmd := b.Insert(text, s)
	b.isForeign = true
	return cmd
}

// joinLines returns text without its line ends and the blanks around them.
func joinLines(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// openTyped ends the bar with the typed URL, or shows the error of the text.
func (b *Bar) openTyped(inNewTab bool) {
	typed := strings.TrimSpace(b.line.String())
	if typed == "" {
		b.end(nil)
		return
	}
	b.line.Set(typed)
	u, err := b.places.Guess(typed)
	b.hideCompletions()
	if err == nil {
		e := Entry{URL: u, Text: typed, IsTyped: !b.isForeign, InNewTab: inNewTab}
		if u == b.pasted.URL {
			e.Others = b.pasted.Alternatives
		}
		b.end(func() tea.Cmd { return b.places.Open(e) })
		return
	}
	b.err = err.Error()
	if bad, ok := errors.AsType[*urlcore.Error](err); ok {
		offset := bad.Offset
		if strings.HasSuffix(bad.Input, typed) {
			offset -= len(bad.Input) - len(typed) // without the text that Guess put before the typed text
		}
		b.line.Cursor = runeIndex(typed, max(0, offset))
	}
}

// runeIndex returns the index of the first character of s that begins at or after octet i.
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

// Draw lays the bar out. If the screen is too small for a bar, the text is in the status line.
func (b *Bar) Draw(s *Screen) Drawing {
	var d Drawing
	if s.Height < minBarHeight {
		d.Status = b.drawText(s)
		return d
	}
	d.Bar = b.drawText(s)
	if b.err != "" {
		b.drawError(s, &d)
		return d
	}
	if n := b.shownRows(s); n > 0 {
		_, d.Selects = b.list.Selected()
		for y := range n {
			d.First = append(d.First, func(w *cell.RowWriter) { b.list.drawRow(w, y, n, s.Styles, s.Glyphs) })
		}
		d.First = append(d.First, func(w *cell.RowWriter) { w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, w.Width)) })
	}
	return d
}

// maxURL is the largest number of characters of a text that is colored and completed as a URL. Both read
// the whole text at each key.
const maxURL = 2 << 10

// minBarHeight is the least height of a screen with a row for the URL.
const minBarHeight = 3

// drawText returns a function that draws the text and returns the column of the cursor.
func (b *Bar) drawText(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		w.PadTo(cell.Margin(w.Width))
		text, at := b.line.VisibleText(s.Cells, w.Width-w.Col)
		col := w.Col + at
		under := cell.Style("")
		if b.line.Selected {
			under = s.Styles.Selected
		}
		if b.line.Len() > maxURL {
			w.Put(under, text)
		} else {
			left, _ := b.line.ScrollOffset(s.Cells, w.Width-w.Col)
			w.PutSpans(s.Styles.Spans(b.line.String()), left, under)
		}
		return min(col, w.Width-1)
	}
}

// drawError makes d draw a caret in the horizontal rule below the bar, under the wrong character, and the
// error beside the caret. If there is no room beside it, the error is in the rows below. On a screen
// without horizontal rules the error is in the status line.
func (b *Bar) drawError(s *Screen, d *Drawing) {
	c, text := s.Cells, clean.Short(b.err)
	if !s.Ruled {
		d.Status = func(w *cell.RowWriter) int {
			w.Put(s.Styles.Bold, text)
			return -1
		}
		return
	}
	_, at := b.line.VisibleText(c, s.Width-cell.Margin(s.Width))
	x, n := min(cell.Margin(s.Width)+at, s.Width-1), c.Width(text)
	d.BarRule = func(w *cell.RowWriter) {
		switch {
		case x+2+n <= w.Width:
			w.PadTo(x)
			w.Put(s.Styles.Accent, s.Glyphs.Caret+" ")
			w.Put(s.Styles.Bold, text)
		case n+1 <= x:
			w.PadTo(x - n - 1)
			w.Put(s.Styles.Bold, text+" "+s.Glyphs.Caret)
		default:
			w.PadTo(x)
			w.Put(s.Styles.Accent, s.Glyphs.Caret)
		}
	}
	if x+2+n <= s.Width || n+1 <= x {
		return
	}
	for _, row := range c.Lines(text, s.Width-2*cell.Margin(s.Width)) {
		d.First = append(d.First, func(w *cell.RowWriter) {
			w.PadTo(cell.Margin(w.Width))
			w.Put(s.Styles.Bold, row)
		})
	}
}
