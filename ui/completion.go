package ui

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
	rows  []Completion
	list  *list  // of the rows; the selected one is in the line. nil: no rows
	typed string // what the rows complete
	query *query // the latest question, or nil

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

// beginTyping makes ready what the bar offers, off the event loop.
func (m *Model) beginTyping() tea.Cmd {
	c := &m.bar.completer
	c.first, c.past = m.bar.line.String(), slices.Clone(m.barLines)
	if m.opts.Recent == nil {
		return nil
	}
	ctx, q := m.newQuery()
	recent := m.opts.Recent
	return async(func() resultFunc {
		defer q.cancel()
		urls := recent(ctx, maxRecent)
		return func() tea.Cmd {
			m.addRecent(q, urls)
			return nil
		}
	})
}

// newQuery makes a question the latest, and returns its context.
func (m *Model) newQuery() (context.Context, *query) {
	ctx, cancel := context.WithCancel(m.ctx)
	m.bar.query = &query{cancel}
	return ctx, m.bar.query
}

// addRecent adds URLs that were visited, the latest first, to the lines opened before.
func (m *Model) addRecent(q *query, urls []string) {
	c := &m.bar.completer
	if q != c.query || c.changed {
		return
	}
	c.query = nil
	for _, u := range urls {
		if !slices.Contains(c.past, u) {
			c.past = append(c.past, u)
		}
	}
	if c.pastAt > 0 { // Up was pressed before they were known
		m.toPast(min(c.pastAt, len(c.past)))
	}
}

// complete asks for completions of what has been typed. Those of before stay
// until the answer comes.
func (m *Model) complete() tea.Cmd {
	c := &m.bar.completer
	c.stop()
	c.changed = true
	typed := m.bar.line.String()
	c.typed = typed
	if m.opts.Complete == nil || strings.TrimSpace(typed) == "" {
		c.close()
		return nil
	}
	if c.list != nil {
		c.list.at = -1
	}
	ctx, q := m.newQuery()
	complete := m.opts.Complete
	return async(func() resultFunc {
		defer q.cancel()
		rows := complete(ctx, typed, maxCompletions)
		return func() tea.Cmd {
			if q == m.bar.query && m.bar.editing {
				m.offerRows(rows[:min(len(rows), maxCompletions)])
			}
			return nil
		}
	})
}

// offerRows makes a list of rows, of which none is selected.
func (m *Model) offerRows(rows []Completion) {
	c := &m.bar.completer
	c.rows, c.list = rows, newList(nil, true, 0)
	for _, row := range rows {
		offer := choice{text: clean.Short(row.Text), key: clean.Short(row.Title)}
		if u, err := urlcore.Parse(row.Text); err == nil {
			offer.spans = func(width int) []cell.Span { return m.styles.URL(u, width, &m.glyphs) }
		}
		c.list.add(offer)
	}
	c.list.narrow("")
	c.list.at = -1
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
	c.rows, c.list = nil, nil
}

// shownCompletions is how many rows of the list there is room for on the page.
func (m *Model) shownCompletions() int {
	if !m.bar.editing || m.bar.err != "" || m.regions().bar < 0 {
		return 0
	}
	return min(len(m.bar.rows), m.regions().rows/2)
}

// nextCompletion takes the next row into the line, or the next newer line.
func (m *Model) nextCompletion() tea.Cmd {
	if m.shownCompletions() > 0 {
		m.take(1)
	} else if !m.bar.changed && m.bar.pastAt > 0 {
		m.toPast(m.bar.pastAt - 1)
	}
	return nil
}

// previousCompletion takes the row before into the line, above the first what was
// typed, or an older line as long as nothing was typed.
func (m *Model) previousCompletion() tea.Cmd {
	if m.shownCompletions() > 0 {
		m.take(-1)
	} else if !m.bar.changed {
		m.toPast(m.bar.pastAt + 1)
	}
	return nil
}

// untake puts what was typed back into the line, if a row is in it.
func (m *Model) untake() {
	if m.bar.list.at >= 0 {
		m.bar.list.at = -1
		m.bar.line.Set(m.bar.typed)
	}
}

// take moves in the list and takes the row there into the line; above the first
// one it is what was typed.
func (m *Model) take(n int) {
	m.bar.stop()
	l := m.bar.list
	switch {
	case n == -1 && l.at == 0:
		m.untake()
		return
	case n == -1 && l.at < 0:
		n = len(l.shown)
	}
	l.move(n)
	if i, ok := l.selected(); ok {
		m.bar.line.Set(m.bar.rows[i].Text)
	}
}

// toPast puts a line opened before into the bar.
func (m *Model) toPast(i int) {
	c := &m.bar.completer
	if i > len(c.past) {
		if c.query != nil && c.pastAt == len(c.past) {
			c.pastAt = i // until they are known
		}
		return
	}
	c.pastAt = i
	m.bar.err = ""
	if i == 0 {
		m.bar.line.Propose(c.first)
		return
	}
	m.bar.line.Propose(c.past[i-1])
}

// remember keeps what was typed for u, without a password.
func (m *Model) remember(typed string, u urlcore.URL) {
	if m.private {
		return
	}
	if plain := urlcore.Redact(u); plain != u {
		typed = plain.String()
	}
	m.barLines.add(typed)
}

// completionRow draws row i of the list; the one after the last is a rule.
func (m *Model) completionRow(w *cell.RowWriter, i int) {
	n := m.shownCompletions()
	if i == n {
		w.Put(m.styles.Dim, strings.Repeat(m.glyphs.Rule, w.Width))
		return
	}
	m.bar.list.row(w, i, n, &m.styles, &m.glyphs)
}
