package about

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

const (
	homeVisits   = 8   // visits on the start page
	historyItems = 500 // visits on the history page
)

func text(s string) protocols.Line    { return protocols.Line{Text: s} }
func heading(s string) protocols.Line { return protocols.Line{Kind: protocols.Heading, Text: s} }

func link(title string, u urlcore.URL) protocols.Line {
	return protocols.Line{Kind: protocols.KindOf(u), Text: title, Link: u}
}

// actionLine returns a line that runs an action on the page of r.
func actionLine(title string, name protocols.Action, r request) protocols.Line {
	return protocols.Line{Kind: protocols.Menu, Text: title, Link: r.URL, Note: name}
}

func failure(message string, err error) protocols.Line {
	return protocols.Line{Kind: protocols.Failure, Text: message + ": " + err.Error()}
}

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// restoreLine returns a line that opens the tabs of the last session, if there are any.
func (c *Client) restoreLine() (line protocols.Line, ok bool) {
	if c.LastSession == nil {
		return line, false
	}
	n, lost := c.LastSession()
	if n == 0 {
		return line, false
	}
	tabs, session := "the tab", "the last session"
	if n > 1 {
		tabs = fmt.Sprintf("%d tabs", n)
	}
	if lost {
		session += ", which was lost"
	}
	line = link("Restore "+tabs+" of "+session, Page("home"))
	line.Note = protocols.ActionRestore
	return line, true
}

func (c *Client) homePage(ctx context.Context, _ request) ([]protocols.Line, error) {
	var lines []protocols.Line
	if c.ConfigError != nil {
		for problem := range strings.Lines(c.ConfigError.Error()) {
			lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: "Setting ignored: " + strings.TrimSpace(problem)})
		}
		lines = append(lines, text("Run gofer config edit to correct it."), text(""))
	}
	lines = append(lines,
		text("gofer is a browser for Gopher, FTP and Usenet news."),
		text("Every item has a URL, and every URL leads back to the same item."),
		text(""),
	)
	if line, ok := c.restoreLine(); ok {
		lines = append(lines, line, text(""))
	}
	for _, p := range c.pages() {
		if p.link == nil {
			continue
		}
		if title := p.link(c); title != "" {
			lines = append(lines, link(title, Page(p.Name)), text(""))
		}
	}
	if c.StartDemo != nil {
		lines = append(lines, link("Take the tour: a small world inside this program, no network needed", Page("tour")))
	}
	lines = append(lines, link("The keys", Page("help")), link("The manual", Page("manual")))
	if c.Bookmarks != nil {
		lines = append(lines, text(""), heading("Bookmarks"))
		items, err := c.Bookmarks(ctx)
		if err != nil {
			lines = append(lines, failure("The bookmarks cannot be read", err))
		} else if len(items) == 0 {
			lines = append(lines, text("None yet."))
		}
		lines = append(lines, entryRows(items, nil)...)
		lines = append(lines, c.newLink(ctx)...)
	}
	if c.Visits != nil {
		items, err := c.Visits(ctx, "", homeVisits)
		if state := c.historyState(err); len(state) > 0 {
			lines = append(append(lines, text("")), state...)
		}
		if len(items) > 0 {
			lines = append(lines, text(""), heading("Last visits"))
			now := c.now()
			lines = append(lines, entryRows(items, func(t time.Time) string { return relativeTime(t.In(now.Location()), now) })...)
			lines = append(lines, link("All visits, and a search through them", Page("history")))
		}
	}
	return append(lines, c.placesToBegin()...), nil
}

// aboutPage lists the pages of c.
func (c *Client) aboutPage(context.Context, request) ([]protocols.Line, error) {
	var lines []protocols.Line
	for _, p := range c.pages() {
		if p.Name != "about" {
			lines = append(lines, link(fmt.Sprintf("%-16s %s", "about:"+p.Name, p.Entry), Page(p.Name)))
		}
	}
	return lines, nil
}

// placesToBegin returns the places that the user may open, below their headings.
func (c *Client) placesToBegin() []protocols.Line {
	var lines, headings []protocols.Line
	for line := range strings.Lines(places) {
		address, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		u, err := urlcore.Parse(address)
		switch {
		case err != nil:
			headings = []protocols.Line{text(""), text(title)}
		case c.MayOpen == nil || c.MayOpen(u):
			lines, headings = append(append(lines, headings...), link(title, u)), nil
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]protocols.Line{text(""), heading("Places to begin"), text("Other people keep these; some may have moved.")}, lines...)
}

// places lists public servers that have existed for a long time, below headings.
//
//go:embed places.txt
var places string

// historyState returns lines about the state of the history. The parameter err is the error of
// reading it.
func (c *Client) historyState(err error) []protocols.Line {
	var lines []protocols.Line
	switch {
	case errors.Is(err, ErrBusy):
		lines = append(lines, text("The history is busy: another program is using it. Reload the page to try again."))
	case err != nil:
		lines = append(lines, failure("The history cannot be read", err))
	}
	if c.DamagedHistory != nil {
		if path := c.DamagedHistory(); path != "" {
			lines = append(lines, text("The history was damaged. A new one was begun; the old one is kept as"), text(path))
		}
	}
	return lines
}

// historyPage lists the visits of each day below its heading. If words is not empty, it lists only the
// visits that contain them, the best match first.
func (c *Client) historyPage(ctx context.Context, r request) ([]protocols.Line, error) {
	if r.queried && r.query == "" {
		return nil, askWords(&r, "Search the history")
	}
	if c.Visits == nil {
		return []protocols.Line{text("No history is kept.")}, nil
	}
	words := unescape(r.query)
	lines := []protocols.Line{{Kind: protocols.Search, Text: "Search the history", Link: Page("history?")}}
	if c.Texts != nil {
		lines = append(lines, searchTextLine())
	}
	if words != "" {
		lines = append(lines, link("Back to all visits", Page("history")), text(""),
			heading("Visits with: "+words))
	}
	items, err := c.Visits(ctx, words, historyItems)
	if state := c.historyState(err); len(state) > 0 {
		lines = append(append(lines, text("")), state...)
	}
	switch {
	case err != nil:
		return lines, nil
	case len(items) == 0 && words != "":
		return append(lines, text(""), text("No visit has all of these words in its URL or title.")), nil
	case len(items) == 0:
		return append(lines, text(""), text("No visits yet.")), nil
	}
	now, last := c.now(), ""
	if words != "" { // the best match first, not by day
		lines = append(lines, entryRows(items, func(t time.Time) string { return relativeTime(t.In(now.Location()), now) })...)
		if len(items) == historyItems {
			lines = append(lines, text(""), text(fmt.Sprintf("These are the first %d; more words find fewer.", historyItems)))
		}
		return lines, nil
	}
	rows := entryRows(items, func(t time.Time) string { return clock(t.In(now.Location())) })
	for i, it := range items {
		if d := dayName(it.At.In(now.Location()), now); d != last {
			last = d
			lines = append(lines, text(""), heading(d))
		}
		lines = append(lines, rows[i])
	}
	if len(items) == historyItems {
		lines = append(lines, text(""), text(fmt.Sprintf("These are the latest %d; a search finds older ones.", historyItems)))
	}
	return lines, nil
}

// dayName returns the name of the day of t relative to now.
func dayName(t, now time.Time) string {
	name := t.Format("Monday, 2 January 2006")
	switch t.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return "Today, " + name
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday, " + name
	}
	return name
}

func (c *Client) versionPage(context.Context, request) ([]protocols.Line, error) {
	version := cmp.Or(c.Version, "unknown")
	lines := []protocols.Line{
		text("gofer " + version),
		text(fmt.Sprintf("%s on %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		return lines, nil
	}
	lines = append(lines, text(""), heading("Built with"))
	for _, m := range info.Deps {
		lines = append(lines, text(m.Path+" "+m.Version))
	}
	return lines, nil
}

// openTour starts the demonstration servers and opens their tour.
func (c *Client) openTour(ctx context.Context, r request) (*protocols.Resource, error) {
	demo, err := c.StartDemo(ctx)
	if err != nil {
		return nil, demoError(err)
	}
	return c.Open(ctx, r.At(demo.Tour))
}

func demoError(err error) error {
	return &protocols.Error{Reason: protocols.LocalFailure, Op: "start the demonstration world", Err: err}
}

func (c *Client) demoPage(ctx context.Context, _ request) ([]protocols.Line, error) {
	demo, err := c.StartDemo(ctx)
	if err != nil {
		return nil, demoError(err)
	}
	lines := []protocols.Line{
		text("Small servers run inside this program, for Gopher, FTP, news and more."),
		text("They listen on this machine only and end with the program."),
		text(""),
	}
	for _, it := range demo.Pages {
		lines = append(lines, link(it.Title, it.URL))
	}
	return lines, nil
}
