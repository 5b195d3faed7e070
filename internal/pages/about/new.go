package about

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
	"gofer/urlcore"
)

// Source is a page that the user follows.
type Source struct {
	URL       urlcore.URL
	Title     string               // "": the URL is shown
	Checked   time.Time            // the last attempt to look for new entries; zero: never
	Succeeded time.Time            // the last successful attempt; zero: never
	Failure   string               // why the last attempt failed, or ""
	Reason    string               // Failure in a few words
	NoNetwork bool                 // the last attempt failed because this machine seems to have no network
	Unread    int                  // the number of unread entries
	Group     *protocols.GroupNote // the articles of a newsgroup, which has no entries; nil for other pages
}

// Entry is an entry of a Source.
type Entry struct {
	Source   urlcore.URL
	ID       string // identity in the source
	URL      urlcore.URL
	Fragment string
	Title    string    // "": the URL is shown
	Date     time.Time // zero: unknown
	Seen     time.Time // when it was found
}

// Forms of the URL of the new entries.
const (
	bySource    = "by=source" // the entries below their sources
	onlySources = "sources"   // all followed pages
)

// NewURL returns the URL of the new entries: the newest first, or by source.
func NewURL(sorted bool) urlcore.URL {
	if sorted {
		return Page("new?" + bySource)
	}
	return Page("new")
}

// IsBySource reports whether u is the URL of the new entries by source.
func IsBySource(u urlcore.URL) bool { return u == NewURL(true) }

// newEntries is the number of entries on a page without older ones.
const newEntries = 1000

// newPage lists the unread entries of the pages that the user follows. An error of the database is a line of the page.
func (c *Client) newPage(ctx context.Context, r request) (*protocols.Resource, error) {
	if r.part != "" || r.queried && r.query != bySource && r.query != onlySources {
		return nil, c.missingPage(r.URL)
	}
	p := newLines{Client: c, request: r, limit: newEntries + r.Older}
	p.list(ctx)
	res := r.resource(yieldLines(ctx, p.lines))
	res.Layout = protocols.LayoutGroups
	return res, nil
}

// newLines makes the lines of the new entries.
type newLines struct {
	*Client
	request
	limit   int // the largest number of entries
	lines   []protocols.Line
	sources []Source
	titles  map[urlcore.URL]string
}

func (p *newLines) add(lines ...protocols.Line) { p.lines = append(p.lines, lines...) }

// addSection adds lines below a heading, unless there are none.
func (p *newLines) addSection(title string, lines []protocols.Line) {
	if len(lines) > 0 {
		p.add(text(""), heading(title))
		p.add(lines...)
	}
}

func (p *newLines) list(ctx context.Context) {
	var err error
	var entries []Entry
	if p.sources, err = p.Followed(ctx); err == nil && p.query != onlySources && len(p.sources) > 0 {
		entries, err = p.Unread(ctx, p.limit+1)
	}
	if err != nil {
		p.add(failure("The followed pages cannot be read", err))
		return
	}
	if len(p.sources) == 0 {
		p.addNothingFollowed()
		return
	}
	p.titles = make(map[urlcore.URL]string, len(p.sources))
	for i := range p.sources {
		p.titles[p.sources[i].URL] = p.sources[i].title()
	}
	if p.query == onlySources {
		p.addSources()
		return
	}
	p.addEntries(entries)
	failed, unreached := p.failed()
	p.addSection("Not checked", p.failedLines(failed))
	if len(unreached) > 0 {
		p.add(text(""), text("No server was found: is this machine connected to a network?"))
	}
}

// addSources adds all followed pages.
func (p *newLines) addSources() {
	p.add(link("The new entries", NewURL(false)))
	p.addSection(english.Plural(len(p.sources), "page", "")+" followed", p.sourceLines())
	failed, unreached := p.failed()
	p.addSection("Not checked", p.failedLines(slices.Concat(failed, unreached)))
	p.add(text(""), protocols.Line{Text: "Stop following the page under the cursor", Note: protocols.ActionFollow})
}

// addEntries adds the newsgroups and the unread entries, of which there may be one more than the limit.
func (p *newLines) addEntries(entries []Entry) {
	p.addHead(len(entries) > 0)
	groups := p.groupLines()
	p.addSection("Newsgroups", groups)
	more := len(entries) > p.limit
	entries = entries[:min(len(entries), p.limit)]
	if p.query == bySource {
		p.addBySource(entries)
	} else {
		p.addSection("Newest first", p.entryLines(entries, false))
	}
	switch {
	case more:
		p.add(text(""), protocols.Line{Kind: protocols.Other, Text: fmt.Sprintf("These are the newest %d: more", p.limit), Link: p.URL, Note: protocols.ActionMore})
	case len(entries)+len(groups) == 0:
		p.add(text(""), text("No unread entries."))
		p.addSection(english.Plural(len(p.sources), "page", "")+" followed", p.sourceLines())
	}
}

// addNothingFollowed says how to follow a page.
func (p *newLines) addNothingFollowed() {
	p.add(
		text("You follow no page yet. What is new on the pages that you follow is listed here:"),
		text("entries of feeds, new lines of menus, new files, articles, changed pages."),
		text(""),
		protocols.Line{Text: "Open a page, or select a bookmark, and follow it", Note: protocols.ActionFollow},
		link("The bookmarks", Page("bookmarks")),
		link("More about following pages", Page("manual/follow")),
	)
}

// addHead adds the time of the last check, and links to the other forms of the page.
func (p *newLines) addHead(any bool) {
	last := time.Time{}
	for i := range p.sources {
		if t := p.sources[i].Checked; t.After(last) {
			last = t
		}
	}
	checked := "not checked yet"
	if now := p.now(); !last.IsZero() {
		checked = "checked " + relativeTime(last.In(now.Location()), now)
	}
	p.add(actionLine("Look for new entries, "+checked, protocols.ActionReload, p.request))
	switch {
	case !any:
	case p.query == bySource:
		p.add(link("Newest first", NewURL(false)))
	default:
		p.add(link("By source", NewURL(true)))
	}
	followed := english.Plural(len(p.sources), "page", "") + " followed"
	failed, unreached := p.failed()
	if n := len(failed) + len(unreached); n > 0 {
		followed += fmt.Sprintf(", %d not checked", n)
	}
	p.add(link(followed, Page("new?"+onlySources)))
}

// title returns the title of the source, or its URL.
func (s *Source) title() string { return cmp.Or(s.Title, s.URL.String()) }

func (s *Source) note() *protocols.SourceNote {
	return &protocols.SourceNote{URL: s.URL.String(), Title: s.title(), Unread: uint64(max(s.Unread, 0)), Checked: s.Checked, Succeeded: s.Succeeded, Failure: s.Failure}
}

// line returns the line of a newsgroup or of another source.
func (s *Source) line() protocols.Line {
	if s.Group != nil {
		return protocols.Line{Kind: protocols.Group, Text: cmp.Or(urlcore.NewsGroup(s.URL).Group, s.title()), Link: s.URL, Note: s.Group}
	}
	return protocols.Line{Kind: protocols.KindOf(s.URL), Text: s.title(), Link: s.URL, Note: s.note()}
}

func (p *newLines) sourceLines() []protocols.Line {
	return mapAll(p.sources, func(s *Source) (protocols.Line, bool) { return s.line(), true })
}

// maxFailedTitle is the greatest length of the title of a source before the reason of its failure, in characters: the row fits on
// a screen of 80 columns.
const maxFailedTitle = 30

// failed returns the sources whose last check has failed, and apart those that seem to have failed for want of a network.
func (p *newLines) failed() (failed, unreached []Source) {
	for _, s := range p.sources {
		switch {
		case s.NoNetwork:
			unreached = append(unreached, s)
		case s.Failure != "":
			failed = append(failed, s)
		}
	}
	return failed, unreached
}

// failedLines returns the lines of sources whose last check has failed.
func (p *newLines) failedLines(sources []Source) []protocols.Line {
	now := p.now()
	return mapAll(sources, func(s *Source) (protocols.Line, bool) {
		last := "never succeeded"
		if !s.Succeeded.IsZero() {
			last = "last success " + relativeTime(s.Succeeded.In(now.Location()), now)
		}
		note := s.note()
		note.Heading = true
		return protocols.Line{Kind: protocols.Failure, Text: cut(s.title(), maxFailedTitle) + ", " + last + ": " + s.Reason, Link: s.URL, Note: note}, true
	})
}

// groupLines returns the lines of the newsgroups with unread articles.
func (p *newLines) groupLines() []protocols.Line {
	return mapAll(p.sources, func(s *Source) (protocols.Line, bool) { return s.line(), s.Group != nil && s.Group.Unread > 0 })
}

// mapAll returns the lines that make returns with true.
func mapAll[T any](items []T, make func(*T) (protocols.Line, bool)) (lines []protocols.Line) {
	for i := range items {
		if line, ok := make(&items[i]); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

func (p *newLines) entryLines(entries []Entry, below bool) []protocols.Line {
	return mapAll(entries, func(e *Entry) (protocols.Line, bool) {
		line := link(cmp.Or(e.Title, e.URL.String()), e.URL)
		line.Note = &protocols.EntryNote{
			ID: e.ID, Source: p.titles[e.Source], SourceURL: e.Source.String(), Fragment: e.Fragment, Date: e.Date, Seen: e.Seen, Below: below,
		}
		return line, true
	})
}

// addBySource adds the entries below the lines of their sources, which are in the order of their newest entries.
func (p *newLines) addBySource(entries []Entry) {
	of := make(map[urlcore.URL][]Entry)
	var order []urlcore.URL
	for _, e := range entries {
		if of[e.Source] == nil {
			order = append(order, e.Source)
		}
		of[e.Source] = append(of[e.Source], e)
	}
	for _, u := range order {
		i := slices.IndexFunc(p.sources, func(s Source) bool { return s.URL == u })
		if i < 0 {
			continue // it was removed since
		}
		note := p.sources[i].note()
		note.Heading = true
		p.add(text(""), protocols.Line{Kind: protocols.Heading, Text: p.titles[u], Link: u, Note: note})
		p.add(p.entryLines(of[u], true)...)
	}
}

// newLink returns a link to the new entries for the start page and the list of bookmarks, if there are followed pages.
func (c *Client) newLink(ctx context.Context) []protocols.Line {
	if c.Followed == nil {
		return nil
	}
	sources, err := c.Followed(ctx)
	if err != nil || len(sources) == 0 {
		return nil // the page itself has the error
	}
	unread := 0
	for i := range sources {
		unread += sources[i].Unread
	}
	title := "New entries of the followed pages"
	if unread > 0 {
		title += ": " + fmt.Sprint(unread)
	}
	return []protocols.Line{link(title, NewURL(false))}
}
