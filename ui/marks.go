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
	"gofer/urlcore"
)

// Marks looks up links in the history. Its methods may be called from any goroutine.
type Marks interface {
	// Visited reports for each URL whether it was visited. The URLs are canonical and have no
	// passwords.
	Visited(ctx context.Context, urls []string) ([]bool, error)
	// NewLinks records the links of a completely loaded page. It returns the links that the page
	// did not have at the last visit. Each link is a [nav.Lines.LinkID].
	NewLinks(ctx context.Context, u urlcore.URL, links []uint64) ([]uint64, error)
}

const (
	// maxCollectedLinks is the largest number of links of a page on which new links are marked.
	maxCollectedLinks = 10_000
	// maxLookedUp limits the links that a lookup records, and maxOpened the URLs in
	// Model.openedURLs.
	maxLookedUp, maxOpened = 4096, 10_000
)

// lookup records which links near the screen were looked up in the history.
type lookup struct {
	screen  screenLines  // the lines at the last lookup
	done    map[int]bool // the lines whose links were looked up
	running bool
}

// screenLines identifies the lines on the screen.
type screenLines struct {
	page        *nav.Page
	arranged    int // [viewer.Viewer.Arranged]
	first, last int
	lines       int          // number of lines of the page
	shown       *nav.Matches // the lines that match the filter; nil: all are shown
	matches     int          // number of matches
}

// forget forgets the results, so that all links are looked up again.
func (l *lookup) forget() { *l = lookup{running: l.running} }

// markedMsg has the result of looking up links of a page.
type markedMsg struct {
	tab     *tab
	page    *nav.Page
	lines   []int // indexes of the lines with the links
	urls    []string
	visited []bool // nil if the history could not be read
	markNew bool   // links that were not visited are marked as new
}

// askVisited returns the command that looks up the links of msg.
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

// lookUp returns the command that looks up the links of t on the screen and on one screen above and
// below it. It skips links that were looked up before.
func (m *Model) lookUp(t *tab) tea.Cmd {
	p := t.Session.Page()
	if m.opts.Marks == nil || m.private || t.lookup.running || p == nil || p.Failed != nil || p.URL.Scheme() == "about" {
		return nil
	}
	first, last := t.Pager.VisibleLines()
	k := &t.lookup
	s := screenLines{page: p, arranged: t.Arranged, first: first, last: last, lines: p.Lines.Len(), shown: p.Shown()}
	if s.shown != nil {
		s.matches = len(s.shown.Lines)
	}
	if last < first || k.screen == s {
		return nil
	}
	if k.screen.page != p || k.screen.arranged != s.arranged || len(k.done) > maxLookedUp {
		k.done = make(map[int]bool)
	}
	k.screen = s
	var found []int
	var urls []string
	start := first
	for range t.Pager.Height {
		if i := t.Pager.LineAbove(start); i >= 0 {
			start = i
		}
	}
	for i, below := start, t.Pager.Height; i < p.Lines.Len() && (i <= last || below > 0); i = t.Pager.LineBelow(i) {
		if i > last {
			below--
		}
		if k.done[i] {
			continue
		}
		k.done[i] = true
		switch u := p.Lines.LinkText(i); {
		case m.openedURLs[u]:
			m.setVisited(p, i, true)
		case u != "" && !strings.HasPrefix(u, "about:"):
			found, urls = append(found, i), append(urls, u)
		}
	}
	if len(urls) == 0 {
		return nil
	}
	k.running = true
	return m.askVisited(markedMsg{tab: t, page: p, lines: found, urls: urls})
}

// apply marks the links. Lines may have moved in the meantime, because the page was sorted.
func (msg markedMsg) apply(m *Model) tea.Cmd {
	if !msg.markNew {
		msg.tab.lookup.running = false
	}
	lines, n := &msg.page.Lines, 0
	for i, line := range msg.lines {
		switch {
		case line >= lines.Len() || lines.LinkText(line) != msg.urls[i]:
		case msg.markNew && (msg.visited == nil || !msg.visited[i]) && !m.openedURLs[msg.urls[i]]:
			lines.SetState(line, lines.State(line)|nav.New)
			n++
		case msg.visited != nil:
			m.setVisited(msg.page, line, msg.visited[i] || m.openedURLs[msg.urls[i]])
		}
	}
	if n == 0 || m.tab.Session.Page() != msg.page || m.private || m.notice != "" {
		return nil
	}
	m.drawn = false
	return m.notify(fmt.Sprintf("%d new since the last visit: press %s", n, m.keys.keyOf("next new")))
}

func (m *Model) setVisited(p *nav.Page, i int, visited bool) {
	old := p.Lines.State(i)
	state := old &^ nav.Visited
	if visited {
		state = old&^nav.New | nav.Visited
	}
	if state != old {
		p.Lines.SetState(i, state)
		m.drawn = false
	}
}

// linkCollector collects the links of a page while it loads, outside the event loop.
type linkCollector struct {
	links   []uint64
	tooMany bool
}

// newLinkCollector returns a collector for the links of p, or nil if new links are not marked on p.
func (m *Model) newLinkCollector(p *nav.Page) *linkCollector {
	if m.opts.Marks == nil || m.private || p.URL.Scheme() == "about" ||
		p.Layout != protocols.LayoutMenu && p.Layout != protocols.LayoutDirectory {
		return nil
	}
	return new(linkCollector)
}

func (c *linkCollector) add(lines *nav.Lines) {
	if c == nil || c.tooMany {
		return
	}
	if lines.ReplacesPreview() {
		c.links = nil
	}
	for i := range lines.Len() {
		if id := lines.LinkID(i); id != 0 {
			c.links = append(c.links, id)
		}
	}
	if len(c.links) > maxCollectedLinks {
		c.links, c.tooMany = nil, true
	}
}

// findNewLinks returns the command that compares the links of a complete page with the links at the
// last visit.
func (m *Model) findNewLinks(t *tab, c *linkCollector, err error) tea.Cmd {
	p := t.Session.Page()
	if c == nil || c.tooMany || m.private || !errors.Is(err, io.EOF) || p == nil {
		return nil
	}
	ctx, marks, u := m.ctx, m.opts.Marks, p.URL
	more := t.how.Older > 0 // more items were requested than at the last visit
	return m.writeInBackground(func() resultFunc {
		links, err := marks.NewLinks(ctx, u, c.links)
		if err != nil || len(links) == 0 || more {
			return nil // an error of the history is reported when the visit is recorded
		}
		return func() tea.Cmd { return m.markNew(t, p, links) }
	})
}

// markNew marks the new links that were not visited.
func (m *Model) markNew(t *tab, p *nav.Page, links []uint64) tea.Cmd {
	fresh := make(map[uint64]bool, len(links))
	for _, id := range links {
		fresh[id] = true
	}
	marked := markedMsg{tab: t, page: p, markNew: true}
	lines := &p.Lines
	hidden := func(i int) bool {
		line := lines.WithoutLink(i)
		hidden, _ := protocols.IsHiddenLine(&line)
		return hidden && p.Layout == protocols.LayoutDirectory && lines.LinkID(i) != 0
	}
	hadHidden := false // the page had hidden items at the last visit
	for i := range lines.Len() {
		hadHidden = hadHidden || !fresh[lines.LinkID(i)] && hidden(i)
	}
	for i := range lines.Len() {
		if fresh[lines.LinkID(i)] && (hadHidden || !hidden(i)) {
			marked.lines, marked.urls = append(marked.lines, i), append(marked.urls, lines.LinkText(i))
		}
	}
	return m.askVisited(marked)
}

// togglePrivate turns private mode on or off. In private mode nothing is recorded or marked.
func (m *Model) togglePrivate() tea.Cmd {
	m.private = !m.private
	if m.opts.SetPrivate != nil {
		m.opts.SetPrivate(m.private)
	}
	for _, t := range m.tabs {
		t.lookup.forget()
	}
	return m.notifyState(m.private, "private mode: nothing is recorded", "no longer private: visits are recorded")
}

// hiddenStates returns the bits of a line's state that are not drawn.
func (m *Model) hiddenStates() nav.State {
	if m.private {
		return nav.New | nav.Visited
	}
	return 0
}
