package ask

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/ui/cell"
	"gofer/ui/edit"
	"gofer/ui/match"
	"gofer/urlcore"
)

// Completion completes a typed text.
type Completion struct {
	Text  string // replaces the typed text
	Label string // is listed in place of Text, unless it is ""
	Title string // the title of a page or a description, or ""
}

// CompleteFunc returns completions of the typed text, the best first. It is called outside of the event
// loop. The context ends when the result is no longer needed.
type CompleteFunc func(ctx context.Context, typed string) []Completion

// maxMatches bounds the completions of [Matches].
const maxMatches = 100

// Matches returns those of the texts in all that match the typed words, the best first. It returns none
// if one of them is what was typed.
func Matches(all []string, typed string) (offers []Completion) {
	classes := make(map[string]match.Class)
	for _, text := range all {
		classes[text] = match.Classify(text, typed)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return classes[s] == match.None })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(classes[a], classes[b]) })
	if len(all) > 0 && classes[all[0]] == match.Exact {
		return nil
	}
	for _, text := range all[:min(len(all), maxMatches)] {
		offers = append(offers, Completion{Text: text, Label: text})
	}
	return offers
}

// completer lists completions of a text.
type completer struct {
	offers []Completion
	list   *List  // list of the offers, or nil; the selected offer is in the text
	typed  string // text that was typed before an offer was selected
	// query is the context of the running query, or nil; cancel ends it.
	query  context.Context
	cancel context.CancelFunc
	stale  bool // the text has changed since the query began
}

// completed is a prompt with a text that a completer completes.
type completed interface {
	// completedText returns the text. setCompletedText replaces it.
	completedText() string
	setCompletedText(s string)
	// source returns the function that completes the text, or nil.
	source() CompleteFunc
}

// maxCompletions bounds the completions that are offered in the URL bar.
const maxCompletions = 8

// startQuery returns the context of a new query, and the function that ends the context. The answer of
// the earlier query will be dropped.
func (c *completer) startQuery(s *Screen) (context.Context, context.CancelFunc) {
	c.stale = false
	c.query, c.cancel = context.WithCancel(s.Context)
	return c.query, c.cancel
}

// complete returns the command that looks for completions of the text of p. The old completions stay on
// the screen until the command has ended. While a query runs, complete only cancels it: its end completes
// the text of that time, so that any number of keys causes one query. If the text cannot be completed,
// complete removes the completions and returns nil.
func (c *completer) complete(p completed, s *Screen) tea.Cmd {
	find := p.source()
	if find == nil {
		c.hideCompletions()
		return nil
	}
	if c.list != nil {
		c.list.index = -1
	}
	if c.query != nil {
		c.cancel()
		c.stale = true
		return nil
	}
	typed := p.completedText()
	ctx, cancel := c.startQuery(s)
	return s.RunInBackground(func() func() tea.Cmd {
		defer cancel()
		offers := find(ctx, typed)
		return func() tea.Cmd {
			if ctx != c.query {
				return nil
			}
			if c.query = nil; c.stale {
				return c.complete(p, s)
			}
			c.showCompletions(offers, s)
			return nil
		}
	})
}

// showCompletions shows a list of completions. None of them is selected.
func (c *completer) showCompletions(all []Completion, s *Screen) {
	c.offers, c.list = all, NewList(nil, true, 0)
	for _, o := range all {
		row := Choice{Text: clean.Short(o.Text), Key: clean.Short(o.Title)}
		if o.Label != "" {
			row.Text, row.About, row.Key = clean.Short(o.Label), row.Key, ""
		} else if u, err := urlcore.Parse(o.Text); err == nil && u.String() == o.Text { // words may parse as a URL too
			row.Spans = func(width int) []cell.Span { return s.Styles.URL(u, width, s.Glyphs) }
		}
		c.list.Add(row)
	}
	c.list.Narrow("")
	c.list.index = -1
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

// closeCompletions removes the list of completions if it is on the screen, and reports whether it was.
func (c *completer) closeCompletions(s *Screen) bool {
	if c.shownCompletions(s) == 0 {
		return false
	}
	c.hideCompletions()
	return true
}

// shownCompletions returns the number of completions on the screen. They have at most half of the rows.
func (c *completer) shownCompletions(s *Screen) int {
	if c.list == nil {
		return 0
	}
	return min(len(c.list.visible), s.Rows/2)
}

// drawCompletions returns the functions that draw the list, and sets d.Selects.
func (c *completer) drawCompletions(s *Screen, d *Drawing) []func(w *cell.RowWriter) {
	n := c.shownCompletions(s)
	if n == 0 {
		return nil
	}
	_, d.Selects = c.list.Selected()
	return c.list.draw(s, n)
}

// stepCompletion makes the next completion the text of p, or the previous one if n is -1. If the text is
// still being completed, the returned command first waits for its completions, and so do the following
// keys. If there are no completions, the function otherwise is called.
func (c *completer) stepCompletion(p completed, n int, s *Screen, otherwise func() tea.Cmd) tea.Cmd {
	if c.list != nil && c.query == nil {
		return c.takeCompletion(p, n, s, otherwise)
	}
	c.cancelQuery()
	find, typed := p.source(), p.completedText()
	if find == nil {
		return otherwise()
	}
	ctx := s.Context
	return s.AskInBackground(func() func() tea.Cmd {
		offers := find(ctx, typed)
		return func() tea.Cmd {
			if p.source() == nil || p.completedText() != typed {
				return nil
			}
			c.cancelQuery()
			c.showCompletions(offers, s)
			return c.takeCompletion(p, n, s, otherwise)
		}
	})
}

// takeCompletion selects a completion as [completer.stepCompletion] does. If the only one is selected, the
// function otherwise is called. If the only one is a folder, its contents are completed next.
func (c *completer) takeCompletion(p completed, n int, s *Screen, otherwise func() tea.Cmd) tea.Cmd {
	if len(c.offers) == 0 || len(c.offers) == 1 && c.list.index == 0 && n > 0 {
		return otherwise()
	}
	if c.selectCompletion(p, n); len(c.offers) == 1 && strings.HasSuffix(c.offers[0].Label, string(filepath.Separator)) {
		return c.complete(p, s)
	}
	return nil
}

// selectCompletion moves the selection by n and makes the selected completion the text of p. The typed
// text is the choice before the first completion.
func (c *completer) selectCompletion(p completed, n int) {
	c.cancelQuery()
	l := c.list
	if l.index < 0 {
		c.typed = p.completedText()
	}
	switch {
	case n == -1 && l.index == 0:
		l.index = -1
		p.setCompletedText(c.typed)
		return
	case n == -1 && l.index < 0:
		n = len(l.visible)
	}
	l.move(n)
	if i, ok := l.Selected(); ok {
		p.setCompletedText(c.offers[i].Text)
	}
}

// completedLine is the text of a line whose completions may have characters that a line cannot have, such
// as the control characters in the name of a file. The line shows a clean text.
type completedLine struct {
	shown, exact string // the latest completion as the line shows it, and as it is
}

// set makes s the text of the line e.
func (c *completedLine) set(e *edit.Line, s string) {
	e.Set(clean.Line(s))
	c.shown, c.exact = e.String(), s
}

// text returns the exact text of the line e, which the user may have continued.
func (c *completedLine) text(e *edit.Line) string {
	s := e.String()
	if n := len(c.shown); n > 0 && len(s) >= n && s[:n] == c.shown {
		return c.exact + s[n:]
	}
	*c = completedLine{}
	return s
}
