// Package z3950 searches Z39.50 servers (ISO 23950; ANSI/NISO Z39.50-2003, versions 2 and 3) and fetches their records (RFC
// 2056).
//
// RFC 2056 has no URL for a search, so that the page of a search has one of gofer's own; see [urlcore.Z3950]. A record has the URL
// of its id if the server finds it by that id, and else its number in the search.
package z3950

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

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
	// Idle is how long a connection is kept for the next fetch. If 0, it is kept for a minute, and if negative, it is not kept.
	Idle time.Duration

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
	url     urlcore.Z3950
	clauses []clause // of a search or scan
}

// parseURL returns the target of u. The error is a question if words or a database are missing.
func parseURL(u urlcore.URL) (t target, err error) {
	z, ok := u.(urlcore.Z3950)
	if !ok {
		return t, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by Z39.50"}
	}
	canonical, err := urlcore.Canon(z)
	if err != nil {
		return t, &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	t.url, _ = canonical.(urlcore.Z3950)
	for name, value := range map[string]string{
		"name of the database": databaseName(t.url), "id of the record": t.url.DocID, "element set": t.url.ElementSet, "record syntax": strings.Join(t.url.SyntaxNames(), " "),
	} {
		if err := wire.Check(name, value); err != nil {
			return t, err
		}
		if len(value) > maxTerm {
			return t, protocols.NewError(protocols.BadURL, "send the "+name, "it is too long")
		}
	}
	if _, err := syntaxesOf(t.url); err != nil {
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
	if err == nil && t.url.Verb == urlcore.Z3950Search && rpnOf(t.clauses, false) == "" {
		err = askWords(t.url, t.clauses)
	}
	return t, err
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
	case t.url.HasDocID || t.url.Record > 0:
		return c.fetchRecord(ctx, t)
	case t.url.Verb == urlcore.Z3950Search:
		return c.fetchResult(ctx, req, t)
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
	syntaxes, _ := syntaxesOf(t.url)
	present := func(start, n int, note string) protocols.Step {
		return step(presentRequest(start, n, t.url.ElementSet, syntaxes[0]), note)
	}
	switch names := t.url.DatabaseNames(); {
	case t.url.HasDocID:
		steps = append(steps, step(searchRequest(names, resultSet, docIDQuery(t.url.DocID, 0)), "search for the id of the record; in another way if this finds nothing"),
			present(1, 1, "ask for the record"))
	case t.url.Record > 0:
		steps = append(steps, step(searchRequest(names, resultSet, rpnOf(t.clauses, false)), "search"), present(t.url.Record, 1, "ask for the record"))
	case t.url.Verb == urlcore.Z3950Search:
		steps = append(steps, step(searchRequest(names, resultSet, rpnOf(t.clauses, false)), "search"),
			present(1, chunk, "ask for the first records, and in the same way for the next ones"))
	case t.url.Verb == urlcore.Z3950Scan:
		use := attribute{attributeUse, t.clauses[0].field.use}
		steps = append(steps, step(scanRequest(names, operand(t.clauses[0].text, use), maxEntries), "ask for terms of the index"))
	}
	return steps, nil
}

// searchWords sends the query of t. It leaves out the attribute for all fields if the server does not know it.
func (s *session) searchWords(t target) (int, error) {
	n, d, err := s.search(t.url, resultSet, rpnOf(t.clauses, false))
	everywhere := slices.ContainsFunc(t.clauses, func(c clause) bool { return c.field == fields[0] })
	if err == nil && d != nil && d.condition == unsupportedUse && everywhere {
		n, d, err = s.search(t.url, resultSet, rpnOf(t.clauses, true))
	}
	if err == nil && d != nil {
		err = s.failure(t.url, d, "search "+databaseName(t.url))
	}
	return n, err
}

// docIDAttributes are the ways to search for the id of a record: that of RFC 2056, without the structure, and by
// the control number.
var docIDAttributes = [][]attribute{
	{{attributeUse, useDocID}, {attributeStructure, structureURx}}, {{attributeUse, useDocID}}, {{attributeUse, useLocalNumber}},
}

func docIDQuery(id string, way int) string {
	return allOf([]string{operand(id, docIDAttributes[way]...)})
}

// findID searches for the record with an id, in the ways that the server may support. It returns the number of records found and
// the way, or -1.
func (s *session) findID(u urlcore.Z3950, set, id string) (n, way int, err error) {
	for way := range docIDAttributes {
		n, d, err := s.search(u, set, docIDQuery(id, way))
		switch {
		case err != nil:
			return 0, -1, err
		case d != nil && (d.condition == databaseMissing || d.isDenial()):
			return 0, -1, s.failure(u, d, "open the database "+databaseName(u))
		case d == nil && n > 0:
			return n, way, nil
		}
	}
	return 0, -1, nil
}

// fetchRecord fetches the record of t.
func (c *Client) fetchRecord(ctx context.Context, t target) (*protocols.Resource, error) {
	var body []byte
	head := protocols.Head{URL: t.url}
	s, err := c.start(ctx, t.url, func(s *session) error {
		at, err := s.find(t)
		if err != nil {
			return err
		}
		records, err := s.present(t.url, at, 1)
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
	head.Personal = s.key.Login != wire.Credentials{}
	return &protocols.Resource{Head: head, Body: bytes.NewReader(body), Closer: io.NopCloser(nil)}, nil
}

// find searches for the record of t, and returns its number in the result.
func (s *session) find(t target) (int, error) {
	if t.url.HasDocID {
		n, _, err := s.findID(t.url, resultSet, t.url.DocID)
		switch {
		case err != nil:
			return 0, err
		case n == 0:
			return 0, protocols.NewError(protocols.NotFound, "find the record "+strconv.Quote(t.url.DocID), "no record of "+databaseName(t.url)+" has this id, or the server cannot search for ids; search for words instead")
		case n > 1: // RFC 2056, section 4: the retrieval is unsuccessful
			e := protocols.NewError(protocols.ServerFailed, "find the record "+strconv.Quote(t.url.DocID), fmt.Sprintf("%d records match; search for words of it instead", n))
			e.Lines = []protocols.Line{{Kind: protocols.Search, Text: "Search " + databaseName(t.url), Link: searchURL(t.url)}}
			return 0, e
		}
		return 1, nil
	}
	n, err := s.searchWords(t)
	if err == nil && t.url.Record > n {
		err = protocols.NewError(protocols.NotFound, fmt.Sprintf("find the record %d", t.url.Record), fmt.Sprintf("the search now finds %d; search again", n))
	}
	return t.url.Record, err
}
