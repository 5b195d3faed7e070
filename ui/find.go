package ui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
	"gofer/urlcore"
)

// finder is a search in the page.
type finder struct {
	pattern *match.Pattern // nil: none
	url     urlcore.URL    // of the page in which it was looked for last: in others it is not marked
	running *search
	result  string       // "not found", or that it went around the end of the page
	count   *nav.Matches // of the page and its filter; nil: not begun
}

// search is one run over the lines of a page, a slice at a time.
type search struct {
	page    *nav.Page
	from    int // where it began
	next    int // the line to look at
	dir     int
	wrapped bool // it has gone around the end of the page
}

// notFound is the result of a search that has found nothing.
const notFound = "not found"

// atTop is the result of a search that has gone on at the top of the page.
const atTop = "wrapped to the top"

// atEnd is the result of a search that has gone on at the end of the page.
const atEnd = "wrapped to the end"

// location is where in a page the reader is.
type location struct {
	page  *nav.Page
	place nav.Place
}

func (t *reader) location() location {
	p := t.session.Page()
	return location{p, p.Place}
}

// goTo goes back to a location, if it is in the page on the screen.
func (t *reader) goTo(at location) {
	if p := t.session.Page(); p == at.page {
		p.Place = at.place
	}
}

// startFind asks what to search for, and goes to the first match while it is
// typed.
func (t *reader) startFind() tea.Cmd {
	if t.session.Page() == nil {
		return nil
	}
	was, at := finder{pattern: t.finder.pattern, url: t.finder.url}, t.location()
	p := ask.NewLine(ask.Head{Title: "Search in the page"}, ask.Field{Label: "Find"})
	p.Recalled, p.Scroll = t.host.Patterns, t.scrollBy
	p.State = func() string {
		if t.finder.result == "" || t.finder.result == notFound {
			return cmp.Or(t.finder.result, t.matchText())
		}
		return t.matchText() + ", " + t.finder.result
	}
	p.Changed = func(typed string) (tea.Cmd, error) {
		t.goTo(at)
		return t.findTyped(typed)
	}
	p.Leave = func([]string) {
		t.goTo(at)
		t.finder = was
	}
	p.Finish = func(answers []string) tea.Cmd {
		switch {
		case p.Failed():
			t.prompt = p
			return nil
		case answers[0] == "":
			t.finder = was
			return t.findAgain(1)
		}
		t.host.Patterns.Add(answers[0])
		return t.sayFound()
	}
	return t.ask(p)
}

// findTyped goes to the first match of what is typed.
func (t *reader) findTyped(typed string) (tea.Cmd, error) {
	p, err := match.New(typed, false)
	t.finder = finder{pattern: p, url: t.session.Page().URL}
	if p == nil {
		return nil, err
	}
	return t.find(1, true), nil
}

// findAgain goes to the next match, or the one before, of the last pattern.
func (t *reader) findAgain(dir int) tea.Cmd {
	if t.session.Page() == nil {
		return nil
	}
	here := t.searched() == nil
	if t.finder.pattern == nil {
		last, _ := t.host.Patterns.At(1)
		t.finder.pattern, _ = match.New(last, false)
	}
	if t.finder.pattern == nil {
		return t.host.Say("nothing to search for: press " + t.host.KeyOf("find"))
	}
	t.finder.url = t.session.Page().URL
	cmd := t.find(dir, here)
	return tea.Batch(cmd, t.sayFound())
}

// sayFound says how a search has ended, unless that is plain to see.
func (t *reader) sayFound() tea.Cmd {
	switch {
	case t.finder.running != nil || t.finder.result == "":
		return nil
	case t.finder.result == notFound:
		return t.host.Say(notFound + ": " + t.finder.pattern.Text)
	}
	return t.host.Say("search " + t.finder.result)
}

// find searches from the cursor, or from the top of the screen when the cursor
// is elsewhere, all around the page.
func (t *reader) find(dir int, here bool) tea.Cmd {
	p := t.session.Page()
	first, last := t.pager.Visible()
	from := p.Cursor
	if from < first || from > last {
		from, here = first, true
	}
	if !here {
		from += dir
	}
	if all := t.pager.Unfolding(); !all.Shown(from) {
		from = all.Next(from, dir)
	}
	t.finder.result = ""
	t.finder.running = &search{page: p, from: from, next: from, dir: dir}
	if t.counted() {
		t.findCounted()
	}
	return t.scan()
}

// findCounted goes to the next match of those that are known.
func (t *reader) findCounted() {
	s, c := t.finder.running, t.finder.count
	i := c.After(s.next - 1)
	if s.dir < 0 {
		i = c.Before(s.next + 1)
	}
	if i < 0 && len(c.Lines) > 0 {
		s.wrapped = true
		i = int(c.Lines[0])
		if s.dir < 0 {
			i = int(c.Lines[len(c.Lines)-1])
		}
	}
	if i < 0 {
		t.foundNothing()
		return
	}
	text, note, _ := t.pager.Unfolding().Text(i)
	at, _ := t.finder.pattern.Match(t.pager.Reading, text, note)
	t.found(i, at)
}

// findSlice searches a slice of the page.
func (t *reader) findSlice(b *budget) (changed bool) {
	s, v := t.finder.running, t.pager.Unfolding()
	for b.left() {
		if n := s.page.Lines.Len(); s.next < 0 || s.next >= n {
			if s.wrapped || n == 0 {
				t.foundNothing()
				return true
			}
			s.wrapped = true
			if s.next = v.Before(n); s.dir > 0 {
				s.next = v.After(-1)
			}
		}
		if s.wrapped && (s.next-s.from)*s.dir >= 0 {
			t.foundNothing()
			return true
		}
		text, note, raw := v.Text(s.next)
		b.take(len(text), raw)
		if at, ok := t.finder.pattern.Match(t.pager.Reading, text, note); ok {
			t.found(s.next, at)
			return true
		}
		s.next = v.Next(s.next, s.dir)
	}
	return false
}

// found ends the search at line i, octet at of its text.
func (t *reader) found(i, at int) {
	if s := t.finder.running; s.wrapped {
		t.finder.result = atTop
		if s.dir < 0 {
			t.finder.result = atEnd
		}
	}
	t.finder.running = nil
	t.pager.OpenFold(i)
	t.pager.MoveTo(i, at)
}

// foundNothing ends the search.
func (t *reader) foundNothing() {
	t.finder.running, t.finder.result = nil, notFound
	t.finder.count = &nav.Matches{Searched: t.session.Page().Lines.Len()}
}

// counted reports whether all matches of the page are known.
func (t *reader) counted() bool {
	return t.finder.count != nil && t.finder.count.Searched >= t.session.Page().Lines.Len()
}

// countSlice counts matches in a slice of the page.
func (t *reader) countSlice(b *budget) (changed bool) {
	if t.finder.count == nil {
		t.finder.count = new(nav.Matches)
	}
	c, v := t.finder.count, t.pager.Unfolding()
	none := len(c.Lines) == 0
	for n := v.Page.Lines.Len(); b.left() && c.Searched < n; {
		i := min(v.After(c.Searched-1), n)
		c.Searched = i + 1
		if i == n {
			break
		}
		text, note, raw := v.Text(i)
		b.take(len(text), raw)
		if _, ok := t.finder.pattern.Match(t.pager.Reading, text, note); ok {
			c.Lines = append(c.Lines, uint32(i))
		}
	}
	return b.left() || none && len(c.Lines) > 0 || drawSometimes(c.Searched)
}

// searched is what was searched for in the page, or nil.
func (t *reader) searched() *match.Pattern {
	if p := t.session.Page(); p != nil && p.URL == t.finder.url {
		return t.finder.pattern
	}
	return nil
}

// foundPattern is what is to be marked in the page: what is searched for, else
// what the filter shows.
func (t *reader) foundPattern() *match.Pattern {
	found := t.searched()
	if p := t.session.Page(); found == nil && p != nil && p.Filter != nil {
		return t.filterPattern()
	}
	return found
}

// matchText says which of how many matches the cursor is on: "match 3 of 17".
func (t *reader) matchText() string {
	p, c := t.session.Page(), t.finder.count
	if t.searched() == nil || c == nil || len(c.Lines) == 0 {
		return ""
	}
	more := ""
	if !t.counted() || p.Loading() {
		more = "+"
	}
	if n, ok := c.Rank(p.Cursor); ok && n < len(c.Lines) {
		return fmt.Sprintf("match %d of %d%s", n+1, len(c.Lines), more)
	}
	if len(c.Lines) == 1 && more == "" {
		return "1 match"
	}
	return fmt.Sprintf("%d%s matches", len(c.Lines), more)
}
