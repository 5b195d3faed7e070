// Package wais searches WAIS databases and fetches their documents. WAIS is Z39.50 of 1988 with the
// additions of the WAIS Interface Protocol Prototype Functional Specification, version 1.5 (RFC
// 1625; RFC 1738, section 3.9).
//
// A document is fetched in chunks, one after the other, because servers answer one request at a
// time. A chunk is as large as the InitResponse of the server allows, but has at most 90,000 octets.
// A URL cannot contain the size of a document, so a Client remembers the size from the search that
// found the document.
package wais

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches wais: URLs. The zero value is ready and safe for concurrent use. A Client keeps
// idle connections until Close.
type Client struct {
	Dialer wire.Dialer

	idle wire.Pool[*session]

	mu    sync.Mutex
	sizes map[urlcore.WAIS]int64 // the sizes of documents that searches found
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
)

// Close closes the idle connections.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}

// Fetch returns a document or the result of a search. For a URL without a search, it returns a page
// about the database. If the URL has an empty search or one that ends in [unitSeparator], Fetch
// returns a *[protocols.Ask].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	w, err := checkURL(req.URL)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case w.HasDocument:
		return c.fetchDocument(ctx, w, 0)
	}
	q := parseQuery(w.Search)
	if q.isEmpty() && w.HasSearch {
		return nil, askWords(w)
	}
	s, a, err := c.startSearch(ctx, req, w, q)
	if err != nil {
		return nil, err
	}
	l := s.lease()
	if q.choosing {
		l.Done()
		return nil, askLike(w, q, a.records)
	}
	p := &page{client: c, url: w, query: q, answer: a, lease: l, session: s, hasScreen: req.Paged}
	return &protocols.Resource{
		Head:   protocols.Head{URL: w, Title: titleOf(w, q), Layout: protocols.LayoutMenu, Size: -1},
		Lines:  p.yieldLines,
		Closer: l, LateNotes: p.notes,
	}, nil
}

// Resume fetches the rest of a document, from the Offset on.
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	w, err := checkURL(req.URL)
	if err == nil && !w.HasDocument {
		err = &protocols.Error{Reason: protocols.Unsupported, Op: "resume a WAIS search"}
	}
	if err != nil {
		return nil, err
	}
	return c.fetchDocument(ctx, w, req.Offset)
}

// Plan returns the steps of a fetch with a new connection.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	w, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	steps := []protocols.Step{{
		Peer: w.Addr(), Send: initRequest(),
		Note: "open a session and ask how large answers may be; not sent again on an open connection",
	}}
	if w.HasDocument {
		id, _ := documentID(w.Document)
		return append(steps, protocols.Step{
			Peer: w.Addr(), Send: retrieveRequest(w.Database, id, preferredType(w.Type), 0, maxChunk),
			Note: fmt.Sprintf("ask for the first %d octets of the document, or fewer if the server says so; the next ones are asked for in the same way up to the end", maxChunk),
		}), nil
	}
	q := parseQuery(w.Search)
	if q.isEmpty() && w.HasSearch {
		return nil, askWords(w)
	}
	note := "search"
	switch {
	case len(q.examples) > 0:
		note = "search by relevance feedback, for documents like those whose ids are sent"
	case q.isEmpty():
		note = "search for no words, which returns the description of the database"
	}
	return append(steps, protocols.Step{Peer: w.Addr(), Send: searchRequest(w.Database, q, resultLimit(protocols.Request{}, w)), Note: note}), nil
}

// maxDatabase is the maximum length of the name of a database. It must fit into a header of 65535
// octets.
const maxDatabase = 60_000

// checkURL returns u as a canonical WAIS URL, or an error if the request cannot be sent.
func checkURL(u urlcore.URL) (urlcore.WAIS, error) {
	w, ok := u.(urlcore.WAIS)
	if !ok {
		return w, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by WAIS"}
	}
	canonical, err := urlcore.Canon(w)
	if err != nil {
		return w, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	w, _ = canonical.(urlcore.WAIS)
	if len(w.Database) > maxDatabase {
		return w, &protocols.Error{Reason: protocols.BadURL, Op: "send the name of the database", Err: errors.New("it is too long")}
	}
	if err := errors.Join(wire.Check("name of the database", w.Database), wire.Check("search words", parseQuery(w.Search).words)); err != nil {
		return w, err
	}
	if _, ok := documentID(w.Document); w.HasDocument && !ok {
		return w, &protocols.Error{Reason: protocols.BadURL, Op: "ask for the document", Err: errors.New("the URL names no document")}
	}
	return w, nil
}

// The numbers of documents and source descriptions that a search requests. If the buffer of a server is too
// small for the answer, the server sends an empty answer. The search is then repeated for fewer
// documents.
const (
	mostDocuments  = 100
	fewerDocuments = 40
	mostDatabases  = 1000
	maxDocuments   = 100_000
)

// resultLimit returns the number of documents that a search of w requests.
func resultLimit(req protocols.Request, w urlcore.WAIS) int {
	older := req.Older
	switch {
	case !req.Paged && req.Hidden, older > maxDocuments:
		return maxDocuments
	case isInfo(w):
		return min(mostDatabases+older, maxDocuments)
	}
	return min(mostDocuments+older, maxDocuments)
}

// startSearch sends a query. The caller must release the session.
func (c *Client) startSearch(ctx context.Context, req protocols.Request, w urlcore.WAIS, q query) (*session, answer, error) {
	asked := resultLimit(req, w)
	s, reply, err := c.start(ctx, w.Addr(), func(*session) string { return searchRequest(w.Database, q, asked) })
	if err != nil {
		return nil, answer{}, err
	}
	a := readHits(reply, asked)
	if a.err == nil {
		a, err = s.searchAgain(w, q, a)
	}
	if err != nil {
		s.Drop()
		return nil, answer{}, err
	}
	switch {
	case len(a.records) > 0:
		return s, a, nil
	case len(a.diagnostics) > 0:
		s.keep()
		return nil, a, a.diagnostics[0].toError(searchOp(w, q))
	case a.err != nil:
		s.Drop()
		return nil, a, a.err
	}
	return s, a, nil
}

// searchOp describes a search for an error message.
func searchOp(w urlcore.WAIS, q query) string {
	switch {
	case w.Database == "":
		return "ask for the databases of " + w.Addr()
	case q.isEmpty():
		return "open the database " + w.Database
	}
	return "search " + w.Database
}

// searchAgain repeats a query in another form, or for fewer documents, if the answer a shows that the
// server did not support the query or had no room for the answer.
func (s *session) searchAgain(w urlcore.WAIS, q query, a answer) (answer, error) {
	if a.isEmpty() && q.isEmpty() && !isInfo(w) {
		// freeWAIS-sf reports an unknown database only for a search with words.
		described, err := s.search(w, query{words: sourceWords}, 1)
		a.diagnostics = described.diagnostics
		return a, err
	}
	a, err := s.searchFewer(w, q, a)
	switch {
	case err != nil:
		return a, err
	case isInfo(w) && q.isEmpty() && slices.ContainsFunc(a.records, record.isAbout):
		q.words = sourceWords
		found, err := s.search(w, q, a.limit)
		if err == nil {
			found, err = s.searchFewer(w, q, found)
		}
		if len(found.records) > 0 && !found.records[0].isCatalog() {
			a = found
		}
		return a, err
	case q.words == "" && len(q.examples) > 0 && len(a.diagnostics) > 0 && !slices.ContainsFunc(a.records, record.isHit):
		// freeWAIS-sf accepts documents only together with a word.
		id, _ := documentID(q.examples[0].path)
		text, err := s.fetchText(databaseOf(w, id), q.examples[0].typ, id)
		if ctx := s.conn.Context(); ctx.Err() != nil {
			return a, err
		}
		if q.words = longestWord(text[:min(len(text), firstOctets)]); err != nil || q.words == "" {
			return a, nil // a has the diagnostic
		}
		a, err = s.search(w, q, a.limit)
		a.word = q.words
		return a, err
	}
	return a, nil
}

// searchFewer repeats a query for fewer and fewer documents while the answer is empty.
func (s *session) searchFewer(w urlcore.WAIS, q query, a answer) (answer, error) {
	for a.isEmpty() && a.err == nil && a.limit > fewerDocuments {
		fewer := max(a.limit/2, mostDocuments)
		if a.limit <= mostDocuments {
			fewer = fewerDocuments
		}
		var err error
		if a, err = s.search(w, q, fewer); err != nil {
			return a, err
		}
		a.bufferFull = true
	}
	return a, nil
}

// infoDatabase is the database with the descriptions of all databases of a server. A search for
// sourceWords finds every description. The search for sourceWords is needed if a search without words
// finds only the description of infoDatabase.
const (
	infoDatabase = "INFO"
	sourceWords  = "source database"
)

func isInfo(w urlcore.WAIS) bool { return w.Database == "" || w.Database == infoDatabase }

// search sends a query over an open session and returns the answer.
func (s *session) search(w urlcore.WAIS, q query, limit int) (answer, error) {
	reply, err := s.ask(searchRequest(w.Database, q, limit))
	if err != nil {
		return answer{}, err
	}
	return readHits(reply, limit), nil
}

func (a answer) isEmpty() bool {
	return len(a.records)+len(a.text)+len(a.diagnostics) == 0
}

// maxSizes is the maximum number of sizes that a Client remembers.
const maxSizes = 2000

// rememberSize records the size of a document that a search found.
func (c *Client) rememberSize(u urlcore.URL, size int64) {
	w, ok := u.(urlcore.WAIS)
	if !ok || size < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sizes == nil || len(c.sizes) >= maxSizes {
		c.sizes = make(map[urlcore.WAIS]int64)
	}
	c.sizes[w] = size
}

// sizeOf returns the size of a document that a search found, or -1.
func (c *Client) sizeOf(w urlcore.WAIS) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.sizes[w]; ok {
		return n
	}
	return -1
}
