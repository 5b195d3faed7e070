package ask

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Completion completes the text of the URL bar.
type Completion struct {
	Text  string // replaces the typed text
	Title string // title of the page, or ""
}

// completer has the completions below the URL bar, and the lines that the user opened earlier.
type completer struct {
	offers []Completion
	list   *List  // list of the offers, or nil; the selected offer is in the bar
	typed  string // text that was typed before an offer was selected
	// query is the context of the running call of Complete or Recent, or nil; cancel ends it.
	query  context.Context
	cancel context.CancelFunc
	stale  bool // the text has changed since the call of Complete began

	changed   bool     // the text has been edited since the bar was opened
	history   []string // the first text of the bar, then opened lines and visited URLs, the latest first
	historyAt int      // index in history of the line in the bar
}

// maxCompletions bounds the completions that are offered.
const maxCompletions = 8

// maxRecent bounds the visited URLs in completer.history.
const maxRecent = 100

// loadRecent returns the command that loads the recent URLs.
func (b *Bar) loadRecent(s *Screen) tea.Cmd {
	b.history = append([]string{b.line.String()}, b.places.History...)
	if b.places.Recent == nil {
		return nil
	}
	ctx, cancel := b.startQuery()
	return s.RunInBackground(func() func() tea.Cmd {
		defer cancel()
		urls := b.places.Recent(ctx, maxRecent)
		return func() tea.Cmd {
			return b.addRecent(ctx, urls, s)
		}
	})
}

// startQuery returns the context of a new query, and the function that ends the context. The answer of
// the earlier query will be dropped.
func (b *Bar) startQuery() (context.Context, context.CancelFunc) {
	b.stale = false
	b.query, b.cancel = context.WithCancel(b.places.Context)
	return b.query, b.cancel
}

// addRecent appends visited URLs, the latest first, to the lines that the user opened earlier. It drops
// the URLs if the user has edited the text, or if query is not the running query.
func (b *Bar) addRecent(query context.Context, urls []string, s *Screen) tea.Cmd {
	if query != b.query {
		return nil
	}
	if b.query = nil; b.changed {
		return b.complete(s)
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

// complete returns the command that looks for completions of the text. The old completions stay on the
// screen until the command has ended. While a query runs, complete only cancels it: its end completes the
// text of that time, so that any number of keys causes one query. If the text is blank or longer than a
// URL, complete removes the completions and returns nil.
func (b *Bar) complete(s *Screen) tea.Cmd {
	b.changed = true
	if b.places.Complete == nil || b.line.Len() > maxURL || strings.TrimSpace(b.line.String()) == "" {
		b.hideCompletions()
		return nil
	}
	if b.list != nil {
		b.list.index = -1
	}
	if b.query != nil {
		b.cancel()
		b.stale = true
		return nil
	}
	typed := b.line.String()
	ctx, cancel := b.startQuery()
	return s.RunInBackground(func() func() tea.Cmd {
		defer cancel()
		offers := b.places.Complete(ctx, typed, maxCompletions)
		return func() tea.Cmd {
			if ctx != b.query {
				return nil
			}
			if b.query = nil; b.stale {
				return b.complete(s)
			}
			b.showCompletions(offers[:min(len(offers), maxCompletions)], s)
			return nil
		}
	})
}

// showCompletions shows a list of completions. None of them is selected.
func (b *Bar) showCompletions(all []Completion, s *Screen) {
	b.offers, b.list = all, NewList(nil, true, 0)
	for _, c := range all {
		row := Choice{Text: clean.Short(c.Text), Key: clean.Short(c.Title)}
		if u, err := urlcore.Parse(c.Text); err == nil {
			row.Spans = func(width int) []cell.Span { return s.Styles.URL(u, width, s.Glyphs) }
		}
		b.list.Add(row)
	}
	b.list.Narrow("")
	b.list.index = -1
}

// cancelQuery cancels the running query. Its answer will be dropped.
func (c *completer) cancelQuery() {
	if c.query != nil {
		c.cancel()
		c.query = nil
	}
}

// hideCompletions removes the list of completions.
func (c *completer) hideCompletions() {
	c.cancelQuery()
	c.offers, c.list = nil, nil
}

// shownRows returns the number of completions on the screen. They have at most half of the rows.
func (b *Bar) shownRows(s *Screen) int {
	if b.err != "" || s.Height < minBarHeight {
		return 0
	}
	return min(len(b.offers), s.Rows/2)
}

// CoveredRows returns the number of rows of the page that the list and the horizontal rule below it cover.
func (b *Bar) CoveredRows(s *Screen) int {
	n := b.shownRows(s)
	if n > 0 {
		n++
	}
	return n
}

// step puts the next completion into the bar, or the previous one if n is -1. If there are no
// completions and the text has not been edited, step puts a newer line of the history into the bar,
// or an older line if n is -1.
func (b *Bar) step(n int, s *Screen) {
	if b.shownRows(s) > 0 {
		b.selectCompletion(n)
	} else if !b.changed {
		b.recallLine(b.historyAt - n)
	}
}

// Click puts the completion in row y of the page into the bar. It returns false if there is no
// completion in this row.
func (b *Bar) Click(y int, s *Screen) bool {
	if y < 0 || y >= b.shownRows(s) {
		return false
	}
	b.selectCompletion(b.list.top + y - b.list.index)
	return true
}

// selectCompletion moves the selection by n and puts the selected completion into the bar. The
// typed text is the choice before the first completion.
func (b *Bar) selectCompletion(n int) {
	b.cancelQuery()
	l := b.list
	if l.index < 0 {
		b.typed = b.line.String()
	}
	switch {
	case n == -1 && l.index == 0:
		l.index = -1
		b.line.Set(b.typed)
		return
	case n == -1 && l.index < 0:
		n = len(l.visible)
	}
	l.move(n)
	if i, ok := l.Selected(); ok {
		b.line.Set(b.offers[i].Text)
		b.isForeign = true
	}
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
