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

// Completion is a line that may be meant by what is being typed in the URL bar.
type Completion struct {
	Text  string // takes the place of what was typed
	Title string // what it leads to, perhaps empty
}

// completer is what is offered below the URL bar, and what was typed in it
// before.
type completer struct {
	offers []Completion
	list   *List  // of the offers; the selected one is in the line. nil: no offers
	typed  string // what the offers complete
	query  *query // the latest question, or nil

	changed bool     // something was typed since the bar was opened
	past    []string // lines opened before, the latest first
	pastAt  int      // the one in the line, counted from 1; 0: that of the beginning
	first   string   // the line of the beginning
}

// maxCompletions is how many rows are offered at most.
const maxCompletions = 8

// maxRecent is how many URLs of the history follow the lines opened.
const maxRecent = 100

// query is a question that the list waits for.
type query struct {
	cancel context.CancelFunc
}

// begin makes ready what the bar offers, off the event loop.
func (b *Bar) begin(s *Screen) tea.Cmd {
	b.first, b.past = b.line.String(), slices.Clone(b.places.Past)
	if b.places.Recent == nil {
		return nil
	}
	ctx, q := b.newQuery()
	return s.Async(func() func() tea.Cmd {
		defer q.cancel()
		urls := b.places.Recent(ctx, maxRecent)
		return func() tea.Cmd {
			b.addRecent(q, urls)
			return nil
		}
	})
}

// newQuery makes a question the latest, and returns its context.
func (b *Bar) newQuery() (context.Context, *query) {
	ctx, cancel := context.WithCancel(b.places.Context)
	b.query = &query{cancel}
	return ctx, b.query
}

// addRecent adds URLs that were visited, the latest first, to the lines opened before.
func (b *Bar) addRecent(q *query, urls []string) {
	if q != b.query || b.changed {
		return
	}
	b.query = nil
	for _, u := range urls {
		if !slices.Contains(b.past, u) {
			b.past = append(b.past, u)
		}
	}
	if b.pastAt > 0 { // Up was pressed before they were known
		b.toPast(min(b.pastAt, len(b.past)))
	}
}

// complete asks for completions of what has been typed. Those of before stay
// until the answer comes.
func (b *Bar) complete(s *Screen) tea.Cmd {
	b.stop()
	b.changed = true
	typed := b.line.String()
	b.typed = typed
	if b.places.Complete == nil || strings.TrimSpace(typed) == "" {
		b.close()
		return nil
	}
	if b.list != nil {
		b.list.at = -1
	}
	ctx, q := b.newQuery()
	return s.Async(func() func() tea.Cmd {
		defer q.cancel()
		offers := b.places.Complete(ctx, typed, maxCompletions)
		return func() tea.Cmd {
			if q == b.query {
				b.offer(offers[:min(len(offers), maxCompletions)], s)
			}
			return nil
		}
	})
}

// offer makes a list of completions, of which none is selected.
func (b *Bar) offer(all []Completion, s *Screen) {
	b.offers, b.list = all, NewList(nil, true, 0)
	for _, c := range all {
		row := Choice{Text: clean.Short(c.Text), Key: clean.Short(c.Title)}
		if u, err := urlcore.Parse(c.Text); err == nil {
			row.Spans = func(width int) []cell.Span { return s.Styles.URL(u, width, s.Glyphs) }
		}
		b.list.Add(row)
	}
	b.list.Narrow("")
	b.list.at = -1
}

// stop ends the question under way; its answer is dropped.
func (c *completer) stop() {
	if c.query != nil {
		c.query.cancel()
		c.query = nil
	}
}

// close takes the list away.
func (c *completer) close() {
	c.stop()
	c.offers, c.list = nil, nil
}

// shown is how many rows of the list there is room for on the page.
func (b *Bar) shown(s *Screen) int {
	if b.err != "" || s.Height < barHeight {
		return 0
	}
	return min(len(b.offers), s.Rows/2)
}

// Covers is how many of the first rows of the page the list covers, with the rule below it.
func (b *Bar) Covers(s *Screen) int {
	n := b.shown(s)
	if n > 0 {
		n++
	}
	return n
}

// nextCompletion takes the next row into the line, or the next newer line.
func (b *Bar) nextCompletion(s *Screen) {
	if b.shown(s) > 0 {
		b.take(1)
	} else if !b.changed && b.pastAt > 0 {
		b.toPast(b.pastAt - 1)
	}
}

// previousCompletion takes the row before into the line, above the first what was
// typed, or an older line as long as nothing was typed.
func (b *Bar) previousCompletion(s *Screen) {
	if b.shown(s) > 0 {
		b.take(-1)
	} else if !b.changed {
		b.toPast(b.pastAt + 1)
	}
}

// Click takes the completion in row y of the page into the line; false if there is none.
func (b *Bar) Click(y int, s *Screen) bool {
	if y < 0 || y >= b.shown(s) {
		return false
	}
	b.take(b.list.top + y - b.list.at)
	return true
}

// untake puts what was typed back into the line, if a row is in it.
func (b *Bar) untake() {
	if b.list.at >= 0 {
		b.list.at = -1
		b.line.Set(b.typed)
	}
}

// take moves in the list and takes the row there into the line; above the first
// one it is what was typed.
func (b *Bar) take(n int) {
	b.stop()
	l := b.list
	switch {
	case n == -1 && l.at == 0:
		b.untake()
		return
	case n == -1 && l.at < 0:
		n = len(l.shown)
	}
	l.move(n)
	if i, ok := l.Selected(); ok {
		b.line.Set(b.offers[i].Text)
	}
}

// toPast puts a line opened before into the bar.
func (b *Bar) toPast(i int) {
	if i > len(b.past) {
		if b.query != nil && b.pastAt == len(b.past) {
			b.pastAt = i // until they are known
		}
		return
	}
	b.pastAt = i
	b.err = ""
	if i == 0 {
		b.line.Propose(b.first)
		return
	}
	b.line.Propose(b.past[i-1])
}
