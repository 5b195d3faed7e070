// Package z3950 searches Z39.50 servers (ISO 23950; ANSI/NISO Z39.50-2003, versions 2 and 3) and fetches their records (RFC
// 2056).
//
// RFC 2056 has no URL for a search, so that the page of a search has one of gofer's own; see [urlcore.Z3950]. A record has the URL
// of its id if the server finds as many records as ids by the ids of a list, and else its number in the search. The URL of an id that
// finds another number of records than one is an error.
package z3950

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches z39.50r:, z39.50s: and z39.50: URLs. The zero value is ready and safe for concurrent use. A Client keeps idle
// connections until Close.
type Client struct {
	Dialer wire.Dialer
	// PlainPasswords allows sending passwords in the clear without a question.
	PlainPasswords bool

	idle     wire.Pool[*session]
	logins   wire.Logins
	consents wire.PlainPasswords
}

var _ protocols.Planner = (*Client)(nil)

// Close closes the idle connections.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}

// target is what a URL asks for.
type target struct {
	url      urlcore.Z3950
	syntaxes []string // the identifiers of the record syntaxes, the preferred one first; "" is the server's choice
	clauses  []clause // of a search or scan
}

// parseURL returns the target of u. The error is a question if words or a database are missing.
func parseURL(u urlcore.URL) (t target, err error) {
	z, ok := u.(urlcore.Z3950)
	if !ok {
		return t, protocols.NewError(protocols.BadURL, "open "+urlcore.Redact(u).String(), "a Z39.50 URL is z39.50s://host/database")
	}
	canonical, err := urlcore.Canon(z)
	if err != nil {
		return t, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	t.url, _ = canonical.(urlcore.Z3950)
	if err := checkParts(t.url); err != nil {
		return t, err
	}
	if t.syntaxes, err = syntaxesOf(t.url); err != nil {
		return t, err
	}
	switch {
	case t.url.Databases == "":
		return t, askDatabase(t.url)
	case t.url.Verb == "":
		return t, nil
	case t.url.Query == "" && t.url.Verb == urlcore.Z3950Scan:
		return t, askPlace(t.url)
	}
	t.clauses, err = parseQuery(t.url.Query)
	switch {
	case err != nil:
	case t.url.Verb == urlcore.Z3950Scan && len(t.clauses) > 1:
		err = badURL("an index has one field; name only one")
	case t.url.Verb == urlcore.Z3950Search && len(t.queries()) == 0:
		err = askWords(t.url, t.clauses)
	}
	return t, err
}

// checkParts returns an error if a part of u besides the search cannot be sent.
func checkParts(u urlcore.Z3950) error {
	for name, value := range map[string]string{
		"name of the database": databaseName(u), "id of the record": u.DocID, "element set": u.ElementSet, "record syntax": strings.Join(u.SyntaxNames(), " "),
	} {
		if err := wire.Check(name, value); err != nil {
			return err
		}
		if len(value) > maxTerm {
			return protocols.NewError(protocols.BadURL, "send the "+name, "it is too long")
		}
	}
	return nil
}

// opens reports whether u has a text that is read as u, and is a complete request. Servers send ids and terms that no URL can have.
func opens(u urlcore.Z3950) bool {
	back, err := urlcore.Parse(u.String())
	if err != nil || back != u {
		return false
	}
	_, err = parseURL(u)
	return err == nil
}

// Fetch returns a record, the result of a search, an index, or a page about a database. If words or the database are missing,
// it returns a *[protocols.Ask].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	t, err := parseURL(req.URL)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case t.isList():
		return c.fetchResult(ctx, req, t)
	case t.url.HasDocID || t.url.Record > 0:
		return c.fetchRecord(ctx, t)
	case t.url.Verb == urlcore.Z3950Scan:
		return c.fetchIndex(ctx, t)
	}
	return c.fetchDatabase(ctx, t)
}

// Plan returns the steps of a fetch with a new connection.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	t, err := parseURL(u)
	if err != nil {
		return nil, err
	}
	step := func(send, note string) protocols.Step {
		return protocols.Step{Peer: t.url.Addr(), Send: send, Note: note}
	}
	steps := []protocols.Step{step(initRequest(""), "open a session; not sent again on an open connection")}
	switch queries := t.queries(); {
	case t.url.Verb == urlcore.Z3950Scan:
		steps = append(steps, step(t.scanRequest(), "ask for terms of the index"))
	case len(queries) > 0:
		start, n, note := max(t.url.Record, 1), 1, "ask for the record"
		if t.isList() {
			n, note = chunk, "ask for the first records, and in the same way for the next ones"
		}
		steps = append(steps, step(searchRequest(t.url, resultSet, queries[0]), "search; in another way if this finds nothing"),
			step(presentRequest(start, n, t.url.ElementSet, t.syntaxes[0]), note+"; in another record syntax if the server does not have this one"))
	}
	return steps, nil
}

// isList reports whether t is the whole result of a search.
func (t target) isList() bool { return t.url.Verb == urlcore.Z3950Search && t.url.Record == 0 }

// fetchRecord fetches the record of t.
func (c *Client) fetchRecord(ctx context.Context, t target) (*protocols.Resource, error) {
	var body []byte
	head := protocols.Head{URL: t.url}
	s, err := c.start(ctx, t.url, func(s *session) error {
		at, err := s.find(t)
		if err != nil {
			return err
		}
		records, err := s.present(t, at, 1)
		switch {
		case err != nil:
			return err
		case len(records) == 0:
			return protocols.NewError(protocols.ServerFailed, "fetch the record", "the server sent none; try again later")
		case records[0].failure != nil:
			return records[0].failure.toError("fetch the record")
		}
		r := records[0]
		head.Title, head.Media, body = r.title(), r.media(), bytes.Clone(r.body())
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.keep()
	head.Size = int64(len(body))
	head.Personal = s.hasLogin()
	return &protocols.Resource{Head: head, Body: bytes.NewReader(body), Closer: io.NopCloser(nil)}, nil
}

// find searches for the record of t, and returns its number in the result.
func (s *session) find(t target) (int, error) {
	n, err := s.search(t.url, resultSet, t.queries())
	name := databaseName(t.url)
	switch {
	case err != nil || t.url.Record > 0 && t.url.Record <= n:
		return t.url.Record, err
	case t.url.Record > 0:
		return 0, protocols.NewError(protocols.NotFound, fmt.Sprintf("find the record %d", t.url.Record), fmt.Sprintf("the search now finds %d; search again", n))
	case n == 1:
		return 1, nil
	}
	e := protocols.NewError(protocols.NotFound, "find the record "+strconv.Quote(t.url.DocID), "no record of "+name+" has this id, or the server cannot search for ids; search for words instead")
	if n > 1 { // RFC 2056, section 4: the retrieval is unsuccessful
		e.Reason, e.Err = protocols.ServerFailed, fmt.Errorf("%d records match; search for words of it instead", n)
	}
	e.Lines = []protocols.Line{{Kind: protocols.Search, Text: "Search " + name, Link: searchURL(t.url)}}
	return 0, e
}
