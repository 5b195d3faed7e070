package z3950

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// The numbers of records and terms that are requested.
const (
	chunk       = 20 // records of a Present
	mostRecords = 100
	maxRecords  = 100_000
	maxEntries  = 50
)

// recordLimit returns the number of records that a page shows.
func recordLimit(req protocols.Request) int {
	if !req.Paged && req.Hidden || req.Older > maxRecords {
		return maxRecords
	}
	return min(mostRecords+req.Older, maxRecords)
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
}

// fetchResult searches and returns the result, of which the first records have arrived.
func (c *Client) fetchResult(ctx context.Context, req protocols.Request, t target) (*protocols.Resource, error) {
	r := &result{target: t, limit: recordLimit(req), screen: req.Paged}
	var first []summary
	s, err := c.start(ctx, t.url, func(s *session) (err error) {
		if r.count, err = s.searchWords(t); err != nil || r.count == 0 {
			return err
		}
		first, err = s.summaries(t.url, 1, min(chunk, r.count, r.limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	r.session, r.lease = s, &wire.Lease{Keep: s.keep, Drop: s.Drop}
	return &protocols.Resource{
		Head: protocols.Head{
			URL: t.url, Title: wordsOf(t.clauses), Layout: protocols.LayoutMenu, Size: -1, Personal: s.key.Login != wire.Credentials{},
		},
		Lines:  func(yield func(protocols.Line, error) bool) { r.yieldLines(first, yield) },
		Closer: r.lease, LateNotes: r.notes,
	}, nil
}

// summaries fetches records and returns what a list shows of them.
func (s *session) summaries(u urlcore.Z3950, start, n int) (list []summary, err error) {
	records, err := s.present(u, start, n)
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
		byID, err := r.session.findsIDs(r.target.url, next)
		for _, sum := range next {
			r.shown++
			if !yield(r.line(sum, byID), nil) {
				return
			}
		}
		if n := min(chunk, r.count-r.shown, r.limit-r.shown); err == nil && n > 0 {
			next, err = r.session.summaries(r.target.url, r.shown+1, n)
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
	u := r.target.url
	text := fmt.Sprintf("%d records match.", r.count)
	switch r.count {
	case 0:
		text = "No record matches."
	case 1:
		text = "1 record matches."
	}
	again := "Search " + databaseName(u) + " again"
	return []protocols.Line{
		{Kind: protocols.Search, Text: again, Link: searchURL(u)}, {Kind: protocols.Search, Text: again + " by fields", Link: formURL(u)}, {}, {Text: text},
	}
}

// line returns the line of a record. The record has the URL of its id if byID is true.
func (r *result) line(sum summary, byID bool) protocols.Line {
	if sum.failure != nil {
		return protocols.Line{Kind: protocols.Failure, Text: fmt.Sprintf("Record %d: %s", r.shown, sum.failure.sentence())}
	}
	u := r.target.url
	u.Record = r.shown
	if byID && sum.id != "" {
		names := u.DatabaseNames()
		if sum.database != "" {
			names = []string{sum.database}
		}
		u = u.Session(names...)
		u.Name, u.DocID, u.HasDocID = "z39.50r", sum.id, true
	}
	return protocols.Line{
		Kind: protocols.KindOf(u), Text: cmp.Or(sum.title, "Record "+strconv.Itoa(r.shown)), Link: u,
		Note: &Hit{Author: sum.author, Date: sum.date, Database: sum.database, Syntax: sum.syntax},
	}
}

// findsIDs reports whether the server finds a record by its id. It searches for the first id in the list, in a
// result set of its own, and remembers the answer.
func (s *session) findsIDs(u urlcore.Z3950, list []summary) (bool, error) {
	for _, sum := range list {
		if sum.id == "" || sum.failure != nil {
			continue
		}
		if sum.database != "" {
			u = u.Session(sum.database)
		}
		way, known := s.docIDs[u.Databases]
		if known || !s.welcome.allows(optionNamed) {
			return known && way >= 0, nil
		}
		n, way, err := s.findID(u, "id", sum.id)
		if n != 1 {
			way = -1
		}
		if len(s.docIDs) < maxRecords {
			s.docIDs[u.Databases] = way
		}
		return way >= 0, err
	}
	return false, nil
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
		URL: t.url, Title: title, Layout: protocols.LayoutMenu, Personal: s.key.Login != wire.Credentials{},
	}, lines...)
}

// fetchDatabase returns the page of a database: its search and its indexes.
func (c *Client) fetchDatabase(ctx context.Context, t target) (*protocols.Resource, error) {
	s, err := c.start(ctx, t.url, func(*session) error { return nil })
	if err != nil {
		return nil, err
	}
	u, name := t.url, databaseName(t.url)
	lines := []protocols.Line{
		{Kind: protocols.Search, Text: "Search " + name, Link: searchURL(u)}, {Kind: protocols.Search, Text: "Search " + name + " by fields", Link: formURL(u)},
	}
	if s.welcome.allows(optionScan) {
		for _, f := range fields {
			lines = append(lines, protocols.Line{Kind: protocols.Menu, Text: "Index: " + f.label, Link: scanURL(u, f, "")})
		}
	}
	lines = append(lines, protocols.Line{}, protocols.Line{Kind: protocols.Search, Text: "Another database of this server", Link: u.Session()})
	if s.welcome.name != "" {
		lines = append(lines, protocols.Line{}, protocols.Line{Text: "Server: " + s.welcome.name})
	}
	return s.page(t, name, lines), nil
}

// fetchIndex returns the terms of an index from a place on.
func (c *Client) fetchIndex(ctx context.Context, t target) (*protocols.Resource, error) {
	var entries []entry
	at := t.clauses[0]
	s, err := c.start(ctx, t.url, func(s *session) (err error) {
		entries, err = s.scan(t.url, at, maxEntries)
		return err
	})
	if err != nil {
		return nil, err
	}
	place := t.url.Session(t.url.DatabaseNames()...)
	place.Verb = urlcore.Z3950Scan
	lines := []protocols.Line{{Kind: protocols.Search, Text: "Another place in the index", Link: place}, {}}
	last := ""
	for _, e := range entries {
		if e.failure != nil {
			lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: e.failure.sentence()})
			continue
		}
		last = e.term
		link := searchURL(t.url, inField(at.field, quote(e.term))...)
		lines = append(lines, protocols.Line{Kind: protocols.Menu, Text: cmp.Or(e.shown, e.term), Link: link, Note: &Term{e.count}})
	}
	switch {
	case last == "":
		lines = append(lines, protocols.Line{Text: "The index ends here."})
	case len(entries) >= maxEntries && last != at.text:
		lines = append(lines, protocols.Line{}, protocols.Line{Kind: protocols.Menu, Text: "More of the index", Link: scanURL(t.url, at.field, last)})
	}
	return s.page(t, "Index: "+at.field.label, lines), nil
}
