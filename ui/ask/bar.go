package ask

import (
	"context"
	"errors"
	"slices"
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

	changed   bool     // the text has been edited since the bar was opened
	history   []string // the first text of the bar, then opened lines and visited URLs, the latest first
	historyAt int      // index in history of the line in the bar
	outcome
}

// maxRecent bounds the visited URLs in Bar.history.
const maxRecent = 100

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
	if action == "erase" && b.line.IsEmpty() {
		b.hideCompletions()
		action = "cancel"
	}
	switch action {
	case "go":
		b.openTyped(false)
	case "go in a tab":
		b.openTyped(true)
	case "next":
		return b.step(1, s)
	case "previous":
		return b.step(-1, s)
	case "select":
		b.err = ""
		b.line.Propose(b.line.String())
	case "cancel":
		if !b.closeCompletions(s) {
			b.hideCompletions() // also those that are still looked for
			b.end(nil)
		}
	default:
		if old := b.line.Changes(); b.line.Run(action) {
			if b.err = ""; b.line.Changes() != old {
				return b.completeTyped(s)
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
	return b.completeTyped(s)
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
	if err == nil {
		b.hideCompletions()
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
	}
	if rows := b.drawCompletions(s, &d); len(rows) > 0 {
		d.First = append(d.First, rows...)
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

// loadRecent returns the command that loads the recent URLs.
func (b *Bar) loadRecent(s *Screen) tea.Cmd {
	b.history = append([]string{b.line.String()}, b.places.History...)
	if b.places.Recent == nil {
		return nil
	}
	ctx, cancel := b.startQuery(s)
	return s.RunInBackground(func() func() tea.Cmd {
		defer cancel()
		urls := b.places.Recent(ctx, maxRecent)
		return func() tea.Cmd {
			return b.addRecent(ctx, urls, s)
		}
	})
}

// addRecent appends visited URLs, the latest first, to the lines that the user opened earlier. It drops
// the URLs if the user has edited the text, or if query is not the running query.
func (b *Bar) addRecent(query context.Context, urls []string, s *Screen) tea.Cmd {
	if query != b.query {
		return nil
	}
	if b.query = nil; b.changed {
		return b.completeTyped(s)
	}
	for _, u := range urls {
		if !slices.Contains(b.history[1:], u) {
			b.history = append(b.history, u)
		}
	}
	if b.historyAt > 0 { // Up was pressed before the URLs were read
		b.recallLine(min(b.historyAt, len(b.history)-1))
	}
	return nil
}

// completeTyped completes the edited text.
func (b *Bar) completeTyped(s *Screen) tea.Cmd {
	b.changed = true
	return b.complete(b, s)
}

// completedText, setCompletedText and source implement the interface completed.
func (b *Bar) completedText() string { return b.line.String() }

func (b *Bar) setCompletedText(s string) {
	b.line.Set(s)
	b.err, b.isForeign = "", true
}

// source returns nil if the text is blank or longer than a URL.
func (b *Bar) source() CompleteFunc {
	if b.places.Complete == nil || b.line.Len() > maxURL || strings.TrimSpace(b.line.String()) == "" {
		return nil
	}
	return func(ctx context.Context, typed string) []Completion {
		offers := b.places.Complete(ctx, typed, maxCompletions)
		return offers[:min(len(offers), maxCompletions)]
	}
}

// CoveredRows returns the number of rows of the page that the list and the horizontal rule below it cover.
func (b *Bar) CoveredRows(s *Screen) int {
	if s.Height < minBarHeight {
		return 0
	}
	return len(b.Draw(s).First)
}

// step puts the next completion into the bar, or the previous one if n is -1. If the text has not been
// edited, step puts a newer line of the history into the bar, or an older line if n is -1.
func (b *Bar) step(n int, s *Screen) tea.Cmd {
	if b.changed && s.Height >= minBarHeight {
		return b.stepCompletion(b, n, s, func() tea.Cmd { return nil })
	}
	if !b.changed {
		b.recallLine(b.historyAt - n)
	}
	return nil
}

// Click puts the completion in row y of the page into the bar. It returns false if there is no
// completion in this row.
func (b *Bar) Click(y int, s *Screen) bool {
	n := b.shownCompletions(s)
	if y -= b.CoveredRows(s) - n - 1; n == 0 || y < 0 || y >= n {
		return false
	}
	b.selectCompletion(b, b.list.top+y-b.list.index)
	return true
}

// recallLine puts line i of history into the bar, if there is one.
func (b *Bar) recallLine(i int) {
	switch {
	case i >= 0 && i < len(b.history):
		b.historyAt, b.err, b.isForeign = i, "", true
		b.line.Propose(b.history[i])
	case b.query != nil && b.historyAt == len(b.history)-1 && i > b.historyAt:
		b.historyAt = i // addRecent later puts this line into the bar
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
