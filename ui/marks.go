package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
	"gofer/urlcore"
)

// Marks is what the history knows of links. Its methods may be called from any
// goroutine.
type Marks interface {
	// Visited tells which of the URLs, canonical and without passwords, have
	// been visited.
	Visited(ctx context.Context, urls []string) ([]bool, error)
	// NewLinks remembers the links of a page that was loaded whole, by their
	// [nav.Lines.LinkID], and returns those that were not there at the last
	// visit.
	NewLinks(ctx context.Context, u urlcore.URL, links []uint64) ([]uint64, error)
}

const (
	// maxCompared is how many links a page may have whose new ones are marked.
	maxCompared = 10_000
	// maxLookedUp and maxOpened bound what is remembered of the links that were
	// looked up, and of the URLs that were opened.
	maxLookedUp, maxOpened = 4096, 10_000
)

// lookup is which links near the screen have been looked up in the history.
type lookup struct {
	screen  screenLines  // the last time
	done    map[int]bool // by line
	running bool
}

// screenLines is what of a page is on the screen.
type screenLines struct {
	page        *nav.Page
	first, last int
	lines       int          // how many the page has
	shown       *nav.Matches // the only ones that are shown; nil: all
	matches     int          // how many these are
}

// forget lets all links be looked up anew.
func (l *lookup) forget() { *l = lookup{running: l.running} }

// markedMsg tells which links of a page have been visited.
type markedMsg struct {
	tab     *tab
	page    *nav.Page
	rows    []int
	urls    []string
	visited []bool // nil if nobody knows
	fresh   bool   // those that have not are new
}

// askVisited returns the command that asks which links have been visited.
func (m *Model) askVisited(msg markedMsg) tea.Cmd {
	ctx, marks := m.ctx, m.opts.Marks
	return func() tea.Msg {
		visited, err := marks.Visited(ctx, msg.urls)
		if err == nil {
			msg.visited = visited
		}
		return msg
	}
}

// lookUp returns the command that looks up the links on the screen, and one
// screen above and below, that it has not been asked about yet.
func (m *Model) lookUp() tea.Cmd {
	t, p := m.tab, m.tab.Session.Page()
	if m.opts.Marks == nil || m.private || t.lookup.running || p == nil || p.Failed != nil || p.URL.Scheme() == "about" {
		return nil
	}
	first, last := t.Pager.Visible()
	k := &t.lookup
	s := screenLines{page: p, first: first, last: last, lines: p.Lines.Len(), shown: p.Shown()}
	if s.shown != nil {
		s.matches = len(s.shown.Lines)
	}
	if last < first || k.screen == s {
		return nil
	}
	if k.screen.page != p || len(k.done) > maxLookedUp {
		k.done = make(map[int]bool)
	}
	k.screen = s
	var rows []int
	var urls []string
	from := first
	for range t.Pager.Height {
		if i := t.Pager.Before(from); i >= 0 {
			from = i
		}
	}
	for i, below := from, t.Pager.Height; i < p.Lines.Len() && (i <= last || below > 0); i = t.Pager.After(i) {
		if i > last {
			below--
		}
		if k.done[i] {
			continue
		}
		k.done[i] = true
		switch u := p.Lines.LinkText(i); {
		case m.opened[u]:
			m.setVisited(p, i, true)
		case u != "" && !strings.HasPrefix(u, "about:"):
			rows, urls = append(rows, i), append(urls, u)
		}
	}
	if len(urls) == 0 {
		return nil
	}
	k.running = true
	return m.askVisited(markedMsg{tab: t, page: p, rows: rows, urls: urls})
}

// apply takes in what was looked up. Lines may have been put in order since.
func (msg markedMsg) apply(m *Model) tea.Cmd {
	if !msg.fresh {
		msg.tab.lookup.running = false
	}
	lines, n := &msg.page.Lines, 0
	for i, row := range msg.rows {
		switch {
		case row >= lines.Len() || lines.LinkText(row) != msg.urls[i]:
		case msg.fresh && (msg.visited == nil || !msg.visited[i]) && !m.opened[msg.urls[i]]:
			lines.SetState(row, lines.State(row)|nav.New)
			n++
		case msg.visited != nil:
			m.setVisited(msg.page, row, msg.visited[i] || m.opened[msg.urls[i]])
		}
	}
	if n == 0 || m.tab.Session.Page() != msg.page || m.private || m.notice != "" {
		return nil
	}
	m.drawn = false
	return m.say(fmt.Sprintf("%d new since the last visit: press %s", n, m.keys.keyOf("next new")))
}

func (m *Model) setVisited(p *nav.Page, i int, visited bool) {
	is := p.Lines.State(i)
	now := is &^ nav.Visited
	if visited {
		now = is&^nav.New | nav.Visited
	}
	if now != is {
		p.Lines.SetState(i, now)
		m.drawn = false
	}
}

// comparison collects the links of a page while they come, off the event loop.
type comparison struct {
	links []uint64
	over  bool
}

// comparing begins to collect the links of p, if its new ones are to be marked.
func (m *Model) comparing(p *nav.Page) *comparison {
	if m.opts.Marks == nil || m.private || p.URL.Scheme() == "about" ||
		p.Layout != protocols.LayoutMenu && p.Layout != protocols.LayoutDirectory {
		return nil
	}
	return new(comparison)
}

func (c *comparison) add(lines *nav.Lines) {
	if c == nil || c.over {
		return
	}
	if lines.Replace() {
		c.links = nil
	}
	for i := range lines.Len() {
		if id := lines.LinkID(i); id != 0 {
			c.links = append(c.links, id)
		}
	}
	if len(c.links) > maxCompared {
		c.links, c.over = nil, true
	}
}

// compare returns the command that compares the links of a page, which is whole,
// with those of the last visit.
func (m *Model) compare(t *tab, c *comparison, err error) tea.Cmd {
	p := t.Session.Page()
	if c == nil || c.over || m.private || !errors.Is(err, io.EOF) || p == nil {
		return nil
	}
	ctx, marks, u := m.ctx, m.opts.Marks, p.URL
	more := t.older.page == u // was asked for now, not at the last visit
	return m.keep(func() resultFunc {
		links, err := marks.NewLinks(ctx, u, c.links)
		if err != nil || len(links) == 0 || more {
			return nil // the visit tells what is wrong with the history
		}
		return func() tea.Cmd { return m.markNew(t, p, links) }
	})
}

// markNew marks the links that are new, but for those that were visited.
func (m *Model) markNew(t *tab, p *nav.Page, links []uint64) tea.Cmd {
	fresh := make(map[uint64]bool, len(links))
	for _, id := range links {
		fresh[id] = true
	}
	marked := markedMsg{tab: t, page: p, fresh: true}
	lines := &p.Lines
	hidden := func(i int) bool {
		line := lines.WithoutLink(i)
		is, _ := protocols.HiddenLine(&line)
		return is && p.Layout == protocols.LayoutDirectory && lines.LinkID(i) != 0
	}
	asked := false // for names that begin with a dot, at the last visit
	for i := range lines.Len() {
		asked = asked || !fresh[lines.LinkID(i)] && hidden(i)
	}
	for i := range lines.Len() {
		if fresh[lines.LinkID(i)] && (asked || !hidden(i)) {
			marked.rows, marked.urls = append(marked.rows, i), append(marked.urls, lines.LinkText(i))
		}
	}
	return m.askVisited(marked)
}

func (m *Model) nextNew() tea.Cmd {
	_, _, listed := m.tab.listed()
	if listed || m.tab.isArticle() || m.tab.Session.Page() != nil && m.tab.Session.Page() == m.tab.unread.page {
		return m.nextUnread()
	}
	return m.toNew(1)
}

// toNew puts the cursor on the next new link, in a direction, and goes on at the
// other end of the page.
func (m *Model) toNew(dir int) tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil {
		return nil
	}
	wanted := (nav.New | nav.Unread) &^ m.hiddenStates()
	n := p.Lines.Len()
	for step := 1; step <= min(n, page.MaxLinkSearch); step++ {
		i := p.Cursor + dir*step
		wrapped := i < 0 || i >= n
		if i = (i%n + n) % n; p.Lines.State(i)&wanted == 0 {
			continue
		}
		p.Cursor = i
		m.tab.Pager.OpenFold(i)
		m.tab.Pager.Center(i)
		if wrapped {
			return m.say("search wrapped")
		}
		return nil
	}
	switch {
	case p == m.tab.unread.page:
		return m.say("nothing unread is left here")
	case m.private:
		return m.say("nothing is marked as new")
	}
	return m.say("nothing new here since the last visit")
}

// togglePrivate begins or ends private mode: nothing is recorded in it, and
// nothing marked.
func (m *Model) togglePrivate() tea.Cmd {
	m.private = !m.private
	if m.opts.SetPrivate != nil {
		m.opts.SetPrivate(m.private)
	}
	for _, t := range m.tabs {
		t.lookup.forget()
	}
	return m.notifyState(m.private, "private mode: nothing is kept", "no longer private: visits are kept")
}

// hiddenStates are the bits of a line's state that are not shown.
func (m *Model) hiddenStates() nav.State {
	if m.private {
		return nav.New | nav.Visited
	}
	return 0
}
