package z3950

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// The numbers of records and terms that are requested.
const (
	chunk        = 20  // records of a Present
	firstRecords = 100 // of a page
	maxRecords   = 100_000
	maxEntries   = 50
)

// recordLimit returns the number of records that a page shows.
func recordLimit(req protocols.Request) int {
	if !req.Paged && req.Hidden || req.Older > maxRecords {
		return maxRecords
	}
	return min(firstRecords+req.Older, maxRecords)
}

// result yields the result of a search as lines.
type result struct {
	target  target
	session *session
	lease   *wire.Lease
	count   int // of records that match
	limit   int // of records on the page
	screen  bool
	shown   int
	omitted string // a note about records that are not on the page
	// numbered has the databases whose records are not found by their ids.
	numbered map[string]bool
}

// fetchResult searches and returns the result, of which the first records have arrived.
func (c *Client) fetchResult(ctx context.Context, req protocols.Request, t target) (*protocols.Resource, error) {
	r := &result{target: t, limit: recordLimit(req), screen: req.Paged, numbered: map[string]bool{}}
	var first []summary
	s, err := c.start(ctx, t.url, func(s *session) (err error) {
		if r.count, err = s.search(t.url, resultSet, t.queries()); err != nil || r.count == 0 {
			return err
		}
		first, err = s.summaries(t, 1, min(chunk, r.count, r.limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	r.session, r.lease = s, &wire.Lease{Keep: s.keep, Drop: s.Drop}
	return &protocols.Resource{
		Head: protocols.Head{
			URL: t.url, Title: wordsOf(t.clauses) + " in " + databaseName(t.url), Layout: protocols.LayoutMenu, Size: -1, Personal: s.hasLogin(),
		},
		Lines:  func(yield func(protocols.Line, error) bool) { r.yieldLines(first, yield) },
		Closer: r.lease, LateNotes: r.notes,
	}, nil
}

// summaries fetches records and returns what a list shows of them.
func (s *session) summaries(t target, start, n int) (list []summary, err error) {
	records, err := s.present(t, start, n)
	for _, r := range records {
		list = append(list, r.summarize())
	}
	return list, err
}

func (r *result) yieldLines(next []summary, yield func(protocols.Line, error) bool) {
	for _, l := range r.head() {
		if !yield(l, nil) {
			return
		}
	}
	for len(next) > 0 {
		urls, err := r.recordURLs(next)
		for i, sum := range next {
			r.shown++
			if !yield(r.line(sum, urls[i]), nil) {
				return
			}
		}
		if n := min(chunk, r.count-r.shown, r.limit-r.shown); err == nil && n > 0 {
			next, err = r.session.summaries(r.target, r.shown+1, n)
		} else {
			next = nil
		}
		if err != nil {
			yield(protocols.Line{}, err)
			return
		}
	}
	if l, ok := r.more(); ok && !yield(l, nil) {
		return
	}
	r.lease.Done()
}

// head returns the lines above the records.
func (r *result) head() []protocols.Line {
	text := fmt.Sprintf("%d records match.", r.count)
	switch r.count {
	case 0:
		text = "No record matches."
	case 1:
		text = "1 record matches."
	}
	return append(searchLines(r.target.url, " again"), protocols.Line{}, protocols.Line{Text: text})
}

// line returns the line of a record. A record that was not sent may be sent alone, in another syntax.
func (r *result) line(sum summary, u urlcore.Z3950) protocols.Line {
	l := protocols.Line{Kind: protocols.KindOf(u), Text: cmp.Or(sum.title, "Record "+strconv.Itoa(r.shown)), Link: u}
	if sum.failure != nil {
		l.Kind, l.Text = protocols.Failure, fmt.Sprintf("Record %d: %s", r.shown, sum.failure.sentence())
		return l
	}
	l.Note = &Hit{Author: sum.author, Date: sum.date, Database: sum.database, Syntax: sum.syntax}
	return l
}

// recordURLs returns the URLs of records: those of their ids if the server finds as many records as ids, and else those of their
// numbers in the result. It searches for all ids of a database at once, so that one id may find none and another one two.
func (r *result) recordURLs(list []summary) ([]urlcore.Z3950, error) {
	urls, ids := make([]urlcore.Z3950, len(list)), map[string][]string{}
	for i, sum := range list {
		urls[i] = r.target.url
		urls[i].Record = r.shown + i + 1
		if u := r.documentURL(sum); r.session.welcome.allows(optionNamed) && !r.numbered[u.Databases] && opens(u) {
			ids[u.Databases] = append(ids[u.Databases], sum.id)
		}
	}
	for databases, all := range ids {
		different := slices.Compact(slices.Sorted(slices.Values(all)))
		u := r.target.url
		u.Databases = databases
		n, err := r.session.search(u, "id", docIDQueries(different...))
		if err != nil && r.session.failed {
			return urls, err
		}
		r.numbered[databases] = n == 0
		if n != len(different) || n != len(all) {
			delete(ids, databases)
		}
	}
	for i, sum := range list {
		if u := r.documentURL(sum); slices.Contains(ids[u.Databases], sum.id) {
			urls[i] = u
		}
	}
	return urls, nil
}

// documentURL returns the URL of the id of a record, which is not valid if the record has none.
func (r *result) documentURL(sum summary) urlcore.Z3950 {
	names := r.target.url.DatabaseNames()
	if sum.database != "" {
		names = []string{sum.database}
	}
	u := r.target.url.Session(names...)
	u.Name, u.DocID, u.HasDocID = "z39.50r", sum.id, sum.id != ""
	return u
}

// more returns the line for records that the page does not show.
func (r *result) more() (protocols.Line, bool) {
	text := fmt.Sprintf("First %d of %d: ", r.shown, r.count)
	switch {
	case r.shown >= r.count:
		return protocols.Line{}, false
	case r.shown < min(r.limit, r.count):
		r.omitted = text + "the server did not send the others"
	case r.limit >= maxRecords:
		r.omitted = text + "a search requests at most this many"
	case r.screen:
		return protocols.Line{Kind: protocols.KindOf(r.target.url), Text: text + "Enter for the next", Link: r.target.url, Note: protocols.ActionMore}, true
	default:
		r.omitted = text + protocols.OmittedResults
	}
	return protocols.Line{Text: r.omitted}, true
}

// notes returns the note that records are missing. It must be called after the lines were read.
func (r *result) notes() []string {
	if r.screen || r.omitted == "" {
		return nil
	}
	return []string{r.omitted}
}

// page returns the page of t with lines that were fetched with s, which the caller no longer uses.
func (s *session) page(t target, title string, lines []protocols.Line) *protocols.Resource {
	s.keep()
	return protocols.NewPage(protocols.Head{
		URL: t.url, Title: title, Layout: protocols.LayoutMenu, Personal: s.hasLogin(),
	}, lines...)
}

// fetchDatabase returns the page of a database: its search and its indexes.
func (c *Client) fetchDatabase(ctx context.Context, t target) (*protocols.Resource, error) {
	s, err := c.start(ctx, t.url, func(*session) error { return nil })
	if err != nil {
		return nil, err
	}
	u := t.url
	lines := searchLines(u, "")
	if s.welcome.allows(optionScan) {
		for _, f := range fields {
			lines = append(lines, protocols.Line{Kind: protocols.Menu, Text: "Index: " + f.label, Link: scanURL(u, f, "")})
		}
	}
	lines = append(lines, protocols.Line{}, protocols.Line{Kind: protocols.Search, Text: "Another database of this server", Link: u.Session()})
	if s.welcome.name != "" {
		lines = append(lines, protocols.Line{}, protocols.Line{Text: "Server: " + s.welcome.name})
	}
	return s.page(t, databaseName(u), lines), nil
}

// fetchIndex returns the terms of an index from a place on.
func (c *Client) fetchIndex(ctx context.Context, t target) (*protocols.Resource, error) {
	var entries []entry
	at := t.clauses[0]
	s, err := c.start(ctx, t.url, func(s *session) (err error) {
		entries, err = s.scan(t)
		return err
	})
	if err != nil {
		return nil, err
	}
	place := t.url.Session(t.url.DatabaseNames()...)
	place.Verb = urlcore.Z3950Scan
	lines := []protocols.Line{{Kind: protocols.KindOf(place), Text: "Another place in the index", Link: place}, {}}
	last := ""
	for _, e := range entries {
		if e.failure != nil {
			lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: e.failure.sentence()})
			continue
		}
		l := protocols.Line{Text: cmp.Or(e.shown, e.term), Note: &Term{e.count}}
		if link := searchURL(t.url, clause{field: at.field, text: quote(e.term)}); opens(link) {
			l.Kind, l.Link, last = protocols.Menu, link, e.term
		}
		lines = append(lines, l)
	}
	switch {
	case len(entries) == 0:
		lines = append(lines, protocols.Line{Text: "The index ends here."})
	case len(entries) >= maxEntries && last != at.text && last != "":
		lines = append(lines, protocols.Line{}, protocols.Line{Kind: protocols.Menu, Text: "More of the index", Link: scanURL(t.url, at.field, last)})
	}
	return s.page(t, "Index: "+at.field.label+" in "+databaseName(t.url), lines), nil
}
