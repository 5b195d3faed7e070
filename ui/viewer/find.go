package viewer

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/match"
	"gofer/urlcore"
)

// Finder is the state of the search for a text.
type Finder struct {
	Pattern *match.Pattern // last pattern, or nil
	orElse  *match.Pattern // searched for if no line matches Pattern, or nil
	URL     urlcore.URL    // URL of the last searched page, the only page with marked matches
	Back    bool           // the search goes backwards
	Search  *search        // running search, or nil
	result  string         // notFound, atTop, atEnd or ""
	line    int            // line of the last match, from 1; 0 for none
	count   *nav.Matches   // matches counted in the page, or nil
}

// search is the state of a search for the next match in a page. It searches a portion of lines at a
// time.
type search struct {
	page    *nav.Page
	start   int // first line searched
	next    int // next line to search
	dir     int
	wrapped bool // the search has continued at the other end of the page
}

// Results of searches that found no match, or continued at the other end of the page.
const (
	notFound = "not found"
	atTop    = "wrapped to the top"
	atEnd    = "wrapped to the end"
)

// location is a place in a page.
type location struct {
	page  *nav.Page
	place nav.Place
}

func (v *Viewer) location() location {
	p := v.Session.Page()
	return location{p, p.Place}
}

// returnTo returns to a location if its page is still shown.
func (v *Viewer) returnTo(l location) {
	if p := v.Session.Page(); p == l.page {
		p.Place = l.place
	}
}

// AskFind asks for a text. While the user types it, AskFind goes to the nearest match after the cursor
// (dir 1) or before it (dir -1).
func (v *Viewer) AskFind(dir int) tea.Cmd {
	if v.Session.Page() == nil {
		return nil
	}
	old, start := Finder{Pattern: v.Finder.Pattern, URL: v.Finder.URL, Back: v.Finder.Back}, v.location()
	p := ask.NewLine(ask.Head{Title: "Find in the page"}, ask.Field{Label: "Find"})
	p.History, p.Scroll = v.host.Patterns, v.scrollBy
	p.State = func() string {
		if v.Finder.result == "" || v.Finder.result == notFound {
			return cmp.Or(v.Finder.result, v.matchText())
		}
		return v.matchText() + ", " + v.Finder.result
	}
	p.Changed = func(typed string) (tea.Cmd, error) {
		v.returnTo(start)
		return v.findTyped(typed, dir)
	}
	p.Leave = func([]string) tea.Cmd {
		v.returnTo(start)
		v.Finder = old
		return nil
	}
	p.Finish = func(answers []string) tea.Cmd {
		switch {
		case p.HasError():
			v.Prompt = p
			return nil
		case answers[0] == "":
			v.Finder = old
			v.Finder.Back = dir < 0
			return v.FindAgain(1)
		}
		v.host.Patterns.Add(answers[0])
		return v.notifyFound()
	}
	return v.Ask(p)
}

// findTyped goes to the first match of the typed pattern.
func (v *Viewer) findTyped(typed string, dir int) (tea.Cmd, error) {
	p, err := match.New(typed, false)
	v.Finder = Finder{Pattern: p, URL: v.Session.Page().URL, Back: dir < 0}
	if p == nil {
		return nil, err
	}
	return v.find(dir, true), nil
}

// FindAgain goes to the next match of the last pattern. If dir is 1, it keeps the direction of the last
// search. If dir is -1, it reverses the direction.
func (v *Viewer) FindAgain(dir int) tea.Cmd {
	if v.Session.Page() == nil {
		return nil
	}
	fromCursor := v.SearchPattern() == nil
	if v.Finder.Back {
		dir = -dir
	}
	if v.Finder.Pattern == nil {
		last, _ := v.host.Patterns.At(1)
		v.Finder.Pattern, _ = match.New(last, false)
	}
	if v.Finder.Pattern == nil {
		return v.host.Notify("nothing to find yet: press " + v.host.KeyOf("find"))
	}
	v.Finder.URL = v.Session.Page().URL
	cmd := v.find(dir, fromCursor)
	return tea.Batch(cmd, v.notifyFound())
}

// notifyFound shows the result of a search that has ended.
func (v *Viewer) notifyFound() tea.Cmd {
	switch {
	case v.Finder.Search != nil || v.Finder.result == "":
		return nil
	case v.Finder.result == notFound:
		return v.host.Notify(notFound + ": " + v.Finder.Pattern.Text)
	}
	return v.host.Notify(v.Finder.result)
}

// beginFind starts a search for p, or else for orElse, in the whole page.
func (v *Viewer) beginFind(p, orElse *match.Pattern) {
	page := v.Session.Page()
	v.Finder = Finder{Pattern: p, orElse: orElse, URL: page.URL, Search: &search{page: page, dir: 1}}
}

// find starts a search from the cursor, or from the top of the screen if the cursor is not visible. At
// one end of the page the search continues at the other end. If fromCursor is true, the search includes
// the line of the cursor.
func (v *Viewer) find(dir int, fromCursor bool) tea.Cmd {
	p := v.Session.Page()
	first, last := v.Pager.VisibleLines()
	start := p.Cursor
	if start < first || start > last {
		start, fromCursor = first, true
	}
	if !fromCursor {
		start += dir
	}
	if all := v.Pager.WithFolds(); !all.IsShown(start) {
		start = all.NextLine(start, dir)
	}
	v.Finder.result = ""
	v.Finder.Search = &search{page: p, start: start, next: start, dir: dir}
	if v.isCounted() {
		v.findCounted()
	}
	return v.Scan()
}

// findCounted goes to the next of the counted matches.
func (v *Viewer) findCounted() {
	s, c := v.Finder.Search, v.Finder.count
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
		v.showNoMatch()
		return
	}
	text, note, _ := v.Pager.WithFolds().Text(i)
	at, _ := v.Finder.Pattern.Match(v.Pager.ReadingOf(note), text, note)
	v.showMatch(i, at)
}

// findInPortion searches a portion of the page.
func (v *Viewer) findInPortion(b *budget) (changed bool) {
	s, pager := v.Finder.Search, v.Pager.WithFolds()
	for b.hasRest() {
		if n := s.page.Lines.Len(); s.next < 0 || s.next >= n {
			if s.wrapped || n == 0 {
				v.showNoMatch()
				return true
			}
			s.wrapped = true
			if s.next = pager.LineAbove(n); s.dir > 0 {
				s.next = pager.LineBelow(-1)
			}
		}
		if s.wrapped && (s.next-s.start)*s.dir >= 0 {
			v.showNoMatch()
			return true
		}
		text, note, raw := pager.Text(s.next)
		b.spend(len(text), raw)
		if at, ok := v.Finder.Pattern.Match(v.Pager.ReadingOf(note), text, note); ok {
			v.showMatch(s.next, at)
			return true
		}
		s.next = pager.NextLine(s.next, s.dir)
	}
	return false
}

// showMatch ends the search at a match, which begins at the given octet in the text of line i.
func (v *Viewer) showMatch(i, octet int) {
	if s := v.Finder.Search; s.wrapped {
		v.Finder.result = atTop
		if s.dir < 0 {
			v.Finder.result = atEnd
		}
	}
	v.Finder.Search, v.Finder.line = nil, i+1
	v.Pager.OpenFold(i)
	v.Pager.MoveTo(i, octet)
}

// showNoMatch ends the search without a match, or begins the search for v.Finder.orElse.
func (v *Viewer) showNoMatch() {
	if p := v.Finder.orElse; p != nil {
		v.beginFind(p, nil)
		return
	}
	v.Finder.Search, v.Finder.result = nil, notFound
	v.Finder.count = &nav.Matches{Searched: v.Session.Page().Lines.Len()}
}

// isCounted reports whether all matches of the page have been counted.
func (v *Viewer) isCounted() bool {
	return v.Finder.count != nil && v.Finder.count.Searched >= v.Session.Page().Lines.Len()
}

// countInPortion counts matches in a portion of the page.
func (v *Viewer) countInPortion(b *budget) (changed bool) {
	if v.Finder.count == nil {
		v.Finder.count = new(nav.Matches)
	}
	c, pager := v.Finder.count, v.Pager.WithFolds()
	none := len(c.Lines) == 0
	v.matchPortion(c, v.Finder.Pattern, b, func(i int) int { return pager.LineBelow(i - 1) })
	return b.hasRest() || none && len(c.Lines) > 0 || isDrawStep(c.Searched)
}

// SearchPattern returns the pattern of the last search, or nil if that search was in another page.
func (v *Viewer) SearchPattern() *match.Pattern {
	if p := v.Session.Page(); p != nil && p.URL == v.Finder.URL {
		return v.Finder.Pattern
	}
	return nil
}

// MarkedPattern returns the pattern whose matches are marked in the page. It is the pattern of the
// search, else the pattern of the filter, else the pattern by which the article or the list was found, else nil.
func (v *Viewer) MarkedPattern() *match.Pattern {
	pattern, p := v.SearchPattern(), v.Session.Page()
	switch {
	case pattern != nil || p == nil:
		return pattern
	case p.Filter != nil:
		return v.filterPattern()
	}
	if by := (foundBy{page: p, finder: v.Finder.Pattern, url: v.Finder.URL}); by != v.foundBy {
		v.foundBy, v.foundPattern = by, v.listPattern(p)
	}
	return v.foundPattern
}

// foundBy is what the pattern by which a page was found depends on.
type foundBy struct {
	page   *nav.Page
	finder *match.Pattern
	url    urlcore.URL
}

// listPattern returns the pattern of the search in the list from which the article p was opened. Without such a search, it
// has the words of the search of a whole group, whose result p or the list is. Otherwise it returns nil.
func (v *Viewer) listPattern(p *nav.Page) *match.Pattern {
	list := p
	if v.IsArticle() {
		var ok bool
		if list, _, ok = v.Session.ArticleList(); !ok {
			return nil
		}
	}
	if list != p && list.URL == v.Finder.URL && v.Finder.Pattern != nil {
		return v.Finder.Pattern
	}
	words := urlcore.SearchOf(list.URL)
	pattern, _ := match.New(strings.ToLower(words[0]+" "+words[1]), true) // from and subject
	return pattern
}

// MatchLine returns the line of the match that was found last in the page, or -1. After a restart that
// match is unknown. MatchLine then returns the line of the cursor if this line has a match.
func (v *Viewer) MatchLine() int {
	f := &v.Finder
	if v.SearchPattern() == nil {
		return -1
	}
	if line := v.Session.Page().Cursor; f.line == 0 && f.count != nil {
		if _, ok := f.count.Rank(line); ok {
			return line
		}
	}
	return f.line - 1
}

// matchText returns the number of the match under the cursor, as in "match 3 of 17", or
// the number of matches.
func (v *Viewer) matchText() string {
	p, c := v.Session.Page(), v.Finder.count
	if v.SearchPattern() == nil || c == nil || len(c.Lines) == 0 {
		return ""
	}
	plus := ""
	if !v.isCounted() || p.IsLoading() {
		plus = "+"
	}
	if n, ok := c.Rank(p.Cursor); ok && n < len(c.Lines) {
		return fmt.Sprintf("match %d of %d%s", n+1, len(c.Lines), plus)
	}
	if len(c.Lines) == 1 && plus == "" {
		return "1 match"
	}
	return fmt.Sprintf("%d%s matches", len(c.Lines), plus)
}
